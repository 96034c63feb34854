"""Shapes drawn under each other, and other aligned lines of a finding's cause."""

from collections.abc import Collection, Sequence

from autograd_cli.lang.source import cells, visible
from autograd_cli.report.values import shape_text

_LABEL = 24


def label(text: str, width: int = _LABEL) -> str:
    """The text of an expression on one line, cut to `width` characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def quoted(text: str, width: int = 40) -> str:
    """The text of an expression in backticks, as sentences have it."""
    return f"`{label(text, width)}`"


def columns(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The rows as lines whose columns begin under each other, two blanks apart."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return tuple(
        "  ".join(
            text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def odd(rows: Sequence[Sequence[str]], column: int) -> tuple[str, ...]:
    """The rows in columns, with carets under the one in which they should be alike."""
    widths = [max(map(cells, each)) for each in zip(*rows, strict=True)]
    blank = "  ".join(" " * width for width in widths[:column])
    return (*columns(rows), f"{blank}  {'^' * widths[column]}" if column else "^" * widths[0])


Cells = Sequence[int | None]
"""The sizes of one operand by column; None where it has no dimension."""


def grid(rows: Sequence[tuple[str, Sequence[int], Cells]], marked: Collection[int]) -> tuple[str, ...]:
    """Each operand's text, shape and sizes, one a line, carets under the `marked` columns.

    X  (10,3)  10   3
    w  (10,1)      10  1
                   ^^
    """
    texts = [["" if size is None else str(size) for size in sizes] for _, _, sizes in rows]
    widths = [max(1, *map(len, column)) for column in zip(*texts, strict=True)]
    heads = columns([(label(text), shape_text(shape)) for text, shape, _ in rows])
    left = max(map(cells, heads))
    lines = [
        head + " " * (left - cells(head)) + _right(sizes, widths)
        for head, sizes in zip(heads, texts, strict=True)
    ]
    carets = ["^" * width if i in marked else "" for i, width in enumerate(widths)]
    return tuple(line.rstrip() for line in (*lines, " " * left + _right(carets, widths)) if line.strip())


def _right(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join("  " + text.rjust(width) for text, width in zip(texts, widths, strict=True))


def aligned(shapes: Sequence[Sequence[int]]) -> list[list[int | None]]:
    """The shapes as cells, aligned at the right as broadcasting aligns them."""
    rank = max(map(len, shapes), default=0)
    return [[None] * (rank - len(shape)) + list(shape) for shape in shapes]


def clashes(rows: Sequence[Cells]) -> list[int]:
    """The columns in which two sizes other than 1 differ, so that nothing can be stretched."""
    return [i for i, sizes in enumerate(zip(*rows, strict=True)) if len(set(sizes) - {1, None}) > 1]


def broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The shape that the shapes broadcast to; None where they do not."""
    rows = aligned(shapes)
    if clashes(rows):
        return None
    return tuple(_stretched(sizes) for sizes in zip(*rows, strict=True))


def _stretched(sizes: Sequence[int | None]) -> int:
    known = [size for size in sizes if size is not None]
    return next((size for size in known if size != 1), 1)
