"""Points to one side of a leaf's recorded value: in one of its components, or along a direction."""

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import numpy as np
import torch

from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.progress import tell

_KEPT = 1 << 22
"""Numbers of which directions are kept once they are drawn."""


def in_a_row(places: Places) -> Places | slice:
    """The places as a slice where one follows the other: what is there need not be copied."""
    first, last = int(places[0]), int(places[-1])
    return slice(first, last + 1) if last - first == len(places) - 1 else places


class Points(Protocol):
    """What moves by steps; `at` are the components' recorded values, 0 of directions, (n,).

    `level` is that of the longest steps with which to begin; `beside` says that steps so short that what
    they change shows rounding are taken as well.
    """

    at: Array
    level: int
    beside: bool

    def changes(self, places: Places, steps: Array) -> Array:
        """The change of the sum as what is at each place moves by a step, alone: (q,), (q,) -> (q,).

        Equal places stand one after the other.
        """

    def grid(self, places: Places, steps: Array) -> Array:
        """The changes for several steps at each place: (m,), (k, m) -> (k, m)."""

    def noise(self, places: Places, scatter: Array | None) -> Array:
        """The absolute error of a change at each place, from how far those beside scatter: (m,) -> (m,)."""


class InTurn:
    """Points at which nothing else moves."""

    level = 0
    beside = False

    def __init__(self, line: Line, at: Array) -> None:
        self.line = line
        self.at = at

    def move(self, moved: torch.Tensor, places: Places, steps: Array) -> None:
        """Move what is at one place in each row of `moved`, (q, n)."""
        raise NotImplementedError

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it: as many points at once as the line takes, before them an unmoved one."""
        line, found = self.line, []
        if line.rows < 2:
            return np.array([self._alone(places[k : k + 1], steps[k : k + 1]) for k in range(len(places))])
        for start in range(0, len(places), line.rows):
            part = slice(start, start + line.rows)
            moved = line.components.repeat(1 + len(places[part]), 1)
            self.move(moved[1:], places[part], steps[part])
            found.append(line.changes(moved))
            tell(int(places[part][-1]) + 1, len(self.at), line.name)
        return np.concatenate(found) if len(found) != 1 else found[0]

    def _alone(self, place: Places, step: Array) -> float:
        """The change at one point."""
        moved = self.line.components.clone()
        self.move(moved.unsqueeze(0), place, step)
        tell(int(place[0]) + 1, len(self.at), self.line.name)
        return self.line.change(moved)

    def grid(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        return self.changes(np.repeat(places, len(steps)), steps.T.ravel()).reshape(steps.T.shape).T

    def noise(self, places: Places, scatter: Array | None) -> Array:
        """As `Points` has it."""
        return np.full(len(places), self.line.noise)


class Elements(InTurn):
    """The components of a leaf, moved one at a time."""

    def __init__(self, line: Line) -> None:
        super().__init__(line, line.components.numpy())

    def move(self, moved: torch.Tensor, places: Places, steps: Array) -> None:
        """Move one component of each row."""
        rows, count = moved.shape
        flat = moved.view(-1).numpy()
        flat[np.arange(0, rows * count, count) + places] += steps


class Directions(InTurn):
    """All components of a leaf, moved together along each of `count` directions, (n,) each."""

    def __init__(self, line: Line, direction: Callable[[int], torch.Tensor], count: int) -> None:
        super().__init__(line, np.zeros(count))
        few = _KEPT // max(1, line.components.numel())
        self.direction = lru_cache(max(1, min(count, few)))(direction)

    def move(self, moved: torch.Tensor, places: Places, steps: Array) -> None:
        """Move each row along a direction."""
        for row, place, step in zip(moved, places.tolist(), steps.tolist(), strict=True):
            row.add_(self.direction(place), alpha=step)
