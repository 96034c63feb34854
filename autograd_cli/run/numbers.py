"""Operators on what is no tensor: Python's, with their cost bounded before it is paid.

A source of one expression is refused where Python has no result. In a program Python's own
error is raised, which the program may catch.
"""

import operator
from collections.abc import Callable
from typing import Any

from autograd_cli.errors import LimitError
from autograd_cli.lang import arithmetic
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.arrays import checked_array
from autograd_cli.run.nested import is_nested, usual_recursion
from autograd_cli.run.state import Frame, Get, State, plain, plain_two
from autograd_cli.run.traced import Traced

LONGEST = 1 << 20
"""Characters of a string that an operator or a format makes."""

_IDENTITY = frozenset({"is", "is not"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", *_IDENTITY, "in", "not in"})
_SAFE = frozenset({"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!="})
_SMALL = 1 << 62
"""Below it two integers are combined without asking how large the result is."""


def unary(state: State, node: Expr, op: str) -> Callable[[Any], Any]:
    """`op value` for a value without tensors."""
    call = arithmetic.CALLS.get(f"unary {op}") or arithmetic.CALLS[op]

    def apply(value: Any) -> Any:
        try:
            return arithmetic.apply_unary(op, value) if state.values is not None else call(value)
        except Exception as error:
            state.failed(error, node, None)
            raise

    return apply


def binary(
    state: State, node: Expr, op: str, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Callable[[Any, Any, Any, Any], Any]:
    """`left op right` for two arguments that are no tensors; `a` and `b` are their values."""
    if state.values is not None:
        return _strict(state, node, op, exprs)
    safe, most = op in _SAFE, state.settings.max_items

    def apply(left: Any, right: Any, a: Any, b: Any) -> Any:
        try:
            if (
                safe
                and (type(a) is float or (type(a) is int and -_SMALL < a < _SMALL))
                and (type(b) is float or (type(b) is int and -_SMALL < b < _SMALL))
            ):
                made = call(a, b)
            else:
                made = bounded(op, call, *_operands(op, a, b), most)
        except Exception as error:
            state.failed(error, node, None, (left, right), exprs)
            raise
        if (type(left) is Traced and left.kind == "constant") or (
            type(right) is Traced and right.kind == "constant"
        ):
            return state.constant(node, made, traced=True)
        return made

    return apply


def _operands(op: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The plain values; `is` asks for the list itself, and `+` and `*` keep what its items are."""
    return (a, b) if op in _IDENTITY or op in "+*" else plain_two(a, b)


_ORDERS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


def compared(two: Callable[[Any, Any], Any], op: str, get: Get, number: Any) -> Get:
    """What `get` gives compared with a number that stands in the source: `loss.item() > 0`."""
    order = _ORDERS.get(op)

    def compare(frame: Frame) -> Any:
        left = get(frame)
        if order is not None and type(left) is Traced and type(left.value) is float and left.kind == "call":
            return order(left.value, number)
        return two(left, number)

    return compare


def _strict(
    state: State, node: Expr, op: str, exprs: tuple[Expr, ...]
) -> Callable[[Any, Any, Any, Any], Any]:
    """As a source of one expression has it: a step, or a refusal."""
    most = state.settings.max_items

    def apply(left: Any, right: Any, a: Any, b: Any) -> Any:
        try:
            made = arithmetic.apply_binary(op, plain(left), plain(right), most)
        except Exception as error:
            state.failed(error, node, None, (left, right), exprs)
            raise
        return state.constant(node, made)

    return apply


def bounded(op: str, call: Callable[..., Any], left: Any, right: Any, most: int) -> Any:
    """What Python gives, where it is not too large; raises what Python raises."""
    if op not in _COMPARISONS:
        if isinstance(left, str) or isinstance(right, str):
            return _text(op, call, left, right)
        arithmetic.check_cost(op, left, right, most)
        return checked_array(call(left, right))
    if is_nested(left) or is_nested(right):
        with usual_recursion():
            return call(left, right)
    return call(left, right)


def _text(op: str, call: Callable[..., Any], left: Any, right: Any) -> Any:
    """Strings joined or repeated; nothing else is done to them by an operator."""
    if op == "%" and isinstance(left, str):
        raise TypeError("strings are formatted by f-strings and .format alone: write f'{x:.3f}'")
    size = 0
    if op == "+" and isinstance(left, str) and isinstance(right, str):
        size = len(left) + len(right)
    elif op == "*" and (isinstance(left, int) or isinstance(right, int)):
        text, times = (left, right) if isinstance(left, str) else (right, left)
        size = len(text) * max(times, 0)
    if size > LONGEST:
        raise too_long(size)
    return call(left, right)


def too_long(size: int) -> LimitError:
    """AGX606: the refusal of a string of `size` characters."""
    return LimitError(
        "AGX606",
        f"A string of {size:,} characters would be made; the limit is {LONGEST:,}.",
        hint="Make a shorter one; no option raises this limit.",
    )


def index(state: State, node: Expr, exprs: tuple[Expr, ...]) -> Callable[[Any, Any], Any]:
    """`value[index]` of a list, a tuple, a shape."""

    def apply(value: Any, where: Any) -> Any:
        try:
            return arithmetic.apply_index(value, where) if state.values is not None else value[where]
        except Exception as error:
            state.failed(error, node, None, (value, where), exprs)
            raise

    return apply
