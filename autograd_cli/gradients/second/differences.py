"""Second derivatives by differences: of the function alone, and of autograd's first gradient.

Steps halve from level to level. Central differences are extrapolated to step 0 in even powers
of the step (Richardson, with the error estimate of Ridders' table); beside them stands the gap
between what the two sides give, which goes to 0 where the second derivative is the same on both:
by a factor of 2 a level where there is a third derivative, and not at all at a step of the second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from autograd_cli.gradients.line import Array

FIRST = 35 / 256
"""The first step, of the scale: no power of two, so that no period is hit at every step, and of few bits."""
_BITS = 8
"""Bits of a scale: so few that a place moved by a step, up or down, is a float, not rounded to one."""
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

    Of a STEP, `low` and `high` are the second derivatives on its two sides. `floor` (m,) is what
    rounding alone does to a difference at a middling step.
    """

    values: Array
    errors: Array
    rough: dict[int, Bend]
    low: Array
    high: Array
    floor: Array


@dataclass(frozen=True)
class Levels:
    """What steps h (k,) of falling size tell, (k, m): central differences, gaps, what rounding does.

    `ends` (m,) are the lines on which there are finite values at the shortest steps.
    """

    h: Array
    central: Array
    gap: Array
    noise: Array
    ends: NDArray[np.bool_]

    def times(self, factor: float) -> "Levels":
        """These times a number."""
        return Levels(self.h, self.central * factor, self.gap * factor, self.noise * abs(factor), self.ends)

    def __getitem__(self, places: NDArray[np.int64]) -> "Levels":
        central, gap, noise = (part[:, places] for part in (self.central, self.gap, self.noise))
        return Levels(self.h, central, gap, noise, self.ends[places])


@dataclass(frozen=True)
class Changes:
    """What a function changes by along lines, at steps h (k,): not yet divided by the squares of these.

    A quarter of what central differences (k, m) and gaps (k, m) are the numerators of, so that the
    sums of the largest floats do not overflow; `ends` as in Levels.
    """

    h: Array
    central: Array
    gap: Array
    ends: NDArray[np.bool_]

    def levels(self, noise: float, factor: Array, less: "Changes | None" = None) -> Levels:
        """The second differences of these, `less` those of as many other lines, times a factor (m,).

        `noise` is the absolute error of one change. What cancels does so before it is divided.
        """
        with np.errstate(all="ignore"):
            by = 4 * factor / np.square(self.h)[:, None]
            central, gap = self.central, self.gap
            spread = np.broadcast_to(noise * np.abs(by) * (1 if less is None else 2), central.shape)
            if less is None:
                return Levels(self.h, central * by, gap * by, spread, self.ends)
            ends = self.ends & less.ends
            return Levels(self.h, (central - less.central) * by, (gap - less.gap) * by, spread, ends)

    def with_none(self, places: NDArray[np.int64], count: int) -> "Changes":
        """These as those of some places among `count` lines, on the others of which nothing changes."""
        central, gap = np.zeros((2, len(self.h), count))
        central[:, places], gap[:, places] = self.central, self.gap
        ends = np.ones(count, dtype=bool)
        ends[places] = self.ends
        return Changes(self.h, central, gap, ends)


def rounded(scales: Array) -> Array:
    """Scales to so few bits that a step of one moves a place by just that."""
    parts, exponents = np.frexp(scales)
    made: Array = np.ldexp(np.round(np.ldexp(parts, _BITS)), exponents - _BITS)
    return made


def steps(count: int = LEVELS) -> Array:
    """The steps of all levels, and before them the double of the first: (1 + count,)."""
    made: Array = 2 * FIRST * np.ldexp(1.0, -np.arange(1 + count))
    return made


def along(change: Callable[[Array], Array], directions: Array) -> Changes:
    """What a function changes by along lines, from its `changes` at moves (q, n) -> (q,).

    `directions` are (m, n): by how much a step of 1 moves a point.
    """
    h = steps(LEVELS + _DEEP)
    signed = np.stack((h, -h), 1).ravel()
    both = _changes(change, signed, directions).reshape(len(h), 2, len(directions))
    with np.errstate(all="ignore"):
        up, down = both[:, 0] / 4, both[:, 1] / 4
        gap = (up[:-1] - 2 * up[1:]) - (down[:-1] - 2 * down[1:])
        ends = np.asarray(np.isfinite(both[-3:]).all((0, 1)))
        return Changes(h[1:], up[1:] + down[1:], gap, ends)


