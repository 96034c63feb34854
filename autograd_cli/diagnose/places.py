"""Indices outside a tensor, and dimensions it does not have."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.diagnose.statements import around, called, with_keyword
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import several
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand

_INDEX = re.compile(
    r"index (?P<index>-?\d+) is out of bounds for dimension (?P<dim>\d+) with size (?P<size>\d+)"
    r"|select\(\): index (?P<index2>-?\d+) out of range for tensor of size \[.*\] "
    r"at dimension (?P<dim2>-?\d+)"
)
_TARGET = re.compile(r"[Tt]arget (-?\d+) is out of bounds|cur_target < n_classes|t < n_classes")
_OTHER_INDEX = (
    "index out of range",
    "out of range: tried to access index",
    "exceeds dimension size",
    "class values must be",
    "too many indices",
    "not in the valid range",
)
_DIM = re.compile(r"[Dd]imension out of range.*\[(-?\d+), (-?\d+)\], but got (-?\d+)")
_AT_LEAST = re.compile(r"at least (\d+|two|three) dimension", re.IGNORECASE)
_RANKS = (
    "number of dimensions in the tensor input does not match",
    "expects a tensor with <=",
    "expected a matrix",
)


def index(case: Case) -> Finding | None:
    """AGX309 where an index, a class or a row number is not in the tensor."""
    if not case.tensors:
        return None
    if case.kind is Kind.LOSS and _TARGET.search(case.words):
        return _class(case)
    if match := _INDEX.search(case.words):
        number, dim = match["index"] or match["index2"], int(match["dim"] or match["dim2"])
        known = -case.tensors[0].value.ndim <= dim < case.tensors[0].value.ndim
        return _outside(case, int(number), dim) if known else None
    if not case.says(*_OTHER_INDEX):
        return None
    return _too_many(case) if case.says("too many indices") else _rows(case)


def _outside(case: Case, number: int, dim: int) -> Finding:
    """An index of a subscript, gather or select."""
    tensor = case.tensors[0].value
    size = tensor.shape[dim]
    text = drawing.label(case.tensors[0].text)
    loop = _loop(case, number)
    return case.finding(
        "AGX309",
        f"`{text}` {shape_text(tensor.shape)} has size {size} in dimension {dim}: "
        f"{_range(size)}, and {number} is outside.",
        cause=(*_marked(text, tensor, dim), *(_round(case, loop) if loop else ())),
        fix=(*(_shorter(case, loop, size) if loop else ()), *_inside(case, number, size)),
        index=number,
        dimension=dim,
        size=size,
    )


@dataclass(frozen=True)
class _Loop:
    """A loop over a range whose variable is the index, or is that with `more` added to it."""

    loop: nodes.For
    ends: tuple[nodes.Expr, ...]
    value: int
    more: int


def _loop(case: Case, number: int) -> _Loop | None:
    """The loop that the index `number` comes from; None where it is no loop over a range."""
    for name, more in _indices_of(case, number):
        for loop in reversed(around(case.run.program, case.failure.expr.span)):
            if isinstance(loop, nodes.For) and loop.target == nodes.Name(name):
                ends = loop.iterable.args if isinstance(loop.iterable, nodes.Call) else ()
                return _Loop(loop, ends, number - more, more) if called(loop.iterable) == "range" else None
    return None


def _indices_of(case: Case, number: int) -> Iterator[tuple[str, int]]:
    """The names that are the index `number`, with what is added to them: `i` and 1 of `i + 1`."""
    for operand in case.operands[1:]:
        is_several = isinstance(operand.expr, nodes.Sequence) and isinstance(operand.value, tuple)
        exprs = operand.expr.items if isinstance(operand.expr, nodes.Sequence) else (operand.expr,)
        for expr, value in zip(exprs, operand.value if is_several else (operand.value,), strict=False):
            sides = (expr.left, expr.right) if isinstance(expr, nodes.Binary) and expr.op == "+" else (expr,)
            more = next((side.value for side in sides if isinstance(side, nodes.Number)), 0)
            name = next((side.id for side in sides if isinstance(side, nodes.Name)), "")
            if name and type(value) is int and value == number and isinstance(more, int):
                yield name, more


def _round(case: Case, found: _Loop) -> Iterator[str]:
    """Which round it is: "`i` is 5 in round 6 of line 3"."""
    ends = [end.value for end in found.ends if isinstance(end, nodes.Number)]
    numbers = [number for number in ends if isinstance(number, int)]
    rounds = range(*numbers) if numbers and len(numbers) == len(found.ends) else range(0)
    if found.value in rounds:
        line = case.run.program.source.line_of(found.loop.span.start)
        target = case.run.program.source[found.loop.target.span]
        yield f"`{target}` is {found.value} in round {rounds.index(found.value) + 1} of line {line}"


def _shorter(case: Case, found: _Loop, size: int) -> Iterator[Fix]:
    """The range that ends with the last index that there is."""
    stop = found.ends[1] if len(found.ends) > 1 else found.ends[0] if found.ends else None
    if stop is not None and found.value >= 0 and size > found.more and len(found.ends) < 3:
        edits = {stop.span: str(size - found.more)}
        yield Fix("the indices that there are", repair.edited(case.run.program.source, edits))


def _inside(case: Case, number: int, size: int) -> Iterator[Fix]:
    """The last index that there is for one that is written out; an index tensor kept from 0 to that."""
    source, last = case.run.program.source, size - 1 if number >= 0 else -size
    written = [n for o in case.operands[1:] for n in nodes.walk(o.expr) if source[n.span] == str(number)]
    if size and len(written) == 1 and not isinstance(case.operands[-1].value, torch.Tensor):
        yield Fix(
            f"{last} is the {'last' if number >= 0 else 'first'}",
            repair.edited(source, {written[0].span: str(last)}),
        )
    yield from _kept(case, size)


def _kept(case: Case, size: int) -> Iterator[Fix]:
    """An index tensor kept inside of `size`."""
    for operand in case.tensors:
        numbers = list(_numbers(operand.value))
        if size and any(not 0 <= n < size for n in numbers):
            program = repair.suffixed(
                case.run.program.source, operand.expr, f".clamp(0, {size - 1})", case.failure.expr
            )
            yield Fix(f"{drawing.quoted(operand.text)} kept from 0 to {size - 1}", program)


def _range(size: int) -> str:
    return f"its indices are 0 to {size - 1}, or -{size} to -1" if size else "it has no index"


def _marked(text: str, tensor: torch.Tensor, dim: int) -> tuple[str, ...]:
    shape = tuple(tensor.shape)
    return drawing.grid([(text, shape, shape)], {dim % len(shape)})


def _class(case: Case) -> Finding:
    """A class target that is no class of the scores."""
    scores, target = case.tensors[0], case.tensors[1]
    classes = scores.value.shape[1 if scores.value.ndim > 1 else 0]
    wrong = sorted({n for n in _numbers(target.value) if not 0 <= n < classes})
    return case.finding(
        "AGX309",
        f"{sized(scores)} has {classes} classes, 0 to {classes - 1}; "
        f"{drawing.quoted(target.text)} holds {_listed(wrong)}.",
        name="label-out-of-range",
        fix=tuple(_within(case, target, classes)),
        outside=wrong[:8],
        classes=classes,
    )


def _within(case: Case, target: Operand, classes: int) -> Iterator[Fix]:
    """Labels that count from 1 counted from 0; else as many classes as the labels need."""
    numbers = list(_numbers(target.value))
    if not numbers:
        return
    if min(numbers) >= 1 and max(numbers) <= classes:
        program = repair.suffixed(case.run.program.source, target.expr, " - 1", case.failure.expr)
        yield Fix("labels count from 0", program)
    elif min(numbers) >= 0:
        scores = drawing.quoted(case.tensors[0].text)
        yield Fix(f"give {scores} {max(numbers) + 1} classes, or keep the labels from 0 to {classes - 1}")
    elif max(numbers) < classes and isinstance(case.failure.expr, nodes.Call) and len(set(numbers)) > 1:
        unknown = min(numbers)
        program = with_keyword(case.run.program.source, case.failure.expr, f"ignore_index={unknown}")
        yield Fix(f"where {unknown} means that there is no label", program)


def _encoded(case: Case, classes: int) -> Finding:
    """one_hot of classes that there are not."""
    target = case.tensors[0]
    numbers = list(_numbers(target.value))
    wrong = sorted({n for n in numbers if not 0 <= n < classes})
    expr = case.operands[1].expr
    return case.finding(
        "AGX309",
        f"{classes} classes are 0 to {classes - 1}; {drawing.quoted(target.text)} holds {_listed(wrong)}.",
        name="label-out-of-range",
        fix=(
            Fix(
                f"{max(numbers) + 1} classes",
                repair.edited(case.run.program.source, {_value_of(expr).span: str(max(numbers) + 1)}),
            ),
        )
        if min(numbers) >= 0
        else (),
        outside=wrong[:8],
        classes=classes,
    )


def _value_of(expr: nodes.Expr) -> nodes.Expr:
    return expr.value if isinstance(expr, nodes.Keyword) else expr


def _rows(case: Case) -> Finding:
    """An index tensor into the rows of another: embedding, index_select, take."""
    if case.name == "one_hot" and len(case.operands) > 1 and isinstance(case.operands[1].value, int):
        return _encoded(case, case.operands[1].value)
    indices = next((o for o in case.tensors if not o.value.is_floating_point()), case.tensors[-1])
    table = next((o for o in case.tensors if o is not indices), case.tensors[0])
    size = _rows_of(case, table)
    wrong = sorted(
        {n for n in _numbers(indices.value) if not -size <= n < size or (n < 0 and case.name != "take")}
    )
    holds = f"; {drawing.quoted(indices.text)} holds {_listed(wrong)}" if wrong else ""
    return case.finding(
        "AGX309",
        f"{sized(table)} has the indices 0 to {size - 1}{holds}.",
        name="embedding-index-out-of-range" if case.name == "embedding" else "",
        fix=tuple(_kept(case, size)),
        outside=wrong[:8],
        size=size,
    )


def _rows_of(case: Case, table: Operand) -> int:
    """How many an index chooses among: the elements of take, a dimension elsewhere."""
    if case.name == "take":
        return int(table.value.numel())
    dims = [o.value for o in case.operands if isinstance(o.value, int) and not isinstance(o.value, bool)]
    dim = (
        dims[0]
        if dims and case.name != "embedding" and -table.value.ndim <= dims[0] < table.value.ndim
        else 0
    )
    return int(table.value.shape[dim]) if table.value.ndim else 1


def _numbers(tensor: torch.Tensor) -> Iterator[int]:
    if not tensor.is_meta and not tensor.is_floating_point():
        yield from map(int, tensor.flatten().tolist())


def _listed(numbers: list[int]) -> str:
    shown_ = ", ".join(map(str, numbers[:3]))
    return f"{shown_} and {len(numbers) - 3} more" if len(numbers) > 3 else shown_ or "something else"


def _too_many(case: Case) -> Finding:
    tensor = case.tensors[0].value
    asked = case.operands[1].value if len(case.operands) > 1 else ()
    count = (
        sum(1 for item in asked if item is not None and item is not ...) if isinstance(asked, tuple) else 1
    )
    return case.finding(
        "AGX309",
        f"{drawing.quoted(case.tensors[0].text)} {shape_text(tensor.shape)} has {_dimensions(tensor.ndim)}; "
        f"{count} {'indices are' if count != 1 else 'index is'} given.",
        fix=tuple(_fewer(case, count - tensor.ndim)),
        given=count,
        dimensions=tensor.ndim,
    )


def _fewer(case: Case, more: int) -> Iterator[Fix]:
    """The indices that there are dimensions for, without the last that are written."""
    index = case.operands[1].expr if len(case.operands) > 1 else None
    kept = index.items[:-more] if isinstance(index, nodes.Sequence) else ()
    if isinstance(index, nodes.Sequence) and kept:
        left_out = Span(kept[-1].span.end, index.items[-1].span.end)
        text = drawing.quoted(case.run.program.source[Span(index.items[len(kept)].span.start, left_out.end)])
        yield Fix(f"without {text}", repair.edited(case.run.program.source, {left_out: ""}))


def _dimensions(count: int) -> str:
    return several(count, "dimension") if count else "no dimensions"


# Dimensions


def dimension(case: Case) -> Finding | None:
    """AGX311 where a function is told to work along a dimension that is not there."""
    if not case.tensors:
        return None
    text, tensor = drawing.label(case.tensors[0].text), case.tensors[0].value
    if match := _DIM.search(case.words):
        low, high, got = map(int, match.groups())
        return case.finding(
            "AGX311",
            f"`{text}` {shape_text(tensor.shape)} has {_dimensions(tensor.ndim)}: `{case.name}` takes "
            f"{low} to {high}, not {got}.",
            cause=_counted(text, tensor),
            dim=got,
        )
    if not case.says(*_RANKS) and not _AT_LEAST.search(case.words):
        return None
    wanted = _wanted(case)
    return case.finding(
        "AGX311",
        f"`{text}` {shape_text(tensor.shape)} has {_dimensions(tensor.ndim)}; `{case.name}` {wanted}.",
        cause=_counted(text, tensor),
    )


def _counted(text: str, tensor: torch.Tensor) -> tuple[str, ...]:
    """The sizes with the number of each dimension under it."""
    if not tensor.ndim:
        return ()
    sizes = [str(size) for size in tensor.shape]
    return drawing.columns(
        [(text, shape_text(tensor.shape), *sizes), ("", "dim", *map(str, range(tensor.ndim)))],
    )


def _wanted(case: Case) -> str:
    if least := _AT_LEAST.search(case.words):
        return f"needs at least {least[1]}"
    asked: Any = case.operands[1].value if len(case.operands) > 1 else None
    if case.name == "permute":
        order = asked if isinstance(asked, tuple | list) else [o.value for o in case.operands[1:]]
        return f"is given an order of {len(order)}"
    return "takes at most 2" if case.name == "t" else "takes a matrix"
