"""Errors of Python's own that have to do with tensors: None for a gradient, assert, a name, an attribute."""

from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs import lost, no_way, rebound, said, uncut
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import expressions, indent_of, targets
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import lookup, nodes, scope
from autograd_cli.lang.bodies import statements
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Traced, now

# .grad is None


def no_gradient(case: Ended) -> Finding | None:
    """AGX417 where the .grad of a tensor is used, and is None."""
    if not case.says("NoneType"):
        return None
    expr = _grad_read(case)
    if expr is None:
        return None
    text = case.source[expr.value.span]
    why = _why_none(case, expr.value, text)
    rebinding = rebound.since(case.whole, text, case.statement.span.start) if "is computed" in why else None
    if rebinding is not None:
        return _rebound(case, expr, text, rebinding)
    unreached = why.startswith("no backward")
    end = lost.told_of(case.whole, text) if unreached and isinstance(expr.value, nodes.Name) else None
    if end is None:
        held = tuple(_held(case, expr, text)) if "is computed" in why else ()
        since, fixes = "", held or tuple(_guarded(case, text, why))
    else:
        guards = () if case.whole.ran.backwards else tuple(_guarded(case, text, why))
        since, fixes = f"{_joined(case)} {end[0]} {end[1]}", (*guards, *end[2])
    return case.finding(
        "AGX417",
        f"`{drawing.label(text, 40)}.grad` is None on line {case.line}: {why}{since}.",
        expr=expr,
        fix=fixes,
    )


def _joined(case: Ended) -> str:
    """What leads from a gradient that is not there to what cuts its way."""
    return ", since" if case.whole.ran.backwards else ", and none would reach it:"


def _rebound(case: Ended, expr: Expr, name: str, statement: nodes.Statement) -> Finding:
    """The .grad of a name that stood for a leaf, and stands for what was computed from it."""
    own = next((s for s in case.whole.all_statements if name in targets(s)), statement)
    leaf = f"that of {case.where(own.span)}" if own.span != statement.span else "what it was before"
    return case.finding(
        "AGX417",
        f"`{name}.grad` is None on line {case.line}: {case.where(statement.span)} gives the name `{name}` to "
        f"a computed tensor, and backward fills the .grad of the leaf, {leaf}, which has no name any more.",
        name="leaf-name-lost",
        expr=expr,
        fix=tuple(rebound.as_leaf(case, name, statement)),
        rebound=case.whole.line(statement.span),
    )


def _grad_read(case: Ended) -> nodes.Attribute | None:
    """The `.grad` in the failing expression that is None."""
    found = [n for n in nodes.walk(case.expr) if isinstance(n, nodes.Attribute) and n.name == "grad"]
    spans = {operand.expr.span for operand in case.operands if operand.value is None}
    return next((n for n in found if n.span in spans or not spans), found[0] if found else None)


def _why_none(case: Ended, expr: Expr, text: str) -> str:
    value = case.whole.ran.names.get(expr.id) if isinstance(expr, nodes.Name) else None
    tensor = now(value).value if isinstance(value, Traced) else None
    if isinstance(tensor, torch.Tensor) and not tensor.requires_grad:
        return f"`{text}` does not require grad"
    if isinstance(tensor, torch.Tensor) and not tensor.is_leaf:
        return f"`{text}` is computed, and backward fills the .grad of leaves only"
    if not case.whole.ran.backwards:
        return "no backward has run yet"
    if not any(passed.accumulates for passed in case.whole.ran.backwards):
        return "torch.autograd.grad gives its gradients back, and fills no .grad"
    cleared = [n for n in expressions(case.run.program) if _clears(n)]
    if any(n.span.start < case.expr.span.start for n in cleared):
        return "it was cleared, and no backward has run since"
    return f"no backward so far has reached `{text}`"


def _clears(node: Expr) -> bool:
    function = node.function if isinstance(node, nodes.Call) else None
    return isinstance(function, nodes.Attribute) and function.name == "zero_grad"


def _held(case: Ended, expr: nodes.Attribute, text: str) -> Iterator[Fix]:
    """The gradient of a computed tensor kept, or the tensor made the leaf that it was meant to be."""
    value = case.whole.ran.names.get(text)
    if isinstance(value, Traced):
        yield from said.kept(case.whole, text, now(value), expr.span)


def _guarded(case: Ended, text: str, why: str) -> Iterator[Fix]:
    """The clearing of a gradient that may not be there, asked first."""
    statement = case.statement
    if text in targets(statement):
        yield from rebound.in_place(case, statement)
        return
    own = case.source[statement.span]
    if isinstance(statement, nodes.Evaluate) and "\n" not in own and own.endswith(".zero_()"):
        line = f"if {text}.grad is not None:"
        new = f"{line}\n{indent_of(case.source, statement.span.start)}    {own}"
        yield Fix(f"line {case.line}:  {line} {own}", edited(case.source, {statement.span: new}))
        new = f"{text}.grad = None"
        yield Fix(f"or line {case.line}:  {new}", edited(case.source, {statement.span: new}))
    else:
        asked = f"create `{text}` with requires_grad=True, and " if "does not require" in why else ""
        yield Fix(f"{asked}call backward on what is computed from `{text}` before line {case.line}")


# assert


