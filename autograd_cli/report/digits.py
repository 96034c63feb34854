"""How a real number is written in a sentence or a cell: in so many digits, plain or as 1.5e-9."""

from math import isfinite

DIGITS = 7
_LEAST, _MOST = -5, 7  # powers of ten between which a number is written without one


def real(value: float, digits: int = DIGITS, zeros: bool = False) -> str:
    """`value` in so many significant digits; `zeros` keeps those at the end. Zero is "0", NaN "nan"."""
    if not isfinite(value) or value == 0:
        return str(value) if value else "0"
    power = exponent(value)
    if not _LEAST < power < _MOST:
        return scientific(value, digits)
    text = f"{value:.{max(digits - 1 - power, 0)}f}"
    return text if zeros and not value.is_integer() else stripped(text)


def small(value: float) -> str:
    """A distance or a tolerance in two digits: 5.1e-8, 0.092."""
    return scientific(value, 2) if isfinite(value) and 0 < abs(value) < 1e-3 else real(value, 2)


def scientific(value: float, digits: int) -> str:
    """A finite number with its power of ten: 1.5e-9."""
    lead, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{stripped(lead)}e{int(power)}"


def exponent(value: float) -> int:
    """The power of ten of a finite number, 0 for 0."""
    return int(f"{value:e}".partition("e")[2])


def stripped(text: str) -> str:
    """A number's text without the zeros that end its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text
