"""What was written in place: the memory as it was before each write.

A report, a slice and a finding ask for a value as it was at some moment of the run. Every
write of a program goes through `about_to_write`, which keeps the whole storage as it was.
Old entries go first where they would take more than `MOST_BYTES`.
"""

import ctypes
import weakref
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch

from autograd_cli.errors import Span

MOST_BYTES = 64 << 20
MOST_ENTRIES = 10_000
_AT_ONCE = 500
"""So many more entries are gathered before the oldest go."""


@dataclass(slots=True)
class Write:
    """A write: when (the number of the Traced it makes), where, into which storage, what was there before.

    `storage` is the address of the memory, since an array of NumPy and a tensor of one memory have
    a storage each.

    `untracked` marks a write that torch's version counter does not see: through .data or NumPy.
    """

    number: int
    span: Span
    storage: int
    kept: bytes | torch.UntypedStorage
    untracked: bool = False

    @property
    def before(self) -> torch.UntypedStorage:
        """The memory as it was."""
        if isinstance(self.kept, bytes):
            self.kept = _storage(self.kept)
        return self.kept


_new = object.__new__


class _Place:
    """A memory that is written: its writes, and on the CPU how its bytes are read."""

    __slots__ = ("buffer", "size", "writes")

    def __init__(self, address: int, size: int, is_cpu: bool) -> None:
        self.size = size
        self.writes: deque[Write] = deque()
        self.buffer = (ctypes.c_char * size).from_address(address) if is_cpu else None


@dataclass(frozen=True)
class Rebase:
    """`x.data = …` before the step `number`: the same tensor on other memory; `old` has the one before."""

    number: int
    tensor: torch.Tensor
    old: torch.Tensor
    span: Span


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a tensor looked at its memory before the call `number`, such as `t_`."""

    number: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """The memory of `tensor` looked at so."""
        return tensor.detach().as_strided(self.shape, self.stride, self.offset)


class _Shaped(weakref.ref[torch.Tensor]):
    """A tensor that was given other shapes, for as long as it is alive; `key` is its own among them."""

    __slots__ = ("key", "shapes")

    key: int
    shapes: list[_Shape]


class Mutations:
    """The writes of a run, oldest first."""

    def __init__(self) -> None:
        self.writes: deque[Write] = deque()
        self.bytes = 0
        self.forgotten: dict[int, int] = {}
        self.rebased: deque[Rebase] = deque(maxlen=100)
        shaped = self._shaped = dict[int, _Shaped]()
        self._gone = lambda known: shaped.pop(known.key, None)  # what is called does not hold self
        self._places: dict[int, _Place] = {}

    def about_to_write(self, tensor: torch.Tensor, number: int, span: Span, untracked: bool = False) -> None:
        """Keep the memory of `tensor`, which the step `number` at `span` is about to write."""
        try:
            storage = tensor.untyped_storage()
            key = storage.data_ptr()
        except (RuntimeError, NotImplementedError):  # see `place_of`
            return
        if not key:
            return
        place, size = self._places.get(key), storage.nbytes()
        if place is None or place.size != size or (place.buffer is None) is tensor.is_cpu:
            if size > MOST_BYTES:
                self.forgotten[key] = number
                return
            place = self._placed(key, size, tensor.is_cpu)
        write = _new(Write)  # in half of the time that `Write(…)` takes
        write.number = number
        write.span = span
        write.storage = key
        write.kept = _copy(storage) if place.buffer is None else place.buffer.raw
        write.untracked = untracked
        self.writes.append(write)
        place.writes.append(write)
        self.bytes += size
        if self.bytes > MOST_BYTES or len(self.writes) > MOST_ENTRIES + _AT_ONCE:
            self._forget()

    def _placed(self, key: int, size: int, is_cpu: bool) -> _Place:
        """What is known of the memory at an address, which another memory may have had before."""
        made, before = _Place(key, size, is_cpu), self._places.get(key)
        if before is not None:
            made.writes = before.writes
        self._places[key] = made
        return made

    def _written(self, key: int) -> Collection[Write]:
        place = self._places.get(key)
        return () if place is None else place.writes

    def about_to_rebase(self, tensor: torch.Tensor, number: int, span: Span) -> None:
        """Keep what memory `tensor` has, which `x.data = …` at the step `number` is about to change."""
        self.rebased.append(Rebase(number, tensor, tensor.detach(), span))

    def about_to_reshape(self, tensor: torch.Tensor, number: int) -> None:
        """Keep what shape `tensor` has, which the call `number` is about to change."""
        known = self._shaped.get(id(tensor))
        if known is None:
            known = self._shaped[id(tensor)] = _Shaped(tensor, self._gone)
            known.key, known.shapes = id(tensor), []
        if len(known.shapes) < MOST_ENTRIES:
            shape, stride = tuple(tensor.shape), tuple(tensor.stride())
            known.shapes.append(_Shape(number, shape, stride, int(tensor.storage_offset())))

    def moves(self, tensor: torch.Tensor) -> list[int]:
        """The numbers of the steps that gave `tensor` other memory."""
        return [rebase.number for rebase in self.rebased if rebase.tensor is tensor]

    def reshapes(self, tensor: torch.Tensor) -> list[int]:
        """The numbers of the calls that gave `tensor` another shape."""
        return [shape.number for shape in self._shapes(tensor)]

    def _shapes(self, tensor: torch.Tensor) -> Sequence[_Shape]:
        known = self._shaped.get(id(tensor)) if self._shaped else None
        return () if known is None else known.shapes

    def value_at(self, tensor: torch.Tensor, number: int) -> torch.Tensor | None:
        """`tensor` as it was when the Traced `number` was made; None where that was forgotten.

        The tensor itself, detached, where nothing was written since.
        """
        moved = next((each for each in self.rebased if each.tensor is tensor and each.number > number), None)
        was = tensor if moved is None else moved.old
        shape = next((each for each in self._shapes(tensor) if each.number > number), None)
        if shape is not None and (moved is None or shape.number < moved.number):
            was = shape.of(was)
        if was is not tensor:
            return self.value_at(was, number)
        storage = place_of(tensor)
        if self.forgotten.get(storage, -1) > number:
            return None
        for write in self._written(storage):
            if write.number > number:
                old = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
                return old.set_(write.before, tensor.storage_offset(), tensor.shape, tensor.stride())
        return tensor.detach()

    def since(self, tensor: torch.Tensor, number: int) -> list[Write]:
        """The writes into the memory of `tensor` after the Traced `number` was made, oldest first."""
        storage = place_of(tensor)
        return [write for write in self._written(storage) if write.number > number]

    def _forget(self) -> None:
        while self.writes and (self.bytes > MOST_BYTES or len(self.writes) > MOST_ENTRIES):
            gone = self.writes.popleft()
            known = self._places[gone.storage].writes
            known.popleft()
            if not known:
                del self._places[gone.storage]
            self.bytes -= len(gone.kept) if isinstance(gone.kept, bytes) else gone.kept.nbytes()
            self.forgotten[gone.storage] = gone.number


def place_of(tensor: torch.Tensor) -> int:
    """The address of the memory of `tensor`; 0 where it has none, as a meta tensor and a symbolic zero."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):  # a gradient that is 0 everywhere, a sparse tensor
        return 0


def _storage(kept: bytes) -> torch.UntypedStorage:
    if not kept:
        return torch.UntypedStorage(0)  # type: ignore[no-untyped-call]
    return torch.frombuffer(bytearray(kept), dtype=torch.uint8).untyped_storage()


def _copy(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    made: torch.UntypedStorage = storage.clone()  # type: ignore[no-untyped-call]
    return made
