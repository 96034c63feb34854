"""A backward that the program makes, watched from outside."""

from collections.abc import Callable, Sequence

import torch
from torch.autograd.graph import Node

from autograd_cli.gradients.backward import Arrived, written_out


class Watch:
    """Hooks on the nodes and the inputs of one backward, which change nothing and are gone after `end`.

    `arrived` holds the cotangents by node, `leaves` the leaves that the graph leads to;
    `before` and `after` are what their `.grad` held, in the same order.
    """

    def __init__(self, nodes: Sequence[Node], inputs: Sequence[torch.Tensor] | None) -> None:
        self.arrived: dict[Node, Arrived] = {}
        self.leaves: list[torch.Tensor] = [node.variable for node in nodes if hasattr(node, "variable")]
        self.asked = self.leaves if inputs is None else list(inputs)
        self.before = [_copied(leaf.grad) for leaf in self.leaves]
        self.after: list[torch.Tensor | None] = []
        self._own: dict[int, torch.Tensor] = {}
        self._handles = [node.register_prehook(self._keeper(node)) for node in nodes]
        self._handles += [
            tensor.register_hook(self._taker(tensor))  # type: ignore[no-untyped-call]
            for tensor in inputs or ()
            if tensor.requires_grad
        ]

    def end(self) -> None:
        """Take the hooks away and look at what the backward left."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self.after = [_copied(leaf.grad) for leaf in self.leaves]
        for node, given in self.arrived.items():
            if hasattr(node, "variable") and given and given[0] is not None:
                own = given[0].clone()  # its memory may have become that of .grad
                self.arrived[node] = (own,)
                self._own[id(node.variable)] = own

    def own(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """This backward's own gradient of a leaf or an input; None where none arrived."""
        return self._own.get(id(tensor))

    def _keeper(self, node: Node) -> Callable[[Arrived], None]:
        """A hook that puts what arrives at `node` under it."""

        def keep(given: Arrived) -> None:
            self.arrived[node] = tuple(map(_kept, given))

        return keep

    def _taker(self, tensor: torch.Tensor) -> Callable[[torch.Tensor], None]:
        """A hook that keeps the gradient of an input."""

        def take(given: torch.Tensor) -> None:
            kept = _kept(given)
            assert kept is not None
            self._own[id(tensor)] = kept

        return take


def _kept(gradient: torch.Tensor | None) -> torch.Tensor | None:
    written = written_out(gradient)
    return None if written is None else written.detach()


def _copied(grad: torch.Tensor | None) -> torch.Tensor | None:
    return None if grad is None else grad.detach().clone()
