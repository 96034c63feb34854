"""The plain central difference in the run's dtype, and what is said of its step."""

import re

import pytest

from autograd_cli.gradients.check import Options
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.values import flat

REGRESSION = {"X": "randn(10,3)", "W": "randn(3,1)", "b": "zeros(1)", "y": "randn(10,1)"}


def stepped(judged, source, step, name="x", **given):
    return judged(source, Options(eps=step), **{"dtype": "float32", **given}).gradients[name]


@pytest.mark.parametrize("name", ["W", "b"])
def test_a_tutorial_s_step_is_too_small_in_float32(judged, name):
    found = stepped(judged, "mean((X@W+b-y)**2)", 1e-4, name, const="X y", **REGRESSION)
    assert found.verdict is Verdict.OK
    off = max(abs(one - other) for one, other in zip(flat(found.plain), flat(found.numeric), strict=True))
    assert 1e-5 < off < 3.5e-3
    assert re.fullmatch(
        r"step 1e-4 in float32 is off by (0\.00\d+|\d\.?\d?e-[45]): too small, "
        r"rounding of the output divided by the step dominates; about 0\.00[56] is best",
        found.plain_sentence,
    )


def test_the_best_step_is_nearly_as_good_as_is_said(judged):
    given = {"const": "X y", **REGRESSION}
    found = [stepped(judged, "mean((X@W+b-y)**2)", step, "W", **given) for step in (1e-4, 5e-3)]
    worst = [
        max(abs(one - other) for one, other in zip(flat(g.plain), flat(g.numeric), strict=True))
        for g in found
    ]
    assert worst[1] < worst[0] / 10
    assert found[1].plain_sentence.endswith(", about as close as a plain difference comes there")


def test_a_step_within_which_the_function_bends_is_too_large(judged):
    found = stepped(judged, "exp(x)", 0.1, dtype="float64", x="1.")
    assert found.plain == pytest.approx(2.71828182846 * (1 + 0.01 / 6), rel=1e-5)
    assert found.plain_sentence == (
        "step 0.1 in float64 is off by 0.0045: too large, how the function bends within the step "
        "dominates; about 6e-6 is best"
    )


@pytest.mark.parametrize("source", ["sin(x**2)", "exp(x)", "3*x", "x**3 + y"])
def test_the_best_step_does_not_depend_on_the_step_that_was_asked_for(judged, source):
    said = set()
    for step in (1e-7, 1e-5, 1e-4, 0.03, 0.3):
        bindings = {"x": "[2.,3.]"} | ({"y": "[1.,5.]"} if "y" in source else {})
        found = judged(source, Options(eps=step), dtype="float32", **bindings).gradients["x"]
        said |= set(re.findall("about (.*) is best", found.plain_sentence))
    assert len(said) == 1


def test_a_long_step_within_which_nothing_bends_is_as_good_as_any(judged):
    found = judged("3*x", Options(eps=0.5), dtype="float32", x="2.").gradients["x"]
    assert found.plain_sentence.endswith(", about as close as a plain difference comes there")


def test_a_step_that_moves_nothing_gives_no_slope(judged):
    found = stepped(judged, "x*3", 1e-12, x="2.")
    assert (found.plain, found.verdict) == (0.0, Verdict.OK)
    assert "is off by 3: too small, rounding" in found.plain_sentence


def test_it_is_computed_in_the_run_s_own_dtype(judged):
    half = stepped(judged, "x**2", 1e-3, dtype="float16", x="1.")
    double = stepped(judged, "x**2", 1e-3, dtype="float64", x="1.")
    assert abs(half.plain - 2) > 0.01
    assert abs(double.plain - 2) < 1e-9
    assert half.plain_sentence.startswith("step 0.001 in float16 is off by ")


def test_a_difference_without_a_number_is_said(judged):
    found = stepped(judged, "exp(x)", 1.0, x="88.5")
    assert found.plain_sentence == "step 1 in float32 gives no finite difference"


def test_kinks_are_left_out_of_what_is_said(judged):
    found = stepped(judged, "relu(x)", 1e-3, x="0.")
    assert (found.verdict, found.plain, found.plain_sentence) == (Verdict.KINK, pytest.approx(0.5), "")


def test_a_large_leaf_is_moved_along_the_same_directions(judged):
    found = stepped(judged, "sum(x**2)", 1e-4, x="randn(40,50)")
    assert (found.plain, found.directions) == (None, 16)
    assert "too small" in found.plain_sentence


def test_complex_leaves_are_moved_in_both_parts(judged):
    found = stepped(judged, "(z*z*z.conj()).real", 1e-3, "z", dtype="complex64", z="[1+2j,0.5-1j]")
    assert found.plain[1] == pytest.approx(found.numeric[1], abs=1e-2)


def test_without_the_numeric_witness_there_is_no_plain_difference(judged):
    options = Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.SYMBOLIC}), eps=1e-3)
    found = judged("sin(x)", options, x="2.").gradients["x"]
    assert (found.plain, found.plain_sentence) == (None, "")


def test_of_many_elements_the_first_are_looked_at(judged):
    found = judged("sum(x**2)", Options(eps=1e-3, elements="all", limit=None), x="randn(1200)").gradients["x"]
    known = [value for value in found.plain if value == value]
    assert len(known) == 1000
    assert known == pytest.approx(found.autograd[:1000], rel=1e-3, abs=1e-3)
