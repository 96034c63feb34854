"""What a node keeps for backward, read from its `_saved_…` attributes."""

from collections.abc import Iterator
from functools import cache

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.report import Saved
from autograd_cli.run.values import dtype_name, tensors_in

_PREFIX = "_saved_"
_RAW = "_raw_saved_"
"""torch has an attribute of this prefix beside each that holds tensors, none beside a plain number."""


class SavedTensors:
    """Reads what nodes keep; storages are numbered in the order in which they appear.

    `storages` are their bytes, by number.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self.storages: list[int] = []

    def of(self, node: GradFn) -> tuple[Saved, ...]:
        """The tensors that `node` keeps; fewer where torch no longer gives them out."""
        names = _saved_names(type(node))
        if not names:
            return ()
        found: list[Saved] = []
        for name, attribute in names:
            try:
                value = getattr(node, attribute)
            except RuntimeError:  # freed, or changed in place since it was saved
                continue
            # One tensor is by far the usual case, and a graph may have a million nodes.
            if isinstance(value, torch.Tensor):
                found.append(self._kept(name, value))
            else:
                found += [self._kept(name, tensor) for tensor in tensors_in(value)]
        return tuple(found)

    def _kept(self, name: str, tensor: torch.Tensor) -> Saved:
        storage = tensor.untyped_storage()
        number = self._numbers.setdefault(storage._cdata, len(self._numbers))
        if number == len(self.storages):
            self.storages.append(storage.nbytes())
        return Saved(name, tuple(tensor.shape), dtype_name(tensor.dtype), tensor.nbytes, number)


def kept(node: GradFn) -> Iterator[torch.Tensor]:
    """The tensors themselves that `node` keeps; none where a backward has freed them."""
    for _, attribute in _saved_names(type(node)):
        try:
            value = getattr(node, attribute)
        except RuntimeError:  # freed, or changed in place since it was saved
            continue
        yield from tensors_in(value)


def is_freed(node: GradFn) -> bool:
    """Whether a backward went through `node` and freed the tensors that it kept."""
    for _, attribute in _saved_names(type(node)):
        try:
            getattr(node, attribute)
        except RuntimeError as error:
            return "a second time" in str(error)
    return False


@cache
def _saved_names(kind: type) -> tuple[tuple[str, str], ...]:
    """The names under which nodes of a class keep tensors, each with its attribute."""
    names = [name.removeprefix(_RAW) for name in dir(kind) if name.startswith(_RAW)]
    # A Function written in Python has `saved_tensors`, without the underscore.
    return tuple(
        (name, _PREFIX + name if hasattr(kind, _PREFIX + name) else f"saved_{name}") for name in names
    )
