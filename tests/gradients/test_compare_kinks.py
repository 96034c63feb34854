"""Verdicts from evidence alone where there is no one slope: kinks, jumps, edges, isolated points."""

from math import inf, nan

import pytest

from autograd_cli.gradients.compare import judged
from autograd_cli.gradients.slope import Behaviour, Slope
from autograd_cli.report import Verdict, Witness
from tests.gradients.given import evidence, vector


def kink(given, left=0.0, right=1.0):
    slopes = {0: Slope((left + right) / 2, 1e-9, Behaviour.KINK, left, right)}
    return judged(evidence([given], numeric=[(left + right) / 2], slopes=slopes, exact=vector(given)))


@pytest.mark.parametrize("given", [0.0, 0.5, 1.0])
def test_a_value_between_the_slopes_of_a_kink(given):
    found = kink(given)
    assert (found.verdict, found.kinks) == (Verdict.KINK, 1)
    assert found.sentence == f"the slope is 0 to the left and 1 to the right; autograd gives {given:g}"


@pytest.mark.parametrize("given", [-0.01, 1.01, nan])
def test_a_value_outside_the_slopes_of_a_kink_is_wrong(given):
    found = kink(given)
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)
    assert "which is not between the slopes at this kink: 0 to the left and 1 to the right" in found.sentence


def test_kinks_are_counted_in_one_sentence():
    slopes = {i: Slope(0.5, 1e-9, Behaviour.KINK, 0.0, 1.0) for i in (0, 2)}
    found = judged(evidence([0.0, 1.0, 0.0], numeric=[0.5, 1.0, 0.5], slopes=slopes))
    assert found.kinks == 2
    assert found.sentence.endswith("autograd gives 0 (2 such elements)")


def test_a_sentence_of_one_kink_counts_those_alone_that_it_is_true_of():
    sides = {0: (0.0, 1.0), 1: (0.0, 1.0), 2: (-1.0, 1.0), 3: (0.0, 1.0)}
    slopes = {i: Slope(0.5, 1e-9, Behaviour.KINK, *pair) for i, pair in sides.items()}
    found = judged(evidence([0.0, 0.0, 0.0, 1.0], numeric=[0.5, 0.5, 0.0, 0.5], slopes=slopes))
    assert found.sentence.endswith("autograd gives 0 (2 such elements of 4 at kinks)")
    found = judged(evidence([0.5, 0.0, 0.0, 1.0], numeric=[0.5, 0.5, 0.0, 0.5], slopes=slopes))
    assert found.sentence.endswith("autograd gives 0.5 (1 such element of 4 at kinks)")


def test_a_complex_number_is_one_element_at_a_kink():
    slopes = {i: Slope(0.0, 1e-9, Behaviour.KINK, -1.0, 1.0) for i in range(4)}
    found = judged(evidence([0.0] * 4, numeric=[0.0] * 4, slopes=slopes, dtype="complex64"))
    assert found.kinks == 2
    assert found.sentence.endswith("(2 such elements)")


def steep(given, formula, left=inf, right=inf, steepest=1e15):
    slopes = {0: Slope(nan, nan, Behaviour.JUMP, left, right, steepest)}
    return judged(evidence([given], [formula], [nan], slopes=slopes, allowed=vector(1e-7 * abs(given))))


def test_what_is_steeper_than_floats_can_show_is_what_two_witnesses_say():
    found = steep(1e16, 1e16)
    assert found.verdict is Verdict.PRECISION
    assert found.sentence == (
        "it rises within less than floats are apart, so that no difference can tell its slope: "
        "autograd and the formula agree on 1e16"
    )


@pytest.mark.parametrize(
    "one",
    [
        (1e16, 2e16),
        (-1e16, -1e16),
        (1e14, 1e14),
        (0.0, 0.0),
        (1e16, 1e16, -inf, inf),
        (1e16, 1e16, 0.0, inf, 0.0),
    ],
)
def test_a_jump_that_two_witnesses_do_not_explain_stays_one(one):
    assert steep(*one).verdict is Verdict.JUMP


@pytest.mark.parametrize(
    ("shape", "sides", "verdict", "why", "slopes"),
    [
        (
            Behaviour.JUMP,
            (0.0, inf),
            Verdict.JUMP,
            "it jumps or rises without bound",
            "0 to the left and inf to the right",
        ),
        (
            Behaviour.EDGE,
            (nan, inf),
            Verdict.DOMAIN_EDGE,
            "it has no values on one side",
            "none to the left and inf to the right",
        ),
        (Behaviour.EDGE, (nan, nan), Verdict.DOMAIN_EDGE, "it has no finite value", "on neither side"),
    ],
)
def test_a_place_without_a_slope(shape, sides, verdict, why, slopes):
    found = judged(evidence([0.0], [0.0], [nan], slopes={0: Slope(nan, nan, shape, *sides)}))
    sentence = f"the function has no slope, since {why} (slopes: {slopes}); autograd gives 0"
    assert (found.verdict, found.sentence, found.worst) == (verdict, sentence, 0)


def isolated(above, below):
    return judged(evidence([0.0], [0.0], [1.0], neighbours=lambda mask: (vector(above), vector(below))))


def test_kinks_that_cancel_leave_one_point_off():
    found = isolated(1.0, 1.0)
    assert (found.verdict, found.kinks) == (Verdict.KINK, 1)
    assert found.sentence == (
        "kinks meet here: autograd gives 0 at this one point, "
        "the function's slope is 1 here and on both sides"
    )


def test_a_value_that_is_off_on_one_side_too_is_no_isolated_point():
    assert isolated(1.0, 0.0).verdict is Verdict.OK


def test_a_wrong_place_outweighs_a_kink():
    slopes = {0: Slope(0.5, 1e-9, Behaviour.KINK, 0.0, 1.0)}
    found = judged(evidence([0.0, 3.1], numeric=[0.5, 3.0], slopes=slopes))
    assert (found.verdict, found.worst, found.kinks) == (Verdict.WRONG, 1, 1)
