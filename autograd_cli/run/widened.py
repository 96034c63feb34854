"""Casts inside of a person's own code to less than double precision, made to double where that is looked at.

In a replay of the language's own calls a cast to float32 is one to float64, so that a difference
that it makes is a matter of rounding. Here the same is done for what their code calls.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_WIDE = {
    torch.float32: torch.float64,
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.complex64: torch.complex128,
    torch.complex32: torch.complex128,
}
_CASTS = {
    **dict.fromkeys(("float", "half", "bfloat16"), torch.float64),
    **dict.fromkeys(("cfloat", "chalf"), torch.complex128),
}

_inside = 0


class _Widened(TorchFunctionMode):
    """Makes every cast to less than double precision one to double precision."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _CASTS and args and isinstance(args[0], torch.Tensor):
            return args[0].to(_CASTS[name])
        return func(*map(_wide, args), **{key: _wide(value) for key, value in given.items()})


def _wide(value: Any) -> Any:
    return _WIDE.get(value, value) if isinstance(value, torch.dtype) else value


@contextmanager
def widened(on: bool = True) -> Iterator[None]:
    """Casts inside go to double precision; with `on` False they are as they are written."""
    global _inside
    if not on:
        yield
        return
    _inside += 1
    try:
        with _Widened():
            yield
    finally:
        _inside -= 1


def mark(value: Any) -> Any:
    """The value that a Function gave; where casts go to double, those of its backward will as well."""
    if _inside:
        for each in value if isinstance(value, tuple) else (value,):
            node = each.grad_fn if isinstance(each, torch.Tensor) and each.requires_grad else None
            if isinstance(node, torch.autograd.function.BackwardCFunction):
                node.agx_widened = True
    return value


def is_marked(node: Any) -> bool:
    """Whether casts in the backward of a node go to double precision."""
    return bool(getattr(node, "agx_widened", False))
