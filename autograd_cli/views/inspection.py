"""The view of `--inspect`: all facts of one value, and how they were around the last backward."""

from autograd_cli.report.records import Inspection
from autograd_cli.views.pieces import Column, Line, Piece, Table, Words, one_line, words


def inspection(of: Inspection) -> list[Piece]:
    """The name, and a row a fact; beside each what it was around the last backward where that differs."""
    before, after = dict(of.before), dict(of.after)
    title = Line(words((one_line(of.name), "source")))
    if not before and not after:
        return [title, _table([(name, text) for name, text in of.rows], ("fact", ""))]
    ends = dict(of.rows)
    names = list(dict.fromkeys([*ends, *before, *after]))
    same = after == ends
    times = [before, after] if same else [before, after, ends]
    heads = ("fact", "before backward", "after it" + (" and at the end" if same else ""), "at the end")
    rows = [(name, *_told([facts.get(name, "-") for facts in times])) for name in names]
    return [title, _table(rows, heads[: len(times) + 1])]


def _told(texts: list[str]) -> list[str]:
    """One text where it is the same at all times, else each."""
    return [texts[0]] + ["" for _ in texts[1:]] if len(set(texts)) == 1 else texts


def _table(rows: list[tuple[str, ...]], heads: tuple[str, ...]) -> Table:
    columns = tuple(Column(head, cut=number > 0) for number, head in enumerate(heads))
    return Table(columns, tuple(tuple(_cell(text, at) for at, text in enumerate(row)) for row in rows))


def _cell(text: str, at: int) -> Words:
    return words((one_line(text), "value" if at else "name"))
