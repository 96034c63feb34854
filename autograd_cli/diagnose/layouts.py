"""Shapes that a function does not take, where no rule knows more of why."""

import re

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case
from autograd_cli.lang import nodes
from autograd_cli.lang.source import in_words, several
from autograd_cli.report import Finding
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand

_SHAPES = re.compile(
    r"dimension|\bdims?\b|\bshapes?\b|\bsizes?\b|\d-?D\b|\bsquare|matri(?:x|ces)|expand|broadcast|\bbatch|vector"
    r"|same number of|\bnumel\b|\belements?\b|channels?|empty|stride|length|data points",
    re.IGNORECASE,
)
_CHANNELS = re.compile(r"to have (\d+) channels, but got (\d+) channels")
_SINGLE = "expected more than 1 value per channel when training"


def channels(case: Case) -> Finding | None:
    """AGX327 where a convolution's weight is for another number of channels than its input has."""
    found = _CHANNELS.search(case.words)
    if found is None or len(case.tensors) < 2:
        return None
    given, weight = case.tensors[:2]
    return case.finding(
        "AGX327",
        f"{drawing.quoted(given.text)} {shape_text(given.value.shape)} has "
        f"{several(int(found[2]), 'channel')}, and {drawing.quoted(weight.text)} "
        f"{shape_text(weight.value.shape)} is for {found[1]}.",
        cause=_drawn(case) if "transpose" in case.name else _met(given, weight),
        channels=int(found[2]),
        wanted=int(found[1]),
    )


def _met(given: Operand, weight: Operand) -> tuple[str, ...]:
    """The image over the weight, its channels over those that this is for; a batch may be missing."""
    rank = weight.value.ndim
    rows: list[tuple[str, tuple[int, ...], list[int | None]]] = [
        (o.text, tuple(o.value.shape), [*[None] * (rank - o.value.ndim), *o.value.shape])
        for o in (given, weight)
    ]
    return (*drawing.grid(rows, [1]), "channels must be equal (times the groups)")


def single(case: Case) -> Finding | None:
    """AGX332 where a batch norm in training is given one value for each channel."""
    if not case.says(_SINGLE) or not case.tensors:
        return None
    given = case.tensors[0]
    return case.finding(
        "AGX332",
        f"{drawing.quoted(given.text)} {shape_text(given.value.shape)} has one value for each channel: "
        "training takes their mean and variance, and one value has none.",
        cause=_drawn(case),
    )


def refused(case: Case) -> Finding | None:
    """AGX346 where the shapes of the operands are not those that the function takes."""
    if not case.tensors or not _SHAPES.search(case.words):
        return None
    operands = case.tensors[:4]
    names = [f"{drawing.quoted(o.text)} {shape_text(o.value.shape)}" for o in operands]
    called = (
        f"`{case.name}`"
        if case.name and isinstance(case.failure.expr, nodes.Call)
        else drawing.quoted(case.text)
    )
    return case.finding(
        "AGX346",
        f"{called} does not take {in_words(names)}.",
        cause=_drawn(case),
        shapes=[tuple(o.value.shape) for o in case.tensors],
    )


def _drawn(case: Case) -> tuple[str, ...]:
    """The sizes of each tensor, a column for each dimension, counted under them."""
    shapes = [tuple(o.value.shape) for o in case.tensors[:6]]
    rank = max(map(len, shapes))
    rows = [
        (drawing.label(o.text), shape_text(s), *map(str, s), *[""] * (rank - len(s)))
        for o, s in zip(case.tensors, shapes, strict=False)
    ]
    return drawing.columns([*rows, ("", "dim", *map(str, range(rank)))] if rank else rows)
