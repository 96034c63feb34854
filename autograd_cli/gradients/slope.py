"""The derivative of a function of one real number, from its values alone.

Central differences at shrinking steps, extrapolated to step 0 in even powers of the
step (Richardson; the table and its error estimate are Ridders'). The difference of the
right and the left slope is extrapolated beside it: where that does not vanish, or no
value can be had on one side, the step is shrunk as far as rounding allows and what is
found there says which it is: a kink, a jump or the edge of the domain.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import inf, isfinite, isinf, isnan, nan, nextafter, sqrt, ulp
from typing import NamedTuple, TypeVar

from autograd_cli.lang.swift import swift

FIRST = 0.137  # of the scale; no power of two, so that no period is hit at every step
_LEVELS = 10
TOGETHER = 4
"""Levels that are asked for at once to begin with; after fewer no slope is accepted."""
_MORE = 2
_COLUMNS = 6
RELATIVE = 1e-11
_DEEP_FACTOR = 8.0
_DEEPEST = 1e-11
_TRACE = 1e-8
_CLEAR = 1e-4
"""The error bar, of a slope, within which nothing rough at the place itself can hide."""
_SIDED = 1e-6
"""What a one-sided slope may be off besides, of its size."""
_CONFIRMED = 111_737
"""How many times shorter the step is at which a staircase has to have its slope; no power of 2."""
_LEAST = 1e-300  # of steps, by which a change can still be divided

_COLUMN = range(1, _COLUMNS + 1)
_HALVED = [4.0**j - 1 for j in _COLUMN]
_HALVED_GAPS = [2.0 ** (2 * j - 1) - 1 for j in _COLUMN]
_DEEPENED = [_DEEP_FACTOR ** (2 * j) - 1 for j in _COLUMN]


class Behaviour(Enum):
    """How a function behaves at a point."""

    SMOOTH = "smooth"
    KINK = "kink"
    JUMP = "jump"
    EDGE = "edge"


@swift
@dataclass(frozen=True)
class Slope:
    """A derivative and its error bar; `left` and `right` are the one-sided slopes.

    The value is NaN at a jump, at an edge, and where values overflow too near to tell. A
    one-sided slope is NaN where that side has no values, infinite where it grows without bound.
    """

    value: float
    error: float
    behaviour: Behaviour = Behaviour.SMOOTH
    left: float = nan
    right: float = nan

    @property
    def is_smooth(self) -> bool:
        """Whether there is nothing but the slope here."""
        return self.behaviour is Behaviour.SMOOTH

    def between(self, allowed: float) -> tuple[float, float]:
        """The least and the most that a gradient at a kink may be, of which rounding moves `allowed`.

        One-sided slopes are of first order in the step: their error is known by how they move alone.
        """
        low, high = sorted((self.left, self.right))
        room = allowed + 4 * (self.error if isfinite(self.error) else 0.0)
        room += _SIDED * max(abs(low), abs(high)) if isfinite(low) and isfinite(high) else 0.0
        return low - room, high + room


class Place(NamedTuple):
    """Where f is differentiated: `size` is the size of f, `noise` the absolute error of a change.

    `stepped` says that f may be a staircase, whose steps may look like a slope from afar.
    """

    at: float
    size: float
    noise: float
    stepped: bool = False


T = TypeVar("T")
Search = Generator[list[float], list[float], T]
"""What asks for changes f(at + t) - f(at) by lists of t, and returns what it found."""


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


def slope(change: Callable[[float], float], place: Place, scales: Sequence[float]) -> Slope:
    """The derivative of f, of which `change(t)` is f(at + t) - f(at)."""
    asking = search(place, scales)
    steps = next(asking)
    while True:
        try:
            steps = asking.send([change(t) for t in steps])
        except StopIteration as end:
            found: Slope = end.value
            return found


def search(place: Place, scales: Sequence[float], together: int = TOGETHER) -> Search[Slope]:
    """The derivative, trying the `scales` in turn until one gives a small error bar.

    So many levels are asked for `together` to begin with.
    """
    best: Slope | None = None
    for scale in scales:
        found = yield from _shrinking(place, scale, together)
        if found is None:
            found = yield from _deep(place, scale)
        if best is not None and not found.is_smooth and best.error <= _CLEAR * abs(best.value):
            return best  # what is rough in wide steps alone only looks so
        if not found.is_smooth or _settled(place, found, scale, max(scales)):
            return found
        if best is None or found.error < best.error:
            best = found
    assert best is not None
    return best


def _settled(place: Place, found: Slope, scale: float, widest: float) -> bool:
    """Whether the error bar is small: against the slope, or, of no slope, against f."""
    if found.error <= 1e-9 * abs(found.value):
        return True
    return scale >= widest / 100 and found.error <= 1e-12 * place.size / scale


def opening(at: float, scale: float, levels: int) -> list[float]:
    """What a search asks for first, so many levels together."""
    return _taken(at, [FIRST * scale / 2**j for j in range(levels)])


def _taken(at: float, steps: Sequence[float]) -> list[float]:
    """What floats really take of each step, up and then down."""
    return [t for h in steps for t in ((at + h) - at, (at - h) - at)]


def _levels(place: Place, steps: Sequence[float]) -> Search[list[_Level]]:
    """Both one-sided slopes at each step, over what floats really take of it."""
    taken = _taken(place.at, steps)
    changes = yield taken
    noise, made = 2 * place.noise, []
    ups, downs = zip(taken[::2], changes[::2], strict=True), zip(taken[1::2], changes[1::2], strict=True)
    for h, (up, rise), (down, fall) in zip(steps, ups, downs, strict=True):
        whole = up and down
        made.append(_Level(h, rise / up, fall / down, noise / h) if whole else _Level(h, nan, nan, inf))
    return made


def _shrinking(place: Place, scale: float, together: int = TOGETHER) -> Search[Slope | None]:
    """The derivative from steps that halve; None where it does not settle or has a gap."""
    rows: list[list[float]] = []
    gaps: list[list[float]] = []
    levels: list[_Level] = []
    best, row = (nan, inf), 0
    for k in range(_LEVELS):
        if k == len(levels):
            more = _MORE if k else together
            levels += yield from _levels(place, [FIRST * scale / 2**j for j in range(k, k + more)])
        _, right, left, noise = levels[k]
        gap = right - left
        if not isfinite(gap):
            rows, gaps, best = [], [], (nan, inf)
            continue
        rows.append(_row((right + left) / 2, rows, _HALVED))
        gaps.append(_row(gap, gaps, _HALVED_GAPS))
        estimate = _estimate(rows)
        if estimate[1] < best[1]:
            best, row = estimate, k
        if len(rows) < 4:
            continue
        sizes = [abs(row[0]) for row in rows[-4:]]
        if _accepted(best, gaps, noise, max(sizes), sizes[-1]):
            if place.stepped and not (yield from _is_confirmed(place, best, levels[row : k + 1])):
                return None
            return Slope(best[0], 2 * best[1] + noise + 4 * ulp(best[0]))
    return None


def _is_confirmed(place: Place, best: tuple[float, float], levels: Sequence[_Level]) -> Search[bool]:
    """Whether a slope found at the first of the levels holds at the others, and at a much shorter step."""
    near = yield from _levels(place, [levels[-1].h / _CONFIRMED])
    return _holds(*best, [*levels, *near])


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
    before, *row = rows[-1]
    value, least = nan, nan
    for entry, above in zip(row, rows[-2], strict=False):
        error, further = abs(entry - before), abs(entry - above)
        if further > error:
            error = further
        if error < least or least != least:
            value, least = entry, error
        before = entry
    return value, least


def _accepted(
    best: tuple[float, float], gaps: Sequence[Sequence[float]], noise: float, largest: float, last: float
) -> bool:
    """Whether the slope has settled and the gap between right and left goes to 0."""
    value, error = best
    # A slope that still falls steeply as steps shrink is no measure of how far rounding goes.
    rounding = 4 * noise + min(1e-12 * largest, 1e-3 * max(abs(value), last))
    if error > RELATIVE * abs(value) + rounding:
        return False
    gap, uncertain = gaps[-1][-1], abs(gaps[-1][-1] - gaps[-1][-2])
    return abs(gap) <= 8 * uncertain + 1e-9 * abs(value) + 4 * rounding


def _deep(place: Place, scale: float) -> Search[Slope]:
    """The derivative, or what stands in its way, from steps down to where rounding rules."""
    at = place.at
    least = max(min(_DEEPEST * scale, abs(at) / 1000 if at else inf), 4 * ulp(at))
    if place.stepped:  # the step of the staircase may end as near as floats are to each other
        least = min(least, max(64 * ulp(at), _DEEPEST**2 * scale))
    steps, h = [], FIRST * scale
    while h > least:
        steps.append(h)
        h /= _DEEP_FACTOR
    levels = yield from _levels(place, steps)
    found = _judged(levels)
    is_infinite = found.behaviour is Behaviour.EDGE and _are_infinite(levels[-4:])
    if is_infinite and (yield from _is_finite(place, 0.0)):
        return (yield from _closer(place, levels[-1].h))
    if place.stepped and found.is_smooth and found.error > _CLEAR * abs(found.value):
        return (yield from _beside(place, levels, found))
    return found


def _beside(place: Place, levels: Sequence[_Level], found: Slope) -> Search[Slope]:
    """The derivative from steps that do not leave the step of a staircase on which the place is."""
    differ = (a.h for a, b in pairwise(levels) if abs(a.central - b.central) > 2 * b.noise)
    far = min(differ, default=inf)
    on_step = [level for level in levels if level.h < far]
    is_flat = all(level.right == level.left == 0 for level in on_step)  # then no rounding is in it
    here = place._replace(stepped=False, noise=ulp(place.size) if is_flat else place.noise)
    better = yield from _shrinking(here, on_step[0].h / FIRST)
    return better if better is not None and better.error < found.error else found


def _are_infinite(levels: Sequence[_Level]) -> bool:
    """Whether values are too large for floats, none of them undefined."""
    slopes = [slope for level in levels for slope in (level.right, level.left)]
    return any(map(isinf, slopes)) and not any(map(isnan, slopes))


def _is_finite(place: Place, h: float) -> Search[bool]:
    """Whether there are values a step away on both sides; the step is the least one where `h` is less."""
    at = place.at
    up, down = max(at + h, nextafter(at, inf)) - at, min(at - h, nextafter(at, -inf)) - at
    changes = yield [up, down]
    return all(map(isfinite, changes))


def _closer(place: Place, far: float) -> Search[Slope]:
    """The derivative from steps less than `far`, which overflows; NaN, and smooth, where none can tell."""
    near = max(ulp(place.at), _LEAST)
    while far > 2 * near:
        middle = sqrt(near) * sqrt(far)
        is_near = yield from _is_finite(place, middle)
        near, far = (middle, far) if is_near else (near, middle)
    found = yield from _shrinking(place, near / FIRST)
    return found if found is not None and found.error < abs(found.value) else Slope(nan, nan)


def _judged(levels: Sequence[_Level]) -> Slope:
    """What slopes at shrinking steps say about the point that they shrink to."""
    (right, right_error), (left, left_error) = _one_sided(levels, "right"), _one_sided(levels, "left")
    if not levels or not all(isfinite(level.gap) for level in levels[-4:]):
        return Slope(nan, nan, Behaviour.EDGE, left, right)
    if not (isfinite(right) and isfinite(left)):
        return Slope(nan, nan, Behaviour.JUMP, left, right)
    last_bad = max((i for i, level in enumerate(levels) if not isfinite(level.gap)), default=-1)
    levels = levels[last_bad + 1 :]
    if _persists(levels):
        return Slope((left + right) / 2, right_error + left_error, Behaviour.KINK, left, right)
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
    if any(abs(value) + level.noise < clear[-1][0] for value, level in known if level.h < clear[-1][1]):
        return False  # the steps that it grew in went over a jump that is not here
    return clear[-1][0] * clear[-1][1] > _TRACE * max(value * h for value, h in clear)


def _persists(levels: Sequence[_Level]) -> bool:
    """Whether right and left slope stay apart however small the step."""
    clear = [level.gap for level in levels if level.noise < 0.003 * abs(level.gap)]
    return len(clear) >= 4 and all(abs(a - b) <= 0.02 * abs(b) for a, b in pairwise(clear[-4:]))


def _extrapolated(levels: Sequence[_Level]) -> Slope:
    """The central slope extrapolated to step 0 in even powers, by Neville's scheme."""
    before, last = levels[-2:]
    best, rows = (last.central, abs(last.central - before.central) + last.noise), list[list[float]]()
    for k, level in enumerate(levels):
        rows.append(_row(level.central, rows, _DEEPENED))
        value, error = _estimate(rows)
        if 2 * error + level.noise < best[1] and _holds(value, error, levels[k:]):
            best = value, 2 * error + level.noise
    return Slope(best[0], best[1] + 4 * ulp(best[0]))


def _holds(value: float, error: float, levels: Sequence[_Level]) -> bool:
    """Whether slopes at shorter steps than the first are no further from the value, but for rounding."""
    room = abs(levels[0].central - value) + 2 * error
    return all(abs(level.central - value) <= room + 4 * level.noise for level in levels[1:])
