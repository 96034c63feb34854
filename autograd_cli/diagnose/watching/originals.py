"""Torch's own functions where the script has put others under their names.

Torch hands over to a mode what it finds under a function's name, not the function that was called. A
replacement that calls what it replaces would be run twice if it were taken for that.
"""

import gc
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from torch.overrides import handle_torch_function

_HANDOVER = handle_torch_function.__code__
_TENSOR: Any = torch.Tensor
_BASE: Any = torch._C.TensorBase
_WRAPPER = type(_TENSOR.grad.__get__)
_BUILT = (type(_TENSOR.exp), type(torch.exp), type(_TENSOR.grad))
_called: dict[int, tuple[CodeType, Any]] = {}
"""Functions by the identity of their code, which is kept: code's own hash goes through all of it."""


def original(function: Any, caller: FrameType) -> Any:
    """What was called where torch handed over `function`; `caller` is what called the mode."""
    if caller.f_code is _HANDOVER:
        return _of_python(function, caller.f_back)
    own = getattr(function, "__self__", None) if type(function) is _WRAPPER else function
    if isinstance(own, _BUILT):
        return function
    return _of_tensor(function, own)


def _of_python(function: Any, frame: FrameType | None) -> Any:
    """The function whose code hands over; its name may lead elsewhere by now."""
    if frame is None or getattr(function, "__code__", None) is frame.f_code:
        return function
    if not _is_replaced(function):
        return function
    code = frame.f_code
    if id(code) not in _called:
        having = gc.get_referrers(code)
        _called[id(code)] = code, next((each for each in having if _has(each, code)), function)
    return _called[id(code)][1]


def _is_replaced(function: Any) -> bool:
    """Whether this can stand in the place of a function: torch's operators are handed over as they are."""
    kind = type(function)
    return kind is FunctionType or not kind.__module__.startswith("torch")


def _has(value: Any, code: CodeType) -> bool:
    return type(value) is FunctionType and value.__code__ is code


def _of_tensor(function: Any, own: Any) -> Any:
    """The method or attribute of tensors that the script's own stands for."""
    for name, value in vars(_TENSOR).items():
        if value is own and (found := getattr(_BASE, name, None)) is not None:
            return getattr(found, function.__name__) if own is not function else found
    return function
