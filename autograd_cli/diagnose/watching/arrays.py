"""Arrays of NumPy that share memory with tensors: what they change, no call of torch tells."""

import ctypes
import zlib
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import ref

import numpy
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from autograd_cli.diagnose.watching.graphs import nodes_of
from autograd_cli.diagnose.watching.mode import Made, storage_of
from autograd_cli.diagnose.watching.places import place
from autograd_cli.diagnose.watching.records import Spot, Write, Writes
from autograd_cli.diagnose.watching.writers import writer
from autograd_cli.run.values import dtype_name

_MOST_BYTES = 1 << 18
_MOST_READ = 1 << 21
"""Bytes of which prints are taken from one backward to the next."""

_LEAST_READ = 1 << 11
_MOST_SHARED = 64
_MOST_ARRAYS = 16
_MOST_PRINTS = 64
_MOST_TURNS = 4
"""Backwards that a print of a graph which none of them went through is kept for."""


@dataclass
class _Shared:
    """Memory that arrays share: `arrays` refer weakly to those made of a tensor; one that a tensor was
    made of stays as long as the memory does.
    """

    spot: Spot | None
    memory: Any
    arrays: list[Any] = field(default_factory=list)
    is_lasting: bool = False

    def is_alive(self) -> bool:
        """Whether an array may still write into the memory."""
        is_held = self.is_lasting or any(array() is not None for array in self.arrays)
        return is_held and not self.memory.expired()


class _Region(NamedTuple):
    """The elements of a memory that a tensor has: `offset` and `strides` in bytes."""

    storage: int
    shape: tuple[int, ...]
    itemsize: int
    offset: int
    strides: tuple[int, ...]


@dataclass
class _Print:
    """What a region was like when a call was made on it; `is_done` once a backward has gone through it.

    `call` is the order of the call, whose nodes end at `last`.
    """

    order: int
    call: int
    last: int
    spot: Spot | None
    region: _Region
    memory: Any
    dtype: str
    value: int
    turn: int
    is_done: bool = False

    def done(self, *passed: Any) -> None:
        """A backward goes through the call."""
        self.is_done = True


@dataclass(frozen=True, slots=True)
class _Compared(Write):
    """The change of memory that calls before an array was made of it may have kept.

    `was` is what the array's part of it held then, from the byte `start` on.
    """

    was: bytes = b""
    start: int = 0


@dataclass
class _Copy:
    """What memory held from `start` on when an array was made of it."""

    order: int
    sequence: int
    storage: int
    spot: Spot | None
    memory: Any
    shape: tuple[int, ...]
    dtype: str
    start: int
    was: bytes
    turn: int


class Memories:
    """The memory that arrays share, whatever thread made them.

    There is no lock: a process that is forked while another thread holds one would wait for it forever.
    Each step takes or puts one entry, so that the worst that threads do to each other is to lose one.
    """

    def __init__(self) -> None:
        self.shared: dict[int, _Shared] = {}

    def share(self, tensor: torch.Tensor, spot: Spot | None, array: Any) -> None:
        """Note that an array has the memory of a tensor; None for one that the tensor was made of."""
        storage = storage_of(tensor)
        if storage is None or not tensor.is_cpu:
            return
        memory = tensor.untyped_storage()
        if 0 < memory.nbytes() <= _MOST_BYTES:
            self._share(storage, memory, spot, array)

    def _share(self, storage: int, memory: torch.UntypedStorage, spot: Spot | None, array: Any) -> None:
        shared = self.shared.pop(storage, None)
        if shared is None or not shared.is_alive():
            shared = _Shared(spot, _memory(memory))
        if array is None:
            shared.is_lasting = True
        else:
            alive = [each for each in shared.arrays if each() is not None]
            shared.arrays = [*alive[-_MOST_ARRAYS:], ref(array)]
        if len(self.shared) >= _MOST_SHARED:
            self.shared.pop(next(iter(list(self.shared)), storage), None)
        self.shared[storage] = shared

    def has(self, storage: int) -> bool:
        """Whether an array may still write into the memory."""
        shared = self.shared.get(storage)
        if shared is not None and not shared.is_alive():
            self.shared.pop(storage, None)
            return False
        return shared is not None

    def spot(self, storage: int) -> Spot | None:
        """Where the first array was made."""
        shared = self.shared.get(storage)
        return shared.spot if shared else None