def _changes(change: Callable[[Array], Array], signed: Array, directions: Array) -> Array:
    """The changes at each step along each line, step after step, as many at once as memory bears."""
    lines, size = directions.shape
    numbers, at_once = np.arange(len(signed) * lines), max(1, _AT_ONCE // max(1, size))
    made = [
        change(signed[part // lines, None] * directions[part % lines])
        for part in np.array_split(numbers, -(-len(numbers) // at_once))
    ]
    return np.concatenate(made)


def of_slopes(up: Array, down: Array, here: Array, h: Array, noise: Array, misfit: Array) -> Levels:
    """Differences of a gradient (m,) from its values at steps h up and down (k, m).

    `noise` (m,) is its own error, `misfit` (k,) the part of a step that the places are off from it.
    """
    with np.errstate(all="ignore"):
        right, left = (up - here) / h[:, None], (here - down) / h[:, None]
        moved = np.maximum(np.abs(right), np.abs(left)) * misfit[:, None]
        ends = np.asarray(np.isfinite((*up[-3:], *down[-3:], here)).all(0))
        return Levels(h, (right + left) / 2, right - left, noise / h[:, None] + moved, ends)


def read(levels: Levels) -> Bends:
    """What the levels tell of each line."""
    with np.errstate(all="ignore"):
        values, errors = _extrapolated(levels)
        rough: dict[int, Bend] = {}
        low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
        for place in np.flatnonzero(~_is_calm(levels, values, errors)).tolist():
            bend, half, off = _bend(levels, place)
            if bend is Bend.SMOOTH:
                continue
            rough[place] = bend
            if bend is Bend.STEP:
                middle = values[place]
                low[place], high[place] = middle - abs(half), middle + abs(half)
                errors[place] = off + np.nan_to_num(errors[place], posinf=0.0)
            else:
                values[place] = errors[place] = np.nan
    return Bends(values, errors, rough, low, high, _floor(levels))


def better(first: Bends, second: Bends) -> Bends:
    """What two rows of steps tell together: of each line those that tell more."""
    with np.errstate(all="ignore"):
        known = np.isfinite(second.errors) & ~(second.errors >= np.nan_to_num(first.errors, nan=np.inf))
    for place in (*first.rough, *second.rough):
        known[place] = place in first.rough and place not in second.rough and bool(known[place])
    return _merged(first, second, known)


def sharper(first: Bends, second: Bends) -> Bends:
    """What is told better by steps that are narrower by far, which see a kink no better."""
    with np.errstate(all="ignore"):
        known = second.errors < first.errors
    known[[*first.rough, *second.rough]] = False
    return _merged(first, second, known)


def is_dull(known: Bends) -> bool:
    """Whether a smooth line is told badly, and not for what rounding does."""
    size = np.abs(np.nan_to_num(known.values, nan=0.0, posinf=0.0, neginf=0.0))
    size = np.maximum(size, 1e-3 * size.max(initial=0.0))
    dull = ~(known.errors <= np.maximum(1e-3 * size, 100 * known.floor))
    dull[list(known.rough)] = False
    return bool(dull.any())


def _merged(first: Bends, second: Bends, known: NDArray[np.bool_]) -> Bends:
    """The second where it is `known` by that, else the first."""
    names = ("values", "errors", "low", "high", "floor")
    taken = [np.where(known, getattr(second, name), getattr(first, name)) for name in names]
    rough = {place: bend for place, bend in first.rough.items() if not known[place]}
    return Bends(taken[0], taken[1], rough, *taken[2:])


def total(parts: Sequence[Bends]) -> Bends:
    """The sum of what as many lines each tell."""
    rough: dict[int, Bend] = {}
    for part in parts:
        rough |= {place: bend for place, bend in part.rough.items() if rough.get(place) in (None, Bend.STEP)}
    stepped = np.zeros(len(parts[0].values), dtype=bool)
    stepped[[place for place, bend in rough.items() if bend is Bend.STEP]] = True
    sides = [[np.where(np.isnan(side), one.values, side) for side in (one.low, one.high)] for one in parts]
    low, high = (np.where(stepped, sum(side), np.nan) for side in zip(*sides, strict=True))
    names = ("values", "errors", "floor")
    values, errors, floor = (np.sum([getattr(one, name) for one in parts], 0) for name in names)
    return Bends(values, errors, dict(sorted(rough.items())), low, high, floor)


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


def _bend(levels: Levels, place: int) -> tuple[Bend, float, float]:
    """What stands in the way of a second derivative; of a step half of it, and by how much that is off."""
    central, gap, noise = (part[:, place] for part in (levels.central, levels.gap, levels.noise))
    if not levels.ends[place]:
        return Bend.EDGE, np.nan, np.nan
    if not np.isfinite(central[-3:]).all():  # too large for floats, of a function that is not
        return Bend.SMOOTH, np.nan, np.nan
    clear = np.flatnonzero(np.isfinite(central) & (np.abs(central) > _CLEAR * noise))
    if len(clear) >= 4 and not _ends_early(central, noise, clear[-1]):
        growth = central[clear[-3:]] / central[clear[-4:-1]]
        if (growth > 1.9).all() and (growth < 2.1).all():
            return Bend.KINK, np.nan, np.nan
        if _is_steady(growth):
            return Bend.STEEP, np.nan, np.nan
    stands = np.flatnonzero(np.isfinite(gap) & (np.abs(gap) > _CLEAR * noise))
    if len(stands) >= 4 and not _ends_early(gap, noise, stands[-1]):
        last, ratio = gap[stands[-4:]] / 2, gap[stands[-3:]] / gap[stands[-4:-1]]
        if (np.abs(ratio - 1) < 0.1).all():
            return Bend.STEP, float(last[-1]), float(np.ptp(last) + noise[stands[-1]])
        if _is_steady(ratio):
            return Bend.STEEP, np.nan, np.nan
    return Bend.SMOOTH, np.nan, np.nan


def _is_steady(growth: Array) -> bool:
    """Whether something grows by a power of the step: what stops growing does so by less and less."""
    return bool((growth > 1.1).all() and np.ptp(growth) < 0.02 * growth.max())


def _ends_early(values: Array, noise: Array, last: int) -> bool:
    """Whether what is clear up to a level fades after it, though it would still be clear there."""
    return last + 1 < len(values) and bool(_CLEAR * noise[last + 1] < np.abs(values[last]))
