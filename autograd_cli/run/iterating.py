"""What a loop goes over, and what is unpacked: items that stay values of the run."""

from collections.abc import Iterator
from typing import Any

import torch

from autograd_cli.lang import lookup
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.operations import callable_for
from autograd_cli.run.recording import recorder, taken
from autograd_cli.run.state import TENSORS, State, current
from autograd_cli.run.traced import NONE_NAMED, Traced

_item = callable_for(lookup.operator("[]"))


def iterated(state: State, argument: Any, node: Expr) -> Iterator[Any]:
    """The items of an argument; raises what Python raises where it has none."""
    if type(argument) is not Traced:
        return map(current, iter(argument)) if type(argument) in (list, tuple) else iter(argument)
    value = argument.value
    if type(value) in TENSORS:
        return _rows(state, argument, node)
    if isinstance(value, list | tuple):
        return _items(state, argument, node)
    return iter(value)


def _rows(state: State, argument: Traced, node: Expr) -> Iterator[Any]:
    """The rows of a tensor, as Python's `iter` makes them: all at once."""
    tensor: torch.Tensor = argument.value
    if not tensor.dim():
        iter(tensor)  # raises its TypeError
    unbind = torch.Tensor.unbind
    record = recorder(state, node, lookup.method("unbind"), unbind, (node,))
    rows = record(unbind(tensor), (argument,), NONE_NAMED, (tensor,))
    return _items(state, rows, node) if type(rows) is Traced else iter(rows)


def _items(state: State, argument: Traced, node: Expr) -> Iterator[Any]:
    """The items of several results."""
    for place, item in enumerate(argument.value):
        is_tensor = type(item) in TENSORS
        yield taken(state, node, _item, (argument, place), item) if is_tensor else item


_FLAT = frozenset({list, tuple, torch.Size})


def unpacked(state: State, argument: Any, count: int, node: Expr) -> list[Any]:
    """Exactly `count` items of an argument; ValueError, in Python's words, where there are others."""
    if type(argument) in _FLAT and len(argument) == count:
        return [current(item) for item in argument]
    try:
        items = iterated(state, argument, node)
    except TypeError as error:
        if "0-d tensor" in str(error):
            raise
        kind = type(argument.value if type(argument) is Traced else argument).__name__
        raise TypeError(f"cannot unpack non-iterable {kind} object") from None
    found = [item for _, item in zip(range(count + 1), items, strict=False)]
    if len(found) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(found)})")
    if len(found) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    return found
