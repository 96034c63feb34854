"""What arrived at the nodes of a backward against what should have: who changed a cotangent on its way."""

from collections.abc import Mapping
from typing import Any

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.nodes import guilty
from autograd_cli.gradients.line import components
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.report.checks import Guilty

Arrived = Mapping[Any, tuple[torch.Tensor | None, ...]]

_PART = 0.75
"""The digits of a dtype, as a part, in which cotangents have to agree: the last quarter may be lost to
rounding on a way of many calls. No verdict rests on it: the gradient is wrong already."""
_CHANGED = "another cotangent arrives than is sent: something changes it on the way, as a hook does"


def changed(bench: Bench, arrived: Arrived) -> tuple[Guilty, ...]:
    """The node nearest to the root at which another cotangent arrived than float64 sends there."""
    try:
        expected = _expected(bench) if bench.replay is not None and arrived else {}
    except (ReplayError, RuntimeError):
        return ()
    for index in sorted(expected, reverse=True):
        step = bench.run.steps[index]
        came = arrived.get(step.grad_fns[-1]) if step.grad_fns else None
        if not came or len(came) != 1 or came[0] is None or came[0].shape != expected[index].shape:
            continue
        given, right = components(came[0]), components(expected[index])
        off, room = (given - right).abs(), torch.finfo(came[0].dtype).eps ** _PART * right.abs().max()
        place = int(off.argmax()) if off.numel() else 0
        if off.numel() and off[place] > room:
            return (guilty(bench.run, step, float(given[place]), float(right[place]), sentence=_CHANGED),)
    return ()


def _expected(bench: Bench) -> dict[int, torch.Tensor]:
    """The cotangents of all steps with a gradient, in float64, by place."""
    assert bench.replay is not None
    replay = bench.replay
    leaves = {name: leaf.detach().clone().requires_grad_() for name, leaf in replay.leaves.items()}
    with replay.session(), torch.enable_grad():
        values = replay.every(leaves)
        places = [
            planned.index
            for planned in replay.plan
            if planned.index < len(replay.steps)
            and isinstance(values[planned.index], torch.Tensor)
            and values[planned.index].requires_grad
        ]
        found = torch.autograd.grad(
            values[replay.root], [values[place] for place in places], bench.cotangent, allow_unused=True
        )
    return {place: one for place, one in zip(places, found, strict=True) if one is not None}
