"""The static pass: every name, function, attribute and argument is looked up before a run.

It gives how each free name is used, from which a binding's role follows.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograd_cli.errors import InputError, LanguageError, Span
from autograd_cli.lang import lookup, misuse, nodes, unknown
from autograd_cli.lang.calls import placed
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.namespaces import FIELDS
from autograd_cli.lang.nodes import Attribute, Binary, Call, Expr, Name, Program, first_use
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source, named
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import CONSTANT_HABITS, FOREIGN

Parts = Iterable[tuple[Expr, Role]]
"""The parts of an expression, each with the role in which it is used."""

# In these an int stays an int, also through the arithmetic that makes one: `x[i + 1]`.
_WHOLE = frozenset({Role.INDEX, Role.MASK, Role.TARGET, Role.DIM, Role.SIZE, Role.COUNT})
_WHOLE_OPERATORS = frozenset({"+", "-", "*", "//", "%", "**", "<<", ">>", "&", "|", "^"})


@dataclass(frozen=True)
class Usage:
    """How a program uses the names that are no functions or constants.

    `names` maps each to the roles in which it is used directly; `unbound` are those
    that are not bound, in order of appearance.
    """

    names: dict[str, frozenset[Role]]
    unbound: tuple[str, ...]


def check(program: Program, bound: Collection[str]) -> Usage:
    """The usage of a program whose every function, attribute and argument is in the language.

    `bound` are the names that have a value; they hide functions and constants. Raises
    LanguageError; a name that is not bound is no error here but in `Usage.unbound`, unless
    it is plain that it should be another.
    """
    checker = _Checker(Place(program.source.text, frozenset(bound)))
    checker.root(program.body)
    names = {name: frozenset(roles) for name, roles in checker.roles.items()}
    return Usage(names, tuple(name for name in names if name not in checker.place.bound))


@dataclass(frozen=True)
class Understood:
    """A program, how it uses its names, and the checked programs of its values, by the name they bind.

    A value without a program is read from a file, or its text is still to be checked.
    """

    program: Program
    usage: Usage
    values: Mapping[str, Program] = field(default_factory=dict)


def understood(source: Source, bound: Collection[str], limits: TextLimits) -> Understood:
    """The checked program of `source`; raises what parse and check raise, and AGX201 for unbound names."""
    program = parse(source, limits)
    usage = check(program, bound)
    if usage.unbound:
        raise unbound(program, usage.unbound)
    return Understood(program, usage)


def unbound(program: Program, missing: Sequence[str], fix: str = "") -> InputError:
    """AGX201: the refusal of names that are used and have no value; `fix` is the command to type."""
    return InputError(
        "AGX201",
        f"{named(missing)} {'is' if len(missing) == 1 else 'are'} used and not bound to a value.",
        text=program.source.text,
        span=first_use(program.body, missing[0]),
        fix=fix,
    )


def too_early(program: Program, name: str, missing: str, earlier: Sequence[str]) -> InputError:
    """AGX202: the refusal of a value of `name` that uses a name bound later or never."""
    return InputError(
        "AGX202",
        f"The value of `{name}` uses `{missing}`, which has no value yet.",
        text=program.source.text,
        span=first_use(program.body, missing),
        hint="Values are evaluated in the order written, and each sees the earlier ones: "
        f"{', '.join(earlier) or 'there is none'}.",
    )


def misspelt(program: Program, name: str, bound: Collection[str]) -> LanguageError | None:
    """The "did you mean" error for an unbound name of the program; None where nothing is near."""
    for node in nodes.walk(program.body):
        if isinstance(node, Name) and node.id == name:
            return unknown.name(Place(program.source.text, bound), node)
    return None


class _Checker:
    """Walks one program without recursion and notes how names are used."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.roles: dict[str, set[Role]] = {}

    def root(self, body: Expr) -> None:
        """Check `body` and everything under it."""
        if isinstance(body, nodes.Text):
            raise _only_text(self.place, body)
        waiting: list[tuple[Expr, Role]] = [(body, Role.TENSOR)]
        while waiting:
            node, role = waiting.pop()
            waiting += reversed(list(HANDLERS[type(node)](self, node, role)))


