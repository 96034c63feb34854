"""Expressions made by the rules: numbers, calls, methods, and texts with names filled in.

A name of the prelude that a rule puts in is a `Prelude` node until the formula is
done, since a binding may hide it: then `torch.cos` is written instead of `cos`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from math import isfinite, isnan
from typing import Any

from autograd_cli.lang.nodes import (
    Attribute,
    Binary,
    Call,
    Constant,
    Expr,
    Keyword,
    Name,
    Number,
    Sequence,
    Text,
    Unary,
    children,
    walk,
)
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.symbolic.unparse import unparse

MODULES = {
    "F": "torch.nn.functional", "special": "torch.special", "linalg": "torch.linalg", "fft": "torch.fft"
}  # fmt: skip
CONSTANTS = {"pi": "math.pi", "inf": "math.inf", "nan": "math.nan"}


@dataclass(frozen=True)
class Prelude(Name):
    """A function or constant of the prelude, whatever a binding of that name may be."""


def prelude(path: str) -> Expr:
    """The function or constant `path` under the prelude: "cos", "special.i1"."""
    first, *rest = path.split(".")
    made: Expr = Prelude(first)
    for name in rest:
        made = Attribute(made, name)
    return made


def literal(value: Any) -> Expr:
    """A Python value as it is written: a number, a string, None, a tuple or list of these."""
    if isinstance(value, Expr):
        return value
    if value is None or value is ... or isinstance(value, bool):
        return Constant(value)
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, tuple | list):
        return Sequence(type(value).__name__, tuple(map(literal, value)))
    return number(value)


def number(value: complex) -> Expr:
    """A number as it is written: with a minus sign before it where it is negative."""
    if isinstance(value, complex):
        return Number(value)
    if value < 0:
        return Unary("-", number(-value))
    if isinstance(value, float) and not isfinite(value):
        return prelude("nan" if isnan(value) else "inf")
    return Number(value)


def call(path: str, *args: Any, **kwargs: Any) -> Expr:
    """`path(args, name=value)` for a function of the prelude; values may be Python's."""
    return Call(prelude(path), tuple(map(literal, args)), _keywords(kwargs))


def method(value: Expr, name: str, *args: Any, **kwargs: Any) -> Expr:
    """`value.name(args, name=value)`."""
    return Call(Attribute(value, name), tuple(map(literal, args)), _keywords(kwargs))


def _keywords(kwargs: Mapping[str, Any]) -> tuple[Keyword, ...]:
    return tuple(Keyword(name, literal(value)) for name, value in kwargs.items())


@cache
def parsed(text: str) -> Expr:
    """The expression that `text`, a row of a table, stands for."""
    return parse(Source(text)).body


def substituted(template: Expr, values: Mapping[str, Expr]) -> Expr:
    """`template` with the names in `values` filled in and all others taken from the prelude."""

    def name(node: Expr) -> Expr | None:
        if not isinstance(node, Name):
            return None
        return values[node.id] if node.id in values else Prelude(node.id)

    return rewritten(template, name, tidy)


def tidy(node: Expr) -> Expr:
    """`node` without a factor, divisor or exponent 1, and a sign at its first factor: no value changes."""
    if isinstance(node, Binary):
        if node.op == "*" and _is_one(node.left):
            return node.right
        if node.op in ("*", "/", "**") and _is_one(node.right):
            return node.left
    if isinstance(node, Unary) and node.op == "-" and isinstance(node.operand, Binary):
        product = node.operand
        if product.op in ("*", "/"):
            return Binary(product.op, tidy(Unary("-", product.left)), product.right)
    return node


def _is_one(node: Expr) -> bool:
    return isinstance(node, Number) and node.value == 1


def in_plain_names(formula: Expr, hidden: Collection[str]) -> Expr:
    """`formula` in plain names; those of the prelude that a binding hides get their module."""

    def name(node: Expr) -> Expr | None:
        if not isinstance(node, Prelude):
            return None
        if node.id not in hidden:
            return Name(node.id)
        return _dotted(MODULES.get(node.id) or CONSTANTS.get(node.id) or f"torch.{node.id}")

    return rewritten(formula, name)


def text_in_plain_names(formula: Expr, hidden: Collection[str]) -> str:
    """The text of what `in_plain_names` gives, which is made only where a name is hidden."""
    hides = any(isinstance(node, Prelude) and node.id in hidden for node in walk(formula))
    return unparse(in_plain_names(formula, hidden) if hides else formula)


def _dotted(path: str) -> Expr:
    first, *rest = path.split(".")
    made: Expr = Name(first)
    for part in rest:
        made = Attribute(made, part)
    return made


def rewritten(
    root: Expr,
    swap: Callable[[Expr], Expr | None],
    after: Callable[[Expr], Expr] = lambda node: node,
) -> Expr:
    """`root` with every node for which `swap` gives another replaced by that one.

    `after` is given each node whose parts were replaced. Without recursion.
    """
    done: dict[int, Expr] = {}
    for node in reversed(list(walk(root))):
        other = swap(node)
        if other is None:
            parts = children(node)
            other = after(_with_parts(node, parts, done)) if parts else node
        done[id(node)] = other
    return done[id(root)]


def _with_parts(node: Expr, parts: tuple[Expr, ...], done: Mapping[int, Expr]) -> Expr:
    """`node` with its parts as they are in `done`; itself where none changed."""
    for part in parts:
        if done[id(part)] is not part:
            break
    else:
        return node
    changes: dict[str, Any] = {}
    for item in fields(node):
        old = getattr(node, item.name)
        if isinstance(old, Expr):
            new: Any = done[id(old)]
        elif isinstance(old, tuple):
            new = tuple(done[id(v)] if isinstance(v, Expr) else v for v in old)
            new = old if all(a is b for a, b in zip(old, new, strict=True)) else new
        else:
            continue
        if new is not old:
            changes[item.name] = new
    return replace(node, **changes)
