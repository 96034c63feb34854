"""From a row of the function table to what Python calls.

Only rows are ever resolved: a path is walked from one of four fixed roots, and a name
that is not in the table has no path.
"""

import builtins
import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy
import torch

from autograd_cli.lang import arithmetic
from autograd_cli.lang.functions.rows import Function
from autograd_cli.run import legacy
from autograd_cli.run.arrays import of_numbers
from autograd_cli.run.uncompiled import uncompiled

ROOTS: dict[str, Any] = {"torch": torch, "math": math, "builtins": builtins, "numpy": numpy}


def callable_for(function: Function, method: bool = False) -> Callable[..., Any]:
    """What the row names: torch's function, an operator, a reader of an attribute.

    The operator of an augmented assignment, `+=`, is Python's: it changes a tensor in place
    and makes a new value of what is none.

    With `method` the unbound method of that name, the tensor being its first argument:
    a function and its method may differ in form, as `reshape(x, (2, 3))` and
    `x.reshape(2, 3)`.
    """
    if function.operator and function.writes:
        found: Callable[..., Any] = getattr(operator, function.name)
        return found
    if function.operator:
        return arithmetic.CALLS[function.operator]
    if function.attribute:
        return operator.attrgetter(function.name)
    if method:
        assert function.method, f"{function.path} is not a method of tensors"
        return at_path(f"torch.Tensor.{function.name}")
    if function.path in legacy.PATHS:
        return legacy.constructor(function.name)
    return _of_numbers(function) if function.path.startswith("numpy.") else at_path(function.path)


@cache
def _of_numbers(function: Function) -> Callable[..., Any]:
    return of_numbers(function, at_path(function.path))


@cache
def at_path(path: str) -> Callable[..., Any]:
    """What stands at the end of a dotted path; AttributeError where torch has no such name."""
    root, *rest = path.split(".")
    found = ROOTS[root]
    for name in rest:
        found = getattr(found, name)
    is_optimizer = isinstance(found, type) and issubclass(found, torch.optim.Optimizer)
    if is_optimizer and found is not torch.optim.Optimizer:
        return uncompiled(found)
    result: Callable[..., Any] = found
    return result
