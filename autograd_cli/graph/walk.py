"""The walk over grad_fn nodes: an explicit stack, each node once, every slot kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torch.autograd.graph import Node as GradFn


@dataclass
class Walk:
    """grad_fn nodes in the order in which they appear, and their edges.

    `nodes[i]` has its inputs in `inputs[i]`: for each slot the number of the node that
    fills it, None where the operand has no grad_fn. Parallel edges stay two entries.

    torch frees a long chain of nodes by recursion once their Python wrappers exist, and
    100,000 of them overflow an 8 MB stack. `release` lets go of them from the root down,
    which never recurses; it wants the tensors of the graph to be gone by then.
    """

    nodes: list[GradFn] = field(default_factory=list)
    inputs: list[tuple[int | None, ...]] = field(default_factory=list)

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """(from, to, slot) of every edge, in the order of nodes and slots."""
        for number, filled in enumerate(self.inputs):
            for slot, to in enumerate(filled):
                if to is not None:
                    yield number, to, slot

    def release(self) -> None:
        """Let go of every node, each after all that lead to it."""
        order = self.from_the_root()
        self.inputs.clear()
        nodes, self.nodes = self.nodes, []
        held: list[GradFn | None] = [*nodes]
        nodes.clear()
        for number in order:
            held[number] = None

    def from_the_root(self) -> list[int]:
        """Node numbers in topological order: a node after every node it is an input of."""
        waiting = [0] * len(self.nodes)
        for _, to, _ in self.edges():
            waiting[to] += 1
        ready = [number for number, count in enumerate(waiting) if not count]
        order: list[int] = []
        while ready:
            number = ready.pop()
            order.append(number)
            for to in self.inputs[number]:
                if to is not None:
                    waiting[to] -= 1
                    if not waiting[to]:
                        ready.append(to)
        return order


def walk(roots: Sequence[GradFn]) -> Walk:
    """The walk from `roots` down: preorder, the inputs of a node in the order of its slots."""
    number_of: dict[GradFn, int] = {}
    found: list[GradFn] = []
    below: list[tuple[tuple[GradFn | None, int], ...]] = []
    stack: list[GradFn | None] = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node is None or node in number_of:
            continue
        number_of[node] = len(found)
        found.append(node)
        following = node.next_functions
        below.append(following)
        if len(following) == 1:
            stack.append(following[0][0])
        else:
            stack.extend([pair[0] for pair in reversed(following)])
    return Walk(found, _numbered(below, number_of))


def _numbered(
    below: list[tuple[tuple[GradFn | None, int], ...]], number_of: dict[GradFn, int]
) -> list[tuple[int | None, ...]]:
    return [tuple([None if to is None else number_of[to] for to, _ in following]) for following in below]
