"""How numbers are written."""

from math import inf, nan

import pytest
from hypothesis import given, strategies as st

from autograd_cli.report.records import Summary
from autograd_cli.views import numbers


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-0.75680249, 7, "-0.7568025"),
        (3.116366147994995, 7, "3.116366"),
        (3.116366147994995, 3, "3.12"),
        (0.0018265, 3, "0.00183"),
        (12345.678, 3, "12346"),
        (4.0, 7, "4"),
        (1e7, 7, "1e7"),
        (1234567.0, 7, "1234567"),
        (1.5e-8, 7, "1.5e-8"),
        (-2.5e30, 3, "-2.5e30"),
        (0.1, 7, "0.1"),
        (0.10000000149011612, 7, "0.1"),
        (0.0, 7, "0"),
        (-0.0, 7, "0"),
        (nan, 7, "nan"),
        (inf, 3, "inf"),
        (-inf, 3, "-inf"),
        (None, 7, "-"),
        (True, 7, "True"),
        (7, 7, "7"),
        (-(2**63), 3, "-9.22e18"),
        (1 + 2j, 7, "1+2j"),
        (-0.5j, 7, "0-0.5j"),
        (complex(nan, inf), 7, "nan+infj"),
    ],
)
def test_a_number(value, digits, text):
    assert numbers.number(value, digits) == text


def test_nothing_nan_and_zero_look_different():
    assert len({numbers.number(value) for value in (None, nan, 0.0, False)}) == 4


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_seven_digits_are_right(value):
    assert float(numbers.number(value)) == pytest.approx(value, rel=5.1e-7, abs=1e-320)


@given(st.integers())
def test_any_integer_is_written_shortly(value):
    assert len(numbers.number(value)) < 30


@pytest.mark.parametrize(
    ("value", "text"), [(5.13e-8, "5.1e-8"), (0.0917, "0.092"), (0.0, "0"), (12.0, "12"), (nan, "nan")]
)
def test_a_distance_has_two_digits(value, text):
    assert numbers.small(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(3.9e-11, "± 4e-11"), (0.0, "± 0"), (2.4, "± 2"), (inf, "± inf")]
)
def test_an_error_bar_has_one_digit(value, text):
    assert numbers.error_bar(value) == text


def test_witnesses_are_written_with_the_same_decimals():
    row = numbers.in_step([-2.6145744323730469, -2.6145744834544478, -2.614574483455], tolerance=3.1e-7)
    assert row == ["-2.6145744", "-2.6145745", "-2.6145745"]


def test_decimals_stop_at_the_tolerance():
    assert numbers.in_step([1.23456789], tolerance=2e-3) == ["1.23457"]


def test_whole_numbers_beside_others_have_no_point():
    assert numbers.in_step([1.0, -0.6536436, 4]) == ["1", "-0.6536436", "4"]


def test_noise_around_a_whole_number_is_not_shown():
    assert numbers.in_step([12.0, 12.000000000004]) == ["12", "12"]


def test_a_value_that_the_decimals_would_lose_is_written_by_itself():
    assert numbers.in_step([2.5, 1.25e-9, 0.0]) == ["2.5", "1.25e-9", "0"]


def test_points_stand_in_one_column():
    assert numbers.on_point(["-0.5", "4", "12.25"]) == ["-0.5", " 4", "12.25"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((2.0, 4.0), "[2, 4]"),
        (((1.0, 2.0), (3.0, 4.0)), "[[1, 2], [3, 4]]"),
        (tuple(float(i) for i in range(11)), "0 … 10"),
        ((), "[]"),
        (None, "-"),
        (Summary(9, -1.0, 2.0, 3, 1), "-1 … 2, 3 nan, 1 inf"),
        (Summary(9, None, None, 9, 0), "all nan"),
        (Summary(9, None, None, 0, 9), "all inf"),
        (Summary(9, None, None, 0, 0), "9 values"),
        (Summary(0, None, None, 0, 0), "empty"),
        (Summary(9, 0.1, 0.1, 0, 0), "all 0.1"),
        (Summary(9, 0.5, 0.5, 1, 0), "finite 0.5, 1 nan"),
    ],
)
def test_a_tensor(values, text):
    assert numbers.tensor(values) == text


@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        ((((1.0,),),), 7, "1"),
        ((1.0, 2.0, 3.0, 4.0), 7, "[1, 2, 3, 4]"),
        ((1.0, 2.0, 3.0, 4.0), 3, "1 … 4"),
        ((1.0, 2.0, 3.0, 4.0, 5.0), 7, "1 … 5"),
        ((-2.316, 0.0, 2.298), 3, "-2.32 … 2.30"),
        ((2.0, 2.0), 7, "all 2"),
        ((nan, nan, nan), 3, "all nan"),
        ((), 7, "empty"),
        ((True, False), 7, "[True, False]"),
        (((True, False), (False, False)), 3, "1 of 4 True"),
    ],
)
def test_a_cell_of_the_tree(values, digits, text):
    assert numbers.cell(values, digits) == text


def test_a_shape_in_a_cell():
    assert [numbers.shape(of) for of in (None, (), (3,))] == ["-", "()", "(3,)"]
