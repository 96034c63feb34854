"""What a call leaves to the dtype, written out: in another precision torch would take another number."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from autograd_cli.lang.functions.limits import FROM_DTYPE
from autograd_cli.lang.functions.rows import Function

Given = tuple[tuple[Any, ...], dict[str, Any]]


def _eps(value: torch.Tensor) -> float:
    """What rms_norm adds: it computes in single precision at least."""
    return torch.finfo(torch.promote_types(value.dtype, torch.float32)).eps


def _largest(value: torch.Tensor) -> float | None:
    """What an infinity becomes; None where there is none, so that nothing is to be said of it."""
    most = torch.finfo(value.dtype).max
    return most if bool((value == most).any()) else None


def _least(value: torch.Tensor) -> float | None:
    most = _largest(-value)
    return None if most is None else -most


_LIMITS: dict[str, Callable[[torch.Tensor], float | None]] = {
    "eps": _eps,
    "posinf": _largest,
    "neginf": _least,
}


def said(function: Function | None, args: tuple[Any, ...], kwargs: dict[str, Any], value: Any) -> Given:
    """The arguments of a call that gave `value`, with what torch took from the dtype in its place."""
    names = FROM_DTYPE.get(function.key, ()) if function is not None else ()
    if not names or not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.is_meta:
        return args, kwargs
    assert function is not None
    order = [argument.name for argument in function.arguments]
    for name in names:
        args, kwargs = _with(args, kwargs, name, order.index(name), _LIMITS[name](value))
    return args, kwargs


def _with(args: Sequence[Any], kwargs: dict[str, Any], name: str, place: int, limit: float | None) -> Given:
    """The arguments with one more, unless it was given."""
    by_place = len(args) > place
    if limit is None or (args[place] if by_place else kwargs.get(name)) is not None:
        return tuple(args), kwargs
    if by_place:
        return (*args[:place], limit, *args[place + 1 :]), kwargs
    return tuple(args), {**kwargs, name: limit}
