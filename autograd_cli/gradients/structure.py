"""A leaf each of whose elements touches its own elements of what is summed: all move at once."""

from collections.abc import Iterable, Sequence
from math import isfinite, sqrt
from typing import Any

import numpy as np
import torch

from autograd_cli.gradients import ridders
from autograd_cli.gradients.lane_rules import NoLanesError, is_elementwise
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.points import in_a_row
from autograd_cli.gradients.replay import Planned
from autograd_cli.gradients.ridders import Levels
from autograd_cli.gradients.slope import TOGETHER
from autograd_cli.gradients.weights import keeps_order, passed_on

_ALIKE = 1e-9
_TRIED = 0.01, -0.01, 1e-4
"""How far all components are moved, of their sizes, to see that together they do what each does alone."""
_SHORT = 3
"""The level of the first steps where rounding is small."""
_SCATTERED = 2
"""How many times as far as short steps are off a parabola rounding may go."""
_LOOKED_AT = 1000
_ULPS = 8
_CANCELS = 4
_EPS = float(np.finfo(np.float64).eps)


def structured(line: Line) -> "Structured | None":
    """The components moved all at once, where each touches its own terms only; None of any other program.

    Raises what torch raises, and NoLanesError where all together do not do what each does alone.
    """
    weights = fronts(line)
    return None if weights is None or line.lanes is None else Structured(line, line.lanes, weights)


def fronts(line: Line) -> dict[int, torch.Tensor] | None:
    """The weights (n,) of the last values whose elements are each a function of one of the leaf's, by place.

    None where the sum is not linear in such values, or something is not real.
    """
    lanes = line.lanes
    values = (line.leaf, line.output, line.cotangent)
    if (
        lanes is None
        or not line.all_finite
        or not lanes.moves_root
        or any(one.is_complex() for one in values)
    ):
        return None
    aligned = _aligned(line, lanes)
    weights = {lanes.replay.root: line.cotangent.broadcast_to(line.output.shape)}
    found = {}
    calls = {planned.index: planned for planned, _, _ in lanes.calls}
    for index in sorted((line.replay.inputs[line.name], *calls), reverse=True):
        weight = weights.pop(index, None)
        if weight is None:
            continue
        if index in aligned and not lanes.values[index].is_complex():
            found[index] = _in_a_row(weight)
            continue
        passed = passed_on(lanes, calls[index], weight)
        if passed is None:
            return None
        for place, part in passed.items():
            weights[place] = weights[place] + part if place in weights else part
    return found


def _in_a_row(weight: torch.Tensor) -> torch.Tensor:
    """Weights (n,), without memory for each where all are one number."""
    if weight.numel() and not any(weight.stride()):
        return weight.as_strided((1,), (1,)).expand(weight.numel())
    return weight.reshape(-1)


def _aligned(line: Line, lanes: Lanes) -> set[int]:
    """The places of values with an element for each of the leaf's, in its order, that depends on it alone."""
    found = {line.replay.inputs[line.name]}
    for planned, _, _ in lanes.calls:
        if _is_aligned(planned, lanes, found):
            found.add(planned.index)
    return found


def _is_aligned(planned: Planned, lanes: Lanes, aligned: set[int]) -> bool:
    step, value = lanes.replay.steps[planned.index], lanes.values[planned.index]
    if step.function is None or planned.slots is None or not isinstance(value, torch.Tensor):
        return False
    live = lanes.live.intersection(planned.slots)
    if not live <= aligned:
        return False
    if keeps_order(step.function.path):
        return True
    shapes = {lanes.values[place].shape for place in live}
    return is_elementwise(step.function) and shapes == {value.shape}


class Flat:
    """The calls up to the values that are summed, as functions of any of the leaf's elements in a row.

    What does not depend on the leaf is laid out as the elements are, unless it is one number.
    """

    def __init__(self, line: Line, lanes: Lanes, weights: dict[int, torch.Tensor]) -> None:
        self.line = line
        self.values = list(lanes.values)
        self.weights = {place: _number(weight) for place, weight in weights.items()}
        self.start = line.replay.inputs[line.name]
        self.base = {place: lanes.values[place].reshape(-1) for place in weights}
        self.steps = [self._step(planned, lanes) for planned in _leading_to(weights, lanes)]
        self.lays = any(laid for _, _, _, laid in self.steps)

    def _step(self, planned: Planned, lanes: Lanes) -> tuple[int, Any, tuple[int, ...], list[int]]:
        """A call with the places of its arguments, and which of these are laid out."""
        slots = planned.slots or ()
        function, like = lanes.replay.steps[planned.index].function, lanes.values[planned.index]
        if function is not None and keeps_order(function.path):
            return planned.index, _same, slots[:1], []
        places, laid = [], []
        for slot in slots:
            value = lanes.values[slot]
            if slot in lanes.live or not isinstance(value, torch.Tensor):
                places.append(slot)
                continue
            self.values.append(
                value.reshape(()) if value.numel() == 1 else value.expand(like.shape).reshape(-1)
            )
            places.append(len(self.values) - 1)
            if value.numel() > 1:
                laid.append(places[-1])
        return planned.index, planned.call, tuple(places), laid

    def __call__(self, moved: torch.Tensor, chosen: Any) -> torch.Tensor:
        """What the `chosen` elements add to the change of the sum, moved to (…, m) from what they were."""
        values = self.values.copy()
        values[self.start] = moved
        for index, call, places, laid in self.steps:
            for place in laid:
                values[place] = self.values[place][chosen]
            values[index] = call(*[values[place] for place in places])
        return self.added(values, chosen)

    def added(self, values: Sequence[Any], chosen: Any) -> torch.Tensor:
        """What the `chosen` elements add to the change of the sum, by the values of the calls."""
        made: torch.Tensor | None = None
        for place, weight in self.weights.items():
            part: torch.Tensor = values[place] - self.base[place][chosen]
            if isinstance(weight, torch.Tensor):
                part.mul_(weight[chosen])
            elif weight != 1:
                part.mul_(weight)
            made = part if made is None else made.add_(part)
        assert made is not None
        return made


