"""Why shapes do not broadcast, drawn aligned at the right, as torch aligns them."""

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import Any

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.drawing import Cells
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand
from autograd_cli.run.traced import Traced

_WORDS = (
    "must match the size of tensor",
    "not broadcastable",
    "shape mismatch",
    "doesn't match the broadcast",
)


def mismatch(case: Case) -> Finding | None:
    """AGX302 where the function works element by element and its operands do not fit."""
    operands = case.tensors
    if case.kind is not Kind.ELEMENTWISE and not case.says(*_WORDS):
        return None
    shapes = [tuple(operand.value.shape) for operand in operands]
    cells = drawing.aligned(shapes)
    if not operands or not (marked := drawing.clashes(cells)):
        return None
    rows = [(operand.text, shape, row) for operand, shape, row in zip(operands, shapes, cells, strict=True)]
    return case.finding(
        "AGX302",
        _sentence(operands, cells, marked[-1]),
        cause=(*drawing.grid(rows, marked), *_explained(cells, marked)),
        fix=tuple(_fixes(case, operands)),
        shapes=shapes,
        dimension=marked[-1],
    )


def _sentence(operands: tuple[Operand, ...], cells: list[list[int | None]], column: int) -> str:
    first, second = _meeting(cells, column)
    names = [
        f"{drawing.quoted(operands[i].text)} {shape_text(operands[i].value.shape)}" for i in (first, second)
    ]
    which = "their last dimensions" if column == len(cells[0]) - 1 else f"dimension {column} of the result"
    sizes = f"{cells[first][column]} against {cells[second][column]}"
    return f"{names[0]} and {names[1]} do not broadcast: {which}, {sizes}."


def _meeting(cells: list[list[int | None]], column: int) -> tuple[int, int]:
    """The first two operands whose sizes differ in a column."""
    sizes = [(i, row[column]) for i, row in enumerate(cells) if row[column] not in (None, 1)]
    return sizes[0][0], next(i for i, size in sizes if size != sizes[0][1])


def _explained(cells: list[list[int | None]], marked: list[int]) -> Iterator[str]:
    for column in reversed(marked):
        first, second = _meeting(cells, column)
        yield f"dimension {column}: {cells[first][column]} against {cells[second][column]}"
    yield "aligned at the right, sizes must be equal, or one of them 1 or absent"


# Repairs


def _fixes(case: Case, operands: tuple[Operand, ...]) -> Iterator[Fix]:
    """What makes two operands fit: a dimension of size 1 put in, or a transpose; at most two."""
    if len(operands) != 2:
        return
    source, parent = case.run.program.source, case.failure.expr
    found: dict[str, Fix] = {}
    for operand, other in (operands[::-1], operands):
        for suffix, words in _suffixes(operand.value, tuple(other.value.shape)):
            program = repair.suffixed(source, operand.expr, suffix, parent)
            found.setdefault(program, Fix(f"{drawing.quoted(operand.text)} {words}", program))
    yield from list(found.values())[:2]


