"""Slopes of functions of one number: smooth ones, kinks, jumps and edges."""

import math
from collections.abc import Callable
from math import inf, isnan, nan

import pytest

from autograd_cli.gradients.slope import Behaviour, Place, Slope, slope

Real = Callable[[float], float]


Given = tuple[Real, Place]


def function(f: Real, at: float) -> Given:
    middle = f(at)

    def change(t: float) -> float:
        try:
            return f(at + t) - middle
        except (ValueError, ZeroDivisionError, OverflowError):
            return nan

    return change, Place(at, abs(middle), 4.4e-16 * abs(middle))


def found(f: Real, at: float) -> Slope:
    scales = [abs(at) or 1.0]
    return slope(*function(f, at), [*scales, *([1.0] if scales[0] < 1 / 8 else [])])


def sign(x: float) -> float:
    return (x > 0) - (x < 0)


SMOOTH: list[tuple[str, Real, float, float]] = [
    ("sin(x**2)", lambda x: math.sin(x * x), 2.0, 4 * math.cos(4)),
    ("x", lambda x: x, 3.0, 1.0),
    ("constant", lambda x: 3.0, 1.0, 0.0),
    ("cos at 0", math.cos, 0.0, 0.0),
    ("x**3 at 0", lambda x: x**3, 0.0, 0.0),
    ("abs(x)**1.5 at 0", lambda x: abs(x) ** 1.5, 0.0, 0.0),
    *((f"abs(x)**1.5 at {x}", lambda x: abs(x) ** 1.5, x, 1.5 * x**0.5) for x in (1e-6, 1e-3, 1.0, 1e3, 1e6)),
    *((f"sqrt at {x}", math.sqrt, x, 0.5 / math.sqrt(x)) for x in (1e-12, 1e-6, 1e-3, 1.0, 1e6)),
    *(
        (f"tanh(50*x) at {x}", lambda x: math.tanh(50 * x), x, 50 * (1 - math.tanh(50 * x) ** 2))
        for x in (0.0, 1e-3, 0.01, 0.3, 3.0)
    ),
    ("exp(-1/x**2) at 0", lambda x: math.exp(-1 / x**2) if x else 0.0, 0.0, 0.0),
    ("exp(-1/x**2) at 0.1", lambda x: math.exp(-1 / x**2), 0.1, 2e3 * math.exp(-100)),
    ("log near its edge", math.log, 1e-8, 1e8),
    ("sin far out", math.sin, 1e6, math.cos(1e6)),
    ("sin(1+x), x tiny", lambda x: math.sin(1 + x), 1e-12, math.cos(1 + 1e-12)),
    ("exp(1e6*x)", lambda x: math.exp(1e6 * x), 1e-6, 1e6 * math.e),
    ("a period that powers of two hit", lambda x: math.sin(16 * math.pi * x), 0.0, 16 * math.pi),
    ("1/x, x small", lambda x: 1 / x, 1e-6, -1e12),
    ("x**2, x large", lambda x: x * x, 1e6, 2e6),
    ("a bend of 1e-6", lambda x: math.sqrt(x * x + 1e-12), 0.0, 0.0),
    ("atan(1e4*x)", lambda x: math.atan(1e4 * x), 0.0, 1e4),
    ("acos near its edge", math.acos, 0.9999, -1 / math.sqrt(1 - 0.9999**2)),
    ("abs beside its kink", abs, 1e-9, 1.0),
    ("relu beside its kink", lambda x: max(x - 1, 0.0), 1.001, 1.0),
    ("x*relu(x) at 0", lambda x: x * max(x, 0.0), 0.0, 0.0),
]


@pytest.mark.parametrize(("name", "f", "at", "true"), SMOOTH, ids=[row[0] for row in SMOOTH])
def test_a_smooth_function_has_its_slope_within_the_error_bar(
    name: str, f: Real, at: float, true: float
) -> None:
    one = found(f, at)
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value - true) <= one.error
    if true:
        assert one.error <= 3e-10 * abs(true) + 1e-11


