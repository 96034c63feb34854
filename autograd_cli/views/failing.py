"""The tensors in the frames of an error, a line for each."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from autograd_cli.lang.source import cells, visible
from autograd_cli.report.diagnosis import Frame, Seen
from autograd_cli.report.values import shape_text
from autograd_cli.views.pieces import Line, words

_MOST_OF_FIRST = 8
_MOST_OF_OTHERS = 4
_MOST_FRAMES = 3
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_WIDEST = 32
"""Cells up to which a column is as wide as its longest text."""


def block(tensors: Sequence[Seen]) -> Iterator[Line]:
    """The tensors by frame, the innermost first; of many the first, and how many more there are."""
    frames = [(frame, list(group)) for frame, group in groupby(tensors, key=lambda one: one.frame)]
    for number, (frame, group) in enumerate(frames[:_MOST_FRAMES]):
        most = _MOST_OF_OTHERS if number else _MOST_OF_FIRST
        yield Line(words((_heading(frame, number), "quiet")), indent=2)
        yield from _rows(group[:most])
        if len(group) > most:
            yield Line(words((f"and {len(group) - most:,} more", "quiet")), indent=4)


def _heading(frame: Frame, number: int) -> str:
    file = frame.file.replace("\\", "/")
    file = file.rpartition("/")[2] if _ABSOLUTE.match(file) else file
    inside = f" in {frame.function}" if frame.function != "<module>" else ""
    return visible(f"{'called from' if number else 'tensors at'} {file}:{frame.line}{inside}")


def _rows(group: Sequence[Seen]) -> Iterator[Line]:
    """A line for each tensor, in columns."""
    facts = [(visible(one.name), shape_text(one.shape), one.dtype, visible(one.device)) for one in group]
    wide = [min(max(cells(row[column]) for row in facts), _WIDEST) for column in range(4)]
    for one, row in zip(group, facts, strict=True):
        parts = [text + " " * max(wide[at] - cells(text) + 2, 2) for at, text in enumerate(row)]
        told = words((parts[0], "name"), *parts[1:], _grad(one), _ends(one), *_not_finite(one))
        yield Line(told, indent=4, hang=2)


def _grad(one: Seen) -> str:
    """What autograd knows of a tensor: the node that made it, or a leaf, or nothing."""
    if one.grad_fn is not None:
        return visible(one.grad_fn)
    return "leaf, requires grad" if one.requires_grad else "no grad"


def _ends(one: Seen) -> str:
    """From where to where whole numbers go: they may be places in another tensor."""
    return "" if one.low is None else f"  {one.low} … {one.high}"


def _not_finite(one: Seen) -> Iterator[tuple[str, str]]:
    counts = [f"{count:,} {kind}" for count, kind in ((one.nan, "NaN"), (one.inf, "inf")) if count]
    if counts:
        yield f"  {' and '.join(counts)}", "bad"
