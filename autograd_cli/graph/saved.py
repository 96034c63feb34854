"""What a node keeps for backward, read from its `_saved_…` attributes."""

from functools import cache

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.report import Saved
from autograd_cli.run.values import dtype_name, tensors_in

_PREFIX = "_saved_"


class SavedTensors:
    """Reads what nodes keep; storages are numbered in the order in which they appear."""

    def __init__(self) -> None:
        self._storages: dict[int, int] = {}
        self._bytes: dict[int, int] = {}

    def of(self, node: GradFn) -> tuple[Saved, ...]:
        """The tensors that `node` keeps; fewer where torch no longer gives them out."""
        found: list[Saved] = []
        for name, attribute in _saved_names(type(node)):
            try:
                value = getattr(node, attribute)
            except RuntimeError:  # freed, or changed in place since it was saved
                continue
            # One tensor is by far the usual case, and a graph may have a million nodes.
            for tensor in (value,) if isinstance(value, torch.Tensor) else tensors_in(value):
                shape, size = tuple(tensor.shape), tensor.nbytes
                found.append(Saved(name, shape, dtype_name(tensor.dtype), size, self._storage(tensor)))
        return tuple(found)

    def kept_bytes(self) -> int:
        """The bytes of all storages seen, each counted once."""
        return sum(self._bytes.values())

    def _storage(self, tensor: torch.Tensor) -> int:
        storage = tensor.untyped_storage()
        key = storage._cdata
        number = self._storages.get(key)
        if number is None:
            number = self._storages[key] = len(self._storages)
            self._bytes[number] = storage.nbytes()
        return number


@cache
def _saved_names(kind: type) -> tuple[tuple[str, str], ...]:
    """The names under which nodes of a class keep tensors, each with its attribute."""
    names = [name for name in dir(kind) if name.startswith(_PREFIX)]
    return tuple((name.removeprefix(_PREFIX), name) for name in names)