def test_what_swings_fast_has_its_slope_though_wider_steps_look_rough() -> None:
    at = 1e-6
    change, place = function(lambda x: math.sin(1 / x), at)
    one = slope(change, place._replace(noise=4e-10), [at, 1.0])
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value + math.cos(1 / at) / at**2) <= one.error < 1e-4 / at**2


@pytest.mark.parametrize("at", [2.999999, 2.0 + 1e-9, 3 - 1e-12, 1e-7])
@pytest.mark.parametrize("whole", [math.floor, math.ceil], ids=["floor", "ceil"])
def test_a_jump_beside_a_place_is_none_at_it(whole: Real, at: float) -> None:
    change, place = function(lambda x: float(whole(x)), at)
    one = slope(change, place._replace(stepped=True), [at, 1.0])
    assert (one.value, one.behaviour) == (0.0, Behaviour.SMOOTH)
    assert one.error < 1e-2


def test_a_jump_beside_a_place_is_none_at_it_where_no_steps_are_looked_for() -> None:
    assert found(lambda x: float(x > 1), 1 + 1e-8).behaviour is Behaviour.SMOOTH


@pytest.mark.parametrize("fine", [1e3, 1e5])
def test_the_steps_of_a_staircase_are_no_slope(fine: float) -> None:
    for k in range(300):
        at = 0.0301234 + 0.00971 * k
        change, place = function(lambda x: math.floor(x * fine) / fine, at)
        one = slope(change, place._replace(stepped=True), [at, *([1.0] if at < 1 / 8 else [])])
        assert (one.value, one.behaviour) == (0.0, Behaviour.SMOOTH)
        assert one.error < 1e-4


def test_a_slope_among_steps_keeps_its_digits() -> None:
    change, place = function(lambda x: x * x + math.floor(x), 2.3)
    one = slope(change, place._replace(stepped=True), [2.3])
    assert abs(one.value - 4.6) <= one.error < 1e-9


STEEP: list[tuple[str, Real, float, float]] = [
    ("exp(exp(x))", lambda x: math.exp(math.exp(x)), 5.0, math.exp(5) * math.exp(math.exp(5))),
    ("x**400", lambda x: x**400, 5.0, 400 * 5.0**399),
    ("x**400 at 1", lambda x: x**400, 1.0, 400.0),
    ("x**(2**20)", lambda x: x ** (2**20), 1.0, 2.0**20),
    ("exp(1e5*x)", lambda x: math.exp(1e5 * x), 0.001, 1e5 * math.exp(100)),
]


@pytest.mark.parametrize("at", [0.4, 1.0, 3.7])
@pytest.mark.parametrize("wide", [1e-9, 1e-8])
def test_steps_too_fine_to_be_meant_are_rounding_that_the_error_bar_sees(at, wide):
    change, place = function(lambda x: 1.5 * wide * round(x / wide), at)
    one = slope(change, place._replace(stepped=True), [at])
    assert one.is_smooth
    assert abs(one.value - 1.5) <= one.error
    assert wide / at / 10 < one.error < 1e-4


@pytest.mark.parametrize("wide", [1e-5, 1e-3])
def test_steps_that_may_be_meant_have_no_slope(wide):
    change, place = function(lambda x: wide * round(x / wide), 0.37)
    one = slope(change, place._replace(stepped=True), [0.37])
    assert (one.is_smooth, one.value) == (True, 0.0)


@pytest.mark.parametrize(("name", "f", "at", "true"), STEEP, ids=[row[0] for row in STEEP])
def test_a_function_that_overflows_a_step_away_has_its_slope(
    name: str, f: Real, at: float, true: float
) -> None:
    one = slope(*overflowing(f, at), [abs(at)])
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value - true) <= one.error <= 1e-6 * true


def test_values_that_overflow_at_every_step_but_the_least_tell_nothing() -> None:
    one = slope(*overflowing(lambda x: x ** (2.0**60), 1.0), [1.0])
    assert one.behaviour is Behaviour.SMOOTH
    assert isnan(one.value)


