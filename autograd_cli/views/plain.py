"""Plain text, for pipes and files: the same content, nothing cut, colours only where they are asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograd_cli.report.records import Report
from autograd_cli.views.pieces import Ends, Line, Piece, Room, Table, Word, Words, plain_text, wide, widths
from autograd_cli.views.theme import STYLES


def plain(report: Report, room: Room, colour: bool = False) -> str:
    """The report as lines of text without blanks at their ends; the width of `room` is not used."""
    from autograd_cli.views.compose import compose  # a diagnosis does without

    return text(compose(report, replace(room, width=None)), colour)


def text(pieces: Iterable[Piece], colour: bool = False) -> str:
    """The pieces as lines of text, nothing of them cut."""
    write = _painted if colour else plain_text
    return "".join(f"{write(_stripped(line))}\n" for piece in pieces for line in _lines(piece))


def _painted(of: Words) -> str:
    """The words with the codes of their styles."""
    from rich.color import ColorSystem
    from rich.style import Style

    styles = ((Style.parse(STYLES[word.style]), word.text) for word in of)
    return "".join(style.render(text, color_system=ColorSystem.STANDARD) for style, text in styles)


def _stripped(line: Words) -> Words:
    """A line without the blanks at its end."""
    words = list(line)
    while words and not words[-1].text.rstrip():
        words.pop()
    return (*words[:-1], words[-1]._replace(text=words[-1].text.rstrip())) if words else ()


def _lines(piece: Piece) -> Iterator[Words]:
    if isinstance(piece, Line):
        yield (Word(" " * piece.indent), *piece.words)
    elif isinstance(piece, Ends):
        blank = max(piece.fill - wide(piece.left) - wide(piece.right), 4)
        yield (*piece.left, Word(" " * blank), *piece.right)
    else:
        yield from _table(piece)


def _table(table: Table) -> Iterator[Words]:
    sizes = widths(table)
    titles = tuple((Word(column.title, "title"),) for column in table.columns)
    gap = Word(" " * table.gap)
    for row in (titles, *table.rows):
        line: list[Word] = [Word(" ")]
        for cell, size in zip(row, sizes, strict=True):
            line += [*cell, Word(" " * (size - wide(cell))), gap]
        yield tuple(line[:-1])
