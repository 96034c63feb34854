"""Functions as values: which names of a program can hold one, found before anything runs.

A function is called by the name that holds it as by its own. Names are not told apart by where
they stand: one that holds a function anywhere may be called everywhere, and where it is none
then, Python's own error is raised when it comes to that.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autograd_cli.lang import lookup
from autograd_cli.lang.bodies import expressions, named, statements
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.nodes import (
    Assign,
    Attribute,
    Call,
    Conditional,
    Define,
    Expr,
    For,
    Name,
    Program,
    Sequence as List,
    Statement,
    Subscript,
    walk,
)
from autograd_cli.lang.scope import Scope
from autograd_cli.lang.vocabulary import words

Held = Mapping[str, frozenset[str]]
"""For each name that can hold functions: the paths of rows, and the names of the program's own."""


class Names(NamedTuple):
    """What the names of a program can hold that is no data: functions, addresses, records."""

    functions: Held
    addresses: frozenset[str]
    records: Mapping[str, set[str]]


CARRIES = frozenset(f"builtins.{name}" for name in ("enumerate", "zip", "list", "tuple"))
"""Functions that give on what their arguments hold."""


def row_of(node: Expr, scope: Scope) -> Function | None:
    """The row of a function that stands for itself in a program, as in `f = torch.sin`; else None.

    Modes are none, and neither are the eight names that mean two functions under the prelude. A
    name that no import gives is none either: in `f = sin` the call was more likely forgotten.
    """
    if not isinstance(node, Name | Attribute) or not scope.is_program or lookup.is_either(node, scope):
        return None
    row = lookup.function(node, scope)
    if row is None or row.kind is Kind.MODE:
        return None
    is_bare = isinstance(node, Name) and scope.imported is None
    return None if is_bare and row.path.startswith("torch.") else row


def of(program: Program, scope: Scope) -> Names:
    """What the names of a program can hold."""
    if program.is_expression:
        return Names({}, frozenset(), {})
    text, every = program.source.text, list(statements(program.statements))
    has_addresses, has_records = "id(" in text or "data_ptr" in text, any(map(text.__contains__, _RECORDS))
    return Names(
        _functions(program, every, scope),
        _addresses(every, scope) if has_addresses else frozenset(),
        _records(every, scope) if has_records else {},
    )


def _functions(program: Program, every: Sequence[Statement], scope: Scope) -> Held:
    """The functions that names can hold; what one holds is given to others, until no name gets more."""
    given = [(name, value) for name, value in _given(every) if _may_give(value)]
    calls = list(_calls(program, every)) if scope.defined else []
    found: dict[str, set[str]] = {}
    grown = True
    while grown:
        grown = False
        for name, value in (*given, *_arguments(calls, found)):
            if not _may_give(value):
                continue
            paths = set(_paths(value, scope, found)) - found.get(name, set())
            if paths:
                found.setdefault(name, set()).update(paths)
                grown = True
    return {name: frozenset(paths) for name, paths in found.items()}


_HOLDS = frozenset({Name, Attribute, List, Conditional, Subscript})
_CARRY = frozenset(path.rpartition(".")[2] for path in CARRIES)


def _may_give(value: Expr) -> bool:
    """Whether functions can come out of an expression as they are: soon asked, and mostly not so."""
    if type(value) is Call:
        return type(value.function) is Name and value.function.id in _CARRY
    return type(value) in _HOLDS


def _given(every: Sequence[Statement]) -> Iterator[tuple[str, Expr]]:
    """Each name and what it is given: by an assignment, a loop or a default."""
    for statement in every:
        if isinstance(statement, Assign):
            if _may_give(statement.value):
                yield from ((name, statement.value) for each in statement.targets for name in named(each))
        elif isinstance(statement, For):
            yield from ((name, statement.iterable) for name in named(statement.target))
        elif isinstance(statement, Define):
            yield from ((p.name, p.default) for p in statement.parameters if p.default is not None)


