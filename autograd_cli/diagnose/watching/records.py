"""What is noted of a run while it goes on: calls that made nodes, and writes; bounded, without tensors."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from types import CodeType
from typing import Any, NamedTuple

MOST_CALLS = 50_000
MOST_WRITES = 10_000
MOST_STEPS = 64
MOST_ALIASES = 5_000
_FIELDS = 7


class Spot(NamedTuple):
    """A place in running code, from which its line is found when it is asked for."""

    code: CodeType
    instruction: int

    def __hash__(self) -> int:
        return hash((id(self.code), self.instruction))  # a code's own hash goes through all of it


class Call(NamedTuple):
    """A call during which the nodes `first` to `last` (excluded) of its thread were made.

    `order` tells which of two records came first, whatever their threads. `module` refers weakly to
    the innermost module whose forward made the call.
    """

    order: int
    first: int
    last: int
    function: Any
    spot: Spot | None
    module: Any


@dataclass(frozen=True, slots=True)
class Write:
    """A call that changed memory: the versions of each storage before and after.

    `sequence` is the number that the thread's next node would have had. `untracked` marks a write that
    the version counter of other tensors of the memory does not see: through .data, or of other memory
    given to a tensor; calls before the moment `since` do not see it. `spot` is a Spot, or the Place itself
    where that was found in the source.
    """

    order: int
    sequence: int
    versions: dict[int, tuple[int, int]]
    function: Any
    spot: Any
    module: Any
    shape: tuple[int, ...] = ()
    dtype: str = ""
    is_view: bool = False
    untracked: bool = False
    since: int = 0
    is_step: bool = False


class Writes:
    """The writes of all threads, oldest first; the oldest go where there are too many."""

    def __init__(self) -> None:
        self.aliased: dict[int, int] = {}
        self.next = count().__next__
        self._seen: deque[Write] = deque(maxlen=MOST_WRITES)
        self._steps: deque[Write] = deque(maxlen=MOST_STEPS)
        self._untracked: deque[Write] = deque(maxlen=MOST_STEPS)

    def alias(self, storage: int) -> None:
        """Note that the memory was taken out of torch's sight, through .data."""
        if len(self.aliased) >= MOST_ALIASES:
            for old in list(self.aliased)[: MOST_ALIASES // 2]:
                self.aliased.pop(old, None)
        self.aliased[storage] = self.next()

    def add(self, write: Write) -> None:
        """Note a write."""
        (self._steps if write.is_step else self._seen).append(write)
        if write.untracked:
            self._untracked.append(write)

    def into(self, storage: int) -> list[Write]:
        """The writes into a memory, oldest first."""
        found = [w for w in (*self._seen, *self._steps) if storage in w.versions]
        return sorted(found, key=lambda write: write.order)

    def untracked(self, since: int) -> list[Write]:
        """The untracked writes since a moment, oldest first."""
        return [write for write in tuple(self._untracked) if write.order >= since]


class Log:
    """The calls of one thread that made nodes, oldest first, and the writes of all.

    Torch numbers the nodes of each thread by themselves. The fields of all calls are kept one after the
    other, since objects of their own would have Python collect its garbage after every few calls.
    """

    def __init__(self, writes: Writes) -> None:
        self.writes = writes
        self.next = writes.next
        self._calls: deque[Any] = deque(maxlen=MOST_CALLS * _FIELDS)
        self.note: Callable[[tuple[int, int, int, Any, CodeType | None, int, Any]], None] = self._calls.extend
        """Note a call: a Call's fields, with the two of its spot in the spot's place."""

    def is_last(self, call: Call) -> bool:
        """Whether the call noted after one stands elsewhere, so that what it made is what its place gives."""
        following = next(iter(self._spots(call.order)), None)
        return following is None or following != call.spot

    def again(self, call: Call, order: int) -> bool:
        """Whether a call of the same place was made after a moment."""
        return any(spot == call.spot for spot in self._spots(order))

    def _spots(self, order: int) -> Iterator[Spot | None]:
        """The places of the calls after a moment, oldest first."""
        noted = tuple(self._calls)
        for at in range(bisect_right(noted[::_FIELDS], order) * _FIELDS, len(noted), _FIELDS):
            yield _spot(noted[at + 4], noted[at + 5])

    def made(self, sequence: int) -> Call | None:
        """The last call that made a node of that number."""
        noted = tuple(self._calls)
        firsts, lasts = noted[1::_FIELDS], noted[2::_FIELDS]
        for number in range(len(firsts) - 1, -1, -1):
            if firsts[number] <= sequence < lasts[number]:
                order, first, last, function, code, instruction, module = noted[number * _FIELDS :][:_FIELDS]
                return Call(order, first, last, function, _spot(code, instruction), module)
        return None


def _spot(code: CodeType | None, instruction: int) -> Spot | None:
    return None if code is None else Spot(code, instruction)
