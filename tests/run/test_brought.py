"""Calls of a person's own callables, made again on other values, and leaves that they write into."""

import pytest
import torch

from autograd_cli.run.brought import Called
from autograd_cli.run.settings import OtherValueError, Use
from autograd_cli.run.targets import targets

TEXT = """
import torch


def noisy(x):
    return x * torch.rand(3)


def names(x):
    return {"x": x}


def writes(x):
    with torch.no_grad():
        x.mul_(2)
    return x * 1
"""


@pytest.fixture
def called(tmp_path):
    """A first call of a function of the file above, that is still to be made."""
    (tmp_path / "own.py").write_text(TEXT)

    def made(name):
        use = Use("f", str(tmp_path / "own.py"), name)
        return Called(targets([use])["f"])

    return made


def test_a_call_made_again_draws_what_it_drew(called):
    call, x = called("noisy"), torch.ones(3, dtype=torch.float64)
    first = call.first((x,), {})
    torch.rand(5)
    assert torch.equal(call(2 * x), 2 * first)


def test_a_value_that_a_source_has_not_is_refused(called):
    with pytest.raises(OtherValueError, match="f gives a dict"):
        called("names").first((torch.ones(3),), {})


def test_a_leaf_that_is_written_into_gets_back_what_it_held(called):
    call, x = called("writes"), torch.tensor([1.0, -3.0], requires_grad=True)
    value = call.first((x,), {})
    assert (x.tolist(), value.tolist()) == ([2.0, -6.0], [2.0, -6.0])
    assert call.restore()
    assert x.tolist() == [1.0, -3.0]


def test_there_is_nothing_to_give_back_where_nothing_was_written(called):
    call = called("noisy")
    call.first((torch.ones(3, requires_grad=True),), {})
    assert not call.restore()