def test_a_side_without_a_finite_value_is_an_edge_however_small_the_step() -> None:
    assert slope(*overflowing(lambda x: inf if x > 0 else x, 0.0), [1.0]).behaviour is Behaviour.EDGE


def overflowing(f: Real, at: float) -> Given:
    """As torch has it: what is too large for a float is infinite."""

    def value(x: float) -> float:
        try:
            return f(x)
        except OverflowError:
            return inf

    middle = value(at)
    return lambda t: value(at + t) - middle, Place(at, abs(middle), 4.4e-16 * abs(middle))


def test_the_error_bar_of_sin_x2_is_near_1e_11() -> None:
    assert found(lambda x: math.sin(x * x), 2.0).error < 4e-11


def test_a_slope_that_settles_slowly_has_a_wide_error_bar() -> None:
    one = found(lambda x: max(x, 0.0) ** 1.5, 0.0)
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value) <= one.error < 1e-4


def test_noise_in_the_function_widens_the_error_bar() -> None:
    change, place = function(lambda x: math.log(math.exp(x) + 1) - x, 12.0)
    noisy = slope(change, place._replace(noise=4e-15), [12.0])
    assert abs(noisy.value - (1 / (1 + math.exp(-12)) - 1)) <= noisy.error


KINKS: list[tuple[str, Real, float, float, float]] = [
    ("abs", abs, 0.0, -1.0, 1.0),
    ("relu", lambda x: max(x, 0.0), 0.0, 0.0, 1.0),
    ("relu(x-1)", lambda x: max(x - 1, 0.0), 1.0, 0.0, 1.0),
    ("max(x, 2*x)", lambda x: max(x, 2 * x), 0.0, 1.0, 2.0),
    ("clamp", lambda x: min(max(x, -1.0), 1.0), 1.0, 1.0, 0.0),
    ("on a large value", lambda x: max(x, 0.0) + 1000, 0.0, 0.0, 1.0),
    ("small beside a curve", lambda x: 1e-3 * max(x, 0.0) + x * x, 0.0, 0.0, 1e-3),
]


@pytest.mark.parametrize(("name", "f", "at", "left", "right"), KINKS, ids=[row[0] for row in KINKS])
def test_a_kink_has_two_slopes(name: str, f: Real, at: float, left: float, right: float) -> None:
    one = found(f, at)
    assert one.behaviour is Behaviour.KINK
    assert one.left == pytest.approx(left, abs=1e-7)
    assert one.right == pytest.approx(right, abs=1e-7)
    assert one.value == pytest.approx((left + right) / 2, abs=1e-7)


NARROW: list[tuple[str, Real, float, float]] = [
    *((f"tanh({n:g}*x)", lambda x, n=n: math.tanh(n * x), 0.0, n) for n in (1e10, 1e12, 1e20, 1e38)),
    ("x/(abs(x)+1e-10)", lambda x: x / (abs(x) + 1e-10), 0.0, 1e10),
    ("x/max(abs(x),1e-12)", lambda x: x / max(abs(x), 1e-12), 0.0, 1e12),
    ("sqrt(x+1e-12)", lambda x: math.sqrt(x + 1e-12), 0.0, 5e5),
    ("1+tanh(1e12*x)", lambda x: 1 + math.tanh(1e12 * x), 0.0, 1e12),
    ("tanh(1e11*(x-1))", lambda x: math.tanh(1e11 * (x - 1)), 1.0, 1e11),
]


@pytest.mark.parametrize(("name", "f", "at", "true"), NARROW, ids=[row[0] for row in NARROW])
def test_what_rises_within_shorter_steps_has_its_slope_in_these(
    name: str, f: Real, at: float, true: float
) -> None:
    change, place = function(f, at)
    one = slope(change, place._replace(least=0.0), [1.0])
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value - true) <= one.error <= 1e-3 * true


