"""Second derivatives of a surface by differences, block by block."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch

from autograd_cli.gradients.line import Array
from autograd_cli.gradients.second import differences as by
from autograd_cli.gradients.second.differences import Levels
from autograd_cli.gradients.second.evidence import Differences, differences
from autograd_cli.gradients.second.passes import Plan, seeded
from autograd_cli.gradients.second.surface import Surface, gradient

PROBES = 4
"""Directions along which a product with a direction is looked at by the function alone."""
_SLOPE_LEVELS, _FINE_LEVELS = 10, 18
_DEAR = 1_000_000
"""The work of one replay above which one direction has to do."""


class References:
    """Differences of a surface and of autograd's first gradient on it; used inside the replay's session."""

    def __init__(self, surface: Surface, plan: Plan, rounding: Array) -> None:
        self.surface = surface
        self.plan = plan
        self.rounding = rounding
        self._found: dict[tuple[int, int, bool], Levels] = {}

    def numeric(self, one: str, other: str) -> Differences:
        """Second differences of the function alone for a block, or along PROBES in its first leaf."""
        if self.plan.whole:
            return self._elements(one, other)
        return self._along_probes(one, other)

    def slopes(self, one: str, other: str) -> Differences:
        """Differences of autograd's first gradient for the block of two leaves, the second one moved."""
        part, rows = self.surface.parts[one], self.plan.rows[other]
        return _columns([differences(self._read(row, part)) for row in range(rows.start, rows.stop)])

    def _read(self, row: int, part: slice) -> by.Bends:
        """What the gradient by a part tells along a direction; of few steps, else of finer or wider ones."""
        known = by.read(_chosen(self._slope_levels(row, _SLOPE_LEVELS), part))
        if not known.rough and _settled(known):
            return known
        fine = _chosen(self._slope_levels(row, _FINE_LEVELS), part)
        known = by.read(fine)
        if _settled(known) or not self._has_wide(row):
            return known
        return by.better(fine, _chosen(self._slope_levels(row, _SLOPE_LEVELS, True), part))

    @cached_property
    def _here(self) -> Array:
        return self._gradient(self.surface.at)

    def _gradient(self, point: Array) -> Array:
        surface = self.surface
        leaves = surface.leaves(torch.from_numpy(point))
        made: Array = gradient(surface.replay, leaves, surface.cotangent).numpy()
        return made

    def _scale(self, row: int, wide: bool) -> float:
        """How far a step of 1 goes along a direction."""
        moved = self.plan.directions[row].numpy() != 0
        scales = (self.surface.wide if wide else self.surface.scales)[moved]
        return float(np.median(scales))

    def _has_wide(self, row: int) -> bool:
        return self._scale(row, True) > 8 * self._scale(row, False)

    def _slope_levels(self, row: int, count: int, wide: bool = False) -> Levels:
        """Differences of the gradient along a direction of the plan, by that many steps."""
        if (row, count, wide) not in self._found:
            self._found[row, count, wide] = self._made_levels(row, count, self._scale(row, wide))
        return self._found[row, count, wide]

    def _made_levels(self, row: int, count: int, scale: float) -> Levels:
        direction = self.plan.directions[row].numpy() * scale
        h = by.steps(count)[1:]
        up = np.array([self._gradient(self.surface.at + step * direction) for step in h])
        down = np.array([self._gradient(self.surface.at - step * direction) for step in h])
        return by.of_slopes(up, down, self._here, h, self.rounding + self._moved()).times(1 / scale)

    def _moved(self) -> Array:
        """What rounding the place itself does to the gradient, roughly."""
        return 1e-16 * np.abs(self._here)

    def _elements(self, one: str, other: str) -> Differences:
        first, second = self.surface.parts[one], self.surface.parts[other]
        pairs = [(i, j) for i in range(first.start, first.stop) for j in range(second.start, second.stop)]
        if one == other:
            pairs = [(i, j) for i, j in pairs if i <= j]
        found = self._pairs(pairs)
        if one != other:
            return found
        size = first.stop - first.start
        places = {pair: k for k, pair in enumerate(pairs)}
        order = [places[min(i, j), max(i, j)] for i in range(first.start, first.stop)
                 for j in range(first.start, first.stop)]  # fmt: skip
        return _picked(found, order, size)

    def _pairs(self, pairs: Sequence[tuple[int, int]]) -> Differences:
        """The second derivatives by pairs of elements, wider steps tried where they tell more."""
        narrow = self._levels(pairs, self.surface.scales)
        known = by.read(narrow)
        if not _settled(known) and (self.surface.wide > 8 * self.surface.scales).any():
            wide = np.maximum(self.surface.wide, self.surface.scales)
            known = by.better(narrow, self._levels(pairs, wide))
        return differences(known)

    def _levels(self, pairs: Sequence[tuple[int, int]], scales: Array) -> Levels:
        """Differences along the sum and the difference of two moves; of one alone where both are the same."""
        unit, first, second = np.diag(scales), *np.array(pairs).T
        same = (first == second)[:, None]
        plus = np.where(same, unit[first], unit[first] + unit[second])
        minus = np.where(same, 0.0, unit[first] - unit[second])
        factor = 1 / (scales[first] * scales[second]) / np.where(same[:, 0], 1.0, 4.0)
        noise = self.surface.noise
        added = by.along(self.surface.changes, plus, noise)
        mixed = np.flatnonzero(~same[:, 0])
        taken = by.none_like(added)
        if len(mixed):
            taken = taken.with_lines(mixed, by.along(self.surface.changes, minus[mixed], noise))
        return added.combined(taken, factor)

    def _along_probes(self, one: str, other: str) -> Differences:
        """The block's product with the direction of the second leaf, along random directions of the first."""
        surface, part = self.surface, self.surface.parts[one]
        row = self.plan.rows[other].start
        moved = self.plan.directions[row].numpy()
        count = PROBES if surface.replay.work() <= _DEAR else 1
        probes = np.zeros((count, len(surface.at)))
        for number in range(count):
            probes[number, part] = probe(part.stop - part.start, number).numpy()
        lengths = (self._scale(self.plan.rows[one].start, False), self._scale(row, False))
        plus, minus = probes * lengths[0] + moved * lengths[1], probes * lengths[0] - moved * lengths[1]
        added = by.along(surface.changes, plus, surface.noise)
        taken = by.along(surface.changes, minus, surface.noise)
        factor = np.full(count, 1 / (4 * lengths[0] * lengths[1]))
        return differences(by.read(added.combined(taken, factor)))


