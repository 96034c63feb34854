"""`^` written as a power."""

from autograd_cli.lang.misuse import with_powers


def test_every_exclusive_or_becomes_a_power_and_strings_stay():
    assert with_powers("2*x^2 + y^-1 # ^\n") == "2*x**2 + y**-1 # ^\n"
    assert with_powers("f('^', x ^ 2)") == "f('^', x ** 2)"
