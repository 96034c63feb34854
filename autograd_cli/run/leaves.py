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
        self._gone = self._forget

    def add(self, tensor: torch.Tensor) -> None:
        """Watch the gradient of `tensor`."""
        key = id(tensor)
        if key not in self._known:
            made = self._known[key] = Leaf(tensor, self._gone)
            made.key, made.since, made.seen, made.how, made.doubtful = key, 0, 0, "", []

    def _forget(self, leaf: Any) -> None:
        self._known.pop(leaf.key, None)

    def of(self, tensor: torch.Tensor) -> Leaf | None:
        """What is known of `tensor`, None where it is no leaf."""
        return self._known.get(id(tensor))

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Leaf]]:
        for leaf in list(self._known.values()):
            tensor = leaf()
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
        """Note that the memory of `gradient` was made 0, if it is that of a leaf or of several."""
        place = 0
        for leaf in list(self._known.values()):
            if leaf.since or leaf.seen or leaf.doubtful:
                tensor = leaf()
                held = None if tensor is None else tensor.grad
                if held is None:
                    continue
                if held is not gradient:
                    place = place or gradient.data_ptr()
                    if held.data_ptr() != place:
                        continue
                leaf.clear()
