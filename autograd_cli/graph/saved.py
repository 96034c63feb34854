"""What a node keeps for backward, read from its `_saved_…` attributes."""

from collections.abc import Iterable
from functools import cache

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.report import Saved
from autograd_cli.run.values import dtype_of, tensors_in

_PREFIX = "_saved_"


class SavedTensors:
    """Reads what nodes keep; storages are numbered in the order in which they appear."""

    def __init__(self) -> None:
        self._storages: dict[int, int] = {}
        self._bytes: dict[int, int] = {}

    def of(self, node: GradFn) -> tuple[Saved, ...]:
        """The tensors that `node` keeps; fewer where torch no longer gives them out."""
        return tuple(
            Saved(name, tuple(t.shape), dtype_of(t), t.numel() * t.element_size(), self._storage(t))
            for name in _saved_names(type(node))
            for t in _tensors(node, name)
        )

    def kept_bytes(self) -> int:
        """The bytes of all storages seen, each counted once."""
        return sum(self._bytes.values())

    def _storage(self, tensor: torch.Tensor) -> int:
        storage = tensor.untyped_storage()
        key = storage._cdata
        number = self._storages.setdefault(key, len(self._storages))
        self._bytes[number] = storage.nbytes()
        return number


@cache
def _saved_names(kind: type) -> tuple[str, ...]:
    return tuple(name.removeprefix(_PREFIX) for name in dir(kind) if name.startswith(_PREFIX))


def _tensors(node: GradFn, name: str) -> Iterable[torch.Tensor]:
    try:
        return tensors_in(getattr(node, _PREFIX + name))
    except RuntimeError:  # freed, or changed in place since it was saved
        return ()
