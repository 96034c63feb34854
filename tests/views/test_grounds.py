"""The lines of gradcheck under a verdict, drawn at 80 columns."""

from dataclasses import replace
from math import inf, nan

import pytest

from autograd_cli.report.checks import (
    Asked,
    Checks,
    Cut,
    Element,
    Forward,
    Grounds,
    Guilty,
    Loss,
    Sides,
)
from autograd_cli.report.kinds import Witness
from autograd_cli.report.records import Summary, Verdict
from autograd_cli.views import render

FULL = Grounds(
    order=1.0,
    sides=(Sides((0,), -1.0, 1.0, 0.0, True),),
    elements=(Element((0,), 1.0, 2.0, 2.0, 1.0, 1e-9), Element((2,), 3.0, 3.5, 3.5, 0.5, 1e-9)),
    fixed=Verdict.OK,
    cuts=(Cut("x.detach()", (0, 10), 1),),
    uncut=4.0,
    guilty=(Guilty("f(x)", "FBackward", "x", Witness.AUTOGRAD, 1.0005, 1.0, 5e-4),),
    alone=3,
    loss=Loss("exp(x)-1", 1e-7, 0.5),
    forward=Forward((1.0,), None, 1e-9, True),
    outputs="each of the 2 elements of the output by itself",
    next="agx gradcheck … --torch",
)


@pytest.fixture
def shown(stored):
    """What gradcheck draws of a gradient that has these grounds."""

    def draw(grounds, checks=None, verbose=False, **changes):
        report = stored("linear_regression")
        gradient = replace(report.gradients[0], grounds=grounds, **changes)
        report = replace(report, gradients=(gradient,), checks=checks)
        return render(report, "rich", width=80, colour=False, check=True, verbose=verbose)

    return draw


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("loss", "   digits   most are lost at exp(x)-1: relative error 1e-7 arrives, 0.5 leaves"),
        ("fixed", "   fixed    under one random state the verdict is OK"),
        ("outputs", "   outputs  each of the 2 elements of the output by itself"),
        ("forward", "   forward  jvp agrees by every element, 1e-9 off at most"),
        ("next", "   next     agx gradcheck … --torch"),
    ],
)
def test_each_ground_has_its_line(shown, field, line):
    assert line in shown(Grounds(**{field: getattr(FULL, field)})).splitlines()


def test_a_node_that_is_wrong_says_what_it_gives_and_what_is_right(shown):
    told = " ".join(shown(Grounds(guilty=FULL.guilty)).split())
    said = "wrong by itself, by x: it gives 1.0005, and 1 is right, 0.05 % off"
    assert f"where f(x) (FBackward) is {said}" in told


def test_the_order_is_evidence_where_something_is_not_right(shown):
    told = " ".join(shown(Grounds(order=1.0), verdict=Verdict.WRONG).split())
    assert "order halving the step divides what the straight line of this gradient misses by 2 " in told
    assert "(order 1.00); about 4 or more is right, about 2 wrong" in told
    assert "order 1.00" not in shown(Grounds(order=1.0))
    assert "order 1.00" in shown(Grounds(order=1.0), verbose=True)


@pytest.mark.parametrize(
    ("given", "where"), [(-1.0, "the one to the left"), (1.0, "the one to the right"), (0.0, "between")]
)
def test_a_kink_says_which_slope_autograd_gives(shown, given, where):
    grounds = Grounds(sides=(Sides((0,), -1.0, 1.0, given, True),))
    told = " ".join(shown(grounds, verdict=Verdict.KINK).split())
    assert f"autograd's {given:.0f} is {where}" in told
    assert "numeric -2.7669791, between the slopes" in told


@pytest.mark.parametrize(
    ("left", "right", "given", "said"),
    [
        (0.0, 1.0 - 1e-12, 1.0, "0 to the left, 1 to the right; autograd's 1 is the one to the right"),
        (0.0, 1.0, 5.0, "0 to the left, 1 to the right; autograd's 5 is not between"),
        (1.0, inf, 5.0, "1 to the left, inf to the right; autograd gives 5"),
        (nan, inf, inf, "none to the left, inf to the right; autograd's inf is the one to the right"),
        (nan, nan, nan, "none to the left, none to the right; autograd gives nan"),
        (inf, inf, 0.0, "inf to the left, inf to the right; autograd gives 0"),
    ],
)
def test_where_autograd_lies_is_said_as_the_slopes_are_written(shown, left, right, given, said):
    grounds = Grounds(sides=(Sides((0,), left, right, given, left <= given <= right),))
    assert f"slopes [0] {said}" in " ".join(shown(grounds, verdict=Verdict.KINK).split())


