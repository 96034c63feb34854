"""The derivative of a function of one real number, from its values alone.

Central differences at shrinking steps, extrapolated to step 0 in even powers of the
step (Richardson; the table and its error estimate are Ridders'). The difference of the
right and the left slope is extrapolated beside it: where that does not vanish, or no
value can be had on one side, the step is shrunk as far as rounding allows and what is
found there says which it is: a kink, a jump or the edge of the domain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import inf, isfinite, isinf, isnan, nan, nextafter, sqrt, ulp
from typing import NamedTuple

_FIRST = 0.137  # of the scale; no power of two, so that no period is hit at every step
_LEVELS = 10
_COLUMNS = 6
_RELATIVE = 1e-11
_DEEP_FACTOR = 8.0
_DEEPEST = 1e-11
_TRACE = 1e-8
_LEAST = 1e-300  # of steps, by which a change can still be divided

_COLUMN = range(1, _COLUMNS + 1)
_HALVED = [4.0**j - 1 for j in _COLUMN]
_HALVED_GAPS = [2.0 ** (2 * j - 1) - 1 for j in _COLUMN]
_DEEPENED = [_DEEP_FACTOR ** (2 * j) - 1 for j in _COLUMN]


class Shape(Enum):
    """How a function behaves at a point."""

    SMOOTH = "smooth"
    KINK = "kink"
    JUMP = "jump"
    EDGE = "edge"


@dataclass(frozen=True)
class Slope:
    """A derivative and its error bar; `left` and `right` are the one-sided slopes.

    The value is NaN at a jump, at an edge, and where values overflow too near to tell. A
    one-sided slope is NaN where that side has no values, infinite where it grows without bound.
    """

    value: float
    error: float
    shape: Shape = Shape.SMOOTH
    left: float = nan
    right: float = nan


@dataclass(frozen=True)
class Function:
    """What is differentiated: `change(t)` is f(at + t) - f(at).

    `size` is the size of f, `noise` the absolute error of a change.
    """

    change: Callable[[float], float]
    at: float
    size: float
    noise: float


class _Level(NamedTuple):
    """Slopes to the right and left at one step `h`, and what rounding does to them."""

    h: float
    right: float
    left: float
    noise: float

    @property
    def central(self) -> float:
        return (self.right + self.left) / 2

    @property
    def gap(self) -> float:
        return self.right - self.left


def slope(function: Function, scales: Sequence[float]) -> Slope:
    """The derivative, trying the `scales` in turn until one gives a small error bar."""
    best: Slope | None = None
    for scale in scales:
        found = _shrinking(function, scale) or _deep(function, scale)
        if found.shape is not Shape.SMOOTH or _settled(function, found, scale, max(scales)):
            return found
        if best is None or found.error < best.error:
            best = found
    assert best is not None
    return best


def _settled(function: Function, found: Slope, scale: float, widest: float) -> bool:
    """Whether the error bar is small: against the slope, or, of no slope, against f."""
    if found.error <= 1e-9 * abs(found.value):
        return True
    return scale >= widest / 100 and found.error <= 1e-12 * function.size / scale


def _level(function: Function, h: float) -> _Level:
    """Both one-sided slopes at step `h`, over the steps that floats really take."""
    at = function.at
    up, down = (at + h) - at, at - (at - h)
    if not (up and down):
        return _Level(h, nan, nan, inf)
    right, left = function.change(up) / up, -function.change(-down) / down
    return _Level(h, right, left, 2 * function.noise / h)


def _shrinking(function: Function, scale: float) -> Slope | None:
    """The derivative from steps that halve; None where it does not settle or has a gap."""
    rows: list[list[float]] = []
    gaps: list[list[float]] = []
    best = (nan, inf)
    for k in range(_LEVELS):
        level = _level(function, _FIRST * scale / 2**k)
        if not isfinite(level.gap):
            rows, gaps, best = [], [], (nan, inf)
            continue
        rows.append(_row(level.central, rows, _HALVED))
        gaps.append(_row(level.gap, gaps, _HALVED_GAPS))
        best = min((best, _estimate(rows)), key=lambda pair: pair[1])
        sizes = [abs(row[0]) for row in rows[-4:]]
        if len(rows) >= 4 and _accepted(best, gaps, level.noise, max(sizes), sizes[-1]):
            return Slope(best[0], 2 * best[1] + level.noise + 4 * ulp(best[0]))
    return None


def _row(first: float, rows: Sequence[Sequence[float]], divisors: Sequence[float]) -> list[float]:
    """The next row of an extrapolation table; by column, a shorter step divides by `divisors` + 1."""
    row = [first]
    above = rows[-1] if rows else ()
    for before, divisor in zip(above, divisors, strict=False):
        first += (first - before) / divisor
        row.append(first)
    return row


def _estimate(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The entry of the last row with the smallest error, and that error."""
    if len(rows) < 2:
        return nan, inf
    row, above = rows[-1], rows[-2]
    errors = [max(abs(row[j] - row[j - 1]), abs(row[j] - above[j - 1])) for j in range(1, len(row))]
    least = min(range(len(errors)), key=errors.__getitem__)
    return row[least + 1], errors[least]


