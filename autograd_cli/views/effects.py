"""What a statement did, in rows: names that it made, what it changed, what it printed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_cli.lang.source import visible
from autograd_cli.report.records import Made, Report, Round, Statement
from autograd_cli.views import facts
from autograd_cli.views.pieces import Words, one_line, plain_text, wide, words

PRINTED = "» "
"""What stands before a line that the program printed."""

NEAR = 3
"""Blanks before a fact that stands near, where its column has no room."""

_JOINED = 64
"""Two rounds of a loop, or several names, stand in one line where it is no longer than this and fits."""


@dataclass(frozen=True)
class Effect:
    """One thing that a statement did, and a fact about it for the column beside.

    Where it takes several lines, those after the first go `hang` cells in.
    """

    what: Words
    fact: Words = ()
    hang: int = 0


def effects(statement: Statement, report: Report, room: int | None) -> list[Effect]:
    """All that a statement did, over its rounds, in the order in which it stands in a row.

    `room` is how many cells there are, None where nothing need be cut.
    """
    if statement.count == 0:
        return [Effect(words(("not reached", "quiet")))]
    if statement.remark:
        return [Effect(words((one_line(statement.remark), "quiet")))]
    if statement.count == 1 and statement.last is None:
        return _claimed(_Did(statement, report, room).rows(statement), statement.claim)
    return _claimed(_rounds(statement, report, room), statement.claim)


def _claimed(found: list[Effect], claim: str) -> list[Effect]:
    """The effects, the first beside what a comment said would be printed."""
    if not claim:
        return found
    said = words(("comment says ", "warning"), one_line(claim))
    if len(found) == 1 and not found[0].fact:
        return [Effect(found[0].what, said)]
    return [*found, Effect(said)]


def _rounds(statement: Statement, report: Report, room: int | None) -> list[Effect]:
    """The first and the last round of a statement in a loop: one line, or one below the other."""
    times = words((f"{statement.count:,}×", "quiet"))
    head = times + words("  ")
    did = _Did(statement, report, None if room is None else room - wide(head) - len("first "))
    first = did.rows(statement)
    if statement.last is None:
        return _behind(head, first) or [Effect(times)]
    last = did.rows(statement.last)
    if first == last:
        return _behind(head, first) or [Effect(times)]
    joined = _joined(head, first, last, room) if len(first) == len(last) == 1 else None
    if joined is not None:
        return [joined]
    told = [replace(one, fact=()) if one.fact in [other.fact for other in first] else one for one in last]
    rows = [
        *_behind(head + words(("first ", "quiet")), first or [_NOTHING]),
        *_behind(words(" " * wide(head), ("last  ", "quiet")), told or [_NOTHING]),
    ]
    return [_bare(one, room) for one in rows]


def _joined(head: Words, first: list[Effect], last: list[Effect], room: int | None) -> Effect | None:
    """Two rounds in one line; None where that would be too long."""
    what = words(*head, ("first ", "quiet"), *first[0].what, ("   last ", "quiet"), *last[0].what)
    same = first[0].fact == last[0].fact and not plain_text(first[0].fact).startswith(facts.PYTHON)
    fits = wide(what) <= min(_JOINED, room or _JOINED)
    return _bare(Effect(what, first[0].fact if same else ()), room) if fits else None


def _bare(one: Effect, room: int | None) -> Effect:
    """An effect without `in place` where that has no room beside it: before and after say it too."""
    fits = room is None or wide(one.what) + NEAR + wide(one.fact) <= room
    return one if fits or plain_text(one.fact) != "in place" else replace(one, fact=())


_NOTHING = Effect(words(("nothing", "quiet")))


def _behind(head: Words, found: list[Effect]) -> list[Effect]:
    """The effects, `head` before the first and as much blank before the others."""
    blank = words(" " * wide(head))
    return [Effect((blank if at else head) + one.what, one.fact, wide(head)) for at, one in enumerate(found)]


@dataclass(frozen=True)
class _Did:
    """What one execution of a statement did, made into rows that fit in `room`."""

    statement: Statement
    report: Report
    room: int | None

    def rows(self, did: Statement | Round) -> list[Effect]:
        """The names that it made, what it changed, what it printed."""
        changes = [
            one
            for change in did.changed
            for one in (
                Effect(facts.became(change, self.room), facts.how(change)),
                Effect(facts.sharing(change)),
            )
            if one.what
        ]
        lines = "".join(did.printed).removesuffix("\n").split("\n") if did.printed else []
        said = [Effect(words((PRINTED, "quiet"), (_printed(line), "printed"))) for line in lines]
        return [*self.names(did.made), *changes, *said]

    def names(self, made: Sequence[Made]) -> list[Effect]:
        """Names made together stand in one row where it stays short; a function says nothing of itself."""
        told = sorted((one for one in made if one.dtype != "function"), key=self.place)
        rows = [
            Effect(facts.named(one, self.room), words((facts.fact(one, self.report), "op"))) for one in told
        ]
        if len(rows) < 2:
            return rows
        what = rows[0].what + tuple(word for row in rows[1:] for word in (*words("   "), *row.what))
        known = [text for text in dict.fromkeys(plain_text(row.fact) for row in rows) if text]
        fact = words((", ".join(known), "op"))
        fits = wide(what) + NEAR + wide(fact) <= min(self.room or _JOINED, _JOINED)
        return [Effect(what, fact)] if fits else rows

    def place(self, made: Made) -> int:
        """Where a name stands in the statement: names are told in the order written."""
        found = re.search(rf"\b{re.escape(made.name)}\b", self.statement.text)
        return found.start() if found else len(self.statement.text)


def _printed(line: str) -> str:
    """A line as it was printed, its blanks kept: columns of numbers stand by them."""
    return visible(line.expandtabs())
