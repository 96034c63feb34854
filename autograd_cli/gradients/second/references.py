"""Second derivatives of a surface by differences, block by block."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

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
_DEAR = 1_000_000
"""The work of one replay above which one direction has to do."""
_OCTAVES, _GROUPS = 6, 8
"""Factors of 2 within which sizes of elements are alike, and groups of like elements at most."""


@dataclass(frozen=True)
class _Way:
    """How a direction is stepped along: so many `levels`, steps narrowed by so many factors of 2.

    `wide` steps are not for the elements' own sizes; `grouped` means elements of like size together,
    each group by steps of its own.
    """

    levels: int
    narrowed: int = 0
    wide: bool = False
    grouped: bool = False


_FEW, _FINE, _WIDE, _GROUPED = _Way(10), _Way(18), _Way(10, wide=True), _Way(18, grouped=True)
_NARROW = (_Way(18, narrowed=9), _Way(18, narrowed=18))
"""What swings often within its own size is looked at by steps narrower by far."""


class References:
    """Differences of a surface and of autograd's first gradient on it; used inside the replay's session."""

    def __init__(self, surface: Surface, plan: Plan, rounding: Array) -> None:
        self.surface = surface
        self.plan = plan
        self.rounding = rounding
        self._found: dict[tuple[int, _Way], list[Levels]] = {}

    def numeric(self, one: str, other: str) -> Differences:
        """Second differences of the function alone for a block, or along PROBES in its first leaf."""
        clouded = [self.surface.clouded[self.surface.parts[name]] for name in (one, other)]
        if self.plan.whole:
            return self._elements(one, other).without(np.logical_or.outer(*clouded).ravel())
        found = self._along_probes(one, other)
        return found.without(np.full(len(found.values), np.concatenate(clouded).any()))

    def slopes(self, one: str, other: str) -> Differences:
        """Differences of autograd's first gradient for the block of two leaves, the second one moved."""
        part, rows = self.surface.parts[one], self.plan.rows[other]
        return _columns([self._column(row, part) for row in range(rows.start, rows.stop)])

    def _column(self, row: int, part: slice) -> Differences:
        (move,) = self._moves(row, _FINE)
        found = differences(self._read(row, part), np.abs(self._here[part]) / np.abs(move).max())
        clouded = self.surface.clouded
        return found.without(clouded[part] | clouded[move != 0].any())

    def _read(self, row: int, part: slice) -> by.Bends:
        """What the gradient by a part tells along a direction: of few steps, else of others as well."""
        known = self._told(row, part, _FEW)
        if not known.rough and _settled(known):
            return known
        known = self._told(row, part, _FINE)
        for way in (_WIDE, _GROUPED):
            if not _settled(known) and self._has(row, way):
                known = by.better(known, self._told(row, part, way))
        for way in _NARROW:
            if by.is_dull(known):
                known = by.sharper(known, self._told(row, part, way))
        return known

    def _has(self, row: int, way: _Way) -> bool:
        """Whether a way is another one than steps for the elements' own sizes."""
        if way.grouped:
            return len(self._groups(self.plan.directions[row].numpy())) > 1
        (wide,), (own,) = self._moves(row, _WIDE), self._moves(row, _FINE)
        return bool(np.abs(wide).max() > 8 * np.abs(own).max())

    def _told(self, row: int, part: slice, way: _Way) -> by.Bends:
        """What the gradient by a part tells along a direction, stepped along in one way."""
        if (row, way) not in self._found:
            self._found[row, way] = [self._made_levels(move, way.levels) for move in self._moves(row, way)]
        places = np.arange(part.start, part.stop)
        return by.total([by.read(levels[places]) for levels in self._found[row, way]])

    def _moves(self, row: int, way: _Way) -> list[Array]:
        """By how much a step of 1 moves a point, (n,) each: all elements together, or group by group."""
        direction = self.plan.directions[row].numpy()
        if way.grouped:
            return self._groups(direction)
        scales = (self.surface.wide if way.wide else self.surface.scales)[direction != 0]
        return [direction * by.rounded(np.median(scales) * 2.0**-way.narrowed)]

    def _groups(self, direction: Array) -> list[Array]:
        """A direction split by the sizes of its elements, each part with the least size in it."""
        moved = np.flatnonzero(direction)
        octaves = np.log2(self.surface.scales[moved])
        width = max(_OCTAVES, np.ptp(octaves) / (_GROUPS - 1))
        group = np.floor((octaves - octaves.min()) / width)
        made = []
        for number in np.unique(group):
            places = moved[group == number]
            part = np.zeros_like(direction)
            part[places] = direction[places] * by.rounded(self.surface.scales[places].min())
            made.append(part)
        return made

    @cached_property
    def _here(self) -> Array:
        return self._gradient(self.surface.at)

    def _gradient(self, point: Array) -> Array:
        surface = self.surface
        leaves = surface.leaves(torch.from_numpy(point))
        made: Array = gradient(surface.replay, leaves, surface.cotangent).numpy()
        return made

    def _made_levels(self, move: Array, count: int) -> Levels:
        """Differences of the gradient along a line, by that many steps."""
        h, at = by.steps(count)[1:], self.surface.at
        up, down = (np.array([self._gradient(at + sign * step * move) for step in h]) for sign in (1, -1))
        misfit = np.array([self._misfit(step * move) for step in h])
        return by.of_slopes(up, down, self._here, h, self.rounding, misfit).times(1 / np.abs(move).max())

    def _misfit(self, move: Array) -> float:
        """The part of a move that rounding the places that it leads to takes away or adds, at most."""
        at, (moved,) = self.surface.at, np.nonzero(move)
        off = [np.abs(((at + one) - at) - one)[moved] for one in (move, -move)]
        return float((np.maximum(*off) / np.abs(move[moved])).max())

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
        """The second derivatives by pairs of elements, other steps tried where they tell more."""
        narrow, wide = self.surface.scales, self.surface.wide
        known = by.read(self._levels(pairs, narrow))
        if not _settled(known) and (wide > 8 * narrow).any():
            known = by.better(known, by.read(self._levels(pairs, np.maximum(wide, narrow))))
        for way in _NARROW:
            if by.is_dull(known):
                known = by.sharper(known, by.read(self._levels(pairs, narrow * 2.0**-way.narrowed)))
        (first, second), size = np.array(pairs).T, self.surface.line.size
        return differences(known, size / (narrow[first] * narrow[second]))

    def _levels(self, pairs: Sequence[tuple[int, int]], scales: Array) -> Levels:
        """Differences along the sum and the difference of two moves; of one alone where both are the same."""
        scales = by.rounded(scales)
        unit, first, second = np.diag(scales), *np.array(pairs).T
        same = first == second
        plus = np.where(same[:, None], unit[first], unit[first] + unit[second])
        factor = 1 / (scales[first] * scales[second]) / np.where(same, 1.0, 4.0)
        added, mixed = by.along(self.surface.changes, plus), np.flatnonzero(~same)
        if not len(mixed):
            return added.levels(self.surface.noise, factor)
        taken = by.along(self.surface.changes, (unit[first] - unit[second])[mixed])
        return added.levels(self.surface.noise, factor, taken.with_none(mixed, len(pairs)))

    def _along_probes(self, one: str, other: str) -> Differences:
        """The block's product with the direction of the second leaf, along random directions of the first."""
        surface, part = self.surface, self.surface.parts[one]
        count = PROBES if surface.replay.work() <= _DEAR else 1
        probes = np.zeros((count, len(surface.at)))
        for number in range(count):
            probes[number, part] = probe(part.stop - part.start, number).numpy()
        rows = self.plan.rows[one].start, self.plan.rows[other].start
        first, second = ([*self._moves(row, _FINE)] for row in rows)
        known = self._mixed(probes, first, second)
        size = surface.line.size / (np.abs(first).max() * np.abs(second).max())
        if not _settled(known):
            first, second = ([*self._moves(row, _GROUPED)] for row in rows)
            if 1 < len(first) * len(second) <= 10 * _DEAR / surface.replay.work():
                known = by.better(known, self._mixed(probes, first, second))
        return differences(known, np.full(count, size))

    def _mixed(self, probes: Array, first: Sequence[Array], second: Sequence[Array]) -> by.Bends:
        """The second derivatives along probes and a direction, by each pair of their parts together."""
        changes, found = self.surface.changes, []
        for one, other in product(first, second):
            lengths = np.abs(one).max(), np.abs(other).max()
            line = np.where(one != 0, probes, 0.0) * lengths[0]
            factor = np.full(len(probes), 1 / (4 * lengths[0] * lengths[1]))
            added, taken = by.along(changes, line + other), by.along(changes, line - other)
            found.append(by.read(added.levels(self.surface.noise, factor, taken)))
        return by.total(found)


