"""What slopes at shrinking steps say about the point that they shrink to."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import inf, isfinite, isinf, nan, ulp
from typing import NamedTuple, TypeVar

from autograd_cli.lang.swift import swift

FACTOR = 8.0
"""By how much a step is shorter than the one before."""
_TRACE = 1e-8
"""The part of f's changes that is no more than a trace of them."""
_OF_STEPS = 8 / 11
"""The same as a power of the part that is left of the steps, where these shrink by more than 1e-11."""
_SIDED = 1e-6
"""What a one-sided slope may be off besides, of its size."""
_SLOWEST = 0.95
"""The largest part that is left of a move from step to step of which its end is told."""
_COLUMNS = 6
COLUMN = range(1, _COLUMNS + 1)
_DEEPENED = [FACTOR ** (2 * j) - 1 for j in COLUMN]


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
    one-sided slope is NaN where that side has no values, infinite where it grows without bound: `steepest`
    is what both had grown to at the shortest step, 0 where none does.
    """

    value: float
    error: float
    behaviour: Behaviour = Behaviour.SMOOTH
    left: float = nan
    right: float = nan
    steepest: float = 0.0

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

    `stepped` says that f may be a staircase, whose steps may look like a slope from afar. No step is
    shorter than `least`, which is less where `at` itself is moved: along a line 0 stands for what is not 0.
    `terms` gives the size of the largest value on the way to f, where that is known: it may cancel.
    """

    at: float
    size: float
    noise: float
    stepped: bool = False
    least: float = 1e-13
    terms: Callable[[], float] | None = None


T = TypeVar("T")
Search = Generator[list[float], list[float], T]
"""What asks for changes f(at + t) - f(at) by lists of t, and returns what it found."""


class Level(NamedTuple):
    """Slopes to the right and left at one step `h`, and what rounding does to them."""

    h: float
    right: float
    left: float
    noise: float

    @property
    def central(self) -> float:
        """The slope over both sides."""
        return (self.right + self.left) / 2

    @property
    def gap(self) -> float:
        """By how much the slope to the right is more than that to the left."""
        return self.right - self.left


def taken(at: float, steps: Sequence[float]) -> list[float]:
    """What floats really take of each step, up and then down."""
    return [t for h in steps for t in ((at + h) - at, (at - h) - at)]


def levels_at(place: Place, steps: Sequence[float]) -> Search[list[Level]]:
    """Both one-sided slopes at each step, over what floats really take of it."""
    moves = taken(place.at, steps)
    changes = yield moves
    noise, made = 2 * place.noise, []
    ups, downs = zip(moves[::2], changes[::2], strict=True), zip(moves[1::2], changes[1::2], strict=True)
    for h, (up, rise), (down, fall) in zip(steps, ups, downs, strict=True):
        whole = up and down
        made.append(Level(h, rise / up, fall / down, noise / h) if whole else Level(h, nan, nan, inf))
    return made


def next_row(first: float, rows: Sequence[Sequence[float]], divisors: Sequence[float]) -> list[float]:
    """The next row of an extrapolation table; by column, a shorter step divides by `divisors` + 1."""
    row = [first]
    above = rows[-1] if rows else ()
    for before, divisor in zip(above, divisors, strict=False):
        first += (first - before) / divisor
        row.append(first)
    return row


