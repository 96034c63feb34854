"""Which expression made a node: ties grad_fn nodes to the steps of the tape."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from torch.autograd.graph import Node as GradFn

from autograd_cli.lang.swift import swift
from autograd_cli.run.tape import LiveStep


@swift
@dataclass(frozen=True)
class Owner:
    """The step that made a node; `inside` when the node is not its result's own grad_fn."""

    step: int
    inside: bool


def owners(steps: Sequence[LiveStep], nodes: Sequence[GradFn]) -> dict[GradFn, Owner]:
    """The owner of every node that the steps made, and of the leaves among `nodes`.

    A step's nodes are those below the grad_fn of its result that no earlier step made:
    operands are evaluated first, so theirs are taken already.
    """
    owned: dict[GradFn, Owner] = {}
    leaves = {id(node.variable): node for node in nodes if carries_leaf(type(node))}  # type: ignore[attr-defined]
    for step in steps:
        if step.kind == "binding" and id(step.value) in leaves:
            owned.setdefault(leaves[id(step.value)], Owner(step.index, False))
        stack: list[GradFn | None] = list(step.grad_fns)
        own = set(step.grad_fns)
        while stack:
            node = stack.pop()
            if node is None or node in owned:
                continue
            owned[node] = Owner(step.index, node not in own)
            stack.extend([following for following, _ in node.next_functions])
    return owned


@cache
def carries_leaf(kind: type) -> bool:
    """Whether nodes of a class carry a leaf, as AccumulateGrad does."""
    return hasattr(kind, "variable")
