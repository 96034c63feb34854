"""The tensors of a run that a backward leaves a gradient in, and where it was looked at."""

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch


class Leaf:
    """A tensor whose .grad a backward may change.

    `since` is the line of the backward that left the gradient there, 0 before; `seen` and
    `how` are the line where it was last looked at since then, and how. `doubtful` are the
    places where a backward added to what had been looked at, with what to do where the sum
    is cleared before anybody looks at it.
    """

    __slots__ = ("doubtful", "how", "ref", "seen", "since")

    def __init__(self, ref: "weakref.ref[torch.Tensor]") -> None:
        self.ref = ref
        self.since = 0
        self.seen = 0
        self.how = ""
        self.doubtful: list[Callable[[], None]] = []

    def look(self, line: int, how: str) -> None:
        """Note that the gradient is looked at."""
        self.seen, self.how = line, how
        self.doubtful.clear()

    def clear(self) -> None:
        """Note that the gradient was removed or made 0."""
        self.since = self.seen = 0
        while self.doubtful:
            self.doubtful.pop()()


class Leaves:
    """The leaves of a run, and what retains its gradient; each for as long as it is alive."""

    def __init__(self) -> None:
        self._known: dict[int, Leaf] = {}

    def add(self, tensor: torch.Tensor) -> None:
        """Watch the gradient of `tensor`."""
        key = id(tensor)
        if key not in self._known:
            known = self._known
            self._known[key] = Leaf(weakref.ref(tensor, lambda _: known.pop(key, None) and None))

    def of(self, tensor: torch.Tensor) -> Leaf | None:
        """What is known of `tensor`, None where it is no leaf."""
        return self._known.get(id(tensor))

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Leaf]]:
        for leaf in list(self._known.values()):
            tensor = leaf.ref()
            if tensor is not None:
                yield tensor, leaf

    def looked(self, tensor: torch.Tensor, line: int, how: str) -> None:
        """Note that the gradient of `tensor` is looked at."""
        leaf = self._known.get(id(tensor))
        if leaf is not None:
            leaf.seen, leaf.how = line, how
            if leaf.doubtful:
                leaf.doubtful.clear()

    def zeroed(self, gradient: Any) -> None:
        """Note that the memory of `gradient` was made 0, if it is that of a leaf."""
        place = 0
        for leaf in list(self._known.values()):
            if leaf.since or leaf.seen or leaf.doubtful:
                tensor = leaf.ref()
                held = None if tensor is None else tensor.grad
                place = place or gradient.data_ptr()
                if held is not None and held.data_ptr() == place:
                    leaf.clear()