def test_a_kink_within_shorter_steps_has_its_slopes() -> None:
    change, place = function(lambda x: max(1e12 * x, 0.0) / (max(1e12 * x, 0.0) + 1), 0.0)
    one = slope(change, place._replace(least=0.0), [1.0])
    assert (one.behaviour, one.left) == (Behaviour.KINK, 0.0)
    assert one.right == pytest.approx(1e12, rel=1e-6)


def test_steps_shorter_than_the_least_are_not_taken() -> None:
    change, place = function(lambda x: math.tanh(1e20 * x), 0.0)
    taken: list[float] = []
    slope(lambda t: taken.append(t) or change(t), place, [1.0])
    assert min(map(abs, taken)) >= place.least


def test_what_values_on_the_way_scatter_by_is_no_jump() -> None:
    def normed(x: float) -> float:
        middle = (x + 2.0) / 3
        parts = [x - middle, 1 - middle, 1 - middle]
        return sum(part / math.sqrt(sum(p * p for p in parts) / 3 + 1e-5) for part in parts)

    change, place = function(normed, 1.0)
    assert slope(change, place, [1.0]).behaviour is Behaviour.JUMP
    one = slope(change, place._replace(terms=lambda: 1.0), [1.0])
    assert one.behaviour is Behaviour.SMOOTH
    assert abs(one.value) <= one.error < 1e-9


def test_a_jump_is_none_that_values_on_the_way_scatter_by() -> None:
    for f in (sign, lambda x: 1e-12 * sign(x), lambda x: math.sqrt(abs(x))):
        change, place = function(f, 0.0)
        assert slope(change, place._replace(least=0.0, terms=lambda: 1e3), [1.0]).behaviour is Behaviour.JUMP


@pytest.mark.parametrize("power", [1.1, 1.25, 1.5, 1.75, 2.5])
def test_a_side_on_which_a_slope_falls_as_a_power_has_its_end(power: float) -> None:
    one = found(lambda x: 1 + 3 * x + x**power if x >= 0 else nan, 0.0)
    assert one.behaviour is Behaviour.EDGE
    assert one.right == pytest.approx(3.0, rel=1e-5)
    assert found(lambda x: x**power if x >= 0 else nan, 0.0).right == 0


JUMPS: list[tuple[str, Real, float, float, float]] = [
    ("round", lambda x: float(round(x)), 0.5, 0.0, inf),
    ("sign", sign, 0.0, inf, inf),
    ("sign*sqrt", lambda x: sign(x) * math.sqrt(abs(x)), 0.0, inf, inf),
    ("a cusp", lambda x: math.sqrt(abs(x)), 0.0, -inf, inf),
]


@pytest.mark.parametrize(("name", "f", "at", "left", "right"), JUMPS, ids=[row[0] for row in JUMPS])
def test_a_jump_has_no_slope(name: str, f: Real, at: float, left: float, right: float) -> None:
    one = found(f, at)
    assert one.behaviour is Behaviour.JUMP
    assert isnan(one.value)
    assert (one.left + 0.0, one.right) == (left, right)


def test_what_rises_as_a_root_does_so_in_the_steps_of_a_staircase_too() -> None:
    change, place = function(lambda x: math.sqrt(max(x, 0.0)), 0.0)
    for least in (0.0, 1e-13):
        one = slope(change, place._replace(stepped=True, least=least), [1.0])
        assert (one.behaviour, one.left, one.right) == (Behaviour.JUMP, 0.0, inf)


@pytest.mark.parametrize(
    ("f", "at", "left", "right"), [(math.sqrt, 0.0, nan, inf), (math.acos, 1.0, -inf, nan)]
)
def test_an_edge_has_values_on_one_side(f: Real, at: float, left: float, right: float) -> None:
    one = found(f, at)
    assert one.behaviour is Behaviour.EDGE
    assert isnan(one.value)
    assert [str(side) for side in (one.left, one.right)] == [str(left), str(right)]