def _leading_to(weights: Iterable[int], lanes: Lanes) -> list[Planned]:
    """The calls that the values with weights are made by."""
    needed, found = set(weights), list[Planned]()
    for planned, _, _ in reversed(lanes.calls):
        if planned.index in needed:
            found.append(planned)
            needed.update(planned.slots or ())
    return found[::-1]


def _norm(values: Array) -> float:
    """The norm of values; numpy's own would hand large ones to other threads, which wait for more."""
    return sqrt(float(np.square(values).sum()))


def _number(weight: torch.Tensor) -> torch.Tensor | float:
    """A weight that is the same for all elements as a number."""
    return float(weight[0]) if weight.numel() and not any(weight.stride()) else weight


def _same(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


class Structured:
    """The components of a leaf, all moved at once.

    What each adds to the sum is seen by itself, so that it is rounded little and steps can be
    short, unless the whole is known to be rounded more than that explains.
    Raises what torch raises, and NoLanesError where all together do not do what each does alone.
    """

    def __init__(self, line: Line, lanes: Lanes, weights: dict[int, torch.Tensor]) -> None:
        self.line = line
        self.at: Array = line.components.numpy()
        self.flat = Flat(line, lanes, weights)
        self._check(lanes)
        terms = (weight * self.flat.base[place] for place, weight in weights.items())
        sizes: Array = sum((term.abs() for term in terms), torch.zeros_like(line.components)).numpy()
        self.own: Array = _ULPS * _EPS * sizes
        self.measure(line.measured)

    def measure(self, noise: float) -> None:
        """Take in how much the sum is rounded by, which says how long the steps have to be."""
        line = self.line
        line.measure(noise)
        self.most: Array = np.fmax(self.own, line.noise)
        self.level = _SHORT if line.measured > 0 and self._is_explained() else 0
        self.beside = self.level > 0

    def _check(self, lanes: Lanes) -> None:
        """Hold what all components add against what the sum itself changes by, where that is finite.

        Raises NoLanesError where that is not the same.
        """
        line = self.line
        sizes = torch.where(line.components == 0, line.typical, line.components)
        for step in _TRIED:
            moved = line.components + sizes * step
            leaf = moved.reshape(1, *line.leaf.shape)
            values = lanes.every({line.replay.inputs[line.name]: leaf})
            whole = float(line.sums(values[line.replay.root] - line.output))
            each = self._each(moved, values)
            off = abs(float(each.sum()) - whole)
            if off <= _ALIKE * float(each.abs().sum()) + line.room:
                return
            if isfinite(off):
                break
        raise NoLanesError

    def _each(self, moved: torch.Tensor, values: list[Any]) -> torch.Tensor:
        """What each component adds, all of them moved, where the program has these values in one lane.

        Where nothing is laid out the calls are those of the program on the very same elements.
        """
        if self.flat.lays:
            return self.flat(moved, slice(None))
        for place in self.flat.weights:
            values[place] = values[place].reshape(-1)
        return self.flat.added(values, slice(None))

    def _is_explained(self) -> bool:
        """Whether rounding in what each component adds comes to what the sum is rounded by."""
        line, count = self.line, len(self.at)
        whole = line.measured / _CANCELS - _EPS * line.size
        if whole <= _norm(self.own):
            return True
        some = np.arange(0, count, 1 + count // _LOOKED_AT)
        return whole <= _norm(self._noises(some)) * sqrt(count / len(some))

    def _noises(self, some: Places) -> Array:
        """The rounding error of what some components add."""
        at = self.at[some]
        scales = np.where(at == 0, self.line.typical, np.abs(at))
        taken, count = ridders.steps(at, scales, _SHORT, beside=True), 2 * TOGETHER
        changes = self.grid(some, taken)
        levels = Levels(taken[:count], changes[:count])
        return self._noise(some, levels.scatter(taken[count:], changes[count:], scales / 2**_SHORT))

    def _noise(self, places: Places, scatter: Array) -> Array:
        chosen = in_a_row(places)
        own, off = self.own[chosen], _SCATTERED * scatter
        if np.count_nonzero(off > own) > len(own) / 2:  # terms cancel everywhere, at some without a trace
            off = np.fmax(off, np.nanmedian(off))
        made: Array = np.fmin(np.fmax(own, off), self.most[chosen])
        return made

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        made: Array = self.flat(torch.from_numpy(self.at[places] + steps), torch.from_numpy(places)).numpy()
        return made

    def grid(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        chosen = in_a_row(places)
        moved = torch.from_numpy(self.at[chosen] + steps)
        made: Array = self.flat(
            moved, chosen if isinstance(chosen, slice) else torch.from_numpy(places)
        ).numpy()
        return made

    def noise(self, places: Places, scatter: Array | None) -> Array:
        """As `Points` has it."""
        return np.full(len(places), self.line.noise) if scatter is None else self._noise(places, scatter)
