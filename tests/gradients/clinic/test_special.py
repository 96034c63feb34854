"""What is wrong for some cotangents, values, layouts or dtypes alone is WRONG, and it is said for which."""

from pathlib import Path

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

HERE = Path(__file__).parent


def report(name, x, source="f(x).sum()", dtype="float64"):
    """The report of gradcheck with `f` from the file beside this one."""
    use = Use("f", str(HERE / "special.py"), f"{name}.apply")
    return explore(source, [("x", x)], Options(use=(use,), check=True, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("name", ["OfOne", "OfFour", "Stretched"])
def test_a_backward_that_jumps_at_what_it_is_sent_is_no_rounding(name, dtype):
    made = report(name, "randn(4)", dtype=dtype)
    (gradient,), (found,) = made.gradients, made.examined
    assert (made.status, gradient.verdict) == (1, Verdict.WRONG)
    assert gradient.tolerance < 0.01 * gradient.difference
    assert found.fails


@pytest.mark.parametrize("name", ["OfOne", "OfFour"])
def test_that_ones_alone_are_wrong_is_said(name):
    (slot,) = report(name, "randn(4)").examined[0].slots
    assert slot.patterns == ("it is wrong where grad_output is all ones, and right under a drawn one",)


@pytest.mark.parametrize(
    ("name", "x", "dtype", "said"),
    [
        ("Stretched", "randn(4)", "float32", "where grad_output is stretched, as sum() sends it"),
        ("Strided", "randn(3,3)", "float32", "where grad_output is stretched, as sum() sends it"),
        ("Single", "randn(4)", "float32", "in float32 alone, and right in float64"),
        ("Half", "randn(4)", "float16", "in float16 alone, and right in float64"),
    ],
)
def test_a_node_that_is_right_alone_is_named_with_what_makes_it_wrong(name, x, dtype, said):
    (gradient,) = report(name, x, dtype=dtype).gradients
    (guilty,) = gradient.grounds.guilty
    assert (gradient.verdict, guilty.sentence) == (Verdict.WRONG, f"it is wrong {said}")
    assert guilty.given == pytest.approx(1.5 * guilty.reference, rel=1e-2)
    assert gradient.grounds.next == "mend the backward of f(x)"


def test_digits_that_a_backward_loses_are_lost_to_rounding_still():
    (gradient,) = report("Cancelling", "[0.013, 0.7]", dtype="float32").gradients
    assert gradient.verdict is Verdict.PRECISION


@pytest.mark.parametrize(
    ("name", "x", "source", "pattern"),
    [
        ("AtTwo", "[1., 2., 3.]", "f(x).sum()", "it is wrong where x is exactly 2, and right a hair beside"),
        (
            "AtKink",
            "[-1., 0., 2.]",
            "f(x).sum()",
            "it is wrong where x is exactly 0, and right a hair beside",
        ),
        ("Turned", "randn(3,3)", "f(x.t()).sum()", "a transpose: the error is 0 when x is symmetric"),
        ("Root", "[0., 0.5, 2.]", "f(x).sum()", "a constant factor: it is 2 times what it should be"),
        ("Added", "[1., 9.]", "f(x).sum()", "a small term is added or lost: it is "),
        ("Quantised", "[1., 2.]", "f(x).sum()", "a constant factor: it is 1.01 times what it should be"),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_wrong_at_some_values_has_its_line_and_pattern(name, x, source, pattern, dtype):
    made = report(name, x, source, dtype)
    (gradient,), (slot,) = made.gradients, made.examined[0].slots
    assert (made.status, gradient.verdict, slot.verdict) == (1, Verdict.WRONG, Verdict.WRONG)
    assert gradient.tolerance < gradient.difference
    assert slot.patterns[0].startswith(pattern)
    assert "backward, its 1st return value" in slot.place


@pytest.mark.parametrize("x", ["[0.5, 1.7]", "[0.4, 1.7]"])
def test_a_straight_through_estimate_is_one_at_a_jump_too(x):
    made = report("Rounded", x)
    (slot,) = made.examined[0].slots
    assert slot.patterns == (
        "forward does not change with x here: a straight-through estimate is meant to differ",
    )


@pytest.mark.parametrize("name", ["Ramp", "AtKink"])
def test_nothing_is_said_of_a_second_order_at_a_kink(name):
    (found,) = report(name, "[-1., 0., 2.]").examined
    assert (found.slots[0].verdict, found.second) == (Verdict.WRONG, None)
    assert report(name, "[-1., 1., 2.]").examined[0].second is Verdict.OK


def test_what_forward_draws_is_told_and_is_no_mistake():
    made = report("Dropout", "randn(4)")
    (gradient,), (found,) = made.gradients, made.examined
    assert (gradient.verdict, found.fails) == (Verdict.NONDETERMINISTIC, False)
    assert "not-deterministic" in {each.name for each in found.concerns}
    assert not any(finding.code == "AGX501" for finding in made.findings)


def test_what_backward_alone_draws_is_a_mistake():
    (found,) = report("Noisy", "randn(4)").examined
    assert "not-deterministic" in {each.name for each in found.causes}


@pytest.mark.parametrize(("name", "verdict"), [("Power", Verdict.OK), ("WrongPower", Verdict.WRONG)])
def test_a_call_with_keywords_is_examined(name, verdict):
    made = report(name, "[1., 2.]", "f(x, p=3).sum()")
    (slot,) = made.examined[0].slots
    assert (made.gradients[0].verdict, slot.name, slot.verdict) == (verdict, "x", verdict)


@pytest.mark.parametrize(
    ("x", "dtype"), [("[1., 2.]", "float64"), ("randn(3)", "float32"), ("randn(300)", "float64")]
)
def test_a_forward_that_rounds_inside_has_the_slope_that_its_steps_follow(x, dtype):
    made = report("Coarse", x, dtype=dtype)
    (gradient,), (slot,) = made.gradients, made.examined[0].slots
    assert (made.status, gradient.verdict, slot.verdict) == (0, Verdict.OK, Verdict.OK)


@pytest.mark.parametrize("x", ["ones(4)", "[1., 1., 1.001, 1.]", "randn(4)"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_sum_that_cancels_is_none_that_jumps(x, dtype):
    (slot,) = report("Normed", x, dtype=dtype).examined[0].slots
    assert slot.verdict is Verdict.OK
