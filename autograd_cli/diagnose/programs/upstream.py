"""Where a name's value comes from in the text: the assignments that lead to it."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import around, called, parts, statements, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Made

_MODES = {"no_grad", "inference_mode", "set_grad_enabled"}


@dataclass(frozen=True)
class Source:
    """An assignment on the way to a value, with what it made."""

    statement: Statement
    value: Expr
    made: Made | None


def sources(whole: Whole, expr: Expr, before: int) -> Iterator[Source]:
    """The assignments that lead to `expr`, the nearest first; each once."""
    seen: set[int] = set()
    waiting = [(expr, before)]
    while waiting:
        node, limit = waiting.pop(0)
        for name in names_in(whole, node):
            found = _assigned(whole, name, limit)
            if found is not None and id(found.statement) not in seen:
                seen.add(id(found.statement))
                yield found
                waiting.append((found.value, found.statement.span.start))


def names_in(whole: Whole, expr: Expr) -> list[str]:
    """The names that an expression reads, with those of the functions of the program that it calls."""
    found: dict[str, None] = {}
    for node in nodes.walk(expr):
        if isinstance(node, nodes.Name):
            found[node.id] = None
            for inner in _body(whole, node.id):
                found.update(dict.fromkeys(n.id for n in nodes.walk(inner) if isinstance(n, nodes.Name)))
    return list(found)


def _body(whole: Whole, name: str) -> Iterator[Expr]:
    """The expressions of the function of that name, where the program defines it."""
    for statement in whole.all_statements:
        if isinstance(statement, nodes.Define) and statement.name == name:
            for inner in statements(statement.body):
                yield from parts(inner)


def parts_of(whole: Whole, source: Source) -> Iterator[Expr]:
    """Every node of what was assigned, with the bodies of the program's functions that it calls."""
    yield from nodes.walk(source.value)
    for node in nodes.walk(source.value):
        for inner in _body(whole, called(node)):
            yield from nodes.walk(inner)


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
    called_names = {called(node) for node in nodes.walk(source.value)}
    for statement in whole.all_statements:
        if isinstance(statement, nodes.Define) and statement.name in called_names:
            inner = (mode_around(whole, each) for each in statements(statement.body))
            found = next(filter(None, inner), None)
            if found is not None:
                return found
    return mode_around(whole, source.statement)