def assertion(case: Ended) -> Finding | None:
    """AGX319 where an assert does not hold, with the values of both sides."""
    statement = case.statement
    if not isinstance(case.failure.error, AssertionError) or not isinstance(statement, nodes.Assert):
        return None
    test = statement.test
    text = drawing.quoted(case.source[test.span], 60)
    message = str(case.failure.error)
    return case.finding(
        "AGX319",
        f"{text} does not hold{': ' + drawing.label(message, 60) if message else ''}.",
        cause=drawing.columns(list(_sides(case, test))),
        expr=test,
    )


def _sides(case: Ended, test: Expr) -> Iterator[tuple[str, str]]:
    """What each side of the test is: the program is run again up to there, and prints them."""
    asked = [
        part for part in _parts(test) if not isinstance(part, nodes.Number | nodes.Constant | nodes.Text)
    ]
    texts = [case.source[part.span] for part in asked]
    start = case.statement.span.start
    if case.statement not in case.run.program.statements or not texts:
        return
    prints = "; ".join(f"print({text})" for text in texts)
    with suppress(LimitError):
        again = rerun(case.whole.ran, case.source.text[:start] + prints)
        said = again.printed[-len(texts) :] if again is not None and again.failure is None else ()
        yield from ((drawing.label(a), drawing.label(b, 60)) for a, b in zip(texts, said, strict=False))


def _parts(test: Expr) -> tuple[Expr, ...]:
    if isinstance(test, nodes.Compare):
        return test.operands
    return test.args if isinstance(test, nodes.Call) else ()


# Names and attributes


def name(case: Ended) -> Finding | None:
    """AGX201 where a name has no value when it is read."""
    error = case.failure.error
    if not isinstance(error, NameError):
        return None
    missing = error.name or (case.expr.id if isinstance(case.expr, nodes.Name) else case.text)
    if isinstance(error, UnboundLocalError):
        return _local(case, missing)
    near = get_close_matches(missing, list(case.whole.ran.names), 1)
    meant = f"; did you mean `{near[0]}`?" if near else "."
    fixes = (
        (Fix(f"line {case.line}:  {near[0]}", edited(case.source, {case.expr.span: near[0]})),)
        if near
        else ()
    )
    return case.finding(
        "AGX201",
        f"`{missing}` has no value on line {case.line}{meant}",
        fix=fixes if isinstance(case.expr, nodes.Name) else (),
    )


def _local(case: Ended, missing: str) -> Finding:
    """AGX201 for a variable of a function that is read above the line that gives it a value."""
    place = case.expr.span.start
    inside = [each for each in statements(case.run.program.statements) if isinstance(each, nodes.Define)]
    function = next(
        (each.name for each in inside if each.span.start <= place < each.span.end), "the function"
    )
    return case.finding(
        "AGX201",
        f"`{missing}` has no value on line {case.line}: it is assigned in `{function}`, "
        "which makes it a variable of that function's own.",
        fix=(Fix(f"give what `{function}` assigns to `{missing}` another name, or pass `{missing}` to it"),),
    )


def hidden(case: Ended) -> Finding | None:
    """AGX109 where a function is called by a name that stands for a value by now."""
    callee = case.expr.function if isinstance(case.expr, nodes.Call) else None
    if not case.says("object is not callable") or not isinstance(callee, nodes.Name):
        return None
    function = lookup.function(callee, ())
    full = "" if function is None else function.path.removeprefix("builtins.")
    hides = f", which hides the function {full}" if full else ""
    is_there = "." in full and scope.of(case.run.program, ()).path(full.partition(".")[0]) is not None
    return case.finding(
        "AGX109",
        f"`{callee.id}` stands for a value on line {case.line}{hides}.",
        expr=callee,
        fix=(Fix(f"line {case.line}:  {full}(…)", edited(case.source, {callee.span: full})),)
        if is_there
        else (Fix(f"give the value that `{callee.id}` stands for another name"),),
    )


def number(case: Ended) -> Finding | None:
    """AGX403 where backward is called on a Python number that was a tensor before."""
    if not isinstance(case.failure.error, AttributeError) or not case.says("no attribute 'backward'"):
        return None
    root = case.expr.function if isinstance(case.expr, nodes.Call) else case.expr
    inner = root.value if isinstance(root, nodes.Attribute) else None
    found = None if inner is None else no_way.left_torch(case, inner)
    if inner is None or found is None:
        return None
    text, where = case.source[found.span], case.where(found.span)
    return case.finding(
        "AGX403",
        f"`{drawing.label(case.source[inner.span], 40)}` is a Python number since {where}: "
        f"{drawing.quoted(text)} leaves torch, and no gradient comes back.",
        name="nondifferentiable-op-in-loss",
        expr=found,
        fix=tuple(uncut.without(case.whole, found, "number")),
    )


def attribute(case: Ended) -> Finding | None:
    """AGX105 where a value does not have the attribute that is asked of it."""
    error = case.failure.error
    if not isinstance(error, AttributeError) or not isinstance(case.expr, nodes.Attribute | nodes.Call):
        return None
    return case.finding(
        "AGX105",
        f"{drawing.quoted(case.text)} cannot be read: {case.words}.",
        fix=tuple(_other_attribute(case)),
    )


def _other_attribute(case: Ended) -> Iterator[Fix]:
    read = [n for n in nodes.walk(case.expr) if isinstance(n, nodes.Attribute)]
    chained = [n for n in read if n.name == "grad_fn" and isinstance(n.value, nodes.Attribute)]
    for node in chained:
        if isinstance(node.value, nodes.Attribute) and node.value.name == "grad_fn":
            end = node.value.span.end
            tail = edited(case.source, {Span(end, node.span.end): ".next_functions[0][0]"})
            yield Fix("a node leads on by next_functions", tail)
