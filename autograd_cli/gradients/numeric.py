"""The numeric witness: a gradient from values of the program alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import nan

import numpy as np
import torch

from autograd_cli.gradients import ridders
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.points import Directions, Elements, Points
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.slope import TOGETHER, Place, Search, Shape, Slope, search

ELEMENTS = 1000
"""A leaf of more components than this is probed along random directions."""
DIRECTIONS = 16
_WORK = 300_000_000
"""Components times the work of one replay, above which a smaller leaf is probed as well."""
_FEW = 3
"""Components that are sooner looked at one by one than as arrays."""


@dataclass(frozen=True)
class Numeric:
    """Slopes by component of the leaf, or by direction where `probes` is given.

    `values` and `errors` are float64 of shape (n,); a value is NaN at a jump and at an
    edge of the domain. `slopes` holds the places where the function is not smooth.
    """

    values: torch.Tensor
    errors: torch.Tensor
    slopes: dict[int, Slope] = field(default_factory=dict)
    probes: "Probes | None" = None


@dataclass(frozen=True)
class Probes:
    """Seeded random directions of +1 and -1 in the components of a leaf."""

    components: int
    count: int = DIRECTIONS

    def direction(self, number: int) -> torch.Tensor:
        """The direction of that number, float64 of shape (components,)."""
        generator = torch.Generator().manual_seed(number)
        signs = torch.randint(0, 2, (self.components,), generator=generator)
        return signs.to(torch.float64).mul_(2).sub_(1)

    def along(self, gradients: torch.Tensor) -> torch.Tensor:
        """The slopes of gradients along each direction: (m, components) -> (m, count)."""
        return torch.stack([gradients @ self.direction(number) for number in range(self.count)], -1)


def numeric(replay: Replay, name: str, cotangent: torch.Tensor, noise: float = 0.0) -> Numeric:
    """The slopes of the leaf `name`, by Ridders' extrapolation.

    `noise` is the measured rounding error of the sum in float64, where it is more than
    the size of the sum makes one expect. Raises ReplayError.
    """
    with replay.session():
        line = Line(replay, name, cotangent, noise)
        count = line.components.numel()
        if count <= ELEMENTS and count * replay.work() <= _WORK:
            return _by_element(line)
        return _by_direction(line)


def _by_element(line: Line) -> Numeric:
    points = Elements(line)
    found = _found(line, points, np.arange(len(points.at)))
    for i in line.clouded():
        found.slopes[i] = Slope(nan, nan, Shape.EDGE)
        found.values[i] = found.errors[i] = nan
    return found


def _by_direction(line: Line) -> Numeric:
    probes = Probes(line.components.numel())
    directions = torch.stack([probes.direction(number) for number in range(probes.count)])
    found = _found(line, Directions(line, directions), np.arange(probes.count))
    return Numeric(found.values, found.errors, found.slopes, probes)


def _found(line: Line, points: Points, places: Places) -> Numeric:
    """The slopes at the places."""
    at = points.at[places]
    searches = _Searches(line, points, places)
    if len(places) <= _FEW:
        searches.run(range(len(places)))
        return searches.given(np.full(len(places), nan), np.full(len(places), nan))
    scales, widest = _scales(line, at)
    taken = ridders.steps(at, scales)
    changes = points.changes(np.tile(places, len(taken)), taken.ravel()).reshape(taken.shape)
    first = ridders.first(taken, changes, scales, widest, line.size, line.noise)
    rest = np.flatnonzero(~first.stand).tolist()
    searches.run(rest, changes)
    return searches.given(first.values, first.errors)


def _scales(line: Line, at: Array) -> tuple[Array, Array]:
    """The first scale of each component, and the largest."""
    sizes = np.abs(at)
    scales = np.where(sizes == 0, line.typical, sizes)
    wide = max(line.typical, 1.0)
    return scales, np.where(wide > 8 * scales, wide, scales)


class _Searches:
    """Searches for the slopes at several places, side by side: their points are evaluated together."""

    def __init__(self, line: Line, points: Points, places: Places) -> None:
        self.line = line
        self.points = points
        self.places = places
        self.found: dict[int, Slope] = {}
        self.led: dict[int, Search[Slope]] = {}
        self.asked: dict[int, list[float]] = {}

    def run(self, chosen: Sequence[int], changes: Array | None = None) -> None:
        """Lead the searches to their ends; changes at the first levels, (2 * levels, n), may be known."""
        for number in chosen:
            self.led[number] = search(*self._start(number))
            self.asked[number] = next(self.led[number])
            if changes is not None:
                self._answer(number, changes[:, number].reshape(2, TOGETHER).T.ravel().tolist())
        while self.asked:
            counts = list(map(len, self.asked.values()))
            places = np.repeat(self.places[list(self.asked)], counts)
            steps = np.array([step for steps in self.asked.values() for step in steps])
            made = iter(self.points.changes(places, steps).tolist() if len(steps) else ())
            for number, count in zip(list(self.asked), counts, strict=True):
                self._answer(number, list(islice(made, count)))

    def _start(self, number: int) -> tuple[Place, list[float]]:
        """Where a search begins, and the scales that it tries."""
        at, line = float(self.points.at[self.places[number]]), self.line
        scales = [abs(at) or line.typical]
        scales += [wide for wide in (line.typical, 1.0) if wide > 8 * scales[0]]
        return Place(at, line.size, line.noise), scales

    def _answer(self, number: int, changes: list[float]) -> None:
        """Give a search the changes that it asked for."""
        try:
            self.asked[number] = self.led[number].send(changes)
        except StopIteration as end:
            self.found[number] = end.value
            del self.asked[number]

    def given(self, values: Array, errors: Array) -> Numeric:
        """What was found, in place of what the arrays hold there."""
        for number, slope in self.found.items():
            values[number], errors[number] = slope.value, slope.error
        rough = {i: one for i, one in sorted(self.found.items()) if one.shape is not Shape.SMOOTH}
        return Numeric(torch.from_numpy(values), torch.from_numpy(errors), rough)
