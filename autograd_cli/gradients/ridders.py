"""The first levels of the extrapolation for many elements at once.

What `slope` does with one number after the other is done here with arrays of shape
(levels, n): each entry of an extrapolation table is a fixed combination of the slopes at
its levels, so that all tables are one product. An element that does not settle, or whose
right and left slope stay apart, is left to `slope`.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from autograd_cli.gradients.slope import FIRST, RELATIVE, TOGETHER

Array = NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)
_BESIDE = 1e-6, -1.3e-6, 1.7e-6
"""Steps, of a component's size, within which a function is a parabola but for rounding."""


class Told(NamedTuple):
    """What some levels tell, (n,): values, error bars, and where they have settled."""

    values: Array
    errors: Array
    settled: NDArray[np.bool_]


def steps(at: Array, scales: Array, start: int = 0, count: int = TOGETHER, beside: bool = False) -> Array:
    """The steps that floats take from level `start` on, up and then down: (n,) -> (2 * count, n).

    With those `beside` the place behind them.
    """
    taken: Array = _parts(start, count, beside) * scales
    taken += at
    taken -= at
    return taken


@cache
def _parts(start: int, count: int, beside: bool) -> Array:
    """The steps of so many levels, of the scale: (k, 1)."""
    up = FIRST * np.ldexp(1.0, -np.arange(start, start + count))
    return np.concatenate((up, -up, _BESIDE if beside else ()))[:, None]


class Levels:
    """What the changes at the steps taken, up and then down, (2 * levels, n) each, come to together."""

    def __init__(self, taken: Array, changes: Array) -> None:
        with np.errstate(all="ignore"):
            self.count = len(taken) // 2
            self.made: Array = torch.mm(_matrix(self.count), torch.from_numpy(changes / taken)).numpy()

    def told(self, at: Array, scales: Array, noise: Array) -> Told:
        """The slopes, the first level being that of the scales.

        `noise` is the absolute error of a change, (n,), besides what rounding does to the place `at` itself.
        """
        with np.errstate(all="ignore"):
            values, errors = self._best()
            sizes = np.abs(values)
            rounding = sizes * np.abs(at)
            rounding *= _EPS
            rounding += noise
            rounding *= 2 / (FIRST * 2.0 ** (1 - self.count))
            rounding /= scales
            settled = self._accepted(sizes, errors, rounding)
            errors *= 2
            errors += rounding
            sizes *= 4 * _EPS
            errors += sizes
            return Told(values, errors, settled)

    def scatter(self, taken: Array, changes: Array, scales: Array) -> Array:
        """How far changes at much shorter steps, (k, n) each, are off the parabola that levels tell, (n,)."""
        with np.errstate(all="ignore"):
            off = taken * (self.made[-5] / scales)
            off += self.made[len(self.made) // 2 - 3]
            off *= taken
            off -= changes
            most: Array = np.fmax.reduce(np.abs(off, out=off))
            return most

    def _best(self) -> tuple[Array, Array]:
        """The entry of each table with the smallest error, and that error."""
        found = self.made[:-5]
        count = len(found) // 2
        entries, errors = found[:count], np.abs(found[count:])
        if count == 2:
            is_first = errors[0] < errors[1]
            return np.where(is_first, entries[0], entries[1]), np.minimum(errors[0], errors[1])
        best = errors.argmin(0)
        every = np.arange(found.shape[1])
        return entries[best, every], errors[best, every]

    def _accepted(self, magnitudes: Array, errors: Array, noise: Array) -> NDArray[np.bool_]:
        """As `slope` accepts: the slope has settled and the gap between right and left goes to 0."""
        near, far = np.abs(self.made[-4:-2])
        rounding = np.maximum(magnitudes, near)
        rounding *= 1e-3
        rounding = np.minimum(rounding, 1e-12 * np.maximum(far, near, out=far), out=rounding)
        rounding += 4 * noise
        last, before = self.made[-2:]
        room = np.abs(before - last)
        room *= 8
        room += 1e-9 * magnitudes
        room += 4 * rounding
        rounding += RELATIVE * magnitudes
        settled: NDArray[np.bool_] = (errors <= rounding) & (np.abs(last) <= room)
        return settled


@cache
def _matrix(count: int) -> torch.Tensor:
    """What is made of the slopes to the right and then to the left at so many levels.

    Entries of the extrapolation table, as many errors of these, how the slope changes from
    left to right at scale 1, the central slopes at the last level and at the fourth from there, and the
    last two entries of the table of gaps. An entry's error is how far it is from the one above and before,
    which is always more than from the one before.
    """
    rows = _rows([4.0**j - 1 for j in range(1, count)])
    gaps = _rows([2.0 ** (2 * j - 1) - 1 for j in range(1, count)])[-1]
    places = [(k, j) for k in range(1, count) for j in range(1, k + 1)]
    # Of the first levels the last two: what these do not tell is looked at with more levels.
    places = places[-2:] if count == TOGETHER else places
    entries = [rows[k][j] for k, j in places]
    errors = [rows[k][j] - rows[k - 1][j - 1] for k, j in places]
    bend = rows[-1][-1] / (2 * FIRST * 2.0 ** -np.arange(count))
    units = np.eye(count)
    means = [np.hstack((row, row)) / 2 for row in (*entries, *errors, units[-1], units[max(0, count - 4)])]
    differences = [np.hstack((row, -row)) for row in (bend, gaps[-1], gaps[-2])]
    return torch.from_numpy(np.array([*means[:-2], differences[0], *means[-2:], *differences[1:]]))


def _rows(divisors: Sequence[float]) -> list[list[Array]]:
    """The extrapolation table of unit vectors: what each entry takes of each level."""
    rows: list[list[Array]] = []
    for unit in np.eye(1 + len(divisors)):
        row = [unit]
        for before, divisor in zip(rows[-1] if rows else (), divisors, strict=False):
            row.append(row[-1] + (row[-1] - before) / divisor)
        rows.append(row)
    return rows
