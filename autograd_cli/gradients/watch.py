"""A backward that the program makes, watched from outside."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.autograd.graph import Node

from autograd_cli.gradients.backward import Arrived, written_out

LEAF: type[Node] = type(torch.autograd.graph.get_gradient_edge(torch.zeros((), requires_grad=True)).node)
"""The class of the nodes that carry a leaf."""


class Watch:
    """Hooks on the nodes and the inputs of one backward; they change nothing.

    `leaves` are those that the graph leads to, `asked` the tensors whose gradients are wanted;
    `before` and `after` are what the `.grad` of each leaf held. A program may make thousands of
    backwards of which two are looked at, so what hooks keep is put in order when it is asked for.
    """

    def __init__(self, nodes: Sequence[Node], inputs: Sequence[torch.Tensor] | None) -> None:
        self.ends: list[Any] = [node for node in nodes if type(node) is LEAF]
        self.leaves: list[torch.Tensor] = [end.variable for end in self.ends]
        self.asked = self.leaves if inputs is None else list(inputs)
        self.before = [_copied(leaf.grad) for leaf in self.leaves]
        self.after: list[torch.Tensor | None] = []
        self._taken: dict[int, torch.Tensor] = {}
        given: dict[Node, tuple[torch.Tensor | None, ...]] = {}
        self._given = given
        keep = given.__setitem__
        self._handles: list[Any] = [node.register_prehook(partial(keep, node)) for node in nodes]
        for tensor in inputs or ():
            if tensor.requires_grad:
                take = partial(self._take, id(tensor))
                self._handles.append(tensor.register_hook(take))  # type: ignore[no-untyped-call]

    def end(self, stays: bool = True) -> None:
        """Look at what the backward left; take the hooks away where the nodes stay."""
        self.after = [_copied(leaf.grad) for leaf in self.leaves]
        self._given = dict(self._given)  # hooks that are left write into what nobody reads
        for handle in self._handles if stays else self._handles[-len(self.ends) :]:
            handle.remove()
        self._handles = []
        for end in self.ends:
            own = self._given.get(end, (None,))[0]
            if own is not None:  # its memory may have become that of .grad
                self._given[end] = (own.detach().clone(),)

    def arrived(self) -> dict[Node, Arrived]:
        """The cotangents by node; at a leaf its own gradient of this backward."""
        found = {node: tuple(map(_kept, given)) for node, given in self._given.items()}
        for end in self.ends:
            own = self.own(end.variable)
            if own is not None:
                found.setdefault(end, (own,))
        return found

    def own(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """This backward's own gradient of a leaf or an input; None where none arrived."""
        taken = self._taken.get(id(tensor))
        if taken is not None:
            return _kept(taken)
        end = next((end for end, leaf in zip(self.ends, self.leaves, strict=True) if leaf is tensor), None)
        return None if end is None else _kept(self._given.get(end, (None,))[0])

    def release(self) -> None:
        """Let go of every node."""
        self.ends, self._given = [], {}

    def _take(self, place: int, given: torch.Tensor) -> None:
        self._taken[place] = given.detach().clone()


def _kept(gradient: torch.Tensor | None) -> torch.Tensor | None:
    written = written_out(gradient)
    return None if written is None else written.detach()


def _copied(grad: torch.Tensor | None) -> torch.Tensor | None:
    return None if grad is None else grad.detach().clone()
