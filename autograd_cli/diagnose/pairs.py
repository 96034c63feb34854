"""Two operands that torch puts together without a word: dtypes promoted, a loss over all pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose, prod
from typing import Any, Protocol

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.both import Both
from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import Source
from autograd_cli.lang.swift import swift
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import LiveStep
from autograd_cli.run.values import dtype_name

_MEANT = {"unsqueeze", "view", "reshape", "view_as", "reshape_as", "unflatten"}


# Promotion


def promoted(scene: Scene) -> Iterator[Finding]:
    """AGX305, once, for the first call whose operands have two dtypes and whose result has the wider."""
    for step, *pair in scene.pairs:
        if not isinstance(step.value, torch.Tensor):
            continue
        if step.function is not None and step.function.kind is Kind.LOSS and not _both_floating(pair):
            continue
        dtypes = {side.value.dtype for side in pair}
        if len(dtypes) == 2 and torch.bool not in dtypes and step.value.dtype in dtypes:
            yield _promotion(scene, step, pair)
            return


def _both_floating(pair: Sequence[LiveStep]) -> bool:
    """Whether neither is a class target, which is whole on purpose."""
    return all(side.value.is_floating_point() for side in pair)


def _promotion(scene: Scene, step: LiveStep, pair: Sequence[LiveStep]) -> Finding:
    source = scene.source
    texts = [source[scene.operand(step, side).span] for side in pair] + [scene.text(step)]
    rows = [
        (drawing.label(text), shape_text(s.value.shape), dtype_name(s.value.dtype))
        for text, s in zip(texts, (*pair, step), strict=True)
    ]
    changed, side = next(
        (text, s) for text, s in zip(texts, pair, strict=False) if s.value.dtype != step.value.dtype
    )
    return scene.finding(
        "AGX305",
        f"{drawing.quoted(changed)} is {dtype_name(side.value.dtype)} and is promoted: "
        f"{drawing.quoted(scene.text(step))} is {dtype_name(step.value.dtype)}.",
        span=step.expr.span,
        cause=drawing.columns(rows),
        dtypes=[dtype_name(side.value.dtype) for side in pair],
        result=dtype_name(step.value.dtype),
    )


# A loss over all pairs


def silent_broadcast(scene: Scene) -> Iterator[Finding]:
    """AGX407 where (n,1) meets (n,), every element meets every other, and all of it is reduced to one number.

    Silent where a 1 was put there on purpose: by None, unsqueeze, view or keepdim in
    the source.
    """
    output = scene.run.output
    if not isinstance(output, torch.Tensor) or output.numel() != 1:
        return
    found: list[tuple[nodes.Expr, Finding, Side]] = []
    for step, *pair in _met(scene):
        sides = [Side(scene.operand(step, side), side.value) for side in pair]
        column, row = column_first(sides)
        made = next(side for side in pair if side.value is column.value)
        if not puts_in_a_one(made.expr):
            said = next((w for w in scene.run.warnings if "different to the input size" in w), "")
            told = replace(all_pairs(scene, step.expr, step.value, sides), torch=said)
            if _is_averaged(scene, step):
                told = replace(told, severity=Severity.NOTE, cause=(*told.cause, _SAME_MEAN))
            found.append((step.expr, told, row))
    yield from (told for _, told, _ in found) if len(found) < 2 else _together(scene.source, found)


_SAME_MEAN = "their mean is that of the elements one by one, and so are the gradients"


def _is_averaged(scene: Scene, step: LiveStep) -> bool:
    """Whether a sum or difference goes into its mean alone, which is that of the pairs one by one too."""
    above = [each for each in scene.run.steps[step.index + 1 :] if step in scene.arguments(each)]
    names = {each.function.name if each.function else "" for each in above}
    is_sum = step.function is not None and step.function.name in {"add", "sub"}
    return is_sum and names == {"mean"} and all(each.value.numel() == 1 for each in above)


def _met(scene: Scene) -> Iterator[tuple[LiveStep, LiveStep, LiveStep]]:
    """Each call in which a column meets a row, once, with these two of its tensors."""
    for step, tensors in scene.together:
        pairs = ((one, two) for one, two in combinations(tensors, 2) if _are_pairs(one, two))
        found = next(pairs, None)
        if found is not None:
            yield step, *found


def _are_pairs(one: LiveStep, two: LiveStep) -> bool:
    column, row = sorted((one.value, two.value), key=lambda tensor: -tensor.ndim)
    return is_column_and_row(column, row)


def _together(source: Source, found: Sequence[tuple[nodes.Expr, Finding, "Side"]]) -> Iterator[Finding]:
    """The findings with one repair for all: half of it would leave the loss over all pairs."""
    text = source.text
    for expr, _, row in sorted(found, key=lambda each: -each[2].expr.span.start):
        text = repair.suffixed(Source(text, source.name), row.expr, _column(row), expr)
    words = "each row as a column, element by element"
    yield from (replace(told, fix=(Fix(words, text),)) for _, told, _ in found)


def _column(row: "Side") -> str:
    """What makes a column of a row, written behind it."""
    return "[:, None]" if row.value.ndim == 1 else "[..., None]"


@swift
@dataclass(frozen=True)
class Side:
    """One of the two operands: the expression that reads it, and the tensor."""

    expr: nodes.Expr
    value: torch.Tensor


class Teller(Protocol):
    """What findings are made by: a Scene, or a whole program."""

    @property
    def source(self) -> Source:
        """The text that spans count in."""

    def finding(self, code: str, sentence: str, **parts: Any) -> Finding:
        """A finding about the source."""


def column_first(sides: Sequence[Side]) -> tuple[Side, Side]:
    """The two operands, that of more dimensions first."""
    column, row = sorted(sides, key=lambda side: -side.value.ndim)
    return column, row


def is_column_and_row(column: torch.Tensor, row: torch.Tensor) -> bool:
    """Whether a tensor (n,1) meets one of (n,), so that the result is (n,n); more dimensions likewise."""
    wide = drawing.broadcast((tuple(column.shape), tuple(row.shape)))
    is_column = bool(row.ndim) and tuple(column.shape) == (*row.shape, 1)
    return is_column and wide is not None and prod(wide) > row.numel()


def puts_in_a_one(expr: nodes.Expr) -> bool:
    """Whether an expression puts in a dimension of size 1, by None, unsqueeze, view or keepdim."""
    for node in nodes.walk(expr):
        if isinstance(node, nodes.Constant) and node.value is None:
            return True
        if isinstance(node, nodes.Keyword) and node.name in {"keepdim", "keepdims"}:
            return True
        if (
            isinstance(node, nodes.Attribute | nodes.Name)
            and getattr(node, "name", getattr(node, "id", "")) in _MEANT
        ):
            return True
    return False


def all_pairs(told: Teller, expr: nodes.Expr, value: torch.Tensor, sides: Sequence[Side]) -> Finding:
    """AGX407 for the call `expr` with the result `value`, drawn, with the row made a column as its fix."""
    column, row = column_first(sides)
    source, shapes = told.source, [tuple(side.value.shape) for side in sides]
    wide = drawing.broadcast(shapes) or ()
    texts = {side.expr.span: drawing.quoted(source[side.expr.span]) for side in sides}
    first, second = (f"{texts[s.expr.span]} {shape_text(s.value.shape)}" for s in (column, row))
    cells = drawing.aligned(shapes)
    rows = [(source[s.expr.span], tuple(s.value.shape), c) for s, c in zip(sides, cells, strict=True)]
    rows.append((source[expr.span] if value.ndim else "their difference", wide, list(wide)))
    return told.finding(
        "AGX407",
        f"{first} with {second} gives {shape_text(wide)}: each element meets all {wide[-1]} of the other, "
        f"{prod(wide)} pairs, and all of them go into the result.",
        span=expr.span,
        cause=drawing.grid(rows, {0}),
        fix=(
            Fix(
                f"{texts[row.expr.span]} as a column, element by element",
                repair.suffixed(source, row.expr, _column(row), expr),
            ),
        ),
        shapes=shapes,
    )


def with_gradients(finding: Finding, both: Both | None) -> Finding:
    """A loss over all pairs with the loss and its gradients beside those of the repair."""
    if both is None or (both.root is None and not both.gradients):
        return finding
    lines = both.lines("with the fix")
    if both.root is not None and not both.gradients and isclose(*both.root, rel_tol=1e-6):
        lines = ("the loss and its gradients are the same with the fix, at these numbers",)
    elif both.root is not None:
        one, other = (f"{value:.7g}" for value in both.root)
        lines = (f"the loss is {one}; with the fix {other}", *lines)
    return replace(finding, cause=(*finding.cause, *lines), evidence={**finding.evidence, "off": both.off})
