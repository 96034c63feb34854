"""Where a gradient is lost because a dtype holds no smaller numbers, by a replay in float64."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.scene import Scene
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.run.tape import LiveStep

_SCALES = tuple(2**power for power in range(4, 25, 4))
_MOST = 2_000_000
"""Elements that are computed again to tell where something was lost."""


@dataclass(frozen=True)
class Lost:
    """The step whose value, or whose gradient, is nowhere large enough for its dtype; `size` the largest."""

    step: LiveStep
    what: str
    size: float
    dtype: torch.dtype


def least(dtype: torch.dtype) -> float:
    """The smallest number above 0 that a dtype holds."""
    limits = torch.finfo(dtype)
    return float(limits.smallest_normal * limits.eps)


def lost(scene: Scene) -> Lost | None:
    """The first thing on the way that is not 0 in float64 and too small for the run's own dtype.

    Gradients are looked at from the output down, then values in their order.
    """
    played = _played(scene, double=True)
    if played is None:
        return None
    values, slopes = played
    steps = [step for step in scene.run.steps if step.index in scene.needed and _is_floating(step.value)]
    rows = [(step, "the gradient", slopes.get(step.index)) for step in reversed(steps)]
    rows += [(step, "its value", values[step.index].detach()) for step in steps]
    for step, what, numbers in rows:
        size = 0.0 if numbers is None else float(numbers.abs().max())
        if 0 < size <= least(step.value.dtype) / 2:  # a half of it is rounded to 0
            return Lost(step, what, size, step.value.dtype)
    return None


def scale(scene: Scene) -> int:
    """The least of a few factors of the loss by which no gradient is 0; 0 where none of them is."""
    played = _played(scene, double=False, factors=_SCALES)
    if played is None:
        return 0
    _, slopes = played
    return next((factor for factor in _SCALES if _is_held(slopes.get(factor))), 0)


def _is_held(slope: torch.Tensor | None) -> bool:
    return slope is not None and bool((slope.isfinite() & (slope != 0)).all())


def _is_floating(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0


Played = tuple[Sequence[Any], dict[int, torch.Tensor]]


def _played(scene: Scene, double: bool, factors: Sequence[int] = ()) -> Played | None:
    """The values of all steps, and their gradients by index; with `factors` those of all leaves by factor."""
    try:
        replay = Replay(scene.run, double)
        if replay.work() > _MOST:
            return None
        with replay.session(), torch.enable_grad():
            leaves = {name: value.clone().requires_grad_() for name, value in replay.leaves.items()}
            values = replay.every(leaves)
            root = values[replay.root].sum()
            if factors:
                return values, dict(_scaled(root, list(leaves.values()), factors))
            return values, _slopes(root, values)
    except (ReplayError, RuntimeError):  # what cannot be replayed tells nothing
        return None


def _slopes(root: torch.Tensor, values: Sequence[Any]) -> dict[int, torch.Tensor]:
    asked = {i: v for i, v in enumerate(values) if isinstance(v, torch.Tensor) and v.requires_grad}
    found = torch.autograd.grad(root, list(asked.values()), allow_unused=True)
    return {index: slope for index, slope in zip(asked, found, strict=True) if slope is not None}


def _scaled(
    root: torch.Tensor, leaves: Sequence[torch.Tensor], factors: Sequence[int]
) -> Iterator[tuple[int, torch.Tensor]]:
    for factor in factors:
        found = torch.autograd.grad(root * factor, leaves, retain_graph=True, allow_unused=True)
        yield factor, torch.cat([slope.flatten() for slope in found if slope is not None])
