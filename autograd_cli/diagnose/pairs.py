"""Two operands that torch puts together without a word: dtypes promoted, a loss over all pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import Source
from autograd_cli.lang.swift import swift
from autograd_cli.report import Finding, Fix
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
    for step, *pair in scene.pairs:
        sides = [Side(scene.operand(step, side), side.value) for side in pair]
        column, row = column_first(sides)
        made = next(side for side in pair if side.value is column.value)
        if is_column_and_row(column.value, row.value) and not puts_in_a_one(made.expr):
            said = next((w for w in scene.run.warnings if "different to the input size" in w), "")
            yield replace(all_pairs(scene, step.expr, step.value, sides), torch=said)


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
    """Whether a tensor (n,1) meets one of (n,), so that the result is (n,n)."""
    n = row.shape[0] if row.ndim == 1 else 0
    return n > 1 and tuple(column.shape) == (n, 1)


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
    source, n = told.source, row.value.shape[0]
    names = [drawing.quoted(source[side.expr.span]) for side in (column, row)]
    cells = drawing.aligned([tuple(side.value.shape) for side in sides])
    rows = [(source[s.expr.span], tuple(s.value.shape), c) for s, c in zip(sides, cells, strict=True)]
    rows.append((source[expr.span] if value.ndim else "their difference", (n, n), [n, n]))
    return told.finding(
        "AGX407",
        f"{names[0]} ({n},1) with {names[1]} ({n},) gives "
        f"({n},{n}): each element meets all {n} of the other, {n * n} pairs, and "
        "all of them go into the result.",
        span=expr.span,
        cause=drawing.grid(rows, {0}),
        fix=(
            Fix(
                f"{names[1]} as a column, element by element",
                repair.suffixed(source, row.expr, "[:, None]", expr),
            ),
        ),
        shapes=[tuple(side.value.shape) for side in sides],
    )