def _literal(checker: _Checker, node: Expr, role: Role) -> Parts:
    return ()


def _name(checker: _Checker, node: Name, role: Role) -> Parts:
    place = checker.place
    if node.id not in place.bound:
        if lookup.constant(node, ()) is not None:
            return ()
        if lookup.function(node, ()) is not None:
            raise misuse.function_as_value(place, node)
        path = lookup.module(node, ())
        if path is not None:
            raise unknown.module(place, node, path)
        _check_free(place, node)
    checker.roles.setdefault(node.id, set()).add(role)
    return ()


def _check_free(place: Place, node: Name) -> None:
    """Refuse an unbound name that could not be bound as it is meant."""
    if node.id in CONSTANT_HABITS or not node.id.isascii():
        error = unknown.name(place, node)
        if error is not None:
            raise error
    if node.id.startswith("_"):
        raise unknown.underscored(place, node)


def _attribute(checker: _Checker, node: Attribute, role: Role) -> Parts:
    place = checker.place
    if lookup.constant(node, place.bound) is not None:
        return ()
    if lookup.function(node, place.bound) is not None:
        raise misuse.function_as_value(place, node)
    path = lookup.module(node, place.bound)
    if path is not None:
        raise unknown.module(place, node, path)
    _check_receiver(place, node)
    if lookup.attribute(node.name) is not None and not _is_uncalled(node):
        return ((node.value, Role.TENSOR),)
    if lookup.method(node.name) is not None:
        raise place.error(
            "AGX109",
            f"`.{node.name}` is a method, and without brackets it is not called.",
            Span(node.span.end - len(node.name), node.span.end),
            f"Write `.{node.name}()`.",
            place.mended(Span(node.span.end, node.span.end), "()"),
        )
    raise unknown.attribute(place, node, None)


def _is_uncalled(node: Attribute) -> bool:
    """Whether a name that is a method, and a field of some results, is a method here."""
    both = node.name in FIELDS and lookup.method(node.name) is not None
    return both and not isinstance(node.value, Call)


def _check_receiver(place: Place, node: Attribute) -> None:
    """Refuse attributes of what is written out: numbers, strings, lists; and of other libraries."""
    kinds = {
        nodes.Number: "A number",
        nodes.Text: "A string",
        nodes.Sequence: "A list",
        nodes.Constant: "A constant",
    }
    kind = kinds.get(type(node.value))
    if kind is not None:
        raise place.error(
            "AGX105",
            f"{kind} has no attributes or methods in the language, and `.{node.name}` is asked of it.",
            node.span,
            "Write a function around it, `sin(2.)`, or make a tensor of it, `tensor(2.)`.",
        )
    first = node.value
    while isinstance(first, Attribute):
        first = first.value
    if isinstance(first, Name) and first.id in FOREIGN and first.id not in place.bound:
        raise place.error(
            "AGX102",
            f"`{place.of(node)}` belongs to another library; the language has torch and math.",
            node.span,
            "Write the name alone: `pi`, `inf`, `float32`.",
        )


def _call(checker: _Checker, node: Call, role: Role) -> Parts:
    place, callee = checker.place, node.function
    if not isinstance(callee, Name | Attribute):
        if isinstance(callee, Call):
            misuse.check_module_call(place, callee)
            _call(checker, callee, role)
        raise misuse.not_callable(place, node)
    function = lookup.function(callee, place.bound)
    if function is not None:
        return placed(
            place.text, node, function, is_method=False, is_loose=lookup.is_either(callee, place.bound)
        )
    if isinstance(callee, Name):
        raise misuse.called_name(place, node, callee)
    if _is_foreign(callee, place):
        raise unknown.function(place, node)
    if lookup.constant(callee, place.bound) is not None:
        raise misuse.called_constant(place, node)
    _check_receiver(place, callee)
    method = lookup.method(callee.name)
    if method is not None:
        return (
            (callee.value, Role.TENSOR),
            *placed(place.text, node, method, is_method=True, is_loose=False),
        )
    if lookup.attribute(callee.name) is not None:
        raise misuse.called_attribute(place, node, callee)
    raise unknown.attribute(place, callee, node)


