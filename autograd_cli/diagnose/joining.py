"""Why tensors, or the rows of a list, cannot be put together: their sizes differ."""

import re
from collections.abc import Iterator, Sequence

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.source import several
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand

Shape = tuple[int, ...]

_RAGGED = re.compile(r"expected sequence of length \d+ at dim \d+ \(got \d+\)")


def joined(case: Case) -> Finding | None:
    """AGX317 where cat or stack is given tensors whose sizes differ."""
    words = (
        "sizes of tensors must match except",
        "each tensor to be equal size",
        "must have same number of dim",
    )
    tensors = case.tensors if len(case.tensors) > 1 else _listed(case)
    if len(tensors) < 2 or not case.says(*words):
        return None
    rank = max(o.value.ndim for o in tensors)
    rows = [(o.text, tuple(o.value.shape), _left(tuple(o.value.shape), rank)) for o in tensors[:6]]
    along = _along(case) % rank if case.name != "stack" and rank else None
    columns = zip(*(cells for _, _, cells in rows), strict=True)
    marked = [i for i, sizes in enumerate(columns) if len(set(sizes)) > 1 and i != along]
    kept = "" if along is None else f" except in dimension {along}"
    return case.finding(
        "AGX317",
        f"`{case.name}` needs tensors of the same sizes{kept}.",
        cause=drawing.grid(rows, marked),
        fix=tuple(_other_ways(case, [tuple(o.value.shape) for o in tensors])),
        shapes=[shape for _, shape, _ in rows],
    )


def _listed(case: Case) -> tuple[Operand, ...]:
    """The tensors of a list that has a name, each as `name[place]`."""
    held = next((o for o in case.operands if isinstance(o.value, list | tuple)), None)
    if held is None or not all(isinstance(item, torch.Tensor) for item in held.value):
        return ()
    return tuple(Operand(f"{held.text}[{at}]", held.expr, item) for at, item in enumerate(held.value))


def _left(shape: tuple[int, ...], rank: int) -> list[int | None]:
    return [*shape, *([None] * (rank - len(shape)))]


def _along(case: Case) -> int:
    """The dimension along which cat joins: its second argument, 0 unless said."""
    value = case.operands[1].value if len(case.operands) > 1 else 0
    return value if isinstance(value, int) else 0


def _other_ways(case: Case, shapes: Sequence[Shape]) -> Iterator[Fix]:
    """The dimensions along which `cat` does join these shapes."""
    if not isinstance(case.failure.expr, nodes.Call) or len({len(shape) for shape in shapes}) > 1:
        return
    for dim in range(len(shapes[0])):
        rest = {(*shape[:dim], *shape[dim + 1 :]) for shape in shapes}
        program = _joined_along(case, case.failure.expr, dim) if len(rest) == 1 else None
        if program is not None:
            yield Fix(f"joined along dimension {dim}", program)


def _joined_along(case: Case, call: nodes.Call, dim: int) -> str | None:
    """The source with `cat` along another dimension in place of what stands there."""
    source = case.run.program.source
    said = next((k.value for k in call.keywords if k.name in ("dim", "axis")), None)
    said = said or (call.args[1] if len(call.args) > 1 else None)
    edits = {said.span: str(dim)} if said else {Span(call.span.end - 1, call.span.end): f", dim={dim})"}
    function = call.function
    if case.name == "stack":
        edits[Span(function.span.end - len("stack"), function.span.end)] = "cat"
    return repair.edited(source, edits)


# Lists of lists


def ragged(case: Case) -> Finding | None:
    """AGX317 where a tensor is asked of a list whose rows have different lengths."""
    operand = case.operands[0] if case.operands else None
    if operand is None or not _RAGGED.search(case.words):
        return None
    found = _first_ragged(operand.value, "")
    if found is None:
        return None
    place, short, count, wanted = found
    rows = [(name, several(size, "element")) for name, size in _rows(operand)]
    return case.finding(
        "AGX317",
        f"{drawing.quoted(operand.text)} is no table: {place} has {several(count, 'element')}, "
        f"{short} has {wanted}.",
        name="ragged-list",
        cause=drawing.columns(rows) if 0 < len(rows) <= 6 else (),
        lengths=[size for _, size in _rows(operand)],
    )


def _first_ragged(value: object, place: str) -> tuple[str, str, int, int] | None:
    """The first row that is not as long as the first one beside it, with both and their lengths."""
    if not isinstance(value, list | tuple):
        return None
    for index, row in enumerate(value):
        if _length(row) != _length(value[0]):
            return f"row {place}{index}", f"row {place}0", _length(row), _length(value[0])
    inner = (_first_ragged(row, f"{place}{index}, ") for index, row in enumerate(value))
    return next((found for found in inner if found is not None), None)


def _length(row: object) -> int:
    return len(row) if isinstance(row, list | tuple) else 0


def _rows(operand: Operand) -> list[tuple[str, int]]:
    """The outermost rows as they are written, each with its length."""
    if not isinstance(operand.value, list | tuple):
        return []
    return [
        (f"row {index}  {drawing.label(str(row))}", _length(row)) for index, row in enumerate(operand.value)
    ]
