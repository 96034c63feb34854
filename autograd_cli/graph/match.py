"""Which expression made a node: ties grad_fn nodes to the steps of the tape."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.run.tape import LiveStep


@dataclass(frozen=True)
class Owner:
    """The step that made a node; `inside` when the node is not its result's own grad_fn."""

    step: int
    inside: bool


def owners(steps: Sequence[LiveStep]) -> dict[GradFn, Owner]:
    """The owner of every node that the steps made, leaves included.

    A step's nodes are those below the grad_fn of its result that no earlier step made:
    operands are evaluated first, so theirs are taken already.
    """
    owned: dict[GradFn, Owner] = {}
    for step in steps:
        if step.kind == "binding":
            _take_leaf(step, owned)
        stack: list[GradFn | None] = list(step.grad_fns)
        own = set(step.grad_fns)
        while stack:
            node = stack.pop()
            if node is None or node in owned:
                continue
            owned[node] = Owner(step.index, node not in own)
            stack.extend([following for following, _ in node.next_functions])
    return owned


def _take_leaf(step: LiveStep, owned: dict[GradFn, Owner]) -> None:
    if isinstance(step.value, torch.Tensor) and step.value.requires_grad and step.value.is_leaf:
        owned.setdefault(torch.autograd.graph.get_gradient_edge(step.value).node, Owner(step.index, False))
