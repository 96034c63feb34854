"""Losses that were told to require grad."""

from collections.abc import Iterator
from dataclasses import replace

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.creating import creates, name_of, required
from autograd_cli.diagnose.programs.cutting import REASONS, comes_from_leaf, cuts, deepest
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.uncut import without
from autograd_cli.diagnose.programs.upstream import Source, mode_of, sources
from autograd_cli.diagnose.programs.ways import is_made, value_named
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, parts, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix


def made_leaf(whole: Whole) -> Iterator[Finding]:
    """AGX419 where a computed loss was told to require grad, so that backward reaches nothing but it."""
    leaves = {number for passed in whole.ran.backwards if passed.leaf for number in passed.roots}
    for text, place in _told_to(whole) if leaves else ():
        traced = value_named(whole, nodes.Name(text))
        if traced is None or traced.number not in leaves or not is_made(traced):
            continue
        found = deepest(whole, list(cuts(whole, _way(whole, text, place))))
        yield _cut_before(whole, text, place, *found) if found else _without_leaf(whole, text, place)


def _way(whole: Whole, text: str, place: Expr | Statement) -> Iterator[Source]:
    """What leads to a loss, without the flag that it was given: it would pass for what has a graph."""
    for source in sources(whole, nodes.Name(text), place.span.start):
        yield replace(source, made=None) if name_of(source) == text else source


def _cut_before(whole: Whole, text: str, place: Expr | Statement, expr: Expr, kind: str) -> Finding:
    """A loss whose way from a leaf is cut: the cut is named, and left out."""
    every = cuts(whole, _way(whole, text, place))
    return whole.finding(
        "AGX419",
        f"Telling `{text}` to require grad on {whole.where(place.span)} makes no graph: "
        f"{drawing.quoted(whole.source[expr.span])} on {whole.where(expr.span)} {REASONS[kind]}, so backward "
        f"ends at `{text}` itself, and no other tensor gets a gradient.",
        span=place.span,
        fix=tuple(_untold(whole, place, fix) for fix in without(whole, expr, kind, every)),
        cut=whole.line(expr.span),
    )


def _untold(whole: Whole, place: Expr | Statement, fix: Fix) -> Fix:
    """A repair without the line that sets the flag, which torch refuses of what has a graph."""
    told = whole.source[place.span]
    if not isinstance(place, nodes.Assign) or not fix.program:
        return fix
    lines = [line for line in fix.program.splitlines(keepends=True) if line.strip() != told]
    return replace(fix, program="".join(lines))


def _without_leaf(whole: Whole, text: str, place: Expr | Statement) -> Finding:
    """A loss that nothing which requires grad goes into."""
    way = list(_way(whole, text, place))
    mode = next((found for source in way if (found := _mode_on_the_way(whole, source))), None)
    if mode is not None:
        return _under_mode(whole, text, place, mode)
    made = [s for s in way if isinstance(s.value, nodes.Call) and creates(s.value)]
    names = [name_of(source) for source in reversed(made)]
    what = f" from {named(names)}" if names else ""
    fixes = tuple(_untold(whole, place, fix) for fix in required(whole, made))
    return whole.finding(
        "AGX419",
        f"`{text}` was computed{what} without a graph, and telling it to require grad makes none: backward "
        f"ends at `{text}` itself, and no other tensor gets a gradient.",
        span=place.span,
        fix=fixes or (Fix("let what it is computed from require grad instead"),),
    )


def _mode_on_the_way(whole: Whole, source: Source) -> Expr | None:
    """The no_grad or its like that a value was computed under though a leaf goes into it."""
    return mode_of(whole, source) if comes_from_leaf(whole, source.value) else None


def _under_mode(whole: Whole, text: str, place: Expr | Statement, mode: Expr) -> Finding:
    """A loss whose forward stands under no_grad: that is left out, and so is the flag."""
    made = whole.source[mode.span]
    on = "set_grad_enabled(True)" if called(mode) == "set_grad_enabled" else "enable_grad()"
    prefix = made[: made.rfind(".") + 1] if "." in made.partition("(")[0] else ""
    program = edited(whole.source, {mode.span: f"{prefix}{on}"})
    return whole.finding(
        "AGX419",
        f"Telling `{text}` to require grad on {whole.where(place.span)} makes no graph: it is computed under "
        f"`{made}` of {whole.where(mode.span)}, where torch records nothing, so backward ends at `{text}` "
        "itself, and no other tensor gets a gradient.",
        span=place.span,
        fix=(_untold(whole, place, Fix(f"{whole.where(mode.span)}:  {prefix}{on}", program)),),
        cut=whole.line(mode.span),
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
