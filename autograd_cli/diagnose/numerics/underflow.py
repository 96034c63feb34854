"""Gradients that are 0 because a dtype holds no smaller numbers, held against the same run in float64."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from autograd_cli.diagnose.numerics.played import Played, played, rounded
from autograd_cli.diagnose.scene import Scene
from autograd_cli.gradients.enlarged import HALVES
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import below
from autograd_cli.run.tape import LiveStep, Run

_REMAINDER = 1e-12
"""What is smaller, by what arrives, may be what float64 leaves of a sum that is 0."""


@dataclass(frozen=True)
class Lost:
    """Where zeros first appear: what `step` hands to an operand, or its own value where `operand` is None.

    `arrives` and `leaves` are the largest sizes in float64 of what comes there and of what is lost,
    `zeros` of `count` elements became 0. `dtype` is what held nothing so small.
    """

    step: LiveStep
    operand: int | None
    arrives: float
    leaves: float
    zeros: int
    count: int
    dtype: torch.dtype


@dataclass(frozen=True)
class Leaf:
    """A leaf's gradient: its elements that are 0 and are not in float64, and the largest there."""

    name: str
    zeros: int
    count: int
    held: int
    largest: float


@dataclass(frozen=True)
class Underflow:
    """The leaves that lost what they should get, where that happened, and both runs.

    `value` is the first value that is lost itself, if any is: a larger loss does not bring it back.
    """

    leaves: tuple[Leaf, ...]
    lost: Lost
    value: Lost | None
    own: Played
    reference: Played


def least(dtype: torch.dtype) -> float:
    """The smallest number above 0 that a dtype holds."""
    limits = torch.finfo(dtype)
    return float(limits.smallest_normal * limits.eps)


def underflow(scene: Scene) -> Underflow | None:
    """The underflow of a run; None where there is none, or what is 0 is so in float64 as well."""
    own = played(scene.run, scene.cotangent)
    reference = played(scene.run, scene.cotangent, double=True) if own is not None else None
    if own is None or reference is None:
        return None
    leaves = tuple(_leaves(own, reference))
    value, slope = (_lost_value(own, reference), _lost_slope(own, reference)) if leaves else (None, None)
    lost = slope or value
    if lost is None or not (lost.dtype in HALVES or all(leaf.zeros == leaf.held for leaf in leaves)):
        return None  # a part that is too small for float32 is missed by nobody
    return Underflow(leaves, lost, value, own, reference)


def _leaves(own: Played, reference: Played) -> Iterator[Leaf]:
    """The leaves at least half of whose gradient is 0 where float64 has a number."""
    exact = reference.gradients
    for name, gradient in own.gradients.items():
        wanted = exact.get(name)
        if wanted is None or wanted.shape != gradient.shape or not wanted.numel():
            continue
        held = int((wanted != 0).sum())
        zeros = int(((gradient == 0) & (wanted != 0)).sum())
        if zeros and zeros >= held / 2:
            yield Leaf(name, zeros, wanted.numel(), held, float(wanted.abs().max()))


def _lost_slope(own: Played, reference: Played) -> Lost | None:
    for step in reversed(own.run.steps):
        exact, rough = reference.slopes.get(step.index), own.slopes.get(step.index)
        if exact is None or rough is None or not bool((rough != 0).any()):
            continue
        for operand in dict.fromkeys(below(step)):
            found = _handed(own, reference, step, operand)
            if found is not None:
                return found
    return None


def _handed(own: Played, reference: Played, step: LiveStep, operand: int) -> Lost | None:
    exact, rough = reference.slopes.get(operand), own.slopes.get(operand)
    if exact is None or rough is None or exact.shape != rough.shape:
        return None
    gone = (rough == 0) & (exact != 0)
    zeros = int(gone.sum())
    if not zeros or zeros < int((exact != 0).sum()) / 2 or not _is_tiny(exact[gone], rough.dtype):
        return None
    arrives, leaves = float(reference.slopes[step.index].abs().max()), float(exact[gone].abs().max())
    if not _is_smooth(step) and leaves < _REMAINDER * arrives:
        return None
    return Lost(step, operand, arrives, leaves, zeros, exact.numel(), rough.dtype)


