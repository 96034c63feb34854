"""Losses that are kept with their graphs, and losses that were told to require grad."""

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.creating import creates, name_of, required
from autograd_cli.diagnose.programs.cutting import REASONS, cuts
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.uncut import without
from autograd_cli.diagnose.programs.upstream import sources
from autograd_cli.diagnose.programs.ways import is_made, requires_grad, value_named
from autograd_cli.diagnose.statements import called, calls, parts, replaced, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Traced


def _started_from(whole: Whole) -> set[int]:
    """The numbers of the values that a backward started from."""
    return {number for passed in whole.ran.backwards for number in passed.roots}


# Kept


def kept(whole: Whole) -> Iterator[Finding]:
    """AGX420 where losses are put into a list, or added up, with the graphs they were computed by."""
    roots = _started_from(whole)
    if roots:
        yield from _listed(whole, roots)
        yield from _added(whole, roots)


def _listed(whole: Whole, roots: set[int]) -> Iterator[Finding]:
    for call in calls(whole.program, "append"):
        target = call.function.value if isinstance(call.function, nodes.Attribute) else None
        items = whole.ran.names.get(target.id) if isinstance(target, nodes.Name) else None
        if not isinstance(items, list) or not call.args or not whole.loops(call.span):
            continue
        assert target is not None
        kept = [item for item in items if _is_root(item, roots)]
        readers = _readers(whole, whole.source[target.span])
        if kept and not any(_goes_back(whole, reader, kept, roots) for reader in readers):
            yield _finding(whole, call.args[0], f"`{whole.source[target.span]}`", readers)


def _readers(whole: Whole, name: str) -> list[Statement]:
    """The statements that read a list for what it holds: neither append to it nor ask how long it is."""
    found = []
    for statement in whole.all_statements:
        nodes_ = [node for part in parts(statement) for node in nodes.walk(part)]
        names = sum(isinstance(node, nodes.Name) and node.id == name for node in nodes_)
        aside = sum(_leaves_alone(node, name) for node in nodes_)
        if names > aside and name not in targets(statement):
            found.append(statement)
    return found


def _leaves_alone(node: Expr, name: str) -> bool:
    """Whether a call appends to the list `name`, or asks how long it is."""
    if isinstance(node, nodes.Attribute) and node.name == "append":
        return node.value == nodes.Name(name)
    return called(node) == "len" and isinstance(node, nodes.Call) and node.args == (nodes.Name(name),)


def _goes_back(whole: Whole, reader: Statement, kept: list[Traced], roots: set[int]) -> bool:
    """Whether a backward starts from what a statement makes of the kept losses."""
    if "backward" in {called(node) for part in parts(reader) for node in nodes.walk(part)}:
        return True
    made = (whole.ran.names.get(name) for name in targets(reader))
    starts = [value for value in made if isinstance(value, Traced) and value.number in roots]
    under = {id(value) for value in reachable(starts)}
    return any(id(item) in under for item in kept)


def _is_root(item: object, roots: set[int]) -> TypeGuard[Traced]:
    return isinstance(item, Traced) and item.number in roots and requires_grad(item)


def _added(whole: Whole, roots: set[int]) -> Iterator[Finding]:
    """`total += loss` in a loop, after a backward of `loss`."""
    for statement in whole.all_statements:
        name, added = _sum_of(statement)
        value = whole.ran.names.get(name) if name else None
        if added is None or not isinstance(value, Traced) or not whole.loops(statement.span):
            continue
        if value.number in roots or not requires_grad(value):
            continue
        if any(traced.number in roots for traced in reachable([value])):
            yield _finding(whole, added, f"`{name}`")


def _sum_of(statement: Statement) -> tuple[str, Expr | None]:
    """The name and the term of `name += term` or `name = name + term`."""
    if (
        isinstance(statement, nodes.Augment)
        and statement.op == "+"
        and isinstance(statement.target, nodes.Name)
    ):
        return statement.target.id, statement.value
    if isinstance(statement, nodes.Assign) and isinstance(statement.value, nodes.Binary):
        target, value = statement.targets[0], statement.value
        if value.op == "+" and isinstance(target, nodes.Name) and value.left == target:
            return target.id, value.right
    return "", None


