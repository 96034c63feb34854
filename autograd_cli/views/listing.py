"""The listing of a program: a row a statement, and beside it what the statement did."""

import re
from collections.abc import Iterator

from autograd_cli.lang.source import cells, visible
from autograd_cli.report.records import Binding, Finding, Made, Report, Severity, Statement
from autograd_cli.views.effects import Effect, effects
from autograd_cli.views.facts import named
from autograd_cli.views.layout import MARK, Entry, laid_out, right_of
from autograd_cli.views.pieces import Line, Piece, Room, Words, one_line, words

MOST_ROWS = 200
"""A longer listing is cut short, unless everything is asked for."""

_MOST_PRINTED = 12
"""How many rows one statement may take before the others are counted."""

_STEP = 4
_CLAUSE = re.compile(r"\s*((?:else|finally|except\b[^:]*)\s*:)")
_MARKS = {Severity.ERROR: ("✗", "bad"), Severity.WARNING: ("!", "warning")}


def listing(report: Report, room: Room) -> list[Piece]:
    """The table of statements and a line for those that it leaves out."""
    shown, unreached = _shown(report)
    most = len(shown) if room.full else MOST_ROWS
    texts = [_STEP * one.depth + cells(one_line(one.text)) for one in shown[:most]]
    last = max((one.line for one in shown[:most]), default=0)
    right = right_of(texts, last, room.width)
    entries = [*map(_bound, report.bindings), *_entries(report, shown[:most], room, right)]
    lines: list[Piece] = [laid_out(entries, right, room)]
    if len(shown) > most:
        more = f"… {len(shown) - most:,} more statements; --full shows all"
        lines.append(Line(words((more, "quiet")), indent=1))
    if unreached:
        lines.append(Line(words((_left_out(unreached), "quiet")), indent=1))
    return lines


def failed(report: Report) -> Statement | None:
    """The statement that ended the run with an error; None where the run came to its end."""
    return next((one for one in report.statements if one.failed), None)


def why(report: Report, statement: Statement) -> Finding | None:
    """The finding that says why a statement failed."""
    errors = [one for one in report.findings if one.severity is Severity.ERROR]
    return next((one for one in errors if one.code in statement.findings), errors[0] if errors else None)


def _shown(report: Report) -> tuple[list[Statement], int]:
    """The statements to list, and how many there are after the one that failed."""
    statements = list(report.statements)
    if failed(report) is None:
        return statements, 0
    reached = max((at for at, one in enumerate(statements, 1) if one.count), default=0)
    return statements[:reached], len(statements) - reached


def _left_out(count: int) -> str:
    return f"{count:,} more statement{'s were' if count > 1 else ' was'} not reached"


def _bound(binding: Binding) -> Entry:
    """The row of a name from outside, as it was typed."""
    made = Made(
        binding.name, binding.shape, binding.dtype, binding.device, binding.requires_grad,
        value=binding.value, text=str(binding.value),
    )  # fmt: skip
    typed = words((f"--{one_line(binding.name)} {one_line(binding.text)}", "quiet"))
    fact = "leaf, requires grad" if binding.requires_grad else one_line(binding.role)
    return Entry("-", typed, (), (Effect(named(made), words((fact, "op"))),))


def _entries(report: Report, statements: list[Statement], room: Room, right: int | None) -> Iterator[Entry]:
    """The rows of the statements, and of the words between them that belong to none."""
    lines = report.source.split("\n")
    before = 0
    for statement in statements:
        for number in range(before + 1, statement.line + 1) if before else ():
            clause = _CLAUSE.match(lines[number - 1]) if number <= len(lines) else None
            if clause is not None:
                yield Entry(str(number), _indented(clause[1], max(statement.depth - 1, 0), "source"))
        yield _entry(report, statement, before == statement.line, room, right)
        before = statement.line


def _entry(report: Report, statement: Statement, same: bool, room: Room, right: int | None) -> Entry:
    text = _indented(one_line(statement.text), statement.depth, "source" if statement.count else "quiet")
    if room.verbose:
        text += words((_comment(report.source, statement), "quiet"))
    did = effects(statement, report, None if right is None else right - MARK)
    if statement.failed:
        finding = why(report, statement)
        did.append(Effect(words(("failed  ", "bad"), one_line(finding.name) if finding else "")))
    return Entry("" if same else str(statement.line), text, _mark(report, statement), _few(did, room))


def _indented(text: str, depth: int, style: str) -> Words:
    return words(" " * (_STEP * depth), (text, style))


def _comment(source: str, statement: Statement) -> str:
    """The comment behind a statement on its line, two blanks before it; nothing where there is none."""
    start, end = statement.span
    header = source[start : start + len(statement.text)] == statement.text
    end = start + len(statement.text) if header else end
    rest = source[end:].split("\n", 1)[0].strip(" \t;")
    return f"  {visible(rest)}" if rest.startswith("#") else ""


def _mark(report: Report, statement: Statement) -> Words:
    """The sign of the gravest finding here, ? for a comment that says something else."""
    if statement.failed:
        return words(_MARKS[Severity.ERROR])
    here = [one.severity for one in report.findings if _stands_in(one, statement)]
    for severity, mark in _MARKS.items():
        if severity in here:
            return words(mark)
    return words(("?", "warning")) if statement.claim else ()


def _stands_in(finding: Finding, statement: Statement) -> bool:
    """Whether a finding is about a statement: about its line, and about it on that line."""
    if finding.line != statement.line:
        return False
    start, end = statement.span
    return finding.span is None or start <= finding.span[0] < max(end, start + 1)


def _few(did: list[Effect], room: Room) -> tuple[Effect, ...]:
    """The effects that stand in the listing: of many printed lines the first."""
    if room.full or len(did) <= _MOST_PRINTED:
        return tuple(did)
    more = f"… {len(did) - _MOST_PRINTED:,} more lines; --full shows all"
    return (*did[:_MOST_PRINTED], Effect(words((more, "quiet"))))
