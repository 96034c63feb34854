"""Plain text, for pipes and files: the same content, nothing cut at any width, no colour."""

from collections.abc import Iterator
from dataclasses import replace

from autograd_cli.report.records import Report
from autograd_cli.views.compose import compose
from autograd_cli.views.pieces import Ends, Line, Piece, Room, Table, Word, plain_text, wide, widths


def plain(report: Report, room: Room) -> str:
    """The report as lines of text without blanks at their ends; the width of `room` is not used."""
    pieces = compose(report, replace(room, width=None))
    return "".join(f"{line.rstrip()}\n" for piece in pieces for line in _lines(piece))


def _lines(piece: Piece) -> Iterator[str]:
    if isinstance(piece, Line):
        yield " " * piece.indent + plain_text(piece.words)
    elif isinstance(piece, Ends):
        blank = max(piece.fill - wide(piece.left) - wide(piece.right), 4)
        yield plain_text(piece.left) + " " * blank + plain_text(piece.right)
    else:
        yield from _table(piece)


def _table(table: Table) -> Iterator[str]:
    sizes = widths(table)
    titles = tuple((Word(column.title),) for column in table.columns)
    for row in (titles, *table.rows):
        cells = (_padded(cell, size) for cell, size in zip(row, sizes, strict=True))
        yield " " + (" " * table.gap).join(cells)


def _padded(cell: tuple[Word, ...], size: int) -> str:
    return plain_text(cell) + " " * (size - wide(cell))
