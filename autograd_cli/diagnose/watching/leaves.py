"""Which thread may read the gradient of a leaf."""

from collections.abc import Callable
from typing import Any
from weakref import ref

import torch
from torch.autograd.graph import Node

from autograd_cli.diagnose.watching.signals import leave

_MOST = 200_000


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a leaf; a view made without a graph, of what has one, torch may not tell of."""
    try:
        return tensor.is_leaf
    except RuntimeError as error:
        leave(error)
        return False


def node_of(tensor: torch.Tensor) -> Node | None:
    """The node that made a tensor; None of a leaf, and of a view that torch does not tell of."""
    try:
        return tensor.grad_fn
    except RuntimeError as error:
        leave(error)
        return None


class Leaves:
    """The leaves that calls of one thread were made on, and of no other thread since.

    A gradient that is read while another thread's backward replaces it ends the process. So the thread
    that made the last call on a leaf has it, and reads its gradient alone.
    """

    def __init__(self, owners: dict[int, "Leaves"]) -> None:
        self.forgotten: Callable[[int], None] = lambda key: None
        self._owners = owners
        self._own: dict[int, Any] = {}

    def add(self, leaf: torch.Tensor) -> None:
        """Take a leaf, from the thread that has it."""
        key = id(leaf)
        if key in self._own:
            return
        before = self._owners.get(key)
        if before is None and len(self._owners) >= _MOST:
            return
        self._owners[key] = self
        if before is not None:
            before._own.pop(key, None)
            before.forgotten(key)
        self._own[key] = ref(leaf, lambda _: self._forget(key))
        if self._owners.get(key) is not self:  # another thread took it meanwhile
            self._own.pop(key, None)

    def _forget(self, key: int) -> None:
        if self._own.pop(key, None) is not None:
            self._owners.pop(key, None)
        self.forgotten(key)

    def has(self, leaf: torch.Tensor) -> bool:
        """Whether this thread has the leaf."""
        return id(leaf) in self._own

    def alive(self) -> list[torch.Tensor]:
        """Those that are still there."""
        return [leaf for each in list(self._own.values()) if (leaf := each()) is not None]

    def gradient(self, leaf: torch.Tensor) -> torch.Tensor | None:
        """The gradient of a leaf; None where there is none, or where another thread has the leaf.

        Nothing else is run between the look at the owner and the one at the gradient.
        """
        key = id(leaf)
        return leaf.grad if key in self._own else None
