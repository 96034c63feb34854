"""Which expression of a run torch cannot differentiate twice."""

from collections.abc import Iterable
from typing import Any

import torch

from autograd_cli.gradients.replay import Planned, Replay, ReplayError, evaluated
from autograd_cli.gradients.second.surface import refuse_once
from autograd_cli.report import below
from autograd_cli.run.tape import Run
from autograd_cli.run.values import tensors_in


def without_second(run: Run) -> str:
    """The text of the first expression whose own double backward fails; empty where none is found."""
    try:
        replay = Replay(run)
        with replay.session():
            values = replay.recorded()
            for planned in replay.plan:
                if _fails(planned, below(run.steps[planned.index]), list(values)):
                    return run.program.source[run.steps[planned.index].expr.span]
    except (ReplayError, RuntimeError, TypeError, ValueError):
        return ""
    return ""


def _fails(planned: Planned, operands: Iterable[int], values: list[Any]) -> bool:
    """Whether two passes through one call alone raise."""
    held = []
    for place in set(operands):
        value = values[place]
        if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
            values[place] = value.detach().clone().requires_grad_()
            held.append(values[place])
    if not held:
        return False
    try:
        with torch.enable_grad():
            made = tensors_in(evaluated(planned, values))
            total = _squares(made)
            if not total:
                return False
            first = torch.autograd.grad(total, held, create_graph=True, allow_unused=True)
            refuse_once(first)
            again = _squares(first)
            if again:
                torch.autograd.grad(again, held, allow_unused=True)
    except Exception:  # whatever torch raises, it is of this call
        return True
    return False


def _squares(given: Iterable[torch.Tensor | None]) -> list[torch.Tensor]:
    """A real number of each tensor with a graph, which bends by whatever the tensor does."""
    return [(one * one.conj()).real.sum() for one in given if one is not None and one.requires_grad]
