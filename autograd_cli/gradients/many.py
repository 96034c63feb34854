"""The slopes at many places at once, as far as a function is smooth there."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from autograd_cli.gradients import ridders
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.points import Points, in_a_row
from autograd_cli.gradients.ridders import Levels, Told
from autograd_cli.gradients.slope import TOGETHER

PART = 1 << 14
"""Places that are looked at together: the arrays of more no longer fit a cache."""
_AT_ONCE = 1 << 12
"""Of these, how many at first, with all their levels."""
_FEW = 3
"""Places that are sooner left to a search of their own than looked at with shorter steps."""
_MORE = 2
_LONGEST = TOGETHER + _MORE
"""Levels that are looked at together: in more, the first would be too far away from the last."""
_LAST = 10
_CLEAR = 1e-4
"""The error bar, of a slope, within which no kink at the place itself can hide."""

Flags = NDArray[np.bool_]
Window = tuple[Array, Array]
"""Steps and the changes at these, (k, m) each."""


class Many:
    """The slopes at places.

    `stand` is where a slope was found; the other places are left to a search.
    """

    def __init__(self, line: Line, points: Points, places: Places) -> None:
        self.line = line
        self.points = points
        self.places = places
        sizes: Array = np.abs(points.at[in_a_row(places)])
        self.scales: Array = np.where(sizes == 0, line.typical, sizes)
        every = np.arange(len(places))
        self.values, self.errors, self.stand, self.opened = self._at_scale(every, self.scales)
        first, unsure = 8 * self.scales, self._is_unsure()
        for wide in (line.typical, 1.0):
            if unsure.any() and (narrow := unsure & (wide > first)).any():
                self._widen(np.flatnonzero(narrow), wide)
                unsure = self._is_unsure()

    @property
    def known(self) -> Array | None:
        """The changes at the first levels, (2 * levels, m), where steps are long."""
        return None if self.points.level else _side_by_side([one.changes for one in self.opened])

    def _widen(self, rest: Places, wide: float) -> None:
        """Try a wider scale where the error bar is not small, and keep the better slope."""
        values, errors, settled, _ = self._at_scale(rest, np.full(len(rest), wide))
        clear = self.errors[rest] <= _CLEAR * np.abs(self.values[rest])
        self.stand[rest[~settled & ~clear]] = False
        better = settled & (errors < self.errors[rest])
        self.values[rest[better]], self.errors[rest[better]] = values[better], errors[better]
        self.scales[rest] = wide

    def _is_unsure(self) -> Flags:
        """Where a slope stands whose error bar is not small against it, or, of no slope, the function."""
        unsure: Flags = ~(self.errors <= 1e-9 * np.abs(self.values))
        unsure &= self.stand
        if unsure.any():
            flat = self.errors <= 1e-12 * self.line.size / self.scales
            unsure &= ~(flat & (self.scales >= max(self.line.typical, 1.0) / 100))
        return unsure

    def _at_scale(self, rest: Places, scales: Array) -> tuple[Array, Array, Flags, list["_Opened"]]:
        """What the levels of one scale tell, and what the first of these do."""
        places, level = self.places[in_a_row(rest)], self.points.level
        at = self.points.at[in_a_row(places)]
        parts = [slice(start, start + _AT_ONCE) for start in range(0, len(rest), _AT_ONCE)]
        opened = [self._opened(places[part], at[part], scales[part]) for part in parts]
        found = Told(*map(_side_by_side, zip(*(one.told for one in opened), strict=True)))
        (left,) = (~found.settled).nonzero()
        steps, changes, *near = map(_side_by_side, zip(*(one.left for one in opened), strict=True))
        window = steps, changes
        for last in range(level + TOGETHER, _LAST, _MORE):
            if len(left) <= _FEW:
                break
            window = self._nearer(window, places[left], at[left], scales[left], last)
            first = last + _MORE - len(window[0]) // 2
            new = self._told(window, near, places[left], at[left], scales[left] / 2**first)
            _put(found, left, new)
            (going_on,) = (~new.settled).nonzero()
            left, *near = left[going_on], *(one.take(going_on, 1) for one in near)
            window = window[0].take(going_on, 1), window[1].take(going_on, 1)
        if len(left) > _FEW and level:
            _put(found, left, self._coarsely(places[left], at[left], scales[left]))
        return *found, opened

    def _opened(self, places: Places, at: Array, scales: Array) -> "_Opened":
        """What the first levels tell; they are evaluated together with what is beside the places."""
        level = self.points.level
        taken = ridders.steps(at, scales, level, beside=self.points.beside)
        changes, count = self.points.grid(places, taken), 2 * TOGETHER
        window, near = (taken[:count], changes[:count]), (taken[count:], changes[count:])
        told = self._told(window, near, places, at, scales / 2**level)
        (left,) = (~told.settled).nonzero()
        return _Opened(told, window[1], [one.take(left, 1) for one in (*window, *near)])

    def _told(self, window: Window, near: Sequence[Array], places: Places, at: Array, scales: Array) -> Told:
        """What levels tell that begin at the scales."""
        levels = Levels(*window)
        beside, changes = near
        scatter = levels.scatter(beside, changes, scales) if len(beside) else None
        return levels.told(at, scales, self.points.noise(places, scatter))

    def _coarsely(self, places: Places, at: Array, scales: Array) -> Told:
        """What the longest steps tell, as noisy as the sum is."""
        taken = ridders.steps(at, scales)
        levels = Levels(taken, self.points.grid(places, taken))
        return levels.told(at, scales, np.full(len(places), self.line.noise))

    def _nearer(self, window: Window, places: Places, at: Array, scales: Array, level: int) -> Window:
        """The steps and changes of levels that end further on by some."""
        more = ridders.steps(at, scales, level, _MORE)
        made = more, self.points.grid(places, more)
        return _joined(window[0], made[0]), _joined(window[1], made[1])


class _Opened(NamedTuple):
    """What the first levels tell, their changes, and the steps and changes where they tell too little."""

    told: Told
    changes: Array
    left: list[Array]


def _side_by_side(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, -1)


def _put(told: Told, places: Places, new: Told) -> None:
    """Put what was settled anew in its places."""
    for all_, some in zip(told, new, strict=True):
        all_[places[new.settled]] = some[new.settled]


def _joined(window: Array, more: Array) -> Array:
    """The levels of a window and those that follow, up and then down, without the first of too many."""
    both = [part.reshape(2, len(part) // 2, part.shape[1]) for part in (window, more)]
    joined: Array = np.concatenate(both, 1)[:, -_LONGEST:].reshape(-1, window.shape[1])
    return joined