class Arrays:
    """Takes the print of small memory that an array shares, each time that a call of a thread may keep it.

    A print stands for one call until a backward has gone through that: what is written into the memory
    then is nothing to it.
    """

    def __init__(self, writes: Writes, memories: Memories) -> None:
        self._writes = writes
        self._memories = memories
        self._prints: deque[_Print] = deque(maxlen=_MOST_PRINTS)
        self._copies: deque[_Copy] = deque(maxlen=_MOST_SHARED)
        self._turn = 0
        self._read = 0

    def share(self, tensor: torch.Tensor, spot: Spot | None, array: Any) -> None:
        """Note that an array was made of a tensor, whose memory calls before may have kept."""
        self._memories.share(tensor, spot, array)
        storage = storage_of(tensor)
        if storage is not None and self._memories.has(storage):
            self._copy(tensor, storage, spot)

    def _copy(self, tensor: torch.Tensor, storage: int, spot: Spot | None) -> None:
        start, end = _extent(tensor)
        self._read += max(end - start, _LEAST_READ)
        if self._read > _MOST_READ:
            return
        memory = _memory(tensor.untyped_storage())
        was = _bytes(memory, start, end)
        if was is not None:
            sequence = torch._C._autograd._get_sequence_nr()
            what = tuple(tensor.shape), dtype_name(tensor.dtype), start, was, self._turn
            self._copies.append(_Copy(self._writes.next(), sequence, storage, spot, memory, *what))

    def listen(self, made: Made) -> None:
        """Look at a call that made nodes."""
        regions: set[_Region] = set()
        for tensor in (*made.tensors, made.result):
            storage = storage_of(tensor) if isinstance(tensor, torch.Tensor) else None
            if storage is not None and self._memories.has(storage):
                region = _region(tensor, storage)
                if region not in regions:
                    regions.add(region)
                    self._take(made, tensor, region)

    def _take(self, made: Made, tensor: torch.Tensor, region: _Region) -> None:
        self._read += max(tensor.numel() * tensor.itemsize, _LEAST_READ)
        if self._read > _MOST_READ:
            return
        nodes, memory = nodes_of(made), _memory(tensor.untyped_storage())
        value = _print(memory, region) if nodes else None
        if value is not None:
            call, dtype = (made.order, made.last, made.spot), dtype_name(tensor.dtype)
            taken = _Print(self._writes.next(), *call, region, memory, dtype, value, self._turn)
            nodes[0].register_prehook(taken.done)
            self._prints.append(taken)

    def changed(self, step: Spot | None) -> list[Write]:
        """The changes since the calls that were looked at, each once; after a `step` they are its own."""
        values: dict[_Region, int | None] = {}
        found: list[Write] = []
        for each in list(self._prints):
            if each.region not in values:
                values[each.region] = _print(each.memory, each.region)
            value = values[each.region]
            if value == each.value:
                continue
            self._prints.remove(each)
            if value is not None and not self._is_known(each.order, each.region.storage):
                found.append(self._write(each, step))
        return [*found, *self._compared(step)]

    def _is_known(self, order: int, storage: int) -> bool:
        return any(write.order > order for write in self._writes.into(storage))

    def _compared(self, step: Spot | None) -> list[Write]:
        """The changes since arrays were made of memory; where one of its arrays tells who, that one alone."""
        found: list[Write] = []
        for each in list(self._copies):
            now = _bytes(each.memory, each.start, each.start + len(each.was))
            if now == each.was:
                continue
            self._copies.remove(each)
            if now is not None and not self._is_known(each.order, each.storage):
                found.append(_of_copy(each, step))
        told = {storage for write in found if write.spot for storage in write.versions}
        return [write for write in found if write.spot or not told & set(write.versions)]

    def _write(self, seen: _Print, step: Spot | None) -> Write:
        """The change as a write that came right after the call, and is seen by that alone."""
        guilty = step or writer(place(self._memories.spot(seen.region.storage)), place(seen.spot))
        return Write(
            seen.order,
            seen.last,
            {seen.region.storage: (0, 0)},
            "step" if step else "numpy",
            guilty,
            None,
            seen.region.shape,
            seen.dtype,
            untracked=True,
            is_step=step is not None,
            since=seen.call,
        )

    def ended(self, keeps: bool) -> None:
        """A backward has ended, which `keeps` its graph or not: no value of one that is gone is needed."""
        self._turn += 1
        self._read = 0
        oldest = self._turn - _MOST_TURNS
        for each in list(self._prints):
            if (each.is_done and not keeps) or each.turn < oldest:
                self._prints.remove(each)
            each.is_done = False
        while self._copies and self._copies[0].turn < oldest:
            self._copies.popleft()