def _suffixes(tensor: torch.Tensor, other: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """What can follow `tensor` so that it broadcasts with `other` without growing it."""
    shape = tuple(tensor.shape)
    for added in range(1, len(other) - len(shape) + 1):
        for places in combinations(range(len(shape) + added), added):
            new = _with_ones(shape, places)
            if drawing.broadcast((new, other)) == other:
                yield _index(places, len(new)), f"as {shape_text(new)}"
    if len(shape) == 2 and drawing.broadcast((shape[::-1], other)) == other:
        yield ".T", "transposed"


def _with_ones(shape: tuple[int, ...], places: tuple[int, ...]) -> tuple[int, ...]:
    rest = iter(shape)
    return tuple(1 if i in places else next(rest) for i in range(len(shape) + len(places)))


def _index(places: tuple[int, ...], rank: int) -> str:
    """An index with None at the places: "[:, None]"."""
    last = max(places)
    parts = ["None" if i in places else ":" for i in range(last + 1)]
    return f"[{', '.join(parts)}]" if rank - last <= 2 else f"[{', '.join(parts)}, ...]"


# expand, whose target is written out


def assigned(case: Case) -> Finding | None:
    """AGX302 where what is assigned to elements does not have their shape."""
    if case.name != "__setitem__" or len(case.operands) < 3 or len(case.tensors) < 2:
        return None
    value, index = case.tensors[-1], case.operands[1].value
    try:
        shape = tuple(case.tensors[0].value[index].shape)
    except (IndexError, TypeError, RuntimeError):
        return None
    given = tuple(value.value.shape)
    cells = drawing.aligned((shape, given))
    marked = [i for i, (old, new) in enumerate(zip(*cells, strict=True)) if _cannot_grow(new, old)]
    if not marked:
        return None
    return case.finding(
        "AGX302",
        f"{drawing.quoted(case.text)} is {shape_text(shape)}, and {sized(value)} does not go into it.",
        cause=drawing.grid([(case.text, shape, cells[0]), (value.text, given, cells[1])], marked),
        shapes=[shape, given],
    )


def expansion(case: Case) -> Finding | None:
    """AGX302 where `expand` or `broadcast_to` is asked for a shape that the tensor cannot take."""
    if case.name not in {"expand", "broadcast_to", "expand_as"} or not case.tensors:
        return None
    operand, shape = case.tensors[0], tuple(case.tensors[0].value.shape)
    target = _target(case)
    cells = drawing.aligned((shape, target))
    marked = [i for i, (old, new) in enumerate(zip(*cells, strict=True)) if _cannot_grow(old, new)]
    if not marked:
        return None
    rows: list[tuple[str, tuple[int, ...], Cells]] = [
        (operand.text, shape, cells[0]),
        ("asked for", target, cells[1]),
    ]
    return case.finding(
        "AGX302",
        f"{drawing.quoted(operand.text)} {shape_text(shape)} cannot be expanded to {shape_text(target)}: "
        "only a dimension of size 1 can be stretched.",
        cause=drawing.grid(rows, marked),
        shapes=[shape, target],
    )


def _cannot_grow(old: int | None, new: int | None) -> bool:
    return new is None or (old not in (None, 1, new) and new != -1)


def _target(case: Case) -> tuple[int, ...]:
    if case.name == "expand_as":
        return tuple(case.tensors[-1].value.shape)
    return tuple(whole_numbers([operand.value for operand in case.operands[1:]]))


def whole_numbers(value: Any) -> list[int]:
    """The ints in nested lists and tuples, in order."""
    if isinstance(value, list | tuple):
        return [number for item in value for number in whole_numbers(item)]
    return [value] if isinstance(value, int) else []


def bias(case: Case) -> Finding | None:
    """AGX302 where linear's bias has not one number for each of its outputs."""
    if case.name != "linear" or len(case.tensors) != 3:
        return None
    weight, given = case.tensors[1:]
    if not case.says("expanded size", "must match") or not weight.value.ndim:
        return None
    outputs = weight.value.shape[0]
    if prod(given.value.shape) in (1, outputs):
        return None
    return case.finding(
        "AGX302",
        f"{sized(given)} is no bias for {sized(weight)}, which gives {outputs} outputs: "
        f"it needs {outputs} numbers.",
        fix=tuple(_resized(case, given, outputs)),
        shapes=[tuple(weight.value.shape), tuple(given.value.shape)],
    )


def _resized(case: Case, given: Operand, outputs: int) -> Iterator[Fix]:
    """The bias made with as many numbers, where the program says how many it has."""
    made = given.argument.expr if isinstance(given.argument, Traced) else given.expr
    sizes = [n for n in nodes.walk(made) if isinstance(n, nodes.Number) and n.value == given.value.numel()]
    if isinstance(made, nodes.Call) and len(sizes) == 1 and given.value.ndim == 1:
        program = repair.edited(case.run.program.source, {sizes[0].span: str(outputs)})
        yield Fix(f"{drawing.quoted(given.text)} with {outputs} numbers", program)
    else:
        yield Fix(f"make {drawing.quoted(given.text)} with {outputs} numbers, one for each output")
