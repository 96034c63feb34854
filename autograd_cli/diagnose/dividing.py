"""Quotients that are whole numbers: where they are written, and what stands there with the plain division."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import called
from autograd_cli.diagnose.trial import again, both_ways
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.tape import Run

_ROUNDED = re.compile(r""",?\s*rounding_mode\s*=\s*(["'])\w+\1""")
_INDEX = {"arange", "randint", "randperm", "range", "argmax", "argmin", "argsort", "nonzero"}
"""Functions whose whole numbers count places: what they are divided by tells a row, a group, a round."""


@dataclass(frozen=True)
class Quotient:
    """A division that gives a whole number: its place, and the texts of it and of the plain one.

    Of `x //= n` the place is the statement, and `assigned` what begins the statement in its stead.
    """

    span: Span
    left: Expr
    right: Expr
    whole: str
    plain: str
    assigned: str = ""


def quotients(source: Source, expr: Expr) -> Iterator[Quotient]:
    """The divisions in an expression that cut off what is behind the point."""
    held = {id(inner) for node in nodes.walk(expr) for inner in _apart(node)}
    for node in nodes.walk(expr):
        if id(node) in held:
            continue
        if isinstance(node, nodes.Binary) and node.op == "//":
            left, right = source[node.left.span], source[node.right.span]
            between = source.text[node.left.span.end : node.right.span.start]
            plain = left + between.replace("//", "/", 1) + right
            text = source[node.span]
            plain = text.replace(left + between + right, plain)
            yield Quotient(node.span, node.left, node.right, text, plain)
        elif isinstance(node, nodes.Call) and called(node) in ("div", "divide", "floor_divide"):
            yield from _of_call(source, node)


def _of_call(source: Source, node: nodes.Call) -> Iterator[Quotient]:
    """`torch.div(a, b, rounding_mode="floor")`, `a.floor_divide(b)` and their like."""
    text = source[node.span]
    plain = _ROUNDED.sub("", text).replace("floor_divide(", "div(", 1)
    function = node.function
    inner = function.value if isinstance(function, nodes.Attribute) else None
    is_method = inner is not None and inner != nodes.Name("torch")
    given = [*([inner] if is_method and inner is not None else []), *node.args]
    if plain != text and len(given) > 1:
        yield Quotient(node.span, given[0], given[1], text, plain)


def _apart(node: Expr) -> Iterator[Expr]:
    """What counts or chooses and is no number to compute with: an index, an exponent, what is compared."""
    if isinstance(node, nodes.Subscript):
        yield from nodes.walk(node.index)
    if isinstance(node, nodes.Binary) and node.op == "**":
        yield from nodes.walk(node.right)
    if isinstance(node, nodes.Compare):
        yield from (inner for operand in node.operands for inner in nodes.walk(operand))


def counts_places(expr: Expr) -> bool:
    """Whether an expression gives whole numbers that count places."""
    return any(called(node) in _INDEX for node in nodes.walk(expr))


def is_cut_off(whole: Any, plain: Any) -> bool:
    """Whether a quotient is whole numbers, and the plain division gives others."""
    one, two = (torch.as_tensor(each) for each in (whole, plain))
    if one.is_floating_point() or one.is_complex() or one.shape != two.shape:
        return False
    return not torch.equal(one.double(), two.double())


def sentence(quotient: Quotient, whole: str, plain: str) -> str:
    """What is wrong, with both quotients."""
    return (
        f"{drawing.quoted(quotient.whole)} is {whole}, of whole numbers: what is behind the point is cut "
        f"off, and the quotient is {plain}."
    )


def cut_off(scene: Scene) -> Iterator[Finding]:
    """AGX507 where a whole quotient of an expression makes its output another number."""
    run, source = scene.run, scene.source
    output = run.output
    if not isinstance(output, torch.Tensor) or not output.is_floating_point() or output.is_meta:
        return
    for quotient in quotients(source, run.program.body):
        whole, plain = (again(run, text) for text in (quotient.whole, quotient.plain))
        if whole is None or plain is None or whole.failure or plain.failure or counts_places(quotient.left):
            continue
        if is_cut_off(whole.output, plain.output):
            yield from _finding(scene, quotient, written(whole.output), written(plain.output))


def _finding(scene: Scene, quotient: Quotient, whole: str, plain: str) -> Iterator[Finding]:
    text = scene.source.text
    program = text[: quotient.span.start] + quotient.plain + text[quotient.span.end :]
    other = again(scene.run, program)
    if other is None or other.failure is not None or _is_same(scene.run.output, other.output):
        return
    both = both_ways(scene.run, program)
    yield scene.finding(
        "AGX507",
        sentence(quotient, whole, plain),
        span=quotient.span,
        cause=() if both is None else both.lines("with the fix"),
        fix=(Fix("the plain division", program),),
    )


def _is_same(one: torch.Tensor, other: Any) -> bool:
    is_alike = isinstance(other, torch.Tensor) and one.shape == other.shape
    return is_alike and torch.allclose(one.detach().double(), other.detach().double(), equal_nan=True)


def written(value: Any) -> str:
    """A quotient as it is typed while it is short."""
    plain = value.tolist() if isinstance(value, torch.Tensor) else value
    return drawing.label(_listed(plain), 40)


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


# Backward through a whole quotient

FLOORED = {"floor_divide", "floor_divide_", "__ifloordiv__", "__rfloordiv__", "__floordiv__"}
"""Functions that torch has no derivative of."""

PASSED = "rounded forward, passed through backward (a straight-through estimate)"


def is_of_quotient(case: Case) -> bool:
    """Whether a backward failed since torch has no derivative of a whole quotient."""
    return case.says("derivative for aten::floor_divide", "derivative for floor_divide")


def undifferentiated(case: Case) -> Finding | None:
    """AGX507 where an expression's backward comes through a whole quotient."""
    if not is_of_quotient(case):
        return None
    exprs = [step.expr for step in case.run.steps if step.function and step.function.name in FLOORED]
    found = without_slope(case, [each for expr in exprs for each in quotients(case.run.program.source, expr)])
    return found and replace(found, fix=tuple(fix for fix in found.fix if _has_gradient(case.run, fix)))


def _has_gradient(made: Run, fix: Fix) -> bool:
    """Whether the backward of a repaired expression comes to its end."""
    other = again(made, fix.program)
    output = other.output if other is not None and other.failure is None else None
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return False
    torch.autograd.backward(output, torch.ones_like(output))
    return True


def without_slope(case: Case, found: Sequence[Quotient]) -> Finding | None:
    """The finding of a backward that comes through whole quotients; None where none is known."""
    if not found:
        return None
    source, first = case.run.program.source, found[0]
    side = first.right if isinstance(first.left, nodes.Number) else first.left
    ways = (  # a constant has the slope of steps; where it is all there is, nothing is left to differentiate
        ("the whole number as a constant", lambda each: f"({each.whole}).detach()"),
        ("the plain division", lambda each: each.plain),
        (PASSED, passed_on),
    )
    fixes = [
        Fix(words, repair.edited(source, {each.span: f"{each.assigned}{write(each)}" for each in found}))
        for words, write in ways
    ]
    told = case.finding(
        "AGX507",
        f"{drawing.quoted(first.whole)} rounds down to a whole number, which stays as it is when "
        f"{drawing.quoted(source[side.span])} changes a little: torch has no derivative of it, and a "
        "backward that comes through it fails.",
        fix=fixes,
    )
    return replace(
        told,
        span=(first.span.start, first.span.end),
        line=source.line_of(first.span.start),
        severity=Severity.ERROR,
    )


def passed_on(quotient: Quotient) -> str:
    """A whole quotient that passes the gradient of the plain one, as text."""
    return f"({quotient.plain} + ({quotient.whole} - {quotient.plain}).detach())"
