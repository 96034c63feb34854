"""What a person's own callables raise is told at their lines, with how they are called."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.run.settings import Use

OWN = """import torch
from torch.autograd import Function


class Product(Function):
    @staticmethod
    def forward(ctx, x, y, scale=1.0):
        return x * y * scale

    @staticmethod
    def backward(ctx, g):
        raise ValueError("not today")


class Doubles(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class Backless(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


def plain(x, y=2.0):
    return x * y


def inner(x):
    return Backless.apply(x) * 2
"""


def line(text):
    """The number of a line of the file."""
    return OWN[: OWN.index(text)].count("\n") + 1


@pytest.fixture
def finding(tmp_path, monkeypatch):
    """The first finding of a source with `f` from the file, under gradcheck or not."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)

    def made(attribute, source, check=False, **bound):
        report = explore(
            source, list(bound.items()), Options(use=(Use("f", "own.py", attribute),), check=check)
        )
        assert report.status == 1
        return report.findings[0]

    return made


@pytest.mark.parametrize(
    ("attribute", "source", "form", "at"),
    [
        ("Product.apply", "f(x).sum()", "f(x, y, scale=1.0)", "def forward(ctx, x, y"),
        ("plain", "f(x, x, x).sum()", "f(x, y=2.0)", "def plain"),
    ],
)
def test_a_call_with_other_arguments_is_told_how_it_is_written(finding, attribute, source, form, at):
    found = finding(attribute, source, x="randn(3)")
    assert (found.code, found.evidence["line"]) == ("AGX325", line(at))
    assert [fix.text for fix in found.fix] == [f"call it as it is written: {form}"]


def test_a_builtin_has_no_form_to_show(finding):
    assert finding("torch.sin", "f(x, x).sum()", x="randn(3)").fix == ()


def test_a_leaf_that_is_changed_in_place_is_told_at_its_line_with_what_to_hand_instead(finding):
    found = finding("Doubles.apply", "f(x).sum()", x="randn(3)")
    assert found.code == "AGX412"
    assert f"(own.py:{line('def forward(ctx, x):')})" in found.sentence
    assert [fix.text for fix in found.fix] == ["hand it a tensor that is no leaf: `f(x.clone())`"]


@pytest.mark.parametrize("attribute", ["Backless.apply", "inner"])
@pytest.mark.parametrize("check", [True, False])
def test_a_class_without_backward_is_told_at_its_line_and_torchs_words_once(finding, attribute, check):
    found = finding(attribute, "f(x).sum()", check, x="randn(3)")
    assert (found.code, found.evidence["line"]) == ("AGX325", line("class Backless"))
    assert found.sentence.startswith(
        f"Backless raises NotImplementedError at own.py:{line('class Backless')}: "
    )
    assert found.torch == ""


def test_an_error_in_backward_is_told_at_its_line(finding):
    found = finding("Product.apply", "f(x, x).sum()", x="randn(3)")
    assert found.evidence["line"] == line("raise ValueError")
    assert found.sentence.endswith("not today")
