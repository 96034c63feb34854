"""Findings about second derivatives."""

from dataclasses import replace

import pytest

from autograd_cli.diagnose.seconds import of_second
from autograd_cli.report import Second, SecondBlock, Verdict, Witness

NONE = (None, None, None)
BLOCK = SecondBlock(
    ("x", "y"), (2, 2), "eye(2)", "", "", *NONE, 1e-9, None, 1e-9, None, 0.0, 1.0, 1e-6, (1, 0), Verdict.OK
)


@pytest.fixture
def said(made):
    return lambda *blocks, **parts: of_second(
        made("sum(sin(x)*y)", x="2.", y="3."), Second("hessian", "", blocks, **parts)
    )


def test_agreement_is_silent(said):
    assert said(BLOCK, replace(BLOCK, verdict=Verdict.KINK), replace(BLOCK, verdict=None)) == ()


def test_a_wrong_block_is_named_by_its_pair_and_place(said):
    wrong = replace(BLOCK, verdict=Verdict.WRONG, odd=Witness.AUTOGRAD, sentence="double backward is wrong")
    (finding,) = said(BLOCK, wrong)
    assert (finding.code, finding.severity) == ("AGX501", "error")
    assert finding.sentence == "The second derivative by `x` and `y`: autograd is the odd one out at [1, 0]."
    assert finding.cause == ("double backward is wrong",)


def test_one_leaf_is_named_once(said):
    (finding,) = said(replace(BLOCK, pair=("x", "x"), verdict=Verdict.WRONG, worst=()))
    assert finding.sentence == "The second derivative by `x`: the witnesses do not agree."


def test_what_torch_has_no_second_of_is_shown_in_the_source(said):
    (finding,) = said(error="the derivative for 'sin_backward' is not implemented.", at="sin(x)")
    assert (finding.code, finding.name) == ("AGX425", "no-second-derivative")
    assert finding.sentence == "torch has no second derivative of `sin(x)`."
    assert (finding.span, finding.line) == ((4, 10), 1)
    assert "sin_backward" in finding.torch


def test_a_mark_that_torch_passes_over_is_told(said):
    (finding,) = said(
        error="trying to differentiate twice a function that was marked with @once_differentiable"
    )
    assert (finding.sentence, finding.span) == ("torch has no second derivative of this.", None)
    assert "passes over the mark in silence" in finding.cause[1]
