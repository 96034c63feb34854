"""Functions as values: which names of a program can hold one, found before anything runs.

A function is called by the name that holds it as by its own. Names are not told apart by where
they stand: one that holds a function anywhere may be called everywhere, and where it is none
then, Python's own error is raised when it comes to that.
"""

from collections.abc import Iterator, Mapping
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
    Sequence,
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
    records: Mapping[str, str]


CARRIES = frozenset(f"builtins.{name}" for name in ("enumerate", "zip", "list", "tuple"))
"""Functions that give on what their arguments hold."""


def row_of(node: Expr, scope: Scope) -> Function | None:
    """The row of a function that stands for itself in a program, as in `f = torch.sin`; else None.

    Modes are none, and neither are the eight names that mean two functions under the prelude.
    """
    if not isinstance(node, Name | Attribute) or not scope.is_program or lookup.is_either(node, scope):
        return None
    row = lookup.function(node, scope)
    return None if row is None or row.kind is Kind.MODE else row


def of(program: Program, scope: Scope) -> Names:
    """What the names of a program can hold."""
    return Names(functions(program, scope), addresses(program, scope), records(program, scope))


def functions(program: Program, scope: Scope) -> Held:
    """The functions that the names of a program can hold."""
    found: dict[str, set[str]] = {}
    if program.is_expression:
        return {}
    while _spread(program, scope, found):
        pass
    return {name: frozenset(paths) for name, paths in found.items()}


def _spread(program: Program, scope: Scope, found: dict[str, set[str]]) -> bool:
    """Whether a look at the program found a name that can hold one more."""
    before = sum(map(len, found.values()))
    for name, value in _given(program, scope, found):
        paths = set(_paths(value, scope, found))
        if paths:
            found.setdefault(name, set()).update(paths)
    return sum(map(len, found.values())) > before


def _given(program: Program, scope: Scope, found: Mapping[str, set[str]]) -> Iterator[tuple[str, Expr]]:
    """Each name and what it is given: by an assignment, a loop, a default or a call."""
    for statement in statements(program.statements):
        match statement:
            case Assign(targets, value):
                yield from ((name, value) for target in targets for name in named(target))
            case For(target, iterable, _):
                yield from ((name, iterable) for name in named(target))
            case Define(_, parameters, _):
                yield from ((each.name, each.default) for each in parameters if each.default is not None)
    if scope.defined:
        yield from _in_calls(program, scope, found)


def _in_calls(program: Program, scope: Scope, found: Mapping[str, set[str]]) -> Iterator[tuple[str, Expr]]:
    """The parameters of the program's own functions, and what calls give them."""
    defines = [each for each in statements(program.statements) if isinstance(each, Define)]
    for call in (part for each in expressions(program.statements) for part in walk(each)):
        if not isinstance(call, Call) or not isinstance(call.function, Name):
            continue
        called = {call.function.id, *found.get(call.function.id, ())}
        for define in (each for each in defines if each.name in called):
            names = [parameter.name for parameter in define.parameters]
            yield from zip(names, call.args, strict=False)
            yield from ((keyword.name, keyword.value) for keyword in call.keywords)


def _paths(value: Expr, scope: Scope, found: Mapping[str, set[str]]) -> Iterator[str]:
    """The functions that an expression can give as they are."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        match node:
            case Sequence(_, items):
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


def is_field(node: Attribute, records: Mapping[str, str], scope: Scope) -> bool:
    """Whether an attribute is one of such a record: `torch.finfo(torch.half).max`, `info.max`."""
    owner = node.value
    path = records.get(owner.id) if isinstance(owner, Name) else record_of(owner, scope)
    return path is not None and node.name in RECORDS[path]


def record_of(node: Expr, scope: Scope) -> str | None:
    """The path of the function whose record a call gives."""
    path = lookup.path(node.function, scope) if isinstance(node, Call) else None
    return path if path in RECORDS else None


def records(program: Program, scope: Scope) -> dict[str, str]:
    """The names that hold such a record, each with the path of what gave it."""
    found: dict[str, str] = {}
    for statement in statements(program.statements):
        if isinstance(statement, Assign):
            path = record_of(statement.value, scope)
            if path is not None:
                found.update((name, path) for target in statement.targets for name in named(target))
    return found


def addressed(node: Expr, scope: Scope) -> Expr | None:
    """The value of `x.data_ptr()` or `id(x)`, which the language has for comparing alone; else None."""
    match node:
        case Call(Attribute(value, "data_ptr"), (), ()):
            return value
        case Call(Name("id") as callee, (value,), ()) if lookup.path(callee, scope) == "builtins.id":
            return value
    return None


def addresses(program: Program, scope: Scope) -> frozenset[str]:
    """The names that a program gives such an address: `before = id(x)`."""
    text = program.source.text
    if "id(" not in text and "data_ptr" not in text:
        return frozenset()
    found: set[str] = set()
    for statement in statements(program.statements):
        if isinstance(statement, Assign):
            parts = statement.value.items if isinstance(statement.value, Sequence) else (statement.value,)
            if any(addressed(part, scope) for part in parts):
                found.update(name for target in statement.targets for name in named(target))
    return frozenset(found)
