"""How numbers are written: the one place that every text view asks.

A missing value is "-", which no number is; NaN is "nan"; zero is "0".
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from math import floor, isfinite, log10
from typing import Any

from autograd_cli.lang.source import visible
from autograd_cli.report.digits import DIGITS as DIGITS, exponent, real, small as small, stripped
from autograd_cli.report.records import Gradient, Summary, Values, Verdict
from autograd_cli.report.values import flat, shape_text, summarise

_NOTHING = 1e-40
"""Distances below this are those of numbers that are 0 but for the smallest float there is."""

TIGHT = 3
LEAST = 2
MISSING = "-"
MOST_LISTED = 10
"""Tensors of more elements are summarised, unless everything was asked for."""


def number(value: Any, digits: int = DIGITS, zeros: bool = False) -> str:
    """One number in `digits` significant digits; `zeros` keeps those at its end.

    Text that stands where a number does (a dtype, a grad_fn) comes back as it is.
    """
    if value is None:
        return MISSING
    if isinstance(value, bool | str):
        return visible(str(value))
    if isinstance(value, complex):
        return _complex(value, digits)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else _large(value, digits)
    return real(value, digits, zeros)


def _complex(value: complex, digits: int) -> str:
    imaginary = number(value.imag, digits)
    sign = "" if imaginary[0] in "+-" else "+"
    return f"{number(value.real, digits)}{sign}{imaginary}j"


def _large(value: int, digits: int) -> str:
    power = floor(log10(abs(value)))
    lead = abs(value) // 10 ** (power - digits + 1) / 10 ** (digits - 1)
    return f"{'-' if value < 0 else ''}{number(lead, digits)}e{power}"


def error_bar(value: float) -> str:
    """An error bar in one digit, with its sign: ± 4e-11; what no number is near to counts as none."""
    return f"± {number(0 if value < _NOTHING else value, 1)}"


def distance(value: float) -> str:
    """A distance, or what rounding allows, in two digits; 0 for what is smaller than any."""
    return "0" if value < _NOTHING else small(value)


def off(gradient: Gradient) -> str:
    """The bound on how far autograd is off where nothing but a numeric slope tells; empty elsewhere.

    Within its own error bar such a slope says nothing of autograd.
    """
    bar, found = gradient.error_bar, gradient.difference
    if gradient.symbolic is not None or gradient.verdict is not Verdict.OK or not bar or not found:
        return ""
    return f"≤ {number(bar, 1)}" if found <= bar else ""


def shape(of: Sequence[int] | None) -> str:
    """A shape in a cell: (10,3); "-" for what is no tensor."""
    return MISSING if of is None else shape_text(of)


def decimals_for(values: Iterable[Any], tolerance: float | None = None) -> int | None:
    """The decimals in which numbers that stand together are told apart, None if in none.

    Eight significant digits of the largest; where rounding allows `tolerance`, no more
    than two digits below that.
    """
    parts = [part for value in values for part in _parts(value) if isfinite(part) and part]
    top = max((exponent(part) for part in parts), default=0)
    if not -5 < top < 8:
        return None
    decimals = DIGITS - top
    if tolerance and isfinite(tolerance):
        decimals = min(decimals, max(2 - exponent(tolerance), 2))
    return max((len(stripped(f"{part:.{decimals}f}").partition(".")[2]) for part in parts), default=0)


def _parts(value: Any) -> tuple[float, ...]:
    if value is None or isinstance(value, int):
        return ()
    return (value.real, value.imag) if isinstance(value, complex) else (value,)


def fixed(value: Any, decimals: int | None) -> str:
    """One number in `decimals` decimals; a whole one, or one that needs more, as it is."""
    if isinstance(value, complex):
        imaginary = fixed(value.imag, decimals)
        return f"{fixed(value.real, decimals)}{'' if imaginary[0] in '+-' else '+'}{imaginary}j"
    if not isinstance(value, float) or decimals is None or not isfinite(value) or value.is_integer():
        return number(value)
    text = f"{value:.{decimals}f}"
    if float(text).is_integer() and float(text):
        return number(float(text))
    return number(value) if exponent(value) + decimals < 4 else text


def in_step(values: Sequence[Any], tolerance: float | None = None) -> list[str]:
    """Numbers with the same decimals, for a row or a column in which they are compared."""
    decimals = decimals_for(values, tolerance)
    return [fixed(value, decimals) for value in values]


def on_point(texts: Sequence[str]) -> list[str]:
    """The texts with blanks before them so that their decimal points stand in one column."""
    before = [len(re.split(r"[.ej]", text, maxsplit=1)[0]) for text in texts]
    most = max(before, default=0)
    return [" " * (most - size) + text for text, size in zip(texts, before, strict=True)]


def tensor(values: Values, digits: int = DIGITS, listed: int = MOST_LISTED) -> str:
    """A tensor in a cell: its number, its elements while at most `listed`, else its range."""
    if values is None:
        return MISSING
    if isinstance(values, Summary):
        return summary(values, digits)
    if not isinstance(values, tuple | list):
        return number(values, digits)
    if any(True for _ in islice(flat(values), listed, None)):
        return _many(values, digits)
    return nested(values, digits)


def nested(values: Any, digits: int = DIGITS) -> str:
    """Every element in brackets: [[1, 2], [3, 4]]."""
    if isinstance(values, tuple | list):
        return f"[{', '.join(nested(item, digits) for item in values)}]"
    return number(values, digits)


def cell(values: Values, digits: int = DIGITS) -> str:
    """A tensor in the tree, where its shape stands beside it: four elements, or two when tight."""
    if isinstance(values, Summary) or not isinstance(values, tuple | list):
        return tensor(values, digits)
    items = list(islice(flat(values), 5))
    if len(items) == 1:
        return number(items[0], digits)
    few = len(items) <= (4 if digits > TIGHT else 2)
    if items and few and len({number(item, digits) for item in items}) > 1:
        return nested(items, digits)
    return _many(values, digits)


def _many(values: Any, digits: int) -> str:
    """Nested values as a range; booleans as how many are true."""
    items = list(flat(values))
    if items and all(isinstance(item, bool) for item in items):
        return f"{sum(items):,} of {len(items):,} True"
    return summary(summarise(values), digits)


def summary(of: Summary, digits: int = DIGITS) -> str:
    """A range over the finite elements with counts of the others: -1 … 2, 3 nan."""
    if of.count == 0:
        return "empty"
    for odd, word in ((of.nan, "nan"), (of.inf, "inf")):
        if odd == of.count:
            return f"all {word}"
    counts = "".join(f", {n} {word}" for n, word in ((of.nan, "nan"), (of.inf, "inf")) if n)
    return _range(of, digits, bool(counts)) + counts


def _range(of: Summary, digits: int, mixed: bool) -> str:
    if of.min is None or of.max is None:
        return f"{of.count} values"
    if of.min == of.max:
        return f"{'finite' if mixed else 'all'} {number(of.min, digits)}"
    zeros = digits == TIGHT
    least, most = number(of.min, digits, zeros), number(of.max, digits, zeros)
    return f"all {least}" if least == most and not mixed else f"{least} … {most}"


def style(text: str) -> str:
    """The style of a written gradient: one that holds NaN or an infinity is bad."""
    return "bad" if "nan" in text or "inf" in text else "gradient"
