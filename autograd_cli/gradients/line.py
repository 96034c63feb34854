"""The program along lines through the recorded value of one leaf.

The function is the sum of the output times the cotangent; for complex numbers its real
part, by which torch's gradient is dL/d(real) + i dL/d(imaginary). Complex leaves are taken
as pairs of real components.
"""

from math import inf, isfinite
from operator import attrgetter, getitem

import numpy as np
import torch
from numpy.typing import NDArray

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.lane_rules import NoLanesError
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.replay import Replay
from autograd_cli.lang.same import once
from autograd_cli.report.values import index_of
from autograd_cli.run.brought import Called
from autograd_cli.run.modes import Grad
from autograd_cli.run.tape import LiveStep

Array = NDArray[np.float64]
Places = NDArray[np.int64]

_EPS = torch.finfo(torch.float64).eps
_TOGETHER = 1 << 18
"""Elements that are computed at once, as far as one lane has no more; more no longer fit a cache."""
_ENOUGH = 512
"""Components of which the typical one is found."""
_FEW = 64
"""The same that are sooner sorted as numbers."""
_DOUBLE = torch.float64
_ALIKE = 1e-10
_STAIRS = frozenset({"round", "floor", "ceil", "trunc", "fix", "frac", "remainder", "fmod", "grid_sample"})
"""Functions whose values may come in many steps."""
_NOISY = 1e3
"""How far lanes may be off from the plain replay: of the size of the sum, and of what rounding does."""


def is_own(step: LiveStep) -> bool:
    """Whether a step calls a person's own function, and does not just take one of several results."""
    picks = step.call is getitem or isinstance(step.call, attrgetter)
    return isinstance(step.call, Called) or (step.kind == "call" and step.function is None and not picks)


