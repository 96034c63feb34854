"""One way to write a real number, in sentences and in cells."""

from math import inf, nan

import pytest

from autograd_cli.report.digits import real, small


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1e-9, 1, "1e-9"),
        (2.0, 7, "2"),
        (-0.0, 7, "0"),
        (-2.61457448, 7, "-2.614574"),
        (1 / 3, 12, "0.333333333333"),
        (12345678.0, 7, "1.234568e7"),
        (0.000125, 7, "0.000125"),
        (nan, 7, "nan"),
        (-inf, 7, "-inf"),
    ],
)
def test_a_number_in_significant_digits(value, digits, text):
    assert real(value, digits) == text


def test_zeros_at_the_end_are_kept_where_numbers_stand_in_step():
    assert (real(1.5, 3, zeros=True), real(2.0, 3, zeros=True)) == ("1.50", "2")


@pytest.mark.parametrize(("value", "text"), [(5.108e-8, "5.1e-8"), (0.0918, "0.092"), (0.0, "0")])
def test_a_distance_in_two_digits(value, text):
    assert small(value) == text