def estimated(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
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


def judged(levels: Sequence[Level]) -> Slope:
    """What slopes at shrinking steps say about the point that they shrink to."""
    (right, right_error), (left, left_error) = _one_sided(levels, "right"), _one_sided(levels, "left")
    if not levels or not all(isfinite(level.gap) for level in levels[-4:]):
        return Slope(nan, nan, Behaviour.EDGE, left, right)
    if not (isfinite(right) and isfinite(left)):
        steepest = min(abs(levels[-1].right), abs(levels[-1].left)) if isinf(right) and isinf(left) else 0.0
        return Slope(nan, nan, Behaviour.JUMP, left, right, steepest)
    last_bad = max((i for i, level in enumerate(levels) if not isfinite(level.gap)), default=-1)
    levels = levels[last_bad + 1 :]
    if _persists(levels):
        return Slope((left + right) / 2, right_error + left_error, Behaviour.KINK, left, right)
    return _extrapolated(levels)


def _one_sided(levels: Sequence[Level], side: str) -> tuple[float, float]:
    """The slope on one side and its error; infinite where it grows as steps shrink, NaN without values."""
    known = [(level.right if side == "right" else level.left, level) for level in levels]
    last_bad = max((i for i, (value, _) in enumerate(known) if not isfinite(value)), default=-1)
    known = known[last_bad + 1 :]
    if len(known) < 4:
        return nan, nan
    if _grows(known):
        return (inf if known[-1][0] > 0 else -inf), nan
    moved = [(level.noise + abs(value - known[i][0]), value) for i, (value, level) in enumerate(known[1:])]
    error, value = min(moved + _limits(known))
    return (value if abs(value) > error else 0.0), error


def _limits(known: Sequence[tuple[float, Level]]) -> list[tuple[float, float]]:
    """Where slopes lead that move by the same factor from step to step, after Aitken: errors and values."""
    found: list[tuple[float, float]] = []
    for (a, _), (b, _), (c, level) in zip(known, known[1:], known[2:], strict=False):
        ratio = (c - b) / (b - a) if b != a else 0.0
        if 0 < ratio < _SLOWEST:
            found.append((c + (c - b) * ratio / (1 - ratio), (level.noise + 4 * ulp(a)) / (1 - ratio) ** 2))
        else:
            found.append((nan, inf))
    pairs = ((abs(one[0] - two[0]) + 4 * two[1], two[0]) for one, two in pairwise(found))
    return [(error, value) for error, value in pairs if isfinite(error)]


def _grows(known: Sequence[tuple[float, Level]]) -> bool:
    """Whether a slope grows as steps shrink, and what it rises by is no mere trace of f's changes."""
    clear = [(abs(value), level.h) for value, level in known if level.noise < 0.05 * abs(value)]
    if len(clear) < 4 or any(b[0] <= 1.15 * a[0] for a, b in pairwise(clear[-4:])):
        return False
    if any(abs(value) + level.noise < clear[-1][0] for value, level in known if level.h < clear[-1][1]):
        return False  # the steps that it grew in went over a jump that is not here
    trace: float = min(_TRACE, (clear[-1][1] / clear[0][1]) ** _OF_STEPS)
    return clear[-1][0] * clear[-1][1] > trace * max(value * h for value, h in clear)


def _persists(levels: Sequence[Level]) -> bool:
    """Whether right and left slope stay apart however small the step."""
    clear = [level.gap for level in levels if level.noise < 0.003 * abs(level.gap)]
    return len(clear) >= 4 and all(abs(a - b) <= 0.02 * abs(b) for a, b in pairwise(clear[-4:]))


def _extrapolated(levels: Sequence[Level]) -> Slope:
    """The central slope extrapolated to step 0 in even powers, by Neville's scheme."""
    before, last = levels[-2:]
    best, rows = (last.central, abs(last.central - before.central) + last.noise), list[list[float]]()
    for k, level in enumerate(levels):
        rows.append(next_row(level.central, rows, _DEEPENED))
        value, error = estimated(rows)
        if 2 * error + level.noise < best[1] and holds(value, error, levels[k:]):
            best = value, 2 * error + level.noise
    return Slope(best[0], best[1] + 4 * ulp(best[0]))


def holds(value: float, error: float, levels: Sequence[Level]) -> bool:
    """Whether slopes at shorter steps than the first are no further from the value, but for rounding."""
    room = abs(levels[0].central - value) + 2 * error
    return all(abs(level.central - value) <= room + 4 * level.noise for level in levels[1:])
