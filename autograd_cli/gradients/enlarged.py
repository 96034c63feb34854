"""A run's own gradient made again by way of larger numbers, as a scaled loss has it."""

from collections.abc import Sequence
from typing import Any

import torch

from autograd_cli.gradients.line import components
from autograd_cli.gradients.replay import Planned, Replay, evaluated
from autograd_cli.run.modes import Grad

HALVES = (torch.float16, torch.bfloat16)

_POWERS = (0, 6, 10, 14)
"""Powers of two that scales of a loss begin with, and less where those overflow."""


def in_its_dtype(planned: Planned, values: Sequence[Any]) -> Any:
    """The value of a call; under autocast where it was made so, which its dtype tells."""
    made = evaluated(planned, values)
    wanted = planned.dtype
    if wanted in HALVES and isinstance(made, torch.Tensor) and made.dtype != wanted:
        with torch.autocast(made.device.type, dtype=wanted):
            return evaluated(planned, values)
    return made


def enlarged(own: Replay, name: str, cotangent: torch.Tensor) -> torch.Tensor:
    """The gradient by a leaf in the run's own precision, as it was and for larger cotangents: (tries, n).

    All are given back by the scale of the first. What was too small on the way for its dtype is none
    too small in the others, and all else is the same, since the scales are powers of two. NaN where torch
    does not make it again.
    """
    try:
        return _enlarged(own, name, cotangent)
    except (RuntimeError, TypeError, ValueError, IndexError):
        return torch.full((1, components(own.leaves[name]).numel()), torch.nan, dtype=torch.float64)


def _enlarged(own: Replay, name: str, cotangent: torch.Tensor) -> torch.Tensor:
    """As `enlarged`. Raises what torch raises."""
    leaf = own.leaves[name].clone().requires_grad_()
    values = own.base.copy()
    for other, value in own.leaves.items():
        values[own.inputs[other]] = leaf if other == name else value
    with own.session(), Grad(True):
        for planned in own.plan:
            values[planned.index] = in_its_dtype(planned, values)
        return torch.stack([_scaled(values[own.root], leaf, cotangent, 2.0**by) for by in _POWERS])


def _scaled(output: torch.Tensor, leaf: torch.Tensor, cotangent: torch.Tensor, by: float) -> torch.Tensor:
    sent = (cotangent * by).to(output.device, output.dtype)
    (made,) = torch.autograd.grad(output, leaf, sent, retain_graph=True, allow_unused=True)
    return components(torch.zeros_like(leaf) if made is None else made) / by
