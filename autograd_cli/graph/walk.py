"""The walk over grad_fn nodes: an explicit stack, each node once, every slot kept."""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torch.autograd.graph import Node as GradFn

_SHALLOW = 1000
"""Nodes of which a chain of them all is freed within a small part of any stack."""


@dataclass
class Walk:
    """grad_fn nodes in the order in which they appear, and what fills their slots.

    `slots` holds, one node after the other, the number of the node that fills each slot,
    None where the operand has no grad_fn; those of node `i` end at `ends[i]`. Parallel
    edges stay two entries.

    torch frees a long chain of nodes by recursion once their Python wrappers exist, and
    100,000 of them overflow an 8 MB stack. `release` lets go of them from the root down,
    which never recurses; it wants the tensors of the graph to be gone by then.
    """

    nodes: list[GradFn] = field(default_factory=list)
    slots: list[int | None] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def inputs(self, number: int) -> list[int | None]:
        """What fills the slots of node `number`, in their order."""
        return self.slots[self.ends[number - 1] if number else 0 : self.ends[number]]

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """(from, to, slot) of every edge, in the order of nodes and slots."""
        number, start = 0, 0
        ends, last = self.ends, len(self.ends) - 1
        for place, to in enumerate(self.slots):
            while place >= ends[number] and number < last:
                start = ends[number]
                number += 1
            if to is not None:
                yield number, to, place - start

    def release(self) -> None:
        """Let go of every node, each after all that lead to it; few nodes recurse no deeper than that."""
        if len(self.nodes) <= _SHALLOW:
            self.nodes, self.slots, self.ends = [], [], []
            return
        order = self.from_the_root()
        self.slots, self.ends = [], []
        nodes, self.nodes = self.nodes, []
        held: list[GradFn | None] = [*nodes]
        nodes.clear()
        for place in order:
            held[place] = None

    def from_the_root(self) -> list[int]:
        """Node numbers in topological order: a node after every node it is an input of."""
        waiting = [0] * len(self.nodes)
        for _, to, _ in self.edges():
            waiting[to] += 1
        ready = [number for number, count in enumerate(waiting) if not count]
        order: list[int] = []
        while ready:
            first = ready.pop()
            order.append(first)
            for below in self.inputs(first):
                if below is not None:
                    waiting[below] -= 1
                    if not waiting[below]:
                        ready.append(below)
        return order


def walk(roots: Sequence[GradFn]) -> Walk:
    """The walk from `roots` down: preorder, the inputs of a node in the order of its slots."""
    with collector_paused():
        number_of, children, ends = _collected(roots)
        slots = [None if child is None else number_of[child] for child in children]
        return Walk(list(number_of), slots, ends)


def _collected(roots: Sequence[GradFn]) -> tuple[dict[GradFn, int], list[GradFn | None], list[int]]:
    """The numbers of the nodes in preorder, the nodes in all their slots one after the
    other, and where the slots of each node end."""
    number_of: dict[GradFn, int] = {}
    children: list[GradFn | None] = []
    ends: list[int] = []
    stack: list[GradFn | None] = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node is None or node in number_of:
            continue
        number_of[node] = len(ends)
        following = node.next_functions
        if len(following) == 1:
            children.append(following[0][0])
            stack.append(following[0][0])
        else:
            below = [child for child, _ in following]
            children += below
            stack += reversed(below)
        ends.append(len(children))
    return number_of, children, ends


class collector_paused:  # noqa: N801 - entered as a function that makes a context manager is
    """The garbage collector at rest: it would pass over every node again and again."""

    def __enter__(self) -> None:
        self.enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            gc.enable()
