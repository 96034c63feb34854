"""The arguments of what is called by a name that holds a function, and of methods, in their roles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from autograd_cli.errors import AgxError
from autograd_cli.lang import lookup, nodes
from autograd_cli.lang.calls import placed
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Function, Role
from autograd_cli.lang.nodes import Attribute, Call, Expr, Name
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import FOREIGN

if TYPE_CHECKING:
    from autograd_cli.lang.checker import Checker

Parts = Iterable[tuple[Expr, Role | None]]
"""The parts of an expression, each with the role in which it is used; None where it is only shown."""

Parameters = Mapping[str, frozenset[Role]]
"""The parameters of a function, in their order, each with the roles in which it is used."""


def by_held(checker: "Checker", node: Call, paths: Sequence[str]) -> Parts:
    """The arguments of a call by a name that holds a function, for the first one that takes them so."""
    refused: AgxError | None = None
    for path in paths:
        if path not in by_path:
            return of_own(checker, node, checker.functions.get(path, {}))
        try:
            return placed(checker.place.text, node, by_path[path], is_method=False, is_loose=False)
        except AgxError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def of_own(checker: "Checker", node: Call, parameters: Parameters) -> Parts:
    """The arguments of a call of a function of the program, in the roles of its parameters."""
    roles = list(parameters.values())
    found: list[tuple[Expr, Role | None]] = []
    for position, arg in enumerate(node.args):
        found += _in_roles(arg, roles[position] if position < len(roles) else frozenset())
    for keyword in node.keywords:
        found += _in_roles(keyword.value, parameters.get(keyword.name, frozenset()))
    return given_on(checker, found)


def _in_roles(arg: Expr, roles: frozenset[Role]) -> list[tuple[Expr, Role | None]]:
    """The argument in each role in which the function uses it; no node but a name is looked at twice."""
    if isinstance(arg, Name) and roles:
        return [(arg, role) for role in roles]
    return [(arg, next(iter(roles)) if len(roles) == 1 else Role.TENSOR)]


def methods(place: Place, receiver: Expr, name: str) -> tuple[Function, ...]:
    """The rows that a method called `name` may be of: tensors first."""
    own = lookup.method(name)
    if isinstance(receiver, nodes.Text | nodes.Joined):
        return tuple(row for row in lookup.other_methods(name) if row.path.startswith("builtins.str."))
    others = tuple(
        row
        for row in lookup.other_methods(name)
        if place.bound.uses_arrays or not row.path.startswith("numpy.")
    )
    return (own, *others) if own is not None else others


_FORMAT = "builtins.str.format"  # whose keywords are what the text names


def check_format(place: Place, callee: Attribute) -> None:
    """Refuse a format that looks into a value, `"{0.shape}".format(x)`, where it stands written out."""
    if callee.name != "format" or not isinstance(callee.value, nodes.Text):
        return
    from string import Formatter  # most sources have none

    try:
        names = [name or "" for _, name, _, _ in Formatter().parse(callee.value.value)]
    except ValueError:  # Python's own error, when it is run
        return
    odd = next((name for name in names if "." in name or "[" in name), None)
    if odd is not None:
        raise place.error("AGX105", LOOKS_INTO.format(odd), callee.value.span, LOOKS_HINT)


LOOKS_INTO = "`{{{}}}` looks into a value, which a format in the language does not do."
LOOKS_HINT = "Give the format what is meant: `'{}'.format(x.shape)`, or write an f-string."


def fitting(place: Place, node: Call, rows: Sequence[Function]) -> Parts:
    """The arguments of the first of the methods that takes them so."""
    refused: AgxError | None = None
    for row in rows:
        try:
            return placed(place.text, node, row, is_method=True, is_loose=row.path == _FORMAT)
        except AgxError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def is_foreign(callee: Attribute, place: Place) -> bool:
    """Whether a dotted name begins with a module: the prelude's or another library's."""
    first: Expr = callee
    while isinstance(first, Attribute):
        first = first.value
    if not isinstance(first, Name) or first.id in place.bound:
        return False
    is_constant = lookup.constant(callee, place.bound) is not None
    return first.id in FOREIGN or (lookup.module(callee, place.bound) is not None and not is_constant)


def is_unimported(callee: Attribute, place: Place) -> bool:
    """Whether a dotted name begins with a module of the prelude that the source's imports lack."""
    first: Expr = callee
    while isinstance(first, Attribute):
        first = first.value
    is_free = isinstance(first, Name) and first.id not in place.bound and place.bound.path(first.id) is None
    return is_free and lookup.function(callee, ()) is not None


def given_on(checker: "Checker", parts: Parts) -> Parts:
    """The parts with None for the role of functions, which are given on as they are."""
    return [(part, None if _has_function(checker, part) else role) for part, role in parts]


def _has_function(checker: "Checker", node: Expr) -> bool:
    """Whether `node` is a function, or a list that one stands in."""
    if isinstance(node, nodes.Sequence):
        return any(checker.is_function(item) for item in node.items)
    return checker.is_function(node)
