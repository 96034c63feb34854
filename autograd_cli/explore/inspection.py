"""All facts of one value, in words."""

from collections.abc import Mapping
from typing import Any

import torch

from autograd_cli.report.digits import real
from autograd_cli.run.state import whole
from autograd_cli.run.texts import begun
from autograd_cli.run.traced import Traced, now
from autograd_cli.run.values import device_name, dtype_name, plain

Rows = tuple[tuple[str, str], ...]
"""Facts by their names, in the order in which they are shown."""

_FEW = 20
_MOST_TEXT = 1000


def facts(value: Any, names: Mapping[str, Any] | None = None) -> Rows:
    """The facts of a value of a program; `names` are the variables that it may share memory with."""
    value = _value(value)
    if type(value) is list or type(value) is tuple:
        return (("type", type(value).__name__), ("value", begun(whole(value), _MOST_TEXT)))
    if not isinstance(value, torch.Tensor):
        return (("type", type(value).__name__), ("value", str(plain(value))))
    return (*_layout(value), *_autograd(value), *_numbers(value), *_shared(value, names or {}))


def _value(value: Any) -> Any:
    return now(value).value if isinstance(value, Traced) else value


def _layout(tensor: torch.Tensor) -> Rows:
    return (
        ("shape", str(tuple(tensor.shape))),
        ("dtype", dtype_name(tensor.dtype)),
        ("device", device_name(tensor.device)),
        ("numel", str(tensor.numel())),
        ("ndim", str(tensor.ndim)),
        ("stride", str(tuple(tensor.stride()))),
        ("is_contiguous", str(tensor.is_contiguous())),
        ("bytes", str(tensor.nbytes)),
    )


def _autograd(tensor: torch.Tensor) -> Rows:
    grad_fn = tensor.grad_fn
    is_plain = not tensor.is_inference()
    has_grad = is_plain and (tensor.is_leaf or tensor.retains_grad)
    return (
        ("requires_grad", str(tensor.requires_grad)),
        ("is_leaf", str(tensor.is_leaf)),
        ("grad_fn", "None" if grad_fn is None else type(grad_fn).__name__),
        ("grad", _written(tensor.grad) if has_grad and tensor.grad is not None else "None"),
        ("retains_grad", str(tensor.retains_grad)),
        ("version", str(tensor._version) if is_plain else "not counted in inference mode"),
    )


def _numbers(tensor: torch.Tensor) -> Rows:
    """Range and counts over the elements; empty where there are none to look at."""
    if tensor.is_meta or not tensor.numel() or tensor.is_complex():
        return (("values", _written(tensor)),) if not tensor.is_meta else ()
    values = tensor.detach()
    if values.dtype == torch.bool:
        return (("True", str(int(values.sum()))), ("values", _written(tensor)))
    floating = values.is_floating_point()
    finite = values[torch.isfinite(values)] if floating else values
    ends = (
        f"{_number(finite.min().item())} … {_number(finite.max().item())}" if finite.numel() else "no finite"
    )
    odd = (
        (("nan", str(int(torch.isnan(values).sum()))), ("inf", str(int(torch.isinf(values).sum()))))
        if floating
        else ()
    )
    return (("range", ends), *odd, ("values", _written(tensor)))


def _written(tensor: torch.Tensor) -> str:
    """The values while they are few, else their count."""
    if tensor.is_meta:
        return "none (meta)"
    if tensor.numel() > _FEW:
        return f"{tensor.numel():,} elements"
    return _nested(tensor.detach().tolist())


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return _number(value)


def _number(value: Any) -> str:
    return real(value) if isinstance(value, float) else str(value)


def _shared(tensor: torch.Tensor, names: Mapping[str, Any]) -> Rows:
    """The other variables whose memory is this one's."""
    held = ((name, _value(value)) for name, value in names.items())
    found = [name for name, other in held if other is not tensor and _share(other, tensor)]
    return (("shares memory with", ", ".join(found) or "nothing"),)


def _share(one: Any, other: torch.Tensor) -> bool:
    """Whether two values have memory in common; a meta tensor has none."""
    if not isinstance(one, torch.Tensor) or one.is_meta or other.is_meta:
        return False
    return bool(one.untyped_storage()._cdata == other.untyped_storage()._cdata)
