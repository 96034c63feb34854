"""Two operands that torch puts together without a word: dtypes promoted, a loss over all pairs."""

from collections.abc import Iterator, Sequence

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
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
    rows = [
        (drawing.label(scene.text(s)), shape_text(s.value.shape), dtype_name(s.value.dtype))
        for s in (*pair, step)
    ]
    changed = next(side for side in pair if side.value.dtype != step.value.dtype)
    return scene.finding(
        "AGX305",
        f"{drawing.quoted(scene.text(changed))} is {dtype_name(changed.value.dtype)} and is promoted: "
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
        column, row = sorted(pair, key=lambda side: -side.value.ndim)
        if _is_column_and_row(column.value, row.value) and not _is_meant(column):
            yield _all_pairs(scene, step, pair, column, row)


def _is_column_and_row(column: torch.Tensor, row: torch.Tensor) -> bool:
    n = row.shape[0] if row.ndim == 1 else 0
    return n > 1 and tuple(column.shape) == (n, 1)


def _is_meant(column: LiveStep) -> bool:
    """Whether the operand's own text puts in the dimension of size 1."""
    return puts_in_a_one(column.expr)


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


def _all_pairs(
    scene: Scene, step: LiveStep, pair: Sequence[LiveStep], column: LiveStep, row: LiveStep
) -> Finding:
    n = row.value.shape[0]
    cells = drawing.aligned([tuple(side.value.shape) for side in pair])
    rows = [(scene.text(s), tuple(s.value.shape), c) for s, c in zip(pair, cells, strict=True)]
    rows.append((scene.text(step) if step.value.ndim else "their difference", (n, n), [n, n]))
    program = repair.suffixed(scene.source, row.expr, "[:, None]", step.expr)
    said = next((w for w in scene.run.warnings if "different to the input size" in w), "")
    return scene.finding(
        "AGX407",
        f"{drawing.quoted(scene.text(column))} ({n},1) with {drawing.quoted(scene.text(row))} ({n},) gives "
        f"({n},{n}): each element meets all {n} of the other, {n * n} pairs, and "
        "all of them go into the result.",
        span=step.expr.span,
        torch=said,
        cause=drawing.grid(rows, {0}),
        fix=(Fix(f"{drawing.quoted(scene.text(row))} as a column, element by element", program),),
        shapes=[tuple(side.value.shape) for side in pair],
    )
