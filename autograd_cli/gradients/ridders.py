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
from numpy.typing import NDArray

from autograd_cli.gradients.slope import FIRST, RELATIVE, TOGETHER

Array = NDArray[np.float64]
_EPS = float(np.finfo(np.float64).eps)


class Told(NamedTuple):
    """What some levels tell, (n,): values, error bars, and where they have settled."""

    values: Array
    errors: Array
    settled: NDArray[np.bool_]


def steps(at: Array, scales: Array, start: int = 0, count: int = TOGETHER) -> Array:
    """The steps that floats take from level `start` on, up and then down: (n,) -> (2 * count, n)."""
    h = FIRST * scales * np.ldexp(1.0, -np.arange(start, start + count))[:, None]
    return np.concatenate(((at + h) - at, (at - h) - at))


def told(taken: Array, changes: Array, at: Array, scales: Array, noise: Array) -> Told:
    """The slopes from the changes at the steps taken from the scales, (2 * levels, n) each.

    `noise` is the absolute error of a change, (n,), besides what rounding does to the place `at` itself.
    """
    with np.errstate(all="ignore"):
        count = len(taken) // 2
        sided = changes / taken
        right, left = sided[:count], sided[count:]
        central, gap = (right + left) * 0.5, right - left
        values, errors = _best(central)
        rounding = (noise + _EPS * np.abs(values * at)) * (2 / (FIRST * 2.0 ** (1 - count))) / scales
        settled = _accepted(values, errors, central, gap, rounding)
        return Told(values, 2 * errors + rounding + 4 * _EPS * np.abs(values), settled)


def _best(central: Array) -> tuple[Array, Array]:
    """The entry with the smallest error of each table, and that error."""
    entries, across, along = _tables(len(central))
    found = entries @ central
    errors = np.maximum(np.abs(across @ central), np.abs(along @ central))
    if len(found) == 2:
        return np.where(errors[0] < errors[1], found[0], found[1]), errors.min(0)
    best = errors.argmin(0)
    every = np.arange(central.shape[1])
    return found[best, every], errors[best, every]


def _accepted(values: Array, errors: Array, central: Array, gap: Array, noise: Array) -> NDArray[np.bool_]:
    """As `slope` accepts: the slope has settled and the gap between right and left goes to 0."""
    sizes = np.abs(central)
    magnitudes = np.abs(values)
    rounding = 4 * noise + np.minimum(1e-12 * sizes[-4:].max(0), 1e-3 * np.maximum(magnitudes, sizes[-1]))
    last, before = _gaps(len(gap)) @ gap
    room = 8 * np.abs(last - before) + 1e-9 * magnitudes + 4 * rounding
    settled: NDArray[np.bool_] = (errors <= RELATIVE * magnitudes + rounding) & (np.abs(last) <= room)
    return settled


@cache
def _tables(count: int) -> tuple[Array, Array, Array]:
    """Extrapolated entries of a table by its levels, less the one before each and less that above.

    Of the first levels the last two: what these do not tell is looked at with more levels.
    """
    rows = _rows([4.0**j - 1 for j in range(1, count)])
    places = [(k, j) for k in range(1, count) for j in range(1, k + 1)]
    places = places[-2:] if count == TOGETHER else places
    entries = np.array([rows[k][j] for k, j in places])
    before = np.array([rows[k][j - 1] for k, j in places])
    above = np.array([rows[k - 1][j - 1] for k, j in places])
    return entries, entries - before, entries - above


@cache
def _gaps(count: int) -> Array:
    """The last two entries of a table of gaps by its levels."""
    return np.array(_rows([2.0 ** (2 * j - 1) - 1 for j in range(1, count)])[-1][:-3:-1])


def _rows(divisors: Sequence[float]) -> list[list[Array]]:
    """The extrapolation table of unit vectors: what each entry takes of each level."""
    rows: list[list[Array]] = []
    for unit in np.eye(1 + len(divisors)):
        row = [unit]
        for before, divisor in zip(rows[-1] if rows else (), divisors, strict=False):
            row.append(row[-1] + (row[-1] - before) / divisor)
        rows.append(row)
    return rows
