"""Backward calls from where no way leads to a leaf: what cut it, or what should have required grad."""

from collections.abc import Iterator, Sequence

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.outputs import NO_GRAPH, unrecording
from autograd_cli.diagnose.programs import rebound, uncut
from autograd_cli.diagnose.programs.creating import creates, name_of, required, wanted
from autograd_cli.diagnose.programs.cutting import (
    REASONS,
    Cut,
    comes_from_leaf,
    cuts,
    deepest,
    kind as cut_kind,
)
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.upstream import Source, mode_of, names_in, parts_of, sources
from autograd_cli.diagnose.programs.ways import CREATES
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, calls, keyword_added, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand


def cut(case: Ended) -> Finding | None:
    """AGX403 where something without a slope stands on the way to the loss, though a leaf is behind it."""
    found = _cut(case)
    return None if found is None or found[1] == "detach" else _told(case, *found, "AGX403")


def detached(case: Ended) -> Finding | None:
    """AGX453 where a detach or `.data` on the way to the loss lets no gradient pass to the leaf behind it."""
    found = _cut(case)
    return None if found is None or found[1] != "detach" else _told(case, *found, "AGX453")


def _told(case: Ended, expr: Expr, kind: str, code: str) -> Finding:
    text, every = case.source[expr.span], list(cuts(case.whole, _way(case)))
    return case.finding(
        code,
        f"{drawing.quoted(case.roots[0].text)} has no graph: {drawing.quoted(text)} on "
        f"{case.where(expr.span)} {REASONS[kind]}.",
        expr=expr,
        cause=(*_further(case, expr, every), no_cure(case.roots[0])),
        fix=tuple(uncut.without(case.whole, expr, kind, every)),
        backward=case.line,
    )


def _further(case: Ended, expr: Expr, every: Sequence[Cut]) -> Iterator[str]:
    """The other cuts on the way, which would end it too."""
    for other, kind in every:
        if other is not expr:
            where = f"{drawing.quoted(case.source[other.span])} on {case.where(other.span)}"
            yield f"so does {where}: it {REASONS[kind]}"


def no_cure(root: Operand) -> str:
    """That telling a loss to require grad only silences torch."""
    told = (
        f"`{root.text}.requires_grad = True`"
        if isinstance(root.expr, nodes.Name)
        else "to make it require grad"
    )
    return f"{told} cures nothing: backward would end right there, and nothing before it get a gradient"


def _cut(case: Ended) -> tuple[Expr, str] | None:
    """The expression that ends the way from a leaf to the root of a backward, and how it does."""
    if not case.is_backward or not case.says(NO_GRAPH) or case.run.settings.mode:
        return None
    detached = _detached_in_place(case)
    if detached is not None:
        return detached, "detach"
    return deepest(case.whole, list(cuts(case.whole, _way(case))))


def _detached_in_place(case: Ended) -> Expr | None:
    """`y.detach_()` as a statement, of a tensor that the backward goes through."""
    through = {name for source in _way(case) for name in names_in(case.whole, source.value)}
    for call in calls(case.run.program, "detach_"):
        inner = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if isinstance(inner, nodes.Name) and inner.id in through and call.span.start < case.expr.span.start:
            return call
    return None


def _way(case: Ended) -> Iterator[Source]:
    """The root's own expression, then the assignments that lead to it."""
    for root in case.roots:
        yield Source(case.statement, root.expr, None)
        yield from sources(case.whole, root.expr, case.statement.span.start)


def left_torch(case: Ended, expr: Expr) -> Expr | None:
    """The expression that made a Python number of a tensor, on the way to `expr`."""
    for source in sources(case.whole, expr, case.statement.span.start):
        for node in parts_of(case.whole, source):
            if cut_kind(node) == "number":
                return node
    return None


# Nothing requires grad


def nothing(case: Ended) -> Finding | None:
    """AGX402 where a backward starts from something that nothing which requires grad went into."""
    if not case.is_backward or not case.says(NO_GRAPH) or not case.roots:
        return None
    root = case.roots[0]
    option = unrecording(case.run.settings.mode)
    if option:
        return case.finding("AGX402", f"{drawing.quoted(root.text)} has no graph: {option}.")
    return _in_mode(case, root) or _second_order(case, root) or _no_leaf(case, root)


def _in_mode(case: Ended, root: Operand) -> Finding | None:
    """The forward stands under no_grad."""
    for source in _way(case):
        mode = mode_of(case.whole, source)
        if mode is None or (source.made is not None and source.made.requires_grad):
            continue
        if rebound.is_rebound(case, source):
            return rebound.under_a_mode(case, root, source, mode)
        if not comes_from_leaf(case.whole, source.value):
            continue
        text, line = case.source[mode.span], case.where(mode.span)
        on = "enable_grad()" if called(mode) != "set_grad_enabled" else "set_grad_enabled(True)"
        prefix = text[: text.rfind(".") + 1] if "." in text.partition("(")[0] else ""
        return case.finding(
            "AGX402",
            f"{drawing.quoted(root.text)} has no graph: {case.where(source.statement.span)} computes it "
            f"under `{text}` of {line}, where torch records nothing.",
            name="no-grad-around-trainable",
            cause=(no_cure(root),),
            fix=(Fix(f"{line}:  {prefix}{on}", edited(case.source, {mode.span: f"{prefix}{on}"})),),
        )
    return None


