"""The nodes of expressions: frozen, each with its span in characters, and how to walk them.

Two nodes are equal when they mean the same; where they stand does not count.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from autograd_cli.errors import Span
from autograd_cli.lang.swift import swift
from autograd_cli.lang.vocabulary import words

NOWHERE = Span(0, 0)


@dataclass(frozen=True, kw_only=True)
class Expr:
    """An expression; `span` is its place in the source it came from."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@swift
@dataclass(frozen=True)
class Number(Expr):
    """A number as Python reads it: `2`, `1e-3`, `2j`."""

    value: int | float | complex


@dataclass(frozen=True)
class Text(Expr):
    """A string, as arguments such as reduction='mean' and einsum equations are."""

    value: str


@dataclass(frozen=True)
class Constant(Expr):
    """`True`, `False`, `None` or `...`."""

    value: bool | Any | None


@swift
@dataclass(frozen=True)
class Name(Expr):
    """A name: a binding, a constant such as pi, a function or a dtype."""

    id: str


@swift
@dataclass(frozen=True)
class Attribute(Expr):
    """`value.name`: an attribute, a method before its call, or a module path."""

    value: Expr
    name: str


@dataclass(frozen=True)
class Keyword(Expr):
    """`name=value` in a call."""

    name: str
    value: Expr


@swift
@dataclass(frozen=True)
class Call(Expr):
    """`function(args, keywords)`, where `function` is a Name or an Attribute."""

    function: Expr
    args: tuple[Expr, ...] = ()
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True)
class Unary(Expr):
    """`-x`, `+x`, `~x` or `not x`."""

    op: str
    operand: Expr


@swift
@dataclass(frozen=True)
class Binary(Expr):
    """`left op right` with one of `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Expr):
    """`first op second op third …`, chained as Python chains them."""

    ops: tuple[str, ...]
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Boolean(Expr):
    """`a and b and …` or `a or b or …`; evaluates as little as Python does."""

    op: str
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Conditional(Expr):
    """`then if test else otherwise`; one of the two branches is evaluated."""

    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Slice(Expr):
    """`lower:upper:step` inside a subscript."""

    lower: Expr | None = None
    upper: Expr | None = None
    step: Expr | None = None


@dataclass(frozen=True)
class Subscript(Expr):
    """`value[index]`; several indices are one Sequence of kind tuple."""

    value: Expr
    index: Expr


@dataclass(frozen=True)
class Sequence(Expr):
    """`[a, b]` or `(a, b)`; `kind` is "list" or "tuple"."""

    kind: str
    items: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Joined(Expr):
    """An f-string: its parts are Texts and Formatted values, in order."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Formatted(Expr):
    """`{value!conversion:form}` in an f-string.

    `conversion` is "", "r", "s" or "a"; `form` is a Joined, None where there is none.
    """

    value: Expr
    conversion: str = ""
    form: Expr | None = None


_FIELD_NAMES: dict[type[Expr], tuple[str, ...]] = {}
"""The names of the fields of each kind of node: asking `fields` for each node costs too much."""


def children(node: Expr) -> tuple[Expr, ...]:
    """The nodes directly under `node`, in the order in which they are written."""
    own = vars(node)
    found: tuple[Expr, ...] | None = own.get("_children")
    if found is None:  # a node never changes, and is walked many times
        found = own["_children"] = tuple(_children(node))
    return found


def _children(node: Expr) -> Iterator[Expr]:
    kind = type(node)
    if kind not in _FIELD_NAMES:
        _FIELD_NAMES[kind] = tuple(item.name for item in fields(kind))
    for name in _FIELD_NAMES[kind]:
        value = getattr(node, name)
        if isinstance(value, Expr):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, Expr))


def walk(node: Expr) -> Iterator[Expr]:
    """`node` and every node under it, in preorder, without recursion."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


_EFFECTS = words(
    "print backward grad retain_grad step zero_grad append manual_seed manual_seed_all seed set_grad_enabled"
)


def has_effect(root: Expr) -> bool:
    """Whether a call under `root` is there for what it does: `print`, `backward`, `add_`."""
    calls = [part for part in walk(root) if isinstance(part, Call)]
    if any(keyword.name == "out" for call in calls for keyword in call.keywords):
        return True
    called = (call.function for call in calls)
    names = (getattr(each, "name", getattr(each, "id", "")) for each in called)
    return any(name in _EFFECTS or (name.endswith("_") and name != "requires_grad_") for name in names)
