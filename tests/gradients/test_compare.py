"""Verdicts from evidence alone, without a run."""

from math import inf, nan

import pytest
import torch

from autograd_cli.gradients.compare import judged
from autograd_cli.gradients.known import agrees
from autograd_cli.gradients.slope import Behaviour, Slope
from autograd_cli.report import Verdict, Witness
from tests.gradients.given import evidence, vector


def test_three_that_agree():
    found = judged(evidence([2.0, 3.0000005], [2.0, 3.0], [2.0, 3.0]))
    assert (found.verdict, found.odd, found.worst) == (Verdict.OK, None, 1)
    assert found.difference == pytest.approx(5e-7, rel=1e-6)
    assert found.tolerance == 1e-6


def test_what_rounding_does_to_the_formula_is_asked_where_it_matters():
    asked = []

    def doubt():
        asked.append("doubt")
        return vector(1e-3)

    assert judged(evidence([2.0], [2.0], [2.0], doubt=doubt)).verdict is Verdict.OK
    assert not asked
    assert judged(evidence([2.0], [2.0005], [2.0], doubt=doubt)).verdict is Verdict.OK
    assert judged(evidence([2.0], [2.005], [2.0], doubt=doubt)).verdict is Verdict.WRONG
    assert asked == ["doubt"] * 2


def test_autograd_is_off():
    found = judged(evidence([2.001, 3.0], [2.0, 3.0], [2.0, 3.0]))
    assert (found.verdict, found.odd, found.worst) == (Verdict.WRONG, Witness.AUTOGRAD, 0)
    assert found.difference == pytest.approx(1e-3)
    assert found.sentence == "autograd gives 2.001, the formula gives 2, the numeric slope is 2 ± 1e-11"


@pytest.mark.parametrize("known", ["formula", "numeric"])
def test_autograd_is_off_from_the_one_reference_there_is(known):
    found = judged(evidence([2.001], **{known: [2.0]}))
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)


def test_the_worst_place_is_the_furthest_for_what_is_allowed():
    found = judged(evidence([2.1, 3.2, 4.0], [2.0, 3.0, 4.0], allowed=vector(1e-6, 1e-3, 1e-6)))
    assert found.worst == 0


def test_the_formula_is_off():
    found = judged(evidence([2.0], [2.001], [2.0]))
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.SYMBOLIC)
    assert found.sentence == (
        "the formula gives 2.001, autograd gives 2 and the numeric slope is 2 ± 1e-11: "
        "the formula is wrong, which is a fault of agx and not of the source"
    )


def test_a_formula_off_by_less_than_low_precision_shows_is_found_in_double():
    found = judged(evidence([2.0], [2.0 + 1e-7], [2.0], exact=vector(2.0)))
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.SYMBOLIC)


def test_the_numeric_slope_is_off():
    found = judged(evidence([2.0], [2.0], [2.1]))
    assert (found.verdict, found.odd) == (Verdict.OK, Witness.NUMERIC)
    assert found.widened == pytest.approx(0.1)
    assert found.sentence == (
        "autograd and the formula agree; the numeric slope is 2.1 ± 1e-11, so its error bar is widened to 0.1"
    )


def test_no_two_agree():
    found = judged(evidence([2.0], [3.0], [4.0]))
    assert (found.verdict, found.odd) == (Verdict.WRONG, None)
    assert found.sentence.endswith(": no two of them agree")


def test_a_numeric_slope_too_wide_to_tell_names_nobody():
    found = judged(evidence([2.0], [2.01], [2.0], numeric_error=vector(0.1), dtype="float64"))
    assert (found.verdict, found.odd) == (Verdict.WRONG, None)
    assert found.sentence.endswith(": too uncertain to say which of the two is off")


def test_low_precision_that_loses_digits_is_not_wrong():
    found = judged(evidence([2.0 + 5e-6], [2.0], [2.0], exact=vector(2.0)))
    assert (found.verdict, found.odd) == (Verdict.PRECISION, Witness.AUTOGRAD)
    assert found.sentence == (
        "digits are lost to rounding in float32: autograd gives 2.000005, the reference in float64 is 2"
    )


def test_low_precision_does_not_excuse_what_is_wrong_in_double_too():
    found = judged(evidence([2.0 + 5e-6], [2.0], [2.0], exact=vector(2.0 + 5e-6)))
    assert found.verdict is Verdict.WRONG


