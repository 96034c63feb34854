"""NumPy's arrays, of numbers alone: what a tensor could not hold is refused before it is made."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy
import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang.functions.rows import Function, Role

_NUMBERS = "biufc"
"""The kinds of NumPy's dtypes that are truth values or numbers."""


def of_numbers(function: Function, call: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a row of NumPy; LanguageError AGX107 where objects, strings or records would come out."""
    places = [place for place, each in enumerate(function.arguments) if each.role is Role.DTYPE]

    @wraps(call)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for dtype in (*(args[place] for place in places if place < len(args)), kwargs.get("dtype")):
            _check_dtype(dtype)
        return checked_array(call(*args, **kwargs))

    return checked


def _check_dtype(given: Any) -> None:
    if given is None or isinstance(given, torch.dtype):
        return
    try:
        dtype = numpy.dtype(given)
    except (TypeError, ValueError):  # NumPy's own words come from the call
        return
    if dtype.kind not in _NUMBERS:
        raise _refusal(dtype)


def checked_array(value: Any) -> Any:
    """`value`; LanguageError AGX107 for an array of what is no number: Python's integers grow in one."""
    if isinstance(value, numpy.ndarray) and value.dtype.kind not in _NUMBERS:
        raise _refusal(value.dtype)
    return value


_NAMES = {"O": "Python objects", "V": "records", "S": "bytes", "U": "strings"}


def _refusal(dtype: "numpy.dtype[Any]") -> LanguageError:
    return LanguageError(
        "AGX107",
        f"An array of {_NAMES.get(dtype.kind, 'dates')} is asked for, and no tensor can hold these.",
        hint="Write numbers: `dtype=np.float64`, `dtype=np.int64`; an int64 holds up to 2**63 - 1.",
    )
