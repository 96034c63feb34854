"""Findings as a person reads them: what, where, why, and what to write instead."""

from collections.abc import Sequence

from autograd_cli.errors import Span
from autograd_cli.lang.source import Source, quote, visible
from autograd_cli.report.records import Finding, Fix, Report, Severity
from autograd_cli.report.values import shape_text
from autograd_cli.views.pieces import Ends, Line, Piece, Room, one_line, words

_WHOLE = 1 << 30
_MOST_LINES = 4
_TAB = 4
_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warning", Severity.NOTE: "note"}


def block(finding: Finding, report: Report, room: Room) -> list[Piece]:
    """The lines about one finding, from its severity down to its page; an aside takes one.

    A repair that was run and fails too is no cure, and is not shown.
    """
    if _is_aside(finding):
        said = words(
            (finding.severity.value, "note"),
            f"  {visible(finding.sentence)} ",
            (visible(f"({finding.code})"), "quiet"),
        )
        return [Line(said, hang=6)]
    return [
        _head(finding, report),
        *_place(finding, report, room),
        *texts((finding.sentence,), 2, False),
        *texts(finding.cause, 4, True),
        *_operands(finding),
        *torch_says(finding.torch),
        *(line for fix in finding.fix if fix.passed is not False for line in _fix(fix, report)),
        *_no_repair(finding),
        *also(finding),
        Line(words((f"agx explain {visible(finding.code)}", "quiet")), indent=2),
    ]


def _is_aside(finding: Finding) -> bool:
    """Whether a finding is a remark: a note with no place, no drawing and nothing to mend."""
    remark = finding.severity is Severity.NOTE and finding.span is None
    return remark and not (finding.cause or finding.fix or finding.torch or finding.also)


def _head(finding: Finding, report: Report) -> Piece:
    style = _STYLES[finding.severity]
    left = words((finding.severity.value, style), f" {visible(finding.name)} ({visible(finding.code)})")
    name = "standard input" if report.name == "-" else visible(report.name)
    where = " ".join(filter(None, (name, f"line {finding.line}" if finding.line else "")))
    return Ends(left, words((where, "quiet"))) if report.name else Line(left)


def _place(finding: Finding, report: Report, room: Room) -> list[Line]:
    """The lines of the source that a place is on, with carets under it; of a long place the first."""
    if finding.span is None or finding.span[0] == finding.span[1]:
        return []
    span = Span(*finding.span)
    source = Source(report.source)
    several = len(source.line_starts) > 1
    first, last = source.line_of(span.start), source.line_of(max(span.end - 1, span.start))
    lines: list[Line] = []
    for number in range(first, min(last, first + _MOST_LINES - 1) + 1):
        begin = source.line_starts[number - 1]
        rest = report.source[begin:].split("\n", 1)[0]
        start = max(span.start, begin + len(rest) - len(rest.lstrip()))
        part = Span(start, min(span.end, begin + len(rest)))
        if part.start < part.end:
            gutter = str(number).rjust(4) if several else "  "
            lines += _quoted(report.source, part, gutter, _STYLES[finding.severity], room)
    if last - first >= _MOST_LINES:
        lines.append(Line(words((f"{'…'.rjust(4)} │ to line {last}", "quiet"))))
    return lines


def _quoted(text: str, part: Span, gutter: str, style: str, room: Room) -> list[Line]:
    """One line of a text and the carets under a part of it."""
    width = _WHOLE if room.width is None else room.width - len(gutter) - 4
    found = quote(text, part, width)
    blank = " " * len(gutter)
    return [
        Line(words((f"{gutter} │ ", "quiet"), (found.line, "source")), whole=True),
        Line(words((f"{blank} │ ", "quiet"), (found.carets, style)), whole=True),
    ]


def texts(lines: tuple[str, ...], indent: int, drawn: bool) -> list[Line]:
    """Lines of text; those that are `drawn` keep their blanks, and are broken between columns alone."""
    pieces = [piece for text in lines for piece in text.splitlines()]
    return [Line(words(visible(piece)), indent=indent, drawn=drawn and "  " in piece) for piece in pieces]


def torch_says(message: str) -> list[Line]:
    """What torch says, word for word; none of it where that is empty."""
    lines = message.strip().expandtabs(_TAB).splitlines()
    said = [Line(words(("torch says  ", "quiet"), visible(line)), indent=2, hang=12) for line in lines[:1]]
    return said + [Line(words(visible(line)), indent=14) for line in lines[1:]]


def _fix(fix: Fix, report: Report) -> list[Line]:
    ran = "  (run: it works)" if fix.ran else ""
    lines = []
    if fix.text:
        said = words(("fix  ", "good"), one_line(fix.text), (ran, "quiet"))
        lines.append(Line(said, indent=2, hang=5))
    programs = fix.program.splitlines()
    if report.statements and len(programs) >= _MOST_LINES:
        return lines + edited(report.source.splitlines(), programs)
    return lines + [Line(words((visible(line), "source")), indent=7, whole=True) for line in programs]


def _operands(finding: Finding) -> list[Line]:
    """The operands of what failed, where the lines above do not say their dtypes and devices."""
    operands = finding.evidence.get("operands", ())
    said = "\n".join(finding.cause)
    if all(each["dtype"] in said and each["device"] in said for each in operands):
        return []
    alike = dict.fromkeys(
        f"{one_line(each['text'])} {shape_text(each['shape'])} {each['dtype']} on {each['device']}"
        for each in operands
    )
    return [Line(words(("given  ", "quiet"), " · ".join(map(visible, alike))), indent=4, hang=7)]


def _no_repair(finding: Finding) -> list[Line]:
    """That no repair is known which was run and works, where the run failed and none is shown."""
    works = any(fix.passed is not False for fix in finding.fix)
    if works or finding.severity is not Severity.ERROR or not finding.torch:
        return []
    return [Line(words(("fix  ", "good"), "none that agx tried works"), indent=2, hang=5)]


def edited(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    """Where a whole program was mended, the lines that are not as they were, with their numbers."""
    least = min(len(before), len(after))
    same = next((at for at in range(least) if before[at] != after[at]), least)
    rest = least - same
    ends = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    gone = [(at + 1, "-", before[at]) for at in range(same, len(before) - ends)]
    come = [(at + 1, "+", after[at]) for at in range(same, len(after) - ends)]
    return [
        Line(words((f"{number:4} {sign} ", "quiet"), (visible(text), "source")), whole=True)
        for number, sign, text in (*gone, *come)
    ]


def also(finding: Finding) -> list[Line]:
    """The other names that the finding goes by, where there are some."""
    names = ", ".join(map(visible, finding.also))
    return [Line(words(("also  ", "quiet"), names), indent=2, hang=6)] if names else []