def test_how_many_elements_were_looked_at_is_said(shown):
    grounds, large = Grounds(elements=FULL.elements), Summary(10_000, -1.0, 4.0, 0, 0)
    many = {"shape": (100, 100), "autograd": large, "symbolic": large, "worst": (3, 4)}
    told = " ".join(shown(grounds, **many, numeric=None, directions=16).split())
    assert "of 10,000 elements: each element by the formula, all at once by the slopes along 16" in told
    assert "d/dw[0] autograd 1 reference 2" in told
    few = replace(large, nan=9995)
    told = " ".join(shown(grounds, **many, numeric=few, error_bar=4e-9).split())
    assert "each element by the formula, 5 elements by its own slope, -1 … 4 ± 4e-9" in told


def test_a_distance_within_the_error_bar_is_not_autograds(shown):
    lone = {"symbolic": None, "formula": None, "difference": 1e-12, "error_bar": 2e-12, "tolerance": 1e-45}
    row = next(line for line in shown(None, **lone).splitlines() if line.startswith(" d/dw"))
    assert row.split()[-3:] == ["≤", "2e-12", "0"]
    row = next(line for line in shown(None, **{**lone, "difference": 3e-12}).splitlines() if "d/dw" in line)
    assert "≤" not in row


def test_long_formulas_and_sentences_are_broken_at_the_width(shown):
    formula = "+".join(f"sin(x{number})*cos(y{number})" for number in range(30))
    guilty = replace(FULL.guilty[0], operand=f"its rule, {formula}")
    text = shown(Grounds(guilty=(guilty,)), Checks(torch=Asked(False, f"no: {formula}", "it " * 50)))
    assert max(map(len, text.splitlines())) <= 80
    assert "".join(text.split()).count(formula) == 2


@pytest.mark.parametrize(
    ("relative", "told"),
    [
        (5e-4, "0.05 %"),
        (1.1, "110 %"),
        (10.0, "1,000 %"),
        (11.0, "more than 1,000 %"),
        (float("inf"), "more than 1,000 %"),
        (2e-5, "0.002 %"),
        (3e-9, "less than 0.001 %"),
    ],
)
def test_percents_are_written_out(shown, relative, told):
    guilty = replace(FULL.guilty[0], relative=relative)
    assert f"and 1 is right, {told} off" in " ".join(shown(Grounds(guilty=(guilty,))).split())


@pytest.mark.parametrize(
    ("alone", "told"),
    [
        (1, "alone    1 node checked by itself: it is right"),
        (2, "alone    2 nodes checked each by itself: none is wrong"),
    ],
)
def test_nodes_that_were_checked_alone_are_counted(shown, alone, told):
    assert told in shown(Grounds(alone=alone))


def test_a_cut_is_named_with_the_slope_without_it(shown):
    text = " ".join(shown(Grounds(cuts=FULL.cuts, uncut=4.0)).split())
    assert "cut x.detach() counts as a constant (stop-gradient); without the cut: 4" in text


def test_the_worst_elements_stand_under_what_is_wrong_alone(shown):
    grounds = Grounds(elements=FULL.elements)
    assert "   worst    [0] 1 for 2 · [2] 3 for 3.5" in shown(grounds, verdict=Verdict.WRONG)
    assert "worst    " not in shown(grounds)


def test_what_torch_says_stands_above_the_whole(shown):
    checks = Checks(torch=Asked(False, "Jacobian mismatch", "it steps over the kink"))
    lines = " ".join(shown(FULL, checks).split())
    assert "torch torch.autograd.gradcheck: Jacobian mismatch; it steps over the kink the whole:" in lines


def test_nothing_is_wider_than_the_terminal(shown):
    text = shown(FULL, verdict=Verdict.WRONG)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(("status", "is_said"), [(0, True), (1, True), (4, False)])
def test_nothing_is_said_to_require_no_grad_where_a_limit_cut_the_check_short(stored, status, is_said):
    report = replace(stored("sin"), gradients=(), findings=(), status=status)
    said = "no gradient to check: nothing that is bound requires grad" in render(
        report, "rich", width=100, colour=False, check=True
    )
    assert said is is_said
