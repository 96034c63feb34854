"""Where a name's value comes from in the text: the assignments that lead to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import around, called, calls, parts, statements, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Made

_MODES = {"no_grad", "inference_mode", "set_grad_enabled"}
_PUTS = ("append", "extend", "insert")


@dataclass(frozen=True)
class Source:
    """An assignment on the way to a value, with what it made."""

    statement: Statement
    value: Expr
    made: Made | None


def sources(whole: Whole, expr: Expr, before: int) -> Iterator[Source]:
    """The assignments that lead to `expr`, the nearest first; each once.

    What is put into a list is one of them, and so is what the caller hands over, where a name is a parameter.
    """
    seen: set[Span] = set()
    waiting = [(expr, before)]
    while waiting:
        node, limit = waiting.pop(0)
        for name in names_in(whole, node):
            for found in _leading(whole, name, limit):
                if found.value.span not in seen:
                    seen.add(found.value.span)
                    yield found
                    waiting.append((found.value, found.statement.span.start))


def _leading(whole: Whole, name: str, before: int) -> Iterator[Source]:
    """What a name has its value from at a place."""
    handed = list(_handed(whole, name, before))
    found = None if handed else _assigned(whole, name, before)
    if found is not None:
        yield found
    yield from handed
    yield from _put_in(whole, name)


def names_in(whole: Whole, expr: Expr) -> list[str]:
    """The names that an expression reads, with those of the functions of the program that it calls."""
    every = (node.id for part in _with_bodies(whole, expr) for node in nodes.walk(part) if _is_name(node))
    return list(dict.fromkeys(every))


def _is_name(node: Expr) -> TypeGuard[nodes.Name]:
    return isinstance(node, nodes.Name)


def _with_bodies(whole: Whole, expr: Expr) -> Iterator[Expr]:
    """An expression, then those of the functions of the program that it calls, and that these call."""
    waiting, seen = [expr], set()
    while waiting:
        part = waiting.pop(0)
        yield part
        for node in nodes.walk(part):
            if _is_name(node) and node.id in whole.functions and node.id not in seen:
                seen.add(node.id)
                waiting += [
                    inner for each in statements(whole.functions[node.id].body) for inner in parts(each)
                ]


def parts_of(whole: Whole, source: Source) -> Iterator[Expr]:
    """Every node of what was assigned, with the bodies of the program's functions that it calls."""
    for part in _with_bodies(whole, source.value):
        yield from nodes.walk(part)


def _handed(whole: Whole, name: str, before: int) -> Iterator[Source]:
    """What the calls of a function hand over, where a name is a parameter of the one that a place is in."""
    inside = [s for s in around(whole.program, Span(before, before)) if isinstance(s, nodes.Define)]
    function = inside[-1] if inside else None
    names = [each.name for each in function.parameters] if function else []
    own = statements(function.body) if function else ()
    if function is None or name not in names or any(name in targets(s) for s in own if s.span.end <= before):
        return
    for call in calls(whole.program, function.name):
        value = argument_of(call, names, name)
        if value is not None:
            yield Source(whole.statement(call.span), value, None)


def argument_of(call: nodes.Call, names: Sequence[str], name: str) -> Expr | None:
    """What a call hands over for one of the parameters of these names."""
    given = next((keyword.value for keyword in call.keywords if keyword.name == name), None)
    at = names.index(name)
    return given or (call.args[at] if at < len(call.args) else None)


def _put_in(whole: Whole, name: str) -> Iterator[Source]:
    """What is appended to a list of that name, or put in its places."""
    for call in calls(whole.program, *_PUTS):
        target = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if target == nodes.Name(name) and call.args:
            yield Source(whole.statement(call.span), call.args[-1], None)
    for statement in whole.all_statements:
        if isinstance(statement, nodes.Assign) and any(_is_place_of(t, name) for t in statement.targets):
            yield Source(statement, statement.value, None)


def _is_place_of(target: Expr, name: str) -> bool:
    return isinstance(target, nodes.Subscript) and target.value == nodes.Name(name)


def _assigned(whole: Whole, name: str, before: int) -> Source | None:
    """The last assignment of a name before a place, else its first one."""
    statement = _latest(whole, name, before)
    if statement is None:
        return None
    value = statement.value if isinstance(statement, nodes.Assign | nodes.Augment) else None
    return None if value is None else Source(statement, value, _made(whole, statement, name))


def _latest(whole: Whole, name: str, before: int) -> Statement | None:
    """The assignment that a name has its value from at a place, that of the round before in a loop."""
    own = [s for s in whole.all_statements if name in targets(s) and _was_run(whole, s)]
    earlier = [s for s in own if s.span.start < before]
    for loop in reversed(whole.loops(Span(before, before))):
        inside = [s for s in earlier if s.span.start >= loop.span.start]
        later = [s for s in own if before <= s.span.start and s.span.end <= loop.span.end]
        if inside or later:
            return (inside or later)[-1]
    return (earlier or own)[-1] if own else None


def _was_run(whole: Whole, statement: Statement) -> bool:
    site = whole.sites.get(statement.span)
    return site is not None and site.count > 0


def _made(whole: Whole, statement: Statement, name: str) -> Made | None:
    site = whole.sites.get(statement.span)
    dids = [] if site is None else [did for did in (site.last, site.first) if did is not None]
    return next((made for did in dids for made in did.made if made.name == name), None)


def mode_around(whole: Whole, statement: Statement) -> Expr | None:
    """The no_grad or its like that a statement stands in, or that was switched on before it."""
    for outer in reversed(around(whole.program, statement.span)):
        if isinstance(outer, nodes.With):
            for mode in outer.modes:
                if called(mode) in _MODES:
                    return None if _is_on(mode) else mode
                if called(mode) == "enable_grad":
                    return None
    return _switched(whole, statement)


def _switched(whole: Whole, statement: Statement) -> Expr | None:
    """The `set_grad_enabled(False)` that stands alone before a statement."""
    found = None
    for other in whole.all_statements:
        if other.span.start >= statement.span.start:
            break
        if isinstance(other, nodes.Evaluate) and called(other.value) == "set_grad_enabled":
            found = None if _is_on(other.value) else other.value
    return found


def _is_on(mode: Expr) -> bool:
    """Whether set_grad_enabled is given True, or inference_mode False."""
    if not isinstance(mode, nodes.Call) or not mode.args:
        return False
    given = mode.args[0]
    value = given.value if isinstance(given, nodes.Constant) else None
    return value is (called(mode) == "set_grad_enabled")


def mode_of(whole: Whole, source: Source) -> Expr | None:
    """The mode that a value was computed under, in the body of a function of the program too."""
    for name in names_in(whole, source.value):
        body = whole.functions[name].body if name in whole.functions else ()
        found = next(filter(None, (mode_around(whole, each) for each in statements(body))), None)
        if found is not None:
            return found
    return mode_around(whole, source.statement)