def _second_order(case: Ended, root: Operand) -> Finding | None:
    """A gradient that was computed without a graph of its own."""
    if isinstance(root.expr, nodes.Attribute) and root.expr.name == "grad":
        return _gradient_itself(case, root)
    for source in _way(case):
        for node in parts_of(case.whole, source):
            if isinstance(node, nodes.Call) and called(node) == "grad" and not _creates_graph(node):
                where = case.where(node.span)
                new = keyword_added(case.source, node, "create_graph=True")
                return case.finding(
                    "AGX402",
                    f"{drawing.quoted(root.text)} has no graph: the gradient of {where} was computed without "
                    "one, so it cannot be differentiated again.",
                    fix=(Fix(f"{where}:  {new}", edited(case.source, {node.span: new})),),
                )
    return None


def _gradient_itself(case: Ended, root: Operand) -> Finding:
    """A backward from a .grad that the backward before left without a graph."""
    earlier = [c for c in calls(case.run.program, "backward") if c.span.end < case.expr.span.start]
    fixes = []
    if earlier and not _creates_graph(earlier[-1]):
        where, new = (
            case.where(earlier[-1].span),
            keyword_added(case.source, earlier[-1], "create_graph=True"),
        )
        fixes.append(Fix(f"{where}:  {new}", edited(case.source, {earlier[-1].span: new})))
    return case.finding(
        "AGX402",
        f"{drawing.quoted(root.text)} has no graph: a backward leaves gradients without the way that they "
        "were computed by, unless it is told to.",
        fix=fixes,
    )


def _creates_graph(call: nodes.Call) -> bool:
    return any(keyword.name == "create_graph" for keyword in call.keywords)


def _no_leaf(case: Ended, root: Operand) -> Finding:
    made = [s for s in _way(case) if isinstance(s.value, nodes.Call) and creates(s.value)]
    made = [s for s in made if s.made is None or not s.made.requires_grad]
    made = wanted(case.whole, made) or made
    names = [name_of(s) for s in reversed(made) if name_of(s)]
    rows = [
        (n, f"line {case.whole.line(s.statement.span)}", _why(s))
        for n, s in zip(names, reversed(made), strict=False)
    ]
    rows += [(b.name, "a binding", "held constant") for b in case.run.bindings if b.used and b.role != "leaf"]
    late = next((found for name in names if (found := _told_late(case, name))), None)
    if late is not None:
        return late
    what = f": {named(names)} {'does' if len(names) == 1 else 'do'} not require grad" if names else ""
    return case.finding(
        "AGX402",
        f"{drawing.quoted(root.text)} has no graph, since nothing that it was computed from requires "
        f"grad{what}.",
        cause=drawing.columns(rows) if rows else (),
        fix=(*required(case.whole, made), *_bound_whole(case)),
    )


def _bound_whole(case: Ended) -> Iterator[Fix]:
    """What to type for bindings whose whole numbers keep them from requiring grad."""
    for bound in case.run.bindings:
        value = bound.value
        if bound.used and isinstance(value, torch.Tensor) and not value.is_floating_point():
            yield Fix(f"bind `{bound.name}` to floating values, as `--{bound.name} 2.` does")


def _told_late(case: Ended, name: str) -> Finding | None:
    """A leaf that was told to require grad after the loss was computed from it."""
    for statement in case.whole.all_statements:
        text = case.source[statement.span]
        told = text.startswith((f"{name}.requires_grad_(", f"{name}.requires_grad ="))
        if told and statement.span.start < case.statement.span.start:
            first = next(s for s in case.whole.all_statements if name in targets(s))
            return case.finding(
                "AGX402",
                f"{drawing.quoted(case.roots[0].text)} has no graph: `{name}` was told to require grad on "
                f"{case.where(statement.span)}, after what comes from it had been computed.",
                fix=tuple(_told_sooner(case, first)),
            )
    return None


def _told_sooner(case: Ended, first: Statement) -> Iterator[Fix]:
    value = first.value if isinstance(first, nodes.Assign) else None
    if isinstance(value, nodes.Call) and called(value) in CREATES:
        new = keyword_added(case.source, value, "requires_grad=True")
        yield Fix(f"{case.where(value.span)}:  {new}", edited(case.source, {value.span: new}))


def _why(source: Source) -> str:
    dtype = source.made.dtype if source.made else ""
    return (
        f"{dtype}, requires_grad False"
        if dtype.startswith(("float", "bfloat", "complex"))
        else f"{dtype}: whole numbers have no gradient"
    )