def _is_tiny(numbers: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether numbers are too small for a dtype: larger ones became 0 by cancelling."""
    return bool((numbers.abs() <= least(dtype)).all())


def _is_smooth(step: LiveStep) -> bool:
    """Whether nothing is added in the backward of a step, so that a small number is no remainder."""
    return step.function is not None and step.function.kind is Kind.ELEMENTWISE


def _lost_value(own: Played, reference: Played) -> Lost | None:
    for step in own.run.steps[: own.root + 1]:
        rough, exact = own.made(step), reference.values[step.index]
        if step.kind != "call" or not _comparable(rough, exact) or step.index not in own.slopes:
            continue
        exact = exact.detach()
        gone = (rough == 0) & (exact != 0)
        zeros = int(gone.sum())
        if not zeros or zeros < int((exact != 0).sum()) / 2 or not _is_tiny(exact[gone], rough.dtype):
            continue
        size = float(exact[gone].abs().max())
        return Lost(step, None, size, size, zeros, exact.numel(), rough.dtype)
    return None


def _comparable(rough: object, exact: object) -> bool:
    if not isinstance(rough, torch.Tensor) or not isinstance(exact, torch.Tensor):
        return False
    return rough.is_floating_point() and rough.shape == exact.shape


# A sweep of scales


@dataclass(frozen=True)
class Scaled:
    """Gradients of the loss times 2**power: elements lost, whether all is finite, how far from float64."""

    power: int
    lost: int
    finite: bool
    off: float


_POWERS = range(1, 25)
_FEW = 2_000_000
"""Elements of the gradients of one backward up to which every power is tried."""


def sweep(found: Underflow) -> tuple[Scaled, ...]:
    """The powers of 2 that the loss may be multiplied by, each tried; none where that cannot be done."""
    root, leaves = found.own.values[found.own.root], _tensors(found)
    step = 1 if sum(leaf.numel() for leaf, _ in leaves) <= _FEW else 4
    try:
        return tuple(_scaled(root, leaves, power) for power in _POWERS[::step])
    except RuntimeError:
        return ()


def forward_error(scene: Scene, found: Underflow) -> float:
    """How far gradients are off, by their size, for what was rounded in the forward alone; 0 if unknown."""
    made, total, distance = rounded(found.own, scene.cotangent), 0.0, 0.0
    for name, exact in found.reference.gradients.items():
        if name in made:
            distance += float(((made[name] - exact) ** 2).sum())
            total += float((exact**2).sum())
    return (distance / total) ** 0.5 if total else 0.0


def _tensors(found: Underflow) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Each leaf of the run with its gradient in float64."""
    exact = found.reference.gradients
    places = found.own.leaves.items()
    return [(found.own.values[index], exact[name]) for name, index in places if name in exact]


def _scaled(root: torch.Tensor, leaves: list[tuple[torch.Tensor, torch.Tensor]], power: int) -> Scaled:
    sent = torch.full_like(root, 1.0) * 2.0**power
    made = torch.autograd.grad(root, [leaf for leaf, _ in leaves], sent, retain_graph=True, allow_unused=True)
    lost, total, apart, finite = 0, 0.0, 0.0, True
    for slope, (_, exact) in zip(made, leaves, strict=True):
        if slope is None:
            continue
        wide = slope.double() / 2**power
        finite = finite and bool(slope.isfinite().all())
        lost += int(((slope == 0) & (exact != 0)).sum())
        apart += float(((wide - exact) ** 2).sum())
        total += float((exact**2).sum())
    return Scaled(power, lost, finite, (apart / total) ** 0.5 if total else 0.0)


def played_again(scene: Scene, made: Run, found: Underflow) -> bool:
    """Whether another run of the same loses nothing."""
    own = played(made, scene.cotangent)
    return own is not None and not list(_leaves(own, found.reference))
