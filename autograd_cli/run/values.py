"""Tensors and Python values as plain data for a report."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from autograd_cli.errors import LimitError
from autograd_cli.report import Summary, Values
from autograd_cli.report.records import MOST_ELEMENTS
from autograd_cli.report.values import summary
from autograd_cli.run.nested import check_depth, is_nested, is_table

VALUES_LIMIT = MOST_ELEMENTS
_COMMON = frozenset({torch.float64, torch.float32, torch.float16, torch.bfloat16})
_ADDRESS = re.compile(r" object at 0x[0-9a-f]+")


def plain(value: Any, limit: int | None = VALUES_LIMIT) -> Values:
    """`value` as nested tuples in the layout of its shape, or a Summary above `limit` elements.

    None for a tensor without data (meta). Python numbers, strings and sequences of
    them come back as they are, lists as tuples; anything else as Python writes it,
    without its address.
    """
    if isinstance(value, torch.Tensor):
        return _tensor(value, limit)
    if is_nested(value):
        try:
            check_depth(value)
        except (RecursionError, LimitError):
            return f"a {type(value).__name__} too deep to show"
    if isinstance(value, list | tuple):
        return tuple(plain(item, limit) for item in value)
    if isinstance(value, bool | int | float | complex | str) or value is None:
        return value
    return _ADDRESS.sub("", str(value))


def _tensor(tensor: torch.Tensor, limit: int | None) -> Values:
    if tensor.is_meta:
        return None
    if tensor._is_zerotensor():  # a gradient that is 0 everywhere has no memory to read
        tensor = torch.zeros(tensor.shape, dtype=tensor.dtype)
    if limit is not None and tensor.numel() > limit:
        return _summary(tensor.detach())
    values = tensor.tolist()
    return _frozen(values, tensor.ndim) if tensor.ndim else values


def _frozen(nested: list[Any], depth: int) -> tuple[Any, ...]:
    """Lists in each other, so many deep, as tuples."""
    if depth == 1:
        return tuple(nested)
    if depth == 2:
        return tuple(map(tuple, nested))
    return tuple([_frozen(item, depth - 1) for item in nested])


def _summary(tensor: torch.Tensor) -> Summary:
    count, tensor = tensor.numel(), _written_once(tensor)
    times = count // max(tensor.numel(), 1)
    if count and tensor.dtype in _COMMON and bool(tensor.sum().isfinite()):  # so all of it is
        low, high = tensor.aminmax()
        return summary(count, (low.item(), high.item()), 0, 0)
    nan, inf = torch.isnan(tensor), torch.isinf(tensor)
    finite = tensor[~(nan | inf)].to(torch.uint8 if tensor.dtype == torch.bool else tensor.dtype)
    has_ends = finite.numel() and not tensor.is_complex()
    ends = (finite.min().item(), finite.max().item()) if has_ends else None
    return summary(count, ends, times * int(nan.sum()), times * int(inf.sum()))


def _written_once(tensor: torch.Tensor) -> torch.Tensor:
    """`tensor` without the repeats of an expanded dimension, which may be more than memory holds."""
    for dim, stride in enumerate(tensor.stride()):
        if stride == 0 and tensor.shape[dim] > 1:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of a tensor; None for anything else."""
    return tuple(value.shape) if isinstance(value, torch.Tensor) else None


def dtype_of(value: Any) -> str:
    """ "float32" for a tensor of that dtype, the name of its type for a Python value."""
    if isinstance(value, torch.Tensor):
        return dtype_name(value.dtype)
    return type(value).__name__


@cache
def dtype_name(dtype: torch.dtype) -> str:
    """ "float32" for torch.float32."""
    return str(dtype).removeprefix("torch.")


def device_of(value: Any) -> str:
    """The device of a tensor as torch writes it; "" for a Python value."""
    return device_name(value.device) if isinstance(value, torch.Tensor) else ""


@cache
def device_name(device: torch.device) -> str:
    """ "cuda:0" for that device."""
    return str(device)


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in a value: itself, or those in a tuple or list of results."""
    if isinstance(value, torch.Tensor):
        return [value]
    if not isinstance(value, tuple | list) or is_table(value):
        return []
    if not is_nested(value):
        return [tensor for item in value for tensor in tensors_in(item)]
    return list(_tensors_in(value))


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Those of lists in lists, each list looked at once."""
    seen, waiting = set(), [value]
    while waiting:
        top = waiting.pop()
        if isinstance(top, torch.Tensor):
            yield top
        elif isinstance(top, tuple | list) and id(top) not in seen:
            seen.add(id(top))
            waiting += reversed(top)