def _calls(program: Program, every: Sequence[Statement]) -> Iterator[tuple[Call, dict[str, list[str]]]]:
    """The calls by a name with arguments that a function can be, and the parameters of each function."""
    defines = {each.name: [p.name for p in each.parameters] for each in every if isinstance(each, Define)}
    for part in (part for each in expressions(program.statements) for part in walk(each)):
        if type(part) is Call and type(part.function) is Name and (part.args or part.keywords):
            yield part, defines


def _arguments(
    calls: Sequence[tuple[Call, dict[str, list[str]]]], found: Mapping[str, set[str]]
) -> Iterator[tuple[str, Expr]]:
    """The parameters of the program's own functions, and what calls give them."""
    for call, defines in calls:
        assert isinstance(call.function, Name)
        name = call.function.id
        for own in (name, *found.get(name, ())):
            if own in defines:
                yield from zip(defines[own], call.args, strict=False)
                yield from ((keyword.name, keyword.value) for keyword in call.keywords)


def _paths(value: Expr, scope: Scope, found: Mapping[str, set[str]]) -> Iterator[str]:
    """The functions that an expression can give as they are."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        match node:
            case List(_, items):
                waiting += items
            case Conditional(_, then, otherwise):
                waiting += (then, otherwise)
            case Subscript(inner, _):
                waiting.append(inner)
            case Call(Name() as callee, args) if lookup.path(callee, scope) in CARRIES:
                waiting += args
            case Name(name) if name in scope.defined:
                yield name
            case Name(name) if name in found:
                yield from found[name]
            case Name() | Attribute():
                row = row_of(node, scope)
                if row is not None:
                    yield row.path


RECORDS = {
    "torch.finfo": words("eps max min tiny smallest_normal resolution bits dtype"),
    "torch.iinfo": words("max min bits dtype"),
    "torch.cuda.get_device_properties": words("name total_memory major minor multi_processor_count"),
}
"""The attributes of what a function gives that have no meaning elsewhere, or another one."""

FIELDS_OF_RECORDS = frozenset(name for names in RECORDS.values() for name in names)
_RECORDS = [path.rpartition(".")[2] for path in RECORDS]


def is_field(node: Attribute, records: Mapping[str, set[str]], scope: Scope) -> bool:
    """Whether an attribute is one of such a record: `torch.finfo(torch.half).max`, `info.max`."""
    owner = node.value
    if isinstance(owner, Name):
        return node.name in records.get(owner.id, ())
    path = record_of(owner, scope)
    return path is not None and node.name in RECORDS[path]


def record_of(node: Expr, scope: Scope) -> str | None:
    """The path of the function whose record a call gives."""
    path = lookup.path(node.function, scope) if isinstance(node, Call) else None
    return path if path in RECORDS else None


def _records(every: Sequence[Statement], scope: Scope) -> dict[str, set[str]]:
    """The names that hold such records, each with their attributes."""
    found: dict[str, set[str]] = {}
    for statement in every:
        if not isinstance(statement, Assign):
            continue
        value = statement.value
        choices = (value.then, value.otherwise) if isinstance(value, Conditional) else (value,)
        fields = {name for each in choices for name in RECORDS.get(record_of(each, scope) or "", ())}
        for name in (name for target in statement.targets for name in named(target) if fields):
            found.setdefault(name, set()).update(fields)
    return found


def addressed(node: Expr, scope: Scope) -> Expr | None:
    """The value of `x.data_ptr()` or `id(x)`, which the language has for comparing alone; else None."""
    if type(node) is not Call:
        return None
    match node:
        case Call(Attribute(value, "data_ptr"), (), ()):
            return value
        case Call(Name("id") as callee, (value,), ()) if lookup.path(callee, scope) == "builtins.id":
            return value
    return None


def _addresses(every: Sequence[Statement], scope: Scope) -> frozenset[str]:
    """The names that a program gives such an address: `before = id(x)`."""
    found: set[str] = set()
    for statement in every:
        if isinstance(statement, Assign):
            parts = statement.value.items if isinstance(statement.value, List) else (statement.value,)
            if any(addressed(part, scope) for part in parts):
                found.update(name for target in statement.targets for name in named(target))
    return frozenset(found)
