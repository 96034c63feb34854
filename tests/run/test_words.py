"""Strings of a program: what is too large is refused before it is made, and nothing is looked into."""

import pytest

from autograd_cli.errors import AgxError, LanguageError, LimitError
from tests.same.runs import compared, in_agx

HUGE = [
    "print('{:1000000000}'.format('a'))",
    "n = 1000000000\nprint('{:{}}'.format('a', n))",
    "print('{:.1000000000f}'.format(2.5))",
    "print('a'.ljust(1000000000))",
    "print('a'.center(1000000000, '='))",
    "print('7'.zfill(1000000000))",
    "text = 'a' * 100000\nprint(text.replace('a', text))",
    "text = 'a' * 100000\nprint(text.replace('', text))",
    "text = 'a' * 1000\nprint(text.join(['b'] * 100000))",
]


@pytest.mark.parametrize("text", HUGE)
def test_what_is_too_long_is_refused_before_it_is_made(text: str) -> None:
    with pytest.raises(LimitError) as caught:
        in_agx(text)
    assert caught.value.code == "AGX606"


@pytest.mark.parametrize("text", ["print('{:1000}|'.format(3))", "print('a'.rjust(100000))"])
def test_what_is_long_and_within_the_limit_is_made(text: str) -> None:
    assert compared(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "print('%s' % 3)",
        "f = sin\nf(torch.ones(2))",
        "torch.FloatTensor(5)",
        "torch.ones(2)._version",
    ],
)
def test_what_looks_inside_or_hides_a_call_is_refused(text: str) -> None:
    with pytest.raises(LanguageError):
        in_agx(text)


@pytest.mark.parametrize("form", ["{0.__class__}", "{.shape}", "{0[0]}", "{0.T.grad}"])
def test_a_format_looks_into_no_value(form: str) -> None:
    for text in (f"print('a')\nprint('{form}'.format(3))", f"form = '{form}'\nprint(form.format(3))"):
        with pytest.raises(AgxError) as caught:
            in_agx(text)
        assert isinstance(caught.value, LanguageError)
        assert (caught.value.code, "looks into a value" in caught.value.sentence) == ("AGX105", True)
