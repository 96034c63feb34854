"""Arrays of NumPy that share memory with tensors: what they change, no call of torch tells."""

import ast
import ctypes
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching.mode import Made, storage_of
from autograd_cli.diagnose.watching.places import Place, base, parsed, place, written
from autograd_cli.diagnose.watching.records import Log, Spot, Write
from autograd_cli.run.values import dtype_name

_MOST_BYTES = 1 << 18
_MOST_SHARED = 64
_MOST_PRINTS = 64
_WRITES = {"fill", "sort", "put", "partition", "itemset", "resize", "setfield", "byteswap"}


@dataclass(frozen=True)
class _Print:
    """What the memory of a tensor was like when a call was made on it; `tensor` refers to it weakly."""

    order: int
    storage: int
    tensor: Any
    value: int
    spot: Spot | None


class Arrays:
    """Takes the print of small memory that an array shares, each time that a call may keep it."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._shared: dict[int, Spot | None] = {}
        self._prints: deque[_Print] = deque(maxlen=_MOST_PRINTS)

    def share(self, tensor: torch.Tensor, spot: Spot | None) -> None:
        """Note that an array has the memory of a tensor."""
        storage = storage_of(tensor)
        if storage is not None and tensor.is_cpu and 0 < tensor.untyped_storage().nbytes() <= _MOST_BYTES:
            if len(self._shared) >= _MOST_SHARED:
                del self._shared[next(iter(self._shared))]
            self._shared[storage] = spot

    def listen(self, made: Made) -> None:
        """Look at a call that made nodes."""
        if not self._shared:
            return
        for tensor in (*made.tensors, made.result):
            storage = storage_of(tensor) if isinstance(tensor, torch.Tensor) else None
            if storage in self._shared and storage is not None:
                self._prints.append(_Print(self._log.next(), storage, ref(tensor), _print(tensor), made.spot))

    def changed(self) -> list[Write]:
        """The changes since the calls that were looked at, one for each memory; each is told once."""
        found: dict[int, Write] = {}
        for each in list(self._prints):
            tensor = each.tensor()
            if tensor is None or storage_of(tensor) != each.storage:
                self._prints.remove(each)
            elif _print(tensor) != each.value:
                self._prints.remove(each)
                if not any(write.order > each.order for write in self._log.into(each.storage)):
                    found.setdefault(each.storage, self._write(each, tensor))
        return list(found.values())

    def _write(self, seen: _Print, tensor: torch.Tensor) -> Write:
        """The change as a write that came after the call that it was seen by."""
        version = tensor._version
        return Write(
            self._log.next(),
            torch._C._autograd._get_sequence_nr(),
            {seen.storage: (version, version)},
            "numpy",
            _writer(place(self._shared.get(seen.storage)), place(seen.spot)),
            None,
            tuple(tensor.shape),
            dtype_name(tensor.dtype),
            untracked=True,
        )


def _print(tensor: torch.Tensor) -> int:
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    return zlib.crc32((ctypes.c_char * size).from_address(storage.data_ptr()))


def from_array(share: Callable[[torch.Tensor], None]) -> Callable[[Any], Any]:
    """What stands in for `torch.from_numpy`."""

    def around(before: Callable[[Any], torch.Tensor]) -> Callable[[Any], torch.Tensor]:
        def from_numpy(array: Any) -> torch.Tensor:
            made = before(array)
            share(made)
            return made

        return from_numpy

    return around


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
