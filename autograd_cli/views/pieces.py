"""What a text view is laid out from: lines, headers and tables of words with a style.

A style names what a word is, not how it looks; `theme` maps styles to colours. Every
word that comes from a person goes through `visible` or `one_line`, so that nothing in it
can act on a terminal.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from autograd_cli.lang.source import cells, visible


class Word(NamedTuple):
    """A stretch of text and what it is."""

    text: str
    style: str = ""


Words = tuple[Word, ...]


@dataclass(frozen=True)
class Line:
    """A line; where a terminal must break it, it goes on `hang` cells further in.

    `whole` marks what is meant to be pasted: it is never broken. `drawn` marks columns two blanks apart,
    which are broken between them: what is behind goes on below, under the column before it.
    """

    words: Words = ()
    indent: int = 0
    hang: int = 0
    whole: bool = False
    drawn: bool = False


@dataclass(frozen=True)
class Ends:
    """A line with something at its left end and something at its right, `fill` cells away.

    Where both do not fit in one line, the right end goes on a line of its own, `hang` in.
    """

    left: Words
    right: Words
    fill: int = 80
    hang: int = 1


@dataclass(frozen=True)
class Column:
    """A column of a table. `cut` is True where a narrow terminal may shorten the text.

    `width` is given where the table was laid out for a room, else that of the longest cell.
    """

    title: str
    style: str = ""
    cut: bool = False
    width: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells, one cell a column; `gap` is the space between columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Words, ...], ...]
    gap: int = 2


@dataclass(frozen=True)
class Room:
    """How much may be shown: `width` in cells, None where nothing need be cut.

    `full` shows everything, `depth` the rows down to that depth of the tree; `check`
    shows the verdicts instead of the tree; `verbose` keeps the comments of a program.
    """

    width: int | None = None
    full: bool = False
    depth: int | None = None
    check: bool = False
    verbose: bool = False


Piece = Line | Ends | Table

BLANK = Line()
_LONGEST = 72
SHORTEST = 24
"""A column that may be cut is not cut to fewer cells, while others can give way."""


def words(*parts: str | tuple[str, str]) -> Words:
    """Words from strings without a style and (text, style) pairs; empty ones are left out."""
    made = (Word(part) if isinstance(part, str) else Word(*part) for part in parts)
    return tuple(word for word in made if word.text)


def plain_text(of: Iterable[Word]) -> str:
    """The words without their styles."""
    return "".join(word.text for word in of)


def wide(of: Iterable[Word]) -> int:
    """How many cells the words take."""
    return cells(plain_text(of))


def one_line(text: str) -> str:
    """A person's text on one line: line breaks and the blanks around them become one space."""
    parts = re.split(r"[\r\n\t]+", text.strip())
    return visible(
        " ".join(filter(None, (part.strip(" ") for part in parts))) if len(parts) > 1 else parts[0]
    )


def widths(table: Table) -> list[int]:
    """The natural width of each column; a very long cell widens its column to 72 only."""
    found = []
    for number, column in enumerate(table.columns):
        if column.width is not None:
            found.append(column.width)
            continue
        longest = max((wide(row[number]) for row in table.rows), default=0)
        found.append(max(cells(column.title), min(longest, _LONGEST)))
    return found


def natural_width(table: Table) -> int:
    """The width at which nothing in the table is cut, very long cells apart."""
    sizes = widths(table)
    return 1 + sum(sizes) + table.gap * (len(sizes) - 1)


def fitting(table: Table, width: int) -> list[int]:
    """The widths of the columns: those that may be cut give way first, then the widest."""
    sizes = widths(table)
    too_much = 1 + sum(sizes) + table.gap * (len(sizes) - 1) - width
    for number, column in enumerate(table.columns):
        given = min(max(too_much, 0), max(sizes[number] - SHORTEST, 0)) if column.cut else 0
        sizes[number] -= given
        too_much -= given
    for _ in range(too_much):
        sizes[sizes.index(max(sizes))] -= 1
    return sizes


def is_cut(table: Table, width: int) -> bool:
    """Whether a terminal of this width cuts a column that should not be cut."""
    sizes = zip(fitting(table, width), widths(table), table.columns, strict=True)
    return any(given < natural for given, natural, column in sizes if not column.cut)