@pytest.mark.parametrize(("off", "verdict"), [(1e-3, Verdict.PRECISION), (0.0, Verdict.WRONG)])
def test_low_precision_excuses_as_much_as_it_is_off_when_repeated(off, verdict):
    found = judged(evidence([2.001], [2.0], [2.0], exact=vector(2.0), repeated=lambda: vector(1.1 * off)))
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("again", "verdict"),
    [
        ([2.2, 1.9, 2.0 + 1e-7, nan], Verdict.PRECISION),
        ([2.2, 2.2, inf, 2.2], Verdict.WRONG),
        ([2.0, 2.0, 2.0, 2.0], Verdict.WRONG),
    ],
)
def test_what_larger_numbers_on_the_way_mend_has_underflown(again, verdict):
    def enlarged() -> torch.Tensor:
        return vector(*again)[:, None]

    found = judged(evidence([2.2], [2.0], [2.0], exact=vector(2.0), lowest="float16", enlarged=enlarged))
    assert (found.verdict, found.odd) == (verdict, Witness.AUTOGRAD)
    is_told = found.sentence.startswith("float16 underflows on the way: autograd gives 2.2")
    assert is_told == (verdict is Verdict.PRECISION)


@pytest.mark.parametrize("given", [0.0, inf, nan])
def test_underflow_and_overflow_are_precision(given):
    found = judged(evidence([given], [1e-3], [1e-3], exact=vector(1e-3)))
    assert found.verdict is Verdict.PRECISION


def test_half_of_the_digits_gone_within_the_tolerance_is_precision():
    found = judged(evidence([1.01e-7], [1.0e-7], [1.0e-7], exact=vector(1.0e-7)))
    assert found.verdict is Verdict.PRECISION


def test_what_is_as_far_off_in_double_is_not_lost_to_rounding():
    found = judged(evidence([0.0], [4.0], [4.0], exact=vector(0.0), allowed=vector(24.0)))
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)
    assert found.sentence.startswith("autograd gives 0, the formula gives 4, ")
    assert found.sentence.endswith(", in float64 too")


def test_more_than_the_dtype_loses_without_casts_is_precision():
    found = judged(
        evidence([2.0 + 5e-7], [2.0], [2.0], exact=vector(2.0), strict=vector(1e-7), lowest="float16")
    )
    assert found.verdict is Verdict.PRECISION
    assert found.sentence.startswith("digits are lost to rounding in float16: autograd gives 2.000001, ")


def test_a_double_kernel_with_a_single_constant_is_precision():
    found = judged(evidence([2.0 + 1e-7], [2.0], [2.0], dtype="float64", allowed=vector(1e-15)))
    assert found.verdict is Verdict.PRECISION
    assert "autograd gives 2.0000001, the reference in float64 is 2" in found.sentence


def test_that_a_double_kernel_of_torchs_own_has_a_single_constant_is_said():
    given = {"dtype": "float64", "allowed": vector(1e-15)}
    found = judged(evidence([2.0 + 1e-7], [2.0], [2.0], torchs=True, **given))
    assert (found.verdict, found.odd) == (Verdict.OK, None)
    assert (
        found.sentence
        == "off by 5e-8 of it: a kernel of torch's rounds more inside, or has a constant in float32"
    )
    assert judged(evidence([2.0 + 1e-6], [2.0], [2.0], torchs=True, **given)).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("right", "off", "noise", "verdict"),
    [
        (0.0, 4e-13, 1e-12, Verdict.OK),  # summands that cancel leave their rounding
        (0.0, 4e-13, 1e-13, Verdict.WRONG),
        (1e-3, 4e-13, 1e-12, Verdict.OK),
        (1e-6, 4e-13, 1e-12, Verdict.PRECISION),
    ],
)
def test_double_excuses_as_much_as_it_is_off_when_repeated(right, off, noise, verdict):
    given = {"dtype": "float64", "eps": torch.finfo(torch.float64).eps, "allowed": vector(1e-30)}
    found = judged(evidence([right + off], [right], [right], repeated=lambda: vector(noise), **given))
    assert found.verdict is verdict


def test_a_reference_that_is_0_but_for_its_rounding_has_no_digits_to_lose():
    assert judged(evidence([0.0], [1.4e-16], [0.0])).verdict is Verdict.OK
    assert judged(evidence([1e-7], [1.4e-16], [0.0])).verdict is Verdict.OK


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_equal_values_that_are_not_finite_agree(value):
    found = judged(evidence([value, 1.0], [value, 1.0], [nan, 1.0]))
    assert (found.verdict, found.difference) == (Verdict.OK, 0.0)


@pytest.mark.parametrize(("one", "other"), [(inf, -inf), (nan, 1.0), (1.0, nan), (inf, 1.0)])
def test_other_values_that_are_not_finite_do_not_agree(one, other):
    assert not bool(agrees(vector(one), vector(other), vector(1e300)))


