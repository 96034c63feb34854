"""A run made again with a graph of its own, where a backward has freed the one it had."""

from dataclasses import replace

import torch

from autograd_cli.gradients.replay import Replay, evaluated
from autograd_cli.run.slices import Slice
from autograd_cli.run.tape import LiveStep, grad_fns_of


def again(run: Slice) -> Slice:
    """The same values, computed once more from the leaves as they were, with their graph.

    Raises ReplayError, and what torch raises.
    """
    replay = Replay(run, double=False)
    values = replay.base.copy()
    tensors = {name: leaf.clone().requires_grad_() for name, leaf in replay.leaves.items()}
    for name, tensor in tensors.items():
        values[replay.inputs[name]] = tensor
    with replay.session(), torch.enable_grad():
        for planned in replay.plan:
            values[planned.index] = evaluated(planned, values)
            if run.steps[planned.index].held:
                values[planned.index] = values[planned.index].detach()
    made = [_with_value(step, values[step.index]) for step in run.steps]
    bound = tuple(replace(b, value=tensors.get(b.name, b.value)) for b in run.bindings)
    return replace(run, steps=made, bindings=bound, tensors=tensors)


def _with_value(step: LiveStep, value: object) -> LiveStep:
    """The step with another value, which may be a leaf."""
    fns = grad_fns_of(value)
    if not fns and isinstance(value, torch.Tensor) and value.requires_grad:
        fns = (torch.autograd.graph.get_gradient_edge(value).node,)
    return replace(step, value=value, grad_fns=fns)