def _is_foreign(callee: Attribute, place: Place) -> bool:
    """Whether a dotted name begins with a module: the prelude's or another library's."""
    first: Expr = callee
    while isinstance(first, Attribute):
        first = first.value
    if not isinstance(first, Name) or first.id in place.bound:
        return False
    is_constant = lookup.constant(callee, place.bound) is not None
    return first.id in FOREIGN or (lookup.module(callee, place.bound) is not None and not is_constant)


def _unary(checker: _Checker, node: nodes.Unary, role: Role) -> Parts:
    _check_text(checker.place, node.op, node.operand)
    if node.op == "~" and role not in _WHOLE:
        role = Role.MASK
    return ((node.operand, role if role in _WHOLE and node.op != "not" else Role.TENSOR),)


def _binary(checker: _Checker, node: Binary, role: Role) -> Parts:
    _check_text(checker.place, node.op, node.left, node.right)
    if node.op in ("^", "**"):
        misuse.check_power(checker.place, node)
    if node.op in ("&", "|") and role not in _WHOLE:
        role = Role.MASK
    passed = role if role in _WHOLE and node.op in _WHOLE_OPERATORS else Role.TENSOR
    return ((node.left, passed), (node.right, passed))


def _check_text(place: Place, op: str, *operands: Expr) -> None:
    for operand in operands:
        if isinstance(operand, nodes.Text):
            raise place.error(
                "AGX107",
                f"`{op}` is applied to a string, and strings have no arithmetic in the language.",
                operand.span,
                "Strings are arguments, as in `F.mse_loss(x, y, reduction='sum')`; "
                "a name or a number is written without quotes.",
            )


def _compare(checker: _Checker, node: nodes.Compare, role: Role) -> Parts:
    return [(operand, Role.TENSOR) for operand in node.operands]


def _boolean(checker: _Checker, node: nodes.Boolean, role: Role) -> Parts:
    return [(operand, role) for operand in node.operands]


def _conditional(checker: _Checker, node: nodes.Conditional, role: Role) -> Parts:
    return ((node.then, role), (node.test, Role.TENSOR), (node.otherwise, role))


def _subscript(checker: _Checker, node: nodes.Subscript, role: Role) -> Parts:
    if isinstance(node.index, nodes.Text):
        raise checker.place.error(
            "AGX107",
            "A string is no index: tensors and lists have none of their elements under a name.",
            node.index.span,
            "Write an int, a slice, a mask or a tensor of ints.",
        )
    return ((node.value, role if role in _WHOLE else Role.TENSOR), (node.index, Role.INDEX))


def _slice(checker: _Checker, node: nodes.Slice, role: Role) -> Parts:
    return [(part, Role.INDEX) for part in (node.lower, node.upper, node.step) if part is not None]


def _sequence(checker: _Checker, node: nodes.Sequence, role: Role) -> Parts:
    return [(item, Role.TENSOR if role is Role.TENSORS else role) for item in node.items]


def _only_text(place: Place, node: nodes.Text) -> LanguageError:
    return place.error(
        "AGX104",
        "The source is a string, and a string is nothing to trace.",
        node.span,
        "Write the expression without quotes of its own; the shell takes one pair away.",
        node.value.strip(),
    )


HANDLERS: dict[type[Expr], Callable[[_Checker, Any, Role], Parts]] = {
    nodes.Number: _literal,
    nodes.Text: _literal,
    nodes.Constant: _literal,
    nodes.Name: _name,
    nodes.Attribute: _attribute,
    nodes.Call: _call,
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Compare: _compare,
    nodes.Boolean: _boolean,
    nodes.Conditional: _conditional,
    nodes.Subscript: _subscript,
    nodes.Slice: _slice,
    nodes.Sequence: _sequence,
}
