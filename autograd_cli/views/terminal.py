"""The terminal view: the shared composition laid out by Rich at a given width."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

from autograd_cli.lang.source import cells
from autograd_cli.report.records import Report
from autograd_cli.views.pieces import (
    Ends,
    Line,
    Piece,
    Room,
    Table,
    Words,
    fitting,
    plain_text,
    wide,
    words,
)
from autograd_cli.views.theme import STYLES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_NARROWEST = 40
_GAPS = re.compile(r"(?<=\S) {2,}(?=\S)")
_LEAST = 24
"""Cells of a column that goes on below; where there are fewer it begins at the left."""
_HANG = 2

_GLUE = "\ue000"
"""Stands for a blank at which no line is broken; in a person's text it is written as an escape."""

_TOGETHER = re.compile(r"(?<=\S) … (?=\S)|± (?=\S)")
"""A range, and a number with its error bar, stay in one line."""


def terminal(report: Report, room: Room, colour: bool) -> str:
    """The report as a terminal of the width of `room` shows it.

    A line that is meant to be pasted may be longer: the terminal wraps it and copies it
    as one. Only the texts in a table are shortened, with `…`: other cells go on in the next line.
    """
    from autograd_cli.views.compose import compose  # a diagnosis does without

    width = max(room.width or 80, _NARROWEST)
    return text(compose(report, replace(room, width=width)), width, colour)


def text(pieces: Iterable[Piece], width: int, colour: bool) -> str:
    """The pieces as a terminal of `width` cells shows them."""
    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=width,
        color_system="standard" if colour else None,
        force_terminal=colour,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        for piece in pieces:
            _print(console, piece)
    return "".join(f"{line.replace(_GLUE, ' ').rstrip()}\n" for line in captured.get().splitlines())


def _print(console: "Console", piece: Piece) -> None:
    if isinstance(piece, Table):
        _print_table(console, piece)
    elif isinstance(piece, Ends):
        _print_ends(console, piece)
    else:
        _print_line(console, piece)


def _print_line(console: "Console", line: Line) -> None:
    """A line, broken between words where it is longer than the terminal is wide."""
    whole = _text(words(" " * line.indent) + line.words)
    if line.whole or whole.cell_len <= console.width:
        console.print(whole, soft_wrap=True)
        return
    if line.drawn:
        _print_drawn(console, line)
        return
    inner = line.indent + line.hang
    for number, part in enumerate(_text(line.words).wrap(console, console.width - inner)):
        blank = line.indent if number == 0 else inner
        part.rstrip()
        console.print(_text(words(" " * blank)).append_text(part), soft_wrap=True)


def _print_drawn(console: "Console", line: Line) -> None:
    """Columns of a line: the last ones that there is no room for, below; a line of one column as it is."""
    text, room = plain_text(line.words), console.width - line.indent
    gaps = [gap for gap in _GAPS.finditer(text) if cells(text[: gap.start()]) <= room]
    if not gaps:
        _print_line(console, replace(line, whole=True))
        return
    under = cells(text[: gaps[-2].end()]) if len(gaps) > 1 else 0
    if room - under < _LEAST:
        under = 0
    console.print(_text(words(" " * line.indent, text[: gaps[-1].start()])), soft_wrap=True)
    below = words(text[gaps[-1].end() :])
    _print_line(console, Line(below, indent=line.indent + under + _HANG))


def _print_ends(console: "Console", ends: Ends) -> None:
    fill = min(ends.fill, console.width)
    blank = fill - wide(ends.left) - wide(ends.right)
    if blank >= 2:
        console.print(_text(ends.left + words(" " * blank) + ends.right), soft_wrap=True)
        return
    _print_line(console, Line(ends.left, hang=2))
    if plain_text(ends.right):
        _print_line(console, Line(ends.right, indent=ends.hang))


def _glued(found: re.Match[str]) -> str:
    return found[0].replace(" ", _GLUE)


def _text(of: Words) -> "Text":
    from rich.text import Text

    made = Text()
    for word in of:
        made.append(_TOGETHER.sub(_glued, word.text), STYLES[word.style])
    return made


def _print_table(console: "Console", table: Table) -> None:
    sizes = fitting(table, console.width)
    titles = tuple(words((column.title, "title")) for column in table.columns)
    lines = [line for row in (titles, *table.rows) for line in _row(console, table, row, sizes)]
    console.print(_text(words("\n")).join(lines), soft_wrap=True)


def _row(console: "Console", table: Table, row: tuple[Words, ...], sizes: list[int]) -> Iterator["Text"]:
    """The lines of a row; its last cell may use the room of the empty ones after it."""
    last = max((number for number, cell in enumerate(row) if cell), default=0)
    rooms = [*sizes[:last], sum(sizes[last:]) + table.gap * (len(sizes) - 1 - last)]
    cells = [
        _folded(console, _text(cell), room, column.cut)
        for cell, room, column in zip(row, rooms, table.columns, strict=False)
    ]
    for number in range(max(map(len, cells))):
        made = _text(words(" "))
        for lines, room in zip(cells, rooms, strict=True):
            part = lines[number] if number < len(lines) else _text(())
            part.pad_right(room - part.cell_len)
            made.append_text(part).append(" " * table.gap)
        made.rstrip()
        yield made


def _folded(console: "Console", cell: "Text", room: int, cut: bool) -> list["Text"]:
    """A cell in lines of `room` cells; of one that may be cut its beginning."""
    if cell.cell_len <= room:
        return [cell]
    if cut:
        cell.truncate(room, overflow="ellipsis")
        return [cell]
    lines = [*cell.wrap(console, room)]
    for line in lines:
        line.rstrip()
    return lines
