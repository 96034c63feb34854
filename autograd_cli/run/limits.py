"""Memory and lists refused before they are made.

Predicting every result would cost more than most calls, so a result is predicted (on
the meta device, which holds no data) only where a cheap bound on the arguments is
large: a big number among them, or operands that broadcast to many elements.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from math import prod
from types import ModuleType
from typing import Any

import torch

from autograd_cli.errors import LimitError
from autograd_cli.lang.arithmetic import too_many
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.report.values import bytes_text, shape_text
from autograd_cli.run.values import dtype_name, tensors_in

SMALL = 1 << 20
"""A bound of fewer elements than this is not worth a prediction, whatever the limit is."""

_WIDEST = 16
"""Bytes of the widest element, a complex number of two doubles."""


def refuse_if_too_large(
    function: Function, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], limit: int
) -> None:
    """Nothing, or LimitError AGX604 when the call would make more than `limit` bytes."""
    values = (*args, *kwargs.values())
    elements = bound_of(function)(values)
    if elements < SMALL or elements * _WIDEST <= limit:
        return
    for made in _predicted(call, args, kwargs):
        size = made.untyped_storage().nbytes()  # a view has its base's: expand costs nothing
        if size > limit:
            raise LimitError(
                "AGX604",
                f"`{function.name}` would make a tensor of shape {shape_text(made.shape)} "
                f"{dtype_name(made.dtype)}, {bytes_text(size)}; the limit is {bytes_text(limit)}.",
                hint="Make it smaller, or raise the limit with --max-memory.",
            )


_ITEMS: dict[str, Callable[[torch.Tensor], int]] = {
    "tolist": torch.Tensor.numel,
    "list": lambda tensor: tensor.shape[0] if tensor.ndim else 0,
    "tuple": lambda tensor: tensor.shape[0] if tensor.ndim else 0,
}
"""How many items what makes a list of a tensor makes, by the name of the function."""

COUNTED = frozenset(_ITEMS)
"""The names of the functions whose list is counted before it is made."""


def refuse_if_too_many(function: Function, args: tuple[Any, ...], limit: int) -> None:
    """Nothing, or LimitError AGX606 when the call would make a list of more than `limit` items."""
    counted = _ITEMS.get(function.name)
    if counted is None or not args or not isinstance(args[0], torch.Tensor):
        return
    count = counted(args[0])
    if count > limit:
        raise too_many(f"`{function.name}` would make a list of", count, limit)


def out_of_memory(function: Function, limit: int) -> LimitError:
    """AGX604 for a call whose need showed only while it ran."""
    return LimitError(
        "AGX604",
        f"`{function.name}` needs more memory than there is; the limit is {bytes_text(limit)} beyond start.",
        hint="Make it smaller, or raise the limit with --max-memory.",
    )


def refuse_output(output: torch.Tensor, limit: int) -> None:
    """Nothing, or LimitError AGX604 where the cotangent of a large view would pass `limit` bytes."""
    size = output.numel() * output.element_size()
    if size > limit and not output.is_meta:
        raise LimitError(
            "AGX604",
            f"A backward from an output of shape {shape_text(output.shape)} sends as many numbers, "
            f"{bytes_text(size)}; the limit is {bytes_text(limit)}.",
            hint="Make one number of it, `.sum()`, or raise the limit with --max-memory.",
        )


def bound_of(function: Function) -> Callable[[Iterable[Any]], float]:
    """What bounds the elements that a call may make, from its arguments alone."""
    if function.kind is Kind.ELEMENTWISE:
        return broadcast
    return _squared if function.name in _SQUARES else estimate


_SQUARES = frozenset({"eye", "identity"})
"""What makes n * n elements of a number n."""


def estimate(values: Iterable[Any]) -> float:
    """An upper estimate of the elements that a call may make, from its arguments alone."""
    numbers, elements = _product(values, 1.0, 1.0)
    return numbers * elements


def _squared(values: Iterable[Any]) -> float:
    return estimate(values) ** 2


def broadcast(values: Iterable[Any]) -> float:
    """The same of a function of elements: a number makes no result larger.

    Tensors are only laid over each other where the product of their elements is large.
    """
    given = tuple(values)
    most = _product(given, 1.0, 1.0)[1]
    if most < SMALL or any(isinstance(value, list | tuple) for value in given):
        return most
    shapes = [reversed(value.shape) for value in given if type(value) in _TENSORS]
    return float(prod(max(sizes) for sizes in zip_longest(*shapes, fillvalue=1)))


def _product(values: Iterable[Any], numbers: float, elements: float) -> tuple[float, float]:
    """The product of the numbers, and that of the elements of tensors."""
    for value in values:
        kind = type(value)
        if kind is int or kind is float:
            if value > 1 or value < -1:
                numbers *= abs(value)
            elif kind is float and value:
                numbers /= abs(value)
        elif kind in _TENSORS:
            elements *= value.numel() or 1
        elif kind is list or kind is tuple or isinstance(value, list | tuple):
            numbers, elements = _product(value, numbers, elements)
    return numbers, elements


_TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})


def _predicted(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The results of a call without their data; none where torch cannot tell."""
    named = {**kwargs, "device": "meta"} if not tensors_in((args, tuple(kwargs.values()))) else kwargs
    try:
        with torch.no_grad(), _without_compiler():
            return tensors_in(call(*_on_meta(args), **_on_meta(named)))
    except Exception:  # data-dependent results, or an error that the real call will raise
        return []


@contextmanager
def _without_compiler() -> Iterator[None]:
    """Keep torch's compiler from being loaded, seconds of work.

    Many functions are written in Python on the meta device, and ask the compiler not to compile
    them; a stand-in that leaves them as they are is enough for that.
    """
    name = "torch._dynamo"
    if name in sys.modules:
        yield
        return
    stand_in: Any = ModuleType(name)
    stand_in.disable = lambda function, *_, **__: function
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        del sys.modules[name]


def _on_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, tuple | list):
        return type(value)(map(_on_meta, value))
    if isinstance(value, dict):
        return {name: _on_meta(item) for name, item in value.items()}
    return value