def _finding(whole: Whole, expr: Expr, where: str, readers: Sequence[Statement] = ()) -> Finding:
    text = whole.source[expr.span]
    item = (
        f"{text}.item()"
        if isinstance(expr, nodes.Name | nodes.Call | nodes.Attribute)
        else f"({text}).item()"
    )
    return whole.finding(
        "AGX420",
        f"{where} keeps `{text}` with the graph that it was computed by, round after round: memory grows, "
        f"and no backward goes through those graphs again{_read(whole, readers)}.",
        span=expr.span,
        fix=(Fix(f"line {whole.line(expr.span)}:  {item}", replaced(whole.source, {expr.span: item})),),
    )


def _read(whole: Whole, readers: Sequence[Statement]) -> str:
    """Where what is kept is read: only for its numbers."""
    places = list(dict.fromkeys(whole.where(reader.span) for reader in readers))
    return f"; {places[0]} reads the numbers alone" if places else ""


# Made to require grad


def made_leaf(whole: Whole) -> Iterator[Finding]:
    """AGX419 where a computed loss was told to require grad, so that backward reaches nothing but it."""
    leaves = {number for passed in whole.ran.backwards if passed.leaf for number in passed.roots}
    for text, place in _told_to(whole) if leaves else ():
        traced = value_named(whole, nodes.Name(text))
        if traced is None or traced.number not in leaves or not is_made(traced):
            continue
        found = next(cuts(whole, sources(whole, nodes.Name(text), place.span.start)), None)
        yield _cut_before(whole, text, place, *found) if found else _without_leaf(whole, text, place)


def _cut_before(whole: Whole, text: str, place: Expr | Statement, expr: Expr, kind: str) -> Finding:
    """A loss whose way from a leaf is cut: the cut is named, and left out."""
    every = cuts(whole, sources(whole, nodes.Name(text), place.span.start))
    return whole.finding(
        "AGX419",
        f"Telling `{text}` to require grad on {whole.where(place.span)} makes no graph: "
        f"{drawing.quoted(whole.source[expr.span])} on {whole.where(expr.span)} {REASONS[kind]}, so backward "
        f"ends at `{text}` itself, and no other tensor gets a gradient.",
        span=place.span,
        fix=tuple(without(whole, expr, kind, every)),
        cut=whole.line(expr.span),
    )


def _without_leaf(whole: Whole, text: str, place: Expr | Statement) -> Finding:
    """A loss that nothing which requires grad goes into."""
    way = list(sources(whole, nodes.Name(text), place.span.start))
    made = [s for s in way if isinstance(s.value, nodes.Call) and creates(s.value)]
    names = [name_of(source) for source in reversed(made)]
    what = f" from {named(names)}" if names else ""
    fixes = tuple(required(whole, made))
    return whole.finding(
        "AGX419",
        f"`{text}` was computed{what} without a graph, and telling it to require grad makes none: backward "
        f"ends at `{text}` itself, and no other tensor gets a gradient.",
        span=place.span,
        fix=fixes or (Fix("let what it is computed from require grad instead"),),
    )


def _told_to(whole: Whole) -> Iterator[tuple[str, Expr | Statement]]:
    """The names whose requires_grad is set, with the place."""
    for statement in whole.all_statements:
        for target in statement.targets if isinstance(statement, nodes.Assign) else ():
            if isinstance(target, nodes.Attribute) and target.name == "requires_grad":
                yield whole.source[target.value.span], statement
        for call in _flagging(statement):
            assert isinstance(call.function, nodes.Attribute)
            inner = call.function.value
            names = (inner.id,) if isinstance(inner, nodes.Name) else targets(statement)
            yield from ((name, call) for name in names)


def _flagging(statement: Statement) -> Iterator[nodes.Call]:
    for part in parts(statement):
        for node in nodes.walk(part):
            function = node.function if isinstance(node, nodes.Call) else None
            if isinstance(node, nodes.Call) and getattr(function, "name", "") == "requires_grad_":
                yield node
