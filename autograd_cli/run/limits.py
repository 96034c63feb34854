"""Memory refused before it is taken.

Predicting every result would cost more than most calls, so a result is predicted (on
the meta device, which holds no data) only where a cheap bound on the arguments is
large: a big number among them, or operands that broadcast to many elements.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from autograd_cli.errors import LimitError
from autograd_cli.lang.functions.rows import Function
from autograd_cli.run.values import tensors_in

_SMALL = 1 << 20
"""A bound of fewer elements than this is not worth a prediction."""


def refuse_if_too_large(
    function: Function, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], limit: int
) -> None:
    """Nothing, or LimitError AGX604 when the call would make more than `limit` bytes."""
    if _bound(args, kwargs) < _SMALL:
        return
    for made in _predicted(call, args, kwargs):
        size = made.untyped_storage().nbytes()  # a view has its base's: expand costs nothing
        if size > limit:
            raise LimitError(
                "AGX604",
                f"`{function.name}` would make a tensor of shape {_shape(made)} {_dtype(made)}, "
                f"{in_bytes(size)}; the limit is {in_bytes(limit)}.",
                hint="Make it smaller, or raise the limit with --max-memory.",
            )


def in_bytes(size: int) -> str:
    """A number of bytes as a person reads it: "8 B", "40.0 KiB", "1.0 GiB"."""
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def _bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """An upper estimate of the elements a call may make, from its arguments alone."""
    numbers, elements = 1.0, 1.0
    for value in _flat((args, tuple(kwargs.values()))):
        if isinstance(value, torch.Tensor):
            elements *= max(value.numel(), 1)
        elif isinstance(value, int | float) and abs(value) > 1:
            numbers *= abs(value)
        elif isinstance(value, float) and value:
            numbers /= abs(value)
    return numbers * elements if elements > 1 else numbers**2  # eye(n) has n * n elements


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, slice):
        return
    else:
        yield value


def _predicted(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The results of a call without their data; none where torch cannot tell."""
    named = {**kwargs, "device": "meta"} if not tensors_in((args, tuple(kwargs.values()))) else kwargs
    try:
        with torch.no_grad():
            return tensors_in(call(*_on_meta(args), **_on_meta(named)))
    except Exception:  # data-dependent results, or an error that the real call will raise
        return []


def _on_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, tuple | list):
        return type(value)(map(_on_meta, value))
    if isinstance(value, dict):
        return {name: _on_meta(item) for name, item in value.items()}
    return value


def _shape(tensor: torch.Tensor) -> str:
    return f"({','.join(map(str, tensor.shape))}{',' * (tensor.ndim == 1)})"


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