def probe(count: int, number: int) -> torch.Tensor:
    """The direction of that number in which products are looked at."""
    return seeded(count, 1 + number)


def _settled(known: by.Bends) -> bool:
    """Whether all error bars are small."""
    return bool((known.errors <= 1e-6 * np.abs(known.values) + 1e-9).all())


def _columns(given: Sequence[Differences]) -> Differences:
    """Differences for one column after the other, (rows,) each, as those of a block by rows."""
    size, count = len(given[0].values), len(given)
    stacked = [
        torch.stack([getattr(one, name) for one in given], 1).reshape(-1)
        for name in ("values", "errors", "size", "low", "high")
    ]
    rough = {place * count + k: bend for k, one in enumerate(given) for place, bend in one.rough.items()}
    assert len(stacked[0]) == size * count
    values, errors, natural, low, high = stacked
    return Differences(values, errors, natural, dict(sorted(rough.items())), low, high)


def _picked(given: Differences, order: Sequence[int], size: int) -> Differences:
    """Differences by pairs in any order, some more than once."""
    assert len(order) == size * size
    assert given.low is not None
    assert given.high is not None
    rough = {place: given.rough[k] for place, k in enumerate(order) if k in given.rough}
    places = torch.tensor(order)
    values, errors, natural = (part[places] for part in (given.values, given.errors, given.size))
    return Differences(values, errors, natural, rough, given.low[places], given.high[places])
