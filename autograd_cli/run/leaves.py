"""The tensors of a run that a backward leaves a gradient in, and where it was looked at."""

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch


class Leaf(weakref.ref[torch.Tensor]):
    """A tensor whose .grad a backward may change, for as long as it is alive.

    `since` is the line of the backward that left the gradient there, 0 before; `seen` and
    `how` are the line where it was last looked at since then, and how. `doubtful` are the
    places where a backward added to what had been looked at, with what to do where the sum
    is cleared before anybody looks at it. `key` is the tensor's among the leaves.
    """

    __slots__ = ("doubtful", "how", "key", "seen", "since")

    key: int
    since: int
    seen: int
    how: str
    doubtful: list[Callable[[], None]]

    def clear(self) -> None:
        """Note that the gradient was removed or made 0."""
        self.since = self.seen = 0
        while self.doubtful:
            self.doubtful.pop()()


class Leaves:
    """The leaves of a run, and what retains its gradient; each for as long as it is alive.

    `_noted` are those of which something is noted that ends once their gradient is 0.
    """

    def __init__(self) -> None:
        known, noted = dict[int, Leaf](), dict[int, Leaf]()

        def forget(leaf: Any) -> None:
            known.pop(leaf.key, None)
            noted.pop(leaf.key, None)

        self._known, self._noted, self._gone = known, noted, forget  # what is called does not hold self

    def add(self, tensor: torch.Tensor) -> None:
        """Watch the gradient of `tensor`."""
        key = id(tensor)
        if key not in self._known:
            made = self._known[key] = Leaf(tensor, self._gone)
            made.key, made.since, made.seen, made.how, made.doubtful = key, 0, 0, "", []

    def of(self, tensor: torch.Tensor) -> Leaf | None:
        """What is known of `tensor`, None where it is no leaf."""
        return self._known.get(id(tensor))

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Leaf]]:
        for leaf in list(self._known.values()):
            tensor = leaf()
            if tensor is not None:
                yield tensor, leaf

    def left(self, leaf: Leaf, line: int) -> None:
        """Note that the backward of a line left a gradient at a leaf, or that one was given to it there."""
        leaf.since, leaf.seen = line, 0
        self._noted[leaf.key] = leaf

    def looked(self, tensor: torch.Tensor, line: int, how: str) -> None:
        """Note that the gradient of `tensor` is looked at."""
        leaf = self._known.get(id(tensor))
        if leaf is not None:
            leaf.seen, leaf.how = line, how
            self._noted[leaf.key] = leaf
            if leaf.doubtful:
                leaf.doubtful.clear()

    def zeroed(self, gradient: Any) -> None:
        """Note that the memory of `gradient` was made 0, if it is that of a leaf or of several."""
        if not self._noted:
            return
        place = 0
        for leaf in list(self._noted.values()):
            tensor = leaf()
            held = None if tensor is None else tensor.grad
            if held is not None and held is not gradient:
                place = place or gradient.data_ptr()
                held = held if held.data_ptr() == place else None
            if held is not None:
                leaf.clear()
                self._noted.pop(leaf.key, None)
