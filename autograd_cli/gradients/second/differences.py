"""Second derivatives by differences: of the function alone, and of autograd's first gradient.

Steps halve from level to level. Central differences are extrapolated to step 0 in even powers
of the step; beside them stands the gap between what the two sides give, which goes to 0 where
the second derivative is the same on both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from autograd_cli.gradients.line import Array

FIRST = 0.137  # of the scale; no power of two, so that no period is hit at every step
LEVELS = 9
COLUMNS = 5
_DEEP = 9
"""Levels more, which tell a kink from a bend; there rounding rules in all else."""
_CLEAR = 50.0
"""How many times what rounding does a difference is, at least, to be told anything by."""

_AT_ONCE = 1 << 21
"""Numbers of moves that stand in memory at once."""


class Bend(Enum):
    """How a function bends at a point: as functions do, not there, or without a second derivative."""

    SMOOTH = "smooth"
    STEP = "step"
    KINK = "kink"
    STEEP = "steep"
    EDGE = "edge"


@dataclass(frozen=True)
class Bends:
    """Second derivatives (m,) with error bars; `rough` are the places that are not smooth.

    Of a STEP, `low` and `high` are the second derivatives on its two sides.
    """

    values: Array
    errors: Array
    rough: dict[int, Bend]
    low: Array
    high: Array


@dataclass(frozen=True)
class Levels:
    """What steps h (k,) of falling size tell, (k, m): central differences, gaps, what rounding does."""

    h: Array
    central: Array
    gap: Array
    noise: Array

    def combined(self, other: "Levels", factor: Array) -> "Levels":
        """These less those of another line, times a factor (m,)."""
        return Levels(
            self.h,
            (self.central - other.central) * factor,
            (self.gap - other.gap) * factor,
            (self.noise + other.noise) * np.abs(factor),
        )

    def times(self, factor: float) -> "Levels":
        """These times a number."""
        return Levels(self.h, self.central * factor, self.gap * factor, self.noise * abs(factor))

    def with_lines(self, places: NDArray[np.int64], other: "Levels") -> "Levels":
        """These with the lines at some places from others."""
        made = [part.copy() for part in (self.central, self.gap, self.noise)]
        for part, given in zip(made, (other.central, other.gap, other.noise), strict=True):
            part[:, places] = given
        return Levels(self.h, *made)

    def __getitem__(self, places: NDArray[np.int64]) -> "Levels":
        return Levels(self.h, self.central[:, places], self.gap[:, places], self.noise[:, places])


def steps(count: int = LEVELS) -> Array:
    """The steps of all levels, and before them the double of the first: (1 + count,)."""
    made: Array = 2 * FIRST * np.ldexp(1.0, -np.arange(1 + count))
    return made


def along(change: Callable[[Array], Array], directions: Array, noise: float) -> Levels:
    """Second differences of a function along lines, from its `changes` at moves (q, n) -> (q,).

    `directions` are (m, n): by how much a step of 1 moves a point.
    """
    h = steps(LEVELS + _DEEP)
    signed = np.stack((h, -h), 1).ravel()
    both = _changes(change, signed, directions).reshape(len(h), 2, len(directions))
    with np.errstate(all="ignore"):
        up, down, square = both[:, 0], both[:, 1], np.square(h)[1:, None]
        central = (up[1:] + down[1:]) / square
        gap = ((up[:-1] - 2 * up[1:]) - (down[:-1] - 2 * down[1:])) / square
        spread = np.broadcast_to(4 * noise / square, central.shape)
    return Levels(h[1:], central, gap, np.array(spread))


def _changes(change: Callable[[Array], Array], signed: Array, directions: Array) -> Array:
    """The changes at each step along each line, step after step, as many at once as memory bears."""
    lines, size = directions.shape
    numbers, at_once = np.arange(len(signed) * lines), max(1, _AT_ONCE // max(1, size))
    made = [
        change(signed[part // lines, None] * directions[part % lines])
        for part in np.array_split(numbers, -(-len(numbers) // at_once))
    ]
    return np.concatenate(made)


def none_like(levels: Levels) -> Levels:
    """As many levels of lines along which nothing changes."""
    zeros = np.zeros_like(levels.central)
    return Levels(levels.h, zeros, zeros, zeros)


def of_slopes(up: Array, down: Array, here: Array, h: Array, noise: Array) -> Levels:
    """Differences of a gradient (m,) from its values at steps h up and down (k, m); `noise` is its own."""
    with np.errstate(all="ignore"):
        right, left = (up - here) / h[:, None], (here - down) / h[:, None]
        return Levels(h, (right + left) / 2, right - left, noise / h[:, None] + 0 * right)


def read(levels: Levels) -> Bends:
    """What the levels tell of each line."""
    with np.errstate(all="ignore"):
        values, errors = _extrapolated(levels)
        rough: dict[int, Bend] = {}
        low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
        for place in np.flatnonzero(~_is_calm(levels, values, errors)).tolist():
            bend, half = _bend(levels, place)
            if bend is Bend.SMOOTH:
                continue
            rough[place] = bend
            if bend is Bend.STEP:
                middle = values[place]
                low[place], high[place] = middle - abs(half), middle + abs(half)
            else:
                values[place] = errors[place] = np.nan
    return Bends(values, errors, rough, low, high)


def better(one: Levels, other: Levels) -> Bends:
    """What two rows of steps tell together: of each line those that tell more."""
    first, second = read(one), read(other)
    with np.errstate(all="ignore"):
        known = np.isfinite(second.errors) & ~(second.errors >= np.nan_to_num(first.errors, nan=np.inf))
    for place in (*first.rough, *second.rough):
        known[place] = place in first.rough and place not in second.rough and bool(known[place])
    taken = [np.where(known, b, a) for a, b in _paired(first, second)]
    rough = {place: bend for place, bend in first.rough.items() if not known[place]}
    return Bends(taken[0], taken[1], rough, taken[2], taken[3])


def _paired(one: Bends, other: Bends) -> list[tuple[Array, Array]]:
    names = ("values", "errors", "low", "high")
    return [(getattr(one, name), getattr(other, name)) for name in names]


def _extrapolated(levels: Levels) -> tuple[Array, Array]:
    """The entry of each table that is off by least, and by how much it is at most: (m,) both."""
    rows: list[list[Array]] = []
    best = np.full(levels.central.shape[1], np.nan)
    error = np.full(levels.central.shape[1], np.inf)
    for central, noise in zip(levels.central, levels.noise, strict=True):
        row = [central]
        above = rows[-1] if rows else []
        for column, before in enumerate(above[:COLUMNS]):
            row.append(row[-1] + (row[-1] - before) / (4.0 ** (column + 1) - 1))
        rows.append(row)
        for column in range(1, len(row)):
            moved = np.maximum(np.abs(row[column] - row[column - 1]), np.abs(row[column] - above[column - 1]))
            off = 4 * moved + 2 * noise + 1e-15 * np.abs(row[column])
            better = off < error
            best, error = np.where(better, row[column], best), np.where(better, off, error)
    return best, np.maximum(error, _overlooked(levels, best))


def _overlooked(levels: Levels, best: Array) -> Array:
    """By how much short steps say that there is something else than long steps settled on, (m,)."""
    apart = np.abs(levels.central - best) - 8 * levels.noise
    gross = apart > 0.05 * np.maximum(np.abs(levels.central), np.abs(best))
    short = np.where(gross, apart, 0.0)[-len(levels.h) // 3 :]
    found: Array = 2 * np.nan_to_num(short, nan=np.inf).max(0)
    return found


def _is_calm(levels: Levels, values: Array, errors: Array) -> NDArray[np.bool_]:
    """Where the second derivative is known well and both sides give the same at the smallest clear step."""
    gap = np.abs(levels.gap)
    clear = np.isfinite(gap) & (gap > _CLEAR * levels.noise)
    last = len(gap) - 1 - clear[::-1].argmax(0)
    standing = np.where(clear.any(0), np.take_along_axis(gap, last[None], 0)[0], 0.0)
    least = np.where(clear.any(0), levels.h[last], 0.0)
    first = np.nan_to_num(np.nanmax(np.where(np.isfinite(gap), gap, 0.0), 0))
    fades = standing <= 4 * first * least / levels.h[0] + errors
    ends = np.isfinite(levels.central[-1])
    calm: NDArray[np.bool_] = (
        ends & np.isfinite(values) & (errors <= 1e-6 * np.abs(values) + _floor(levels)) & fades
    )
    return calm


def _floor(levels: Levels) -> Array:
    """What rounding does to a difference at a middling step."""
    floor: Array = 4 * levels.noise[min(LEVELS, len(levels.noise)) - 1]
    return floor


def _bend(levels: Levels, place: int) -> tuple[Bend, float]:
    """What stands in the way of a second derivative, and half of the step between its two sides."""
    central, gap, noise = (part[:, place] for part in (levels.central, levels.gap, levels.noise))
    if not np.isfinite(central[-3:]).all():
        return Bend.EDGE, np.nan
    clear = np.flatnonzero(np.isfinite(central) & (np.abs(central) > _CLEAR * noise))
    if len(clear) >= 4 and not _ends_early(central, noise, clear[-1]):
        growth = central[clear[-3:]] / central[clear[-4:-1]]
        if (growth > 1.9).all() and (growth < 2.1).all():
            return Bend.KINK, np.nan
        if _is_steady(growth):
            return Bend.STEEP, np.nan
    stands = np.flatnonzero(np.isfinite(gap) & (np.abs(gap) > _CLEAR * noise))
    if len(stands) >= 4 and not _ends_early(gap, noise, stands[-1]):
        ratio = gap[stands[-3:]] / gap[stands[-4:-1]]
        if (np.abs(ratio - 1) < 0.1).all():
            return Bend.STEP, float(gap[stands[-1]]) / 2
        if _is_steady(ratio):
            return Bend.STEEP, np.nan
    return Bend.SMOOTH, np.nan


def _is_steady(growth: Array) -> bool:
    """Whether something grows by a power of the step: what stops growing does so by less and less."""
    return bool((growth > 1.1).all() and np.ptp(growth) < 0.02 * growth.max())


def _ends_early(values: Array, noise: Array, last: int) -> bool:
    """Whether what is clear up to a level fades after it, though it would still be clear there."""
    return last + 1 < len(values) and bool(_CLEAR * noise[last + 1] < np.abs(values[last]))