def probe(count: int, number: int) -> torch.Tensor:
    """The direction of that number in which products are looked at."""
    return seeded(count, 1 + number)


def _settled(known: by.Bends) -> bool:
    """Whether all error bars are small."""
    return bool((known.errors <= 1e-6 * np.abs(known.values) + 1e-9).all())


def _chosen(levels: Levels, part: slice) -> Levels:
    return levels[np.arange(part.start, part.stop)]


def _columns(given: Sequence[Differences]) -> Differences:
    """Differences for one column after the other, (rows,) each, as those of a block by rows."""
    size, count = len(given[0].values), len(given)
    stacked = [
        torch.stack([getattr(one, name) for one in given], 1).reshape(-1)
        for name in ("values", "errors", "low", "high")
    ]
    rough = {place * count + k: bend for k, one in enumerate(given) for place, bend in one.rough.items()}
    assert len(stacked[0]) == size * count
    return Differences(stacked[0], stacked[1], dict(sorted(rough.items())), stacked[2], stacked[3])


def _picked(given: Differences, order: Sequence[int], size: int) -> Differences:
    """Differences by pairs in any order, some more than once."""
    assert len(order) == size * size
    assert given.low is not None
    assert given.high is not None
    rough = {place: given.rough[k] for place, k in enumerate(order) if k in given.rough}
    places = torch.tensor(order)
    return Differences(
        given.values[places], given.errors[places], rough, given.low[places], given.high[places]
    )
