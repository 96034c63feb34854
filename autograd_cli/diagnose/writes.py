"""Writes that torch refuses: into a view of several, into stretched memory, into a narrower dtype."""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.diagnose.statements import around, inserted
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand
from autograd_cli.run.values import dtype_name


def one_of_several(case: Case) -> Finding | None:
    """AGX432 where one of the views that a call gave together is changed in place."""
    if not case.says("is a view and is being modified inplace", "another view of its base"):
        return None
    operand = next(iter(case.tensors), None)
    if operand is None or not case.says("returns multiple views", "output of a function that"):
        return None
    node = type(operand.value.grad_fn).__name__ if operand.value.grad_fn is not None else "one call"
    return case.finding(
        "AGX432",
        f"{drawing.quoted(operand.text)} is one of several views that {node} gave together, and is changed "
        "in place: torch does not follow such a change into the others.",
        fix=tuple(_anew(case, operand)),
    )


def made_unrecorded(case: Case) -> Finding | None:
    """AGX433 where a view that was made under no_grad is changed in place outside of it."""
    if not case.says("view was created in no_grad mode", "view was created in inference mode"):
        return None
    operand = next(iter(case.tensors), None)
    text = operand.text if operand else case.text
    return case.finding(
        "AGX433",
        f"{drawing.quoted(text)} is a view that was made under no_grad, and is changed where torch records: "
        "it does not know whether the change is meant to have a gradient.",
        fix=tuple(_anew(case, operand)) if operand else (),
    )


def stretched(case: Case) -> Finding | None:
    """AGX434 where a tensor whose elements share memory, as `expand` gives, is changed in place."""
    if not case.says(
        "refers to a single memory location", "some elements of the input tensor and the written"
    ):
        return None
    operand = next(iter(case.tensors), None)
    if operand is None:
        return None
    tensor = operand.value
    return case.finding(
        "AGX434",
        f"{sized(operand)} has several elements in one place of memory, as `expand` makes them: a write to "
        "one would be a write to all.",
        cause=drawing.columns(
            [
                (
                    drawing.label(operand.text),
                    f"shape {shape_text(tensor.shape)}",
                    f"strides {tuple(tensor.stride())}",
                )
            ]
        ),
        fix=tuple(_anew(case, operand)),
        stride=tuple(tensor.stride()),
    )


def _anew(case: Case, operand: Operand) -> Iterator[Fix]:
    """The write as a new value, and the tensor given memory of its own before it."""
    source, expr = case.run.program.source, case.failure.expr
    statement = next(iter(around(case.run.program, expr.span)[-1:]), None)
    name = operand.expr.id if isinstance(operand.expr, nodes.Name) else ""
    if isinstance(statement, nodes.Augment) and statement.target == operand.expr and name:
        right = repair.followed(source, statement.value, "")
        right = source[statement.value.span] if isinstance(statement.value, nodes.Number) else right
        text = f"{name} = {name} {statement.op} {right}"
        yield Fix("a new value", repair.edited(source, {statement.span: text}))
    elif isinstance(expr, nodes.Call) and case.name.endswith("_") and name:
        end = expr.function.span.end
        text = source[Span(expr.span.start, end - 1)] + source[Span(end, expr.span.end)]
        alone = isinstance(statement, nodes.Evaluate) and statement.value is expr
        yield Fix("a new value", repair.edited(source, {expr.span: f"{name} = {text}" if alone else text}))
    if name and statement is not None and not isinstance(statement, nodes.Augment):
        yield Fix("a copy before it", inserted(source, statement, [f"{name} = {name}.clone()"]))
    elif not name and not (isinstance(statement, nodes.Evaluate) and statement.value is expr):
        yield Fix("a copy of its own", repair.suffixed(source, operand.expr, ".clone()", expr))


def _target(case: Case) -> Operand | None:
    """The tensor that the call writes into."""
    function, expr = case.function, case.failure.expr
    if isinstance(expr, nodes.Call):
        out = next((k.value for k in expr.keywords if k.name == "out"), None)
        if out is not None:
            return next((o for o in case.tensors if o.expr is out), None)
    if function is not None and (
        function.writes or function.name.endswith("_") or not isinstance(expr, nodes.Call)
    ):
        return next(iter(case.tensors), None)
    return None


def grown(case: Case) -> Finding | None:
    """AGX302 where the result of a write is larger than the tensor that it goes into."""
    target = _target(case) if case.says("doesn't match the broadcast shape", "Bad in-place call") else None
    if target is None:
        return None
    shapes = [tuple(o.value.shape) for o in case.tensors]
    result = drawing.broadcast(shapes)
    cells = drawing.aligned(shapes)
    first = cells[case.tensors.index(target)]
    marked = [
        i for i, column in enumerate(zip(*cells, strict=True)) if first[i] != max(n or 0 for n in column)
    ]
    becomes = f"; the result would be {shape_text(result)}" if result is not None else ""
    return case.finding(
        "AGX302",
        f"{sized(target)} is written in place and cannot grow{becomes}.",
        cause=drawing.grid(
            [(o.text, s, row) for o, s, row in zip(case.tensors, shapes, cells, strict=True)], marked
        ),
        fix=tuple(_as_new_value(case, target)),
        shapes=shapes,
    )


def _as_new_value(case: Case, target: Operand) -> Iterator[Fix]:
    """What does not write, or nothing where a copy alone would be left: that has the same size and dtype."""
    yield from (fix for fix in _anew(case, target) if not fix.text.startswith("a copy"))


def narrowed(case: Case) -> Finding | None:
    """AGX336 where the result of a write has a wider dtype than the tensor that it goes into."""
    if not case.says("can't be cast to the desired output type"):
        return None
    target = _target(case)
    if target is None:
        return None
    dtypes = [o.value.dtype for o in case.tensors]
    wide = _promoted(dtypes)
    return case.finding(
        "AGX336",
        f"{drawing.quoted(target.text)} is {dtype_name(target.value.dtype)} and is written in place: the "
        f"result of `{_written(case)}` is {_wide(wide, target)}, which does not go into it.",
        cause=drawing.columns(
            [
                (drawing.label(o.text), shape_text(o.value.shape), dtype_name(o.value.dtype))
                for o in case.tensors
            ]
        ),
        fix=tuple(_as_new_value(case, target)),
        dtypes=[dtype_name(dtype) for dtype in dtypes],
    )


def _written(case: Case) -> str:
    """What writes as the source has it: `+=` for `__iadd__`."""
    statement = next(iter(around(case.run.program, case.failure.expr.span)[-1:]), None)
    return f"{statement.op}=" if isinstance(statement, nodes.Augment) else case.name


def _promoted(dtypes: list[torch.dtype]) -> torch.dtype:
    found = dtypes[0]
    for dtype in dtypes[1:]:
        found = torch.promote_types(found, dtype)
    return found


def _wide(dtype: torch.dtype, target: Operand) -> str:
    return dtype_name(dtype) if dtype != target.value.dtype else "floating"
