"""The lines of gradcheck under a verdict, drawn at 80 columns."""

from dataclasses import replace

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
from autograd_cli.report.records import Verdict
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

    def draw(grounds, checks=None, **changes):
        report = stored("linear_regression")
        gradient = replace(report.gradients[0], grounds=grounds, **changes)
        report = replace(report, gradients=(gradient,), checks=checks)
        return render(report, "rich", width=80, colour=False, check=True)

    return draw


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("guilty", "   where    f(x) (FBackward) is wrong by itself, by x: 1.0005 for 1, 0.05 % off"),
        ("order", "   order    the Taylor remainder is of order 1.00: 2 is right, 1 is wrong"),
        ("loss", "   digits   most are lost at exp(x)-1: relative error 1e-7 arrives, 0.5 leaves"),
        ("fixed", "   fixed    under one random state the verdict is OK"),
        ("outputs", "   outputs  each of the 2 elements of the output by itself"),
        ("forward", "   forward  jvp agrees by every element, 1e-9 off at most"),
        ("next", "   next     agx gradcheck … --torch"),
    ],
)
def test_each_ground_has_its_line(shown, field, line):
    assert line in shown(Grounds(**{field: getattr(FULL, field)})).splitlines()


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
    assert f"for 1, {told} off" in " ".join(shown(Grounds(guilty=(guilty,))).split())


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