def _accepted(
    best: tuple[float, float], gaps: Sequence[Sequence[float]], noise: float, largest: float, last: float
) -> bool:
    """Whether the slope has settled and the gap between right and left goes to 0."""
    value, error = best
    # A slope that still falls steeply as steps shrink is no measure of how far rounding goes.
    rounding = 4 * noise + min(1e-12 * largest, 1e-3 * max(abs(value), last))
    if error > _RELATIVE * abs(value) + rounding:
        return False
    gap, uncertain = gaps[-1][-1], abs(gaps[-1][-1] - gaps[-1][-2])
    return abs(gap) <= 8 * uncertain + 1e-9 * abs(value) + 4 * rounding


def _deep(function: Function, scale: float) -> Slope:
    """The derivative, or what stands in its way, from steps down to where rounding rules."""
    at = function.at
    least = max(min(_DEEPEST * scale, abs(at) / 1000 if at else inf), 4 * ulp(at))
    levels, h = [], _FIRST * scale
    while h > least:
        levels.append(_level(function, h))
        h /= _DEEP_FACTOR
    found = _judged(levels)
    if found.shape is Shape.EDGE and _overflows(function, levels[-4:]):
        return _closer(function, levels[-1].h)
    return found


def _overflows(function: Function, levels: Sequence[_Level]) -> bool:
    """Whether values near the point are too large for floats, while its neighbours still have values."""
    slopes = [slope for level in levels for slope in (level.right, level.left)]
    return any(map(isinf, slopes)) and not any(map(isnan, slopes)) and _is_finite(function, 0.0)


def _is_finite(function: Function, h: float) -> bool:
    """Whether there are values a step away on both sides; the step is the least one where `h` is less."""
    at = function.at
    up, down = max(at + h, nextafter(at, inf)) - at, at - min(at - h, nextafter(at, -inf))
    return isfinite(function.change(up)) and isfinite(function.change(-down))


def _closer(function: Function, far: float) -> Slope:
    """The derivative from steps less than `far`, which overflows; NaN, and smooth, where none can tell."""
    near = max(ulp(function.at), _LEAST)
    while far > 2 * near:
        middle = sqrt(near) * sqrt(far)
        near, far = (middle, far) if _is_finite(function, middle) else (near, middle)
    found = _shrinking(function, near / _FIRST)
    return found if found is not None and found.error < abs(found.value) else Slope(nan, nan)


def _judged(levels: Sequence[_Level]) -> Slope:
    """What slopes at shrinking steps say about the point that they shrink to."""
    (right, right_error), (left, left_error) = _one_sided(levels, "right"), _one_sided(levels, "left")
    if not levels or not all(isfinite(level.gap) for level in levels[-4:]):
        return Slope(nan, nan, Shape.EDGE, left, right)
    if not (isfinite(right) and isfinite(left)):
        return Slope(nan, nan, Shape.JUMP, left, right)
    last_bad = max((i for i, level in enumerate(levels) if not isfinite(level.gap)), default=-1)
    levels = levels[last_bad + 1 :]
    if _persists(levels):
        return Slope((left + right) / 2, right_error + left_error, Shape.KINK, left, right)
    return _extrapolated(levels)


def _one_sided(levels: Sequence[_Level], side: str) -> tuple[float, float]:
    """The slope on one side and its error; infinite where it grows as steps shrink, NaN without values."""
    known = [(level.right if side == "right" else level.left, level) for level in levels]
    last_bad = max((i for i, (value, _) in enumerate(known) if not isfinite(value)), default=-1)
    known = known[last_bad + 1 :]
    if len(known) < 4:
        return nan, nan
    if _grows(known):
        return (inf if known[-1][0] > 0 else -inf), nan
    moved = [(level.noise + abs(value - known[i][0]), value) for i, (value, level) in enumerate(known[1:])]
    error, value = min(moved)
    return value, error


def _grows(known: Sequence[tuple[float, _Level]]) -> bool:
    """Whether a slope grows as steps shrink, and what it rises by is no mere trace of f's changes."""
    clear = [(abs(value), level.h) for value, level in known if level.noise < 0.05 * abs(value)]
    if len(clear) < 4 or any(b[0] <= 1.15 * a[0] for a, b in pairwise(clear[-4:])):
        return False
    return clear[-1][0] * clear[-1][1] > _TRACE * max(value * h for value, h in clear)


def _persists(levels: Sequence[_Level]) -> bool:
    """Whether right and left slope stay apart however small the step."""
    clear = [level.gap for level in levels if level.noise < 0.003 * abs(level.gap)]
    return len(clear) >= 4 and all(abs(a - b) <= 0.02 * abs(b) for a, b in pairwise(clear[-4:]))


def _extrapolated(levels: Sequence[_Level]) -> Slope:
    """The central slope extrapolated to step 0 in even powers, by Neville's scheme."""
    best, rows = (levels[-1].central, inf), list[list[float]]()
    for level in levels:
        rows.append(_row(level.central, rows, _DEEPENED))
        value, error = _estimate(rows)
        best = min((best, (value, 2 * error + level.noise)), key=lambda pair: pair[1])
    return Slope(best[0], best[1] + 4 * ulp(best[0]))
