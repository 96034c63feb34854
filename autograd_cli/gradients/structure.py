"""A leaf each of whose elements touches its own elements of what is summed: all move at once."""

from typing import Any

import numpy as np
import torch

from autograd_cli.gradients.lane_rules import NoLanesError, is_elementwise
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.replay import Planned
from autograd_cli.gradients.weights import keeps_order, passed_on
from autograd_cli.report import below

_TOGETHER = 1 << 16
"""Elements of the leaf, times points, that are evaluated at once."""
_ALIKE = 1e-9
_SHORT = 3
"""The level of the first steps where rounding is small."""
_BESIDE = 2e-6, 2.6e-6, 3.4e-6
"""Steps, of a component's size, within which a function is a parabola but for rounding."""
_ODD = np.array([[step / _BESIDE[0]] for step in _BESIDE[1:]])
_EVEN = _ODD**2
_ULPS = 8
_CANCELS = 4
_EPS = float(np.finfo(np.float64).eps)


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
            found[index] = weight.reshape(-1)
            continue
        passed = passed_on(lanes, calls[index], weight)
        if passed is None:
            return None
        for place, part in passed.items():
            weights[place] = weights[place] + part if place in weights else part
    return found


def _aligned(line: Line, lanes: Lanes) -> set[int]:
    """The places of values with an element for each of the leaf's, in its order, that depends on it alone."""
    found = {line.replay.inputs[line.name]}
    for planned, _, _ in lanes.calls:
        if _is_aligned(planned, lanes, found):
            found.add(planned.index)
    return found


def _is_aligned(planned: Planned, lanes: Lanes, aligned: set[int]) -> bool:
    step, value = lanes.replay.steps[planned.index], lanes.values[planned.index]
    live = lanes.live.intersection(below(step))
    if step.function is None or not isinstance(value, torch.Tensor) or not live <= aligned:
        return False
    if keeps_order(step.function.path):
        return True
    shapes = {lanes.values[place].shape for place in live}
    return is_elementwise(step.function) and shapes == {value.shape}


class Structured:
    """The components of a leaf, all moved at once.

    What each adds to the sum is seen by itself, so that it is rounded little and steps can be
    short, unless the whole is known to be rounded more than that explains.
    Raises what torch raises, and NoLanesError where all together do not do what each does alone.
    """

    def __init__(self, line: Line, lanes: Lanes, weights: dict[int, torch.Tensor]) -> None:
        self.line = line
        self.lanes = lanes
        self.weights = weights
        self.at: Array = line.components.numpy()
        terms = [weight * lanes.values[place].reshape(-1) for place, weight in weights.items()]
        self.sizes: Array = sum((term.abs() for term in terms), torch.zeros_like(line.components)).numpy()
        self.checked = False
        self.noises = self._noises()
        known = _CANCELS * (float(np.linalg.norm(self.noises)) + _EPS * line.size)
        self.level = _SHORT if 0 < line.measured <= known else 0
        if not self.level:
            self.noises = np.full(len(self.at), line.noise)

    def _noises(self) -> Array:
        """The rounding error of what each component adds: how far values side by side are off a parabola."""
        at, line = self.at, self.line
        h = np.where(at == 0, line.typical, np.abs(at)) * np.array(_BESIDE)[:, None]
        changes = self.grid(np.arange(len(at)), np.concatenate(((at + h) - at, (at - h) - at)))
        up, down = changes[: len(h)], changes[len(h) :]
        with np.errstate(all="ignore"):
            even, odd = up + down, up - down
            off = np.fmax(abs(even[1:] - even[0] * _EVEN), abs(odd[1:] - odd[0] * _ODD)).max(0)
        own = _ULPS * _EPS * self.sizes
        if (
            np.count_nonzero(off > own) > len(own) / 2
        ):  # terms cancel everywhere, by luck without a trace at some
            off = np.fmax(off, np.nanmedian(off))
        made: Array = np.fmin(np.fmax(own, off), np.fmax(own, line.noise))
        return made

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it; equal places stand one after the other."""
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        counts = np.diff(starts, append=len(places))
        column = np.repeat(np.arange(len(starts)), counts)
        row = np.arange(len(places)) - np.repeat(starts, counts)
        taken = np.zeros((counts.max(), len(starts)))
        taken[row, column] = steps
        made: Array = self.grid(places[starts], taken)[row, column]
        return made

    def grid(self, places: Places, steps: Array) -> Array:
        """The changes as each of several steps is made at all the places at once: (k, m) -> (k, m)."""
        every = len(places) == len(self.at)
        rows = max(1, _TOGETHER // max(1, len(self.at)))
        found = []
        for start in range(0, len(steps), rows):
            part = torch.from_numpy(steps[start : start + rows])
            if every:
                moved = self.line.components + part
            else:
                moved = self.line.components.repeat(len(part), 1)
                moved[:, places] += part
            made = self._changes(moved)
            found.append(made if every else made[:, places])
        return np.concatenate(found)

    def noise(self, places: Places) -> Array:
        """As `Points` has it."""
        return self.noises[places]

    def _changes(self, moved: torch.Tensor) -> Array:
        """What each component adds to the change of the sum at each of several points: (k, n) -> (k, n)."""
        line = self.line
        leaf = moved.reshape(-1, *line.leaf.shape)
        values = self.lanes.every({line.replay.inputs[line.name]: leaf})
        total: Any = 0.0
        for place, weight in self.weights.items():
            here = self.lanes.values[place].reshape(-1)
            total = total + (values[place].reshape(len(moved), -1) - here).mul_(weight)
        if not self.checked:
            self._check(total, values[line.replay.root])
        made: Array = total.numpy()
        return made

    def _check(self, changes: torch.Tensor, roots: torch.Tensor) -> None:
        """Hold what components add, where it is finite, against what the sum itself changes by.

        Raises NoLanesError where that is not the same.
        """
        whole = self.line.sums(roots - self.line.output)
        off = (changes.sum(1) - whole).abs()
        room = _ALIKE * changes.abs().sum(1) + self.line.room
        finite = off.isfinite()
        if bool((off > room)[finite].any()):
            raise NoLanesError
        self.checked = bool(finite.any())
