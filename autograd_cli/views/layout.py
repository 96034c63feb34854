"""The columns of a listing in the room there is: statements, and what they did beside them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograd_cli.lang.source import cells
from autograd_cli.views.effects import NEAR, PRINTED, Effect
from autograd_cli.views.pieces import Column, Room, Table, Word, Words, plain_text, wide, words

MARK = 2
"""Cells of the mark before what a statement did, and of the blank after it."""

_GAP = 2
_SHARE = 0.41
_NARROWEST = 8
_LONGEST = 72
_ALIGNED = 48


@dataclass(frozen=True)
class Entry:
    """A row of the listing before it is laid out: line, statement, mark, and all that it did."""

    line: str
    text: Words
    mark: Words = ()
    did: tuple[Effect, ...] = ()


def right_of(texts: Sequence[int], line: int, width: int | None) -> int | None:
    """How many cells there are for what statements did, mark included; None where nothing need be cut.

    `texts` are the cells that the statements take, `line` is the largest number of a line.
    """
    if width is None:
        return None
    left = width - _margin(max(4, len(str(line))))
    return left - min(max([9, *texts]), round(left * _SHARE))


def laid_out(entries: list[Entry], right: int | None, room: Room) -> Table:
    """The table in the room there is: the statement gives way first, then facts go a row down."""
    line = _line_cells(entries)
    text = max([9, *(wide(entry.text) for entry in entries)])
    did = [one for entry in entries for one in entry.did]
    fact = max((wide(one.fact) for one in did), default=0)
    if right is None or room.width is None:
        text = min(text, _LONGEST)
    else:
        left = room.width - _margin(line)
        text = min(text, left - min(right, _needed(did)))
        right = left - text
    what = _aligned_at(did, right)
    if right is not None:
        fact = max(min(_needed(did), right) - what - _GAP, *_beside(did, what, right), 0)
    rows = [row for entry in entries for row in _rows(entry, line, what, right)]
    columns = (
        Column("line".rjust(line), "quiet", width=line),
        Column("statement", cut=True, width=text),
        Column("  what it did", width=what),
        Column("", width=fact),
    )
    return Table(columns, tuple(rows), _GAP)


def _line_cells(entries: list[Entry]) -> int:
    return max([4, *(len(entry.line) for entry in entries)])


def _margin(line: int) -> int:
    """What stands beside the statements and what they did: a blank, the line's number, two gaps."""
    return 1 + line + _GAP + _GAP


def _needed(did: list[Effect]) -> int:
    """How many cells what was done takes when nothing of it is broken."""
    return max([13, *(MARK + wide(one.what) + (NEAR + wide(one.fact) if one.fact else 0) for one in did)])


def _aligned_at(did: list[Effect], right: int | None) -> int:
    """The width of what was done, mark included, so that the facts beside it start in one column."""
    pairs = [one for one in did if one.fact]
    most = _ALIGNED
    if right is not None:
        facts = [size for one in pairs if (size := wide(one.fact)) <= right // 2]
        most = min(most, right - _GAP - max(facts, default=0))
    return max([11, *(size for one in pairs if (size := MARK + wide(one.what)) <= most)])


def _beside(did: list[Effect], what: int, right: int) -> list[int]:
    """The cells of the facts that there is room for in their column, beside what was done."""
    sizes = [wide(one.fact) for one in did if one.fact and MARK + wide(one.what) <= what]
    return [size for size in sizes if what + _GAP + size <= right]


def _rows(entry: Entry, line: int, what: int, right: int | None) -> Iterator[tuple[Words, ...]]:
    """The rows of one entry: its first effect beside the statement, the others below."""
    first = (words((entry.line.rjust(line), "quiet")), entry.text)
    mark = entry.mark + words(" ") if entry.mark else words(" " * MARK)
    did = entry.did or ((Effect(()),) if entry.mark else ())
    for at, (left, fact) in enumerate(_cells(did, what, right) or [((), ())]):
        start = mark if at == 0 else words(" " * MARK)
        yield (*(first if at == 0 else ((), ())), start + left if left or entry.mark else (), fact)


def _cells(did: tuple[Effect, ...], what: int, right: int | None) -> list[tuple[Words, Words]]:
    """The effects as rows: the fact in its column, or near, or below where there is no room."""
    made: list[tuple[Words, Words]] = []
    for one in did:
        size, beside = MARK + wide(one.what), wide(one.fact)
        if one.fact and size <= what and (right is None or what + _GAP + beside <= right):
            made.append((one.what, one.fact))
        elif one.fact and (right is None or size + NEAR + beside <= right):
            made.append((one.what + words(" " * NEAR) + one.fact, ()))
        else:
            room = None if right is None else right - MARK
            hang = one.hang + len(PRINTED)
            blank = words(" " * (hang if room is None else min(hang, max(room // 3, len(PRINTED)))))
            under = None if room is None else room - wide(blank)
            made += [(part, ()) for part in _broken(one.what, room, wide(blank))]
            made += [(blank + part, ()) for part in _broken(one.fact, under, 0)] if one.fact else []
    return made


def _broken(text: Words, right: int | None, hang: int) -> list[Words]:
    """The words in lines of at most `right` cells, those after the first `hang` further in."""
    if right is None or wide(text) <= right or right - hang < _NARROWEST:
        return [text]
    lines: list[list[Word]] = [[]]
    left = right
    for word in text:
        for part in _parts(word.text, right - hang):
            begins = cells(part) > left and bool(lines[-1])
            if begins:
                lines.append([Word(" " * hang)])
                left = right - hang
            said = part.lstrip(" ") if begins else part
            lines[-1].append(Word(said, word.style))
            left -= cells(said)
    return [tuple(line) for line in lines if plain_text(line).strip()]


def _parts(text: str, size: int) -> list[str]:
    """Where a text may be broken: before its blanks, and within a word that is wider than a line."""
    pieces = re.findall(r"\s*\S+|\s+$", text)
    return [part for piece in pieces for part in _chopped(piece, size)]


def _chopped(piece: str, size: int) -> list[str]:
    if cells(piece) <= size:
        return [piece]
    return [piece[at : at + size // 2] for at in range(0, len(piece), size // 2)]