def _of_copy(seen: _Copy, step: Spot | None) -> Write:
    """The change as a write that came right after an array was made, and is seen by the calls before."""
    made = place(seen.spot)
    return _Compared(
        seen.order,
        seen.sequence,
        {seen.storage: (0, 0)},
        "step" if step else "numpy",
        step or writer(made, made),
        None,
        seen.shape,
        seen.dtype,
        untracked=True,
        is_step=step is not None,
        was=seen.was,
        start=seen.start,
    )


def touches(write: Write, tensor: torch.Tensor) -> bool:
    """Whether a write may have changed elements of a tensor that has its memory."""
    if not isinstance(write, _Compared):
        return True
    storage = tensor.untyped_storage()
    now = _bytes(_memory(storage), 0, storage.nbytes())
    if now is None:
        return False
    then = now[: write.start] + write.was + now[write.start + len(write.was) :]
    region = _region(tensor, 0)
    return _elements(region, bytearray(now)) != _elements(region, bytearray(then))


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The bytes of its memory that the elements of a tensor lie in: the first, and that after the last."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    start = int(tensor.storage_offset()) * tensor.itemsize
    return start, start + (last + 1) * tensor.itemsize if tensor.numel() else start


def _region(tensor: torch.Tensor, storage: int) -> _Region:
    size = tensor.itemsize
    strides = tuple(size * each for each in tensor.stride())
    return _Region(storage, tuple(tensor.shape), size, size * int(tensor.storage_offset()), strides)


def _memory(storage: torch.UntypedStorage) -> Any:
    """What refers weakly to a memory, whatever tensors have it."""
    refer: Any = StorageWeakRef
    return refer(storage)


def _whole(memory: Any) -> Any:
    """The bytes of a memory, as they are at any time; None where it is gone, or has none."""
    storage = torch.UntypedStorage._new_with_weak_ptr(memory.cdata)
    if storage is None or not storage.data_ptr():
        return None
    whole: Any = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    whole.storage = storage  # which stays as long as its bytes are looked at
    return whole


def _bytes(memory: Any, start: int, end: int) -> bytes | None:
    """What a memory holds from one byte to another; None where it is gone, or was made smaller."""
    whole = _whole(memory)
    return None if whole is None or len(whole) < end else bytes(memoryview(whole)[start:end])


def _elements(region: _Region, whole: Any) -> bytes:
    """What the elements of a region hold."""
    kind = f"V{region.itemsize}"
    return numpy.ndarray(region.shape, kind, whole, region.offset, region.strides).tobytes()


def _print(memory: Any, region: _Region) -> int | None:
    """The print of a region; None where the memory is gone, or another."""
    whole = _whole(memory)
    if whole is None:
        return None
    try:
        return zlib.crc32(_elements(region, whole))
    except (TypeError, ValueError):  # it was made smaller
        return None