def components(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor's elements as float64 of shape (n,); a complex one's real and imaginary parts."""
    tensor = tensor.detach()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    if tensor.dtype is not _DOUBLE or not tensor.is_cpu:
        tensor = tensor.to("cpu", _DOUBLE)
    return tensor.reshape(-1)


def shaped(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Components (n,) in the shape of a leaf, and complex where it is."""
    if like.is_complex():
        return torch.view_as_complex(values.reshape(*like.shape, 2))
    return values.reshape(like.shape)


def place_of(component: int, leaf: torch.Tensor) -> tuple[int, ...]:
    """The index in a leaf of one of its components."""
    return index_of(component // 2 if leaf.is_complex() else component, leaf.shape)


def _shaped_lanes(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Components (lanes, n) in the shape of a leaf behind the lanes."""
    if like.is_complex():
        return torch.view_as_complex(values.reshape(-1, *like.shape, 2))
    return values.reshape(-1, *like.shape)


class Line:
    """The program as a function of one leaf; used inside the replay's session.

    `components` are the leaf's, `typical` is the size of one; `size` is that of the sum.
    `measured` is the rounding error of the sum in float64, 0 where it is not known, `noise` the
    same where it is more than the size of the sum makes one expect.
    """

    def __init__(self, replay: Replay, name: str, cotangent: torch.Tensor, noise: float = 0.0) -> None:
        self.replay = replay
        self.name = name
        self.leaf = replay.leaves[name]
        self.components = components(self.leaf)
        self.values = replay.recorded()
        self.output: torch.Tensor = self.values[replay.root]
        self.cotangent = cotangent.conj().resolve_conj() if cotangent.is_complex() else cotangent
        self.simple = self._weigh_number() or self._weigh()
        self.measure(noise)
        self.typical = self._typical()

    def measure(self, noise: float) -> None:
        """Take in the rounding error of the sum."""
        self.measured = noise
        self.noise = max(2 * _EPS * self.size, noise)

    def _weigh_number(self) -> bool:
        """Take the measure of an output that is one finite real number; False of any other."""
        if self.output.ndim or self.output.is_complex() or self.cotangent.is_complex():
            return False
        self.value, self.weight = float(self.output), float(self.cotangent)
        self.size, self.all_finite = abs(self.weight * self.value), True
        return isfinite(self.value)

    def _weigh(self) -> bool:
        """Take the measure of any other output."""
        self.finite = torch.isfinite(self.output)
        self.all_finite = bool(self.finite.all())
        terms = (self.cotangent * self.output)[self.finite]
        self.size = float(terms.abs().sum())
        return False

    def _typical(self) -> float:
        """The size of a leaf's component, 1 where all are 0."""
        if self.components.numel() == 1:
            size = abs(float(self.components))
            return size if 0 < size < inf else 1.0
        if self.components.numel() <= _FEW:
            few = sorted(size for size in map(abs, self.components.tolist()) if 0 < size < inf)
            return few[(len(few) - 1) // 2] if few else 1.0
        sizes = np.abs(self.components.numpy()[:: 1 + self.components.numel() // _ENOUGH])
        sizes = sizes[(sizes > 0) & (sizes < inf)]
        middle = (len(sizes) - 1) // 2
        return float(np.partition(sizes, middle)[middle]) if len(sizes) else 1.0

    @once
    def lanes(self) -> Lanes | None:
        """The calls that depend on the leaf, for many points at once; None where some are made one by one."""
        try:
            return Lanes(self.replay, self.values, (self.replay.inputs[self.name],))
        except NoLanesError:
            return None

    def move(self, direction: torch.Tensor, t: float) -> float:
        """The change of the sum as all components move by t times a direction."""
        return self.change(torch.add(self.components, direction, alpha=t))

    def change(self, moved: torch.Tensor) -> float:
        """The sum at the components `moved` less the sum as recorded.

        Outputs are subtracted before they are summed: those that do not move cancel.
        """
        output = self.replay({self.name: self._in_memory(shaped(moved, self.leaf))})
        if self.simple:
            return (float(output) - self.value) * self.weight
        return float(self.sums((output - self.output).unsqueeze(0)))

    def _in_memory(self, value: torch.Tensor) -> torch.Tensor:
        """The value in memory of its own, in the order of the leaf's: as_strided reads by place."""
        if value._is_view() or not self.leaf.is_contiguous():
            return torch.empty_like(self.leaf).copy_(value)
        return value

    def sums(self, moves: torch.Tensor) -> torch.Tensor:
        """The weighted sums of what outputs moved by, (lanes, …) -> (lanes,)."""
        if not self.all_finite:
            moves = torch.where(self.finite, moves, 0.0)
        weighed = self.cotangent * moves
        real = weighed.real if weighed.is_complex() else weighed
        return real if real.ndim == 1 else real.flatten(1).sum(1)

    @once
    def rows(self) -> int:
        """How many points are evaluated at once; fewer than two: one after the other."""
        return _TOGETHER // max(1, self.lanes.size()) if self.lanes else 1

    def changes(self, moved: torch.Tensor) -> Array:
        """The change of the sum at each of several points, the first of which is the recorded one.

        (1 + lanes, n) -> (lanes,).
        """
        if self.lanes is not None:
            leaf = _shaped_lanes(moved, self.leaf)
            made = self.in_lanes(self.lanes, {self.replay.inputs[self.name]: leaf}, len(moved))
            if made is not None:
                return made
            self.lanes = None
        return np.array([self.change(one) for one in moved[1:]])

    def in_lanes(self, lanes: Lanes, given: dict[int, torch.Tensor], count: int) -> Array | None:
        """The changes of the sum at `count` values of some steps, of which the first are the recorded ones.

        None where these do not give what the plain replay does.
        """
        try:
            output = lanes(given)
            output = output if lanes.moves_root else output.expand(count, *output.shape)
            if self.simple:
                return self._of_numbers(output.numpy())
            return self._of_tensors(output)
        except Exception:  # the plain replay says what is wrong
            return None

    def _of_numbers(self, values: Array) -> Array | None:
        here = values[0]
        if values.ndim != 1 or not self.is_recorded(here):
            return None
        made: Array = (values[1:] - here) * self.weight
        return made

    def _of_tensors(self, output: torch.Tensor) -> Array | None:
        here = output[0]
        if here.shape != self.output.shape or here.dtype != self.output.dtype:
            return None
        off = float(self.sums((here - self.output).abs().unsqueeze(0)).abs())
        if not off <= self.room or not torch.equal(here.isfinite(), self.output.isfinite()):
            return None
        made: Array = self.sums(output[1:] - here).numpy()
        return made

    def is_recorded(self, here: float) -> bool:
        """Whether a number is the recorded output, but for rounding."""
        return self.simple and abs((here - self.value) * self.weight) <= self.room

    @property
    def room(self) -> float:
        """How far the recorded point may be off in lanes."""
        return _ALIKE * self.size + _NOISY * self.noise

    def largest(self) -> float:
        """The size of the largest value on the way to the sum, of a typical component at least."""
        tensors = [v.detach() for v in self.values if isinstance(v, torch.Tensor) and v.is_floating_point()]
        sizes = [float(v.abs().nan_to_num(0.0, 0.0, 0.0).max()) for v in tensors if v.numel()]
        return max([self.typical, *sizes]) * float(self.cotangent.abs().max())

    @once
    def stepped(self) -> bool:
        """Whether the function may be a staircase, as one that rounds is, or a person's own may be."""
        steps = (self.replay.steps[p.index] for p in self.replay.plan if p.index < len(self.replay.steps))
        return any(
            is_own(step)
            or (step.function is not None and step.function.name.rstrip("_") in _STAIRS)
            or step.kwargs.get("rounding_mode") is not None
            for step in steps
        )

    def infinite(self) -> list[int]:
        """The components that are not finite themselves."""
        if self.components.numel() <= _FEW:
            return [i for i, number in enumerate(self.components.tolist()) if not isfinite(number)]
        known = self.components.numpy()
        with np.errstate(all="ignore"):
            is_sure = isfinite(known.sum())
        found: list[int] = [] if is_sure else np.flatnonzero(~np.isfinite(known)).tolist()
        return found

    def clouded(self) -> list[int]:
        """The components that reach an output that is not finite: they have no slope.

        A rule of torch's may give 0 where there is no number, so that none seems to reach it: where nothing
        is finite all do.
        """
        if self.all_finite:
            return []
        leaf = self.leaf.detach().clone().requires_grad_()
        with Grad(True):
            output = self.replay({self.name: leaf})
            (reached,) = slopes(output, [leaf], ~self.finite)
        if reached is None:
            return []
        places: list[int] = components(reached).nonzero().flatten().tolist()
        return places if places or bool(self.finite.any()) else list(range(self.components.numel()))
