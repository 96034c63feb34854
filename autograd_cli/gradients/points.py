"""Points to one side of a leaf's recorded value: in one of its components, or along a direction."""

from typing import Protocol

import numpy as np
import torch

from autograd_cli.gradients.line import Array, Line, Places


class Points(Protocol):
    """What moves by steps; `at` are the components' recorded values, 0 of directions, (n,)."""

    at: Array

    def changes(self, places: Places, steps: Array) -> Array:
        """The change of the sum as what is at each place moves by a step, alone: (q,), (q,) -> (q,)."""


class Elements:
    """The components of a leaf, moved one at a time."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.at: Array = line.components.numpy()

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        return _by_rows(self, places, steps)

    def move(self, moved: torch.Tensor, places: Places, steps: Array) -> None:
        """Move one component of each row."""
        rows, count = moved.shape
        flat = moved.view(-1).numpy()
        flat[np.arange(0, rows * count, count) + places] += steps


class Directions:
    """All components of a leaf, moved together along the rows of `directions`, (count, n)."""

    def __init__(self, line: Line, directions: torch.Tensor) -> None:
        self.line = line
        self.directions = directions
        self.at: Array = np.zeros(len(directions))

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        return _by_rows(self, places, steps)

    def move(self, moved: torch.Tensor, places: Places, steps: Array) -> None:
        """Move each row along a direction."""
        moved += torch.from_numpy(steps).unsqueeze(1) * self.directions[places]


def _by_rows(points: Elements | Directions, places: Places, steps: Array) -> Array:
    """The changes, as many points at once as the line takes; the first row of each stays unmoved."""
    line, found = points.line, []
    for start in range(0, len(places), line.rows):
        part = slice(start, start + line.rows)
        moved = line.components.repeat(1 + len(places[part]), 1)
        points.move(moved[1:], places[part], steps[part])
        found.append(line.changes(moved))
    return np.concatenate(found) if len(found) != 1 else found[0]
