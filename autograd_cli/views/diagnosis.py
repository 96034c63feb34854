"""A diagnosis as a person reads it: what was raised, where in their code, why, what to write instead."""

from collections.abc import Iterator

from autograd_cli.lang.source import several, visible
from autograd_cli.report.diagnosis import Diagnosis, Frame, Placed, to_json
from autograd_cli.report.records import Severity
from autograd_cli.views import failing, findings, reproduced
from autograd_cli.views.pieces import BLANK, Ends, Line, Piece, one_line, words

_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warning"}


def render(diagnosis: Diagnosis, form: str, *, width: int, colour: bool) -> str:
    """`diagnosis` as "json", "plain" or "rich" text of `width` cells; empty where nothing is told."""
    if form == "json":
        return to_json(diagnosis) + "\n"
    if form == "plain":
        from autograd_cli.views import plain

        return plain.text(_pieces(diagnosis), colour)
    from autograd_cli.views import terminal

    return terminal.text(_pieces(diagnosis), width, colour)


def nothing(diagnosis: Diagnosis) -> str:
    """What is said of a log in which nothing was found."""
    return f"{several(diagnosis.lines or 0, 'line')}, and no error or warning of torch in them that agx knows"


def _pieces(diagnosis: Diagnosis) -> Iterator[Piece]:
    for number, one in enumerate(diagnosis.findings):
        if number:
            yield BLANK
        yield from _block(one, "" if diagnosis.lines is None else f"log line {one.finding.line}")


def _block(one: Placed, where: str) -> Iterator[Piece]:
    """The lines about one finding, from its severity down to its page."""
    found = one.finding
    head = words(
        (found.severity.value, _STYLES[found.severity]), f" {visible(found.name)} ({visible(found.code)})"
    )
    rank = "" if one.rank is None else f"rank {visible(one.rank)}"
    place = " · ".join(filter(None, (rank, where)))
    yield Ends(head, words((place, "quiet"))) if place else Line(head)
    yield from _frame(one.frame)
    yield from findings.texts((found.sentence,), 2, False)
    yield from findings.texts(found.cause, 4, True)
    yield from findings.torch_says(found.torch)
    yield from failing.block(one.tensors)
    for fix in found.fix:
        yield Line(words(("fix  ", "good"), one_line(fix.text)), indent=2, hang=5)
    yield from findings.also(found)
    yield from reproduced.block(one.reproduced)
    yield Line(words((f"agx explain {visible(found.code)}", "quiet")), indent=2)


def _frame(frame: Frame | None) -> Iterator[Line]:
    """The person's own frame: its place, and the line of source where the log has it."""
    if frame is None:
        return
    place = f"{frame.file}:{frame.line}" if frame.line else frame.file
    function = f" in {frame.function}" if frame.function and frame.function != "<module>" else ""
    text = (f"   {one_line(frame.text)}", "source") if frame.text else ""
    yield Line(words((f"{visible(place)}{visible(function)}", "name"), text), indent=2, whole=True)
