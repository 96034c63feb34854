"""Arrays of NumPy that share memory with tensors: what they change, no call of torch tells."""

import ast
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
from autograd_cli.diagnose.watching.places import Place, base, parsed, place, written
from autograd_cli.diagnose.watching.records import Spot, Write, Writes
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

_WRITES = {"fill", "sort", "put", "partition", "itemset", "resize", "setfield", "byteswap"}


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
        self._turn = 0
        self._read = 0

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
            is_known = any(write.order > each.order for write in self._writes.into(each.region.storage))
            if value is not None and not is_known:
                found.append(self._write(each, step))
        return found

    def _write(self, seen: _Print, step: Spot | None) -> Write:
        """The change as a write that came right after the call, and is seen by that alone."""
        writer = step or _writer(place(self._memories.spot(seen.region.storage)), place(seen.spot))
        return Write(
            seen.order,
            seen.last,
            {seen.region.storage: (0, 0)},
            "step" if step else "numpy",
            writer,
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


def _region(tensor: torch.Tensor, storage: int) -> _Region:
    size = tensor.itemsize
    strides = tuple(size * each for each in tensor.stride())
    return _Region(storage, tuple(tensor.shape), size, size * int(tensor.storage_offset()), strides)


def _memory(storage: torch.UntypedStorage) -> Any:
    """What refers weakly to a memory, whatever tensors have it."""
    refer: Any = StorageWeakRef
    return refer(storage)


def _print(memory: Any, region: _Region) -> int | None:
    """The print of a region; None where the memory is gone, or another."""
    storage = torch.UntypedStorage._new_with_weak_ptr(memory.cdata)
    if storage is None or not storage.data_ptr():
        return None
    whole: Any = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    try:
        seen = numpy.ndarray(region.shape, f"V{region.itemsize}", whole, region.offset, region.strides)
    except (TypeError, ValueError):  # it was made smaller
        return None
    return zlib.crc32(seen.tobytes())


# Who writes into the array


def _writer(shared: Place | None, kept: Place | None) -> Place | None:
    """The statement that writes into an array made at a place: the first below what kept it, or the one."""
    if shared is None:
        return None
    names = set(_names(shared))
    tree = parsed(shared.file)
    every = [node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.stmt)]
    found = sorted((n for n in every if _writes(n, names)), key=lambda node: node.lineno)
    below = [node for node in found if kept and kept.file == shared.file and node.lineno > kept.line]
    if not below and len(found) != 1:
        return None
    statement = (below or found)[0]
    return Place(shared.file, statement.lineno, shared.function, statement.col_offset, None, statement)


def _names(shared: Place) -> list[str]:
    """What the array is called: the name that is given to it, or that it is read by."""
    statement = shared.statement
    if not isinstance(statement, ast.Assign):
        return []
    targets = [target.id for target in statement.targets if isinstance(target, ast.Name)]
    calls = (each for each in ast.walk(statement.value) if isinstance(each, ast.Call))
    given = [call.args for call in calls if ast.unparse(call.func).endswith("from_numpy")]
    reads = [each.id for args in given for each in args if isinstance(each, ast.Name)]
    return reads or targets


def _writes(statement: ast.stmt, names: set[str]) -> bool:
    target = written(statement)
    if target is not None and base(target) in names and not isinstance(target, ast.Attribute):
        return True
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr in _WRITES and base(call.func.value) in names