@pytest.mark.parametrize(("innocent", "verdict"), [(True, Verdict.DOMAIN_EDGE), (False, Verdict.WRONG)])
def test_nan_of_rules_that_are_right_is_an_edge(innocent, verdict):
    assert judged(evidence([nan], None, [0.0], innocent=lambda: innocent)).verdict is verdict
    kink = {0: Slope(0.0, 1e-9, Behaviour.KINK, -1.0, 1.0)}
    found = judged(evidence([nan], None, [0.0], slopes=kink, innocent=lambda: innocent))
    assert found.verdict is verdict


def test_nan_where_the_reference_is_finite_is_wrong():
    found = judged(evidence([nan], [0.0], [0.0]))
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)


@pytest.mark.parametrize(("given", "verdict"), [(0.0, Verdict.OK), (nan, Verdict.DOMAIN_EDGE)])
def test_a_formula_that_comes_to_0_over_0_says_nothing_of_a_slope(given, verdict):
    assert judged(evidence([given], [nan], [0.0])).verdict is verdict


def test_a_formula_that_says_nothing_is_told_and_the_others_measured():
    found = judged(evidence([1.0, 2.0 + 1e-8], [nan, nan], [1.0, 2.0]))
    assert (found.verdict, found.worst) == (Verdict.OK, 1)
    assert found.difference == pytest.approx(1e-8)
    said = (
        "autograd and the numeric slope do; the formula comes to nan at 2 of 2 elements, which says nothing"
    )
    assert found.sentence == said
    assert "nan at 1 of 2 elements" in judged(evidence([1.0, 2.0], [nan, 2.0], [1.0, 2.0])).sentence
    assert judged(evidence([1.0], [nan], [1.0])).sentence.endswith("comes to nan, which says nothing")
    assert judged(evidence([nan, 2.0], [nan, 2.0], [nan, 2.0])).sentence == ""


def test_a_0_that_the_numeric_slope_cannot_tell_from_the_formula_has_lost_no_digits():
    def verdict(given, bar):
        known = {"numeric_error": vector(bar), "exact": vector(1.5e-12), "keeps": lambda: False}
        return judged(evidence([given], [1.5e-12], [7e-13], **known)).verdict

    assert verdict(0.0, 1e-11) is Verdict.OK
    assert verdict(0.0, 1e-12) is Verdict.PRECISION
    assert verdict(1e-7, 1e-11) is Verdict.PRECISION


def test_slopes_along_directions_have_no_place():
    assert judged(evidence([2.1], numeric=[2.0], by_component=False)).worst is None


def test_no_elements_are_right():
    assert judged(evidence([], [], [])).verdict is Verdict.OK


def test_the_worst_place_is_by_the_order_of_the_verdicts():
    jump = {0: Slope(nan, nan, Behaviour.JUMP, 0.0, inf)}
    found = judged(evidence([0.0, 3.1], [nan, 3.0], [nan, 3.0], slopes=jump))
    assert (found.verdict, found.worst) == (Verdict.WRONG, 1)


@pytest.mark.parametrize("given", [nan, inf, -inf])
def test_two_that_give_no_number_where_there_is_a_slope(given):
    found = judged(evidence([given, 3.0], [given, 3.0], [2.0, 3.0]))
    assert (found.verdict, found.odd, found.worst) == (Verdict.DOMAIN_EDGE, None, 0)
    assert found.sentence == (
        f"autograd and the formula give {given}, while the function's slope is 2; AGX502 explains why"
    )


def test_several_that_give_no_number_are_counted():
    found = judged(evidence([nan, nan], [nan, nan], [2.0, 3.0]))
    assert found.sentence.endswith("explains why (2 such elements)")


def test_no_number_without_a_formula_that_says_the_same_is_wrong():
    assert judged(evidence([nan], numeric=[2.0])).verdict is Verdict.WRONG
    assert judged(evidence([nan], [2.0], [2.0])).verdict is Verdict.WRONG


def test_a_wrong_place_outweighs_one_without_a_number():
    found = judged(evidence([nan, 3.1], [nan, 3.0], [2.0, 3.0]))
    assert (found.verdict, found.worst) == (Verdict.WRONG, 1)


def test_powers_of_ten_are_written_as_the_views_write_them():
    found = judged(evidence([2.001], [2.0], [2.0], numeric_error=vector(1e-9)))
    assert found.sentence.endswith("the numeric slope is 2 ± 1e-9")


def test_an_infinity_is_not_what_a_finite_number_is_however_much_is_allowed():
    one, other = vector(inf, 1.0), vector(3e281, 1.0)
    assert agrees(one, other, vector(inf, 0.0)).tolist() == [False, True]
