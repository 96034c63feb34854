"""The view of `gradcheck`: a verdict for each gradient, worst first, and for the whole."""

import re
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from autograd_cli.errors import ExitStatus
from autograd_cli.lang.source import several
from autograd_cli.report.checks import Element
from autograd_cli.report.records import Backward, Examination, Gradient, Report, Verdict
from autograd_cli.report.values import element, index_text
from autograd_cli.views import numbers
from autograd_cli.views.grounds import check_lines, ground_lines, says_more
from autograd_cli.views.pieces import BLANK, Column, Line, Piece, Table, Words, one_line, words
from autograd_cli.views.witnesses import GIVEN_NONE, OWN_NOTES, nothing_flows, place, style_of

_COLUMNS = ("gradient", "verdict", "elements", "worst at", "off", "rounding allows")


def verdicts(report: Report, verbose: bool = False) -> list[Piece]:
    """A row a gradient, worst first; what the worst and the bad ones rest on; the whole."""
    if report.output is None and (not report.statements or any(each.failed for each in report.statements)):
        return []
    ranked = sorted(_named(report), key=_severity, reverse=True)
    if not ranked and report.status == ExitStatus.LIMIT:
        return []
    if not ranked:
        return [Line(words(("no gradient to check", "bad"), f": {_why_none(report)}"))]
    table = Table(tuple(Column(title) for title in _COLUMNS), tuple(map(_row, ranked)))
    shown = [
        one
        for number, one in enumerate(ranked)
        if not number
        or one.gradient.verdict is not Verdict.OK
        or nothing_flows(one.gradient)
        or one.gradient.plain_sentence
        or says_more(one.gradient)
    ]
    numbered = "\n" in report.source.strip()
    grounds = [line for one in shown for line in _grounds(one, numbered, verbose)]
    whole = _whole([one.gradient for one in ranked], report.examined)
    return [table, BLANK, *grounds, *check_lines(report.checks), whole]


def _why_none(report: Report) -> str:
    """Why there is no gradient: the program did not come to its end, or nothing asks for one."""
    failed = next((each for each in report.statements if each.failed), None)
    if failed is not None:
        what = "the backward of " if _BACKWARD.search(failed.text) else ""
        return f"{what}line {failed.line} failed"
    if report.output is None:
        return "no value that it makes has a graph"
    return "nothing in it requires grad" if report.statements else "nothing that is bound requires grad"


_BACKWARD = re.compile(r"\b(backward|autograd\.grad|grad)\(")


class Named(NamedTuple):
    """A gradient and what it is called: d/dx, or of one of several backwards d y1/dx."""

    name: str
    gradient: Gradient


def _named(report: Report) -> list[Named]:
    """The gradients of a report: a program's are those of all its backwards, and of another root."""
    roots = {backward.root for backward in report.backwards}
    alone = report.gradients if not report.backwards or report.root not in roots else ()
    root = f" {one_line(report.root)}" if report.backwards else ""
    return [Named(f"d{root}/d{one_line(one.name)}", one) for one in alone] + [
        Named(f"d {one_line(backward.root)}/d{one_line(one.name)}{_where(backward)}", one)
        for backward in report.backwards
        for one in backward.gradients
    ]


def _where(backward: Backward) -> str:
    rounds = f" ×{backward.number:,}" if backward.count > 1 else ""
    return f"  line {backward.line}{rounds}"


def _severity(named: Named) -> tuple[int, float]:
    """What sorts gradients: the verdict, then the distance as a share of what is allowed."""
    gradient = named.gradient
    rank = gradient.verdict.rank if gradient.verdict else 0
    return rank, (gradient.difference or 0.0) / (gradient.tolerance or 1.0)


def _row(named: Named) -> tuple[Words, ...]:
    gradient = named.gradient
    verdict = gradient.verdict.value if gradient.verdict else "-"
    return (
        words((named.name, "name")),
        words((verdict, style_of(gradient.verdict))),
        words(f"{prod(gradient.shape):,}"),
        words((place(gradient) or "-", "quiet")),
        words(numbers.off(gradient) or _small(gradient.difference)),
        words(_small(gradient.tolerance)),
    )


def _grounds(named: Named, numbered: bool, verbose: bool) -> list[Line]:
    """The witnesses at the worst element, and the sentence that says what they amount to.

    With `numbered`, places in the source have their lines.
    """
    gradient = named.gradient
    cut = gradient.grounds is not None and bool(gradient.grounds.cuts)
    notes = [
        OWN_NOTES[note] for note in gradient.notes if note in OWN_NOTES and not cut and note != GIVEN_NONE
    ]
    notes += [one_line(gradient.plain_sentence)] if gradient.plain_sentence else []
    said = (Line(words((note, "quiet")), indent=4, hang=2) for note in notes)
    return [*_compared(named), *said, *ground_lines(gradient, numbered, verbose)]


def _compared(named: Named) -> list[Line]:
    gradient = named.gradient
    label, _, where = named.name.partition("  ")
    name = words((f"{label}{place(gradient)}", "name"), (f"  {where}" if where else "", "quiet"))
    seen = (
        ("autograd", gradient.autograd),
        ("formula", gradient.symbolic),
        ("numeric", gradient.numeric),
        ("plain", gradient.plain),
    )
    at = {witness: element(values, gradient.worst) for witness, values in seen}
    known = {witness: value for witness, value in at.items() if value is not None}
    said = [Line(words(one_line(gradient.sentence)), indent=4)] if gradient.sentence else []
    if not known and (few := _furthest(gradient)) is not None:
        given, reference = numbers.in_step([few.autograd, few.reference])
        name = words((f"{label}{index_text(few.index)}", "name"), (f"  {where}" if where else "", "quiet"))
        return [Line(name + words(f"   autograd {given}   reference {reference}"), indent=1, hang=3), *said]
    if not known:
        head = "no gradient flows: " if nothing_flows(gradient) else ""
        reason = words(f"   {head}{one_line(gradient.sentence)}")
        return [Line(name + reason, indent=1, hang=3)] if gradient.sentence else []
    texts = numbers.in_step(list(known.values()), gradient.tolerance)
    if GIVEN_NONE in gradient.notes:
        texts[list(known).index("autograd")] = "None (counts as 0)"
    listed = [
        words(f"   {witness} {text}", (_bar(gradient) if witness == "numeric" else "", "quiet"))
        for witness, text in zip(known, texts, strict=True)
    ]
    return [Line(name + tuple(word for part in listed for word in part), indent=1, hang=3), *said]


def _furthest(gradient: Gradient) -> Element | None:
    """The worst element of a gradient that is too large to be written out, or the one next to it."""
    elements = () if gradient.grounds is None else gradient.grounds.elements
    return next((one for one in elements if one.index == gradient.worst), next(iter(elements), None))


def _bar(gradient: Gradient) -> str:
    if gradient.verdict is Verdict.KINK:
        return ", between the slopes"
    return "" if gradient.error_bar is None else f" {numbers.error_bar(gradient.error_bar)}"


def _small(value: float | None) -> str:
    return "-" if value is None else numbers.distance(value)


def _whole(ranked: Sequence[Gradient], examined: Sequence[Examination]) -> Line:
    """The verdict on the whole: the worst of its gradients', and of a person's Functions."""
    worst = ranked[0].verdict
    is_missing = worst is Verdict.NO_GRAPH  # for a backward that raises there is no verdict of its own
    if any(one.wrong or (one.causes and not is_missing) for one in examined):
        worst = Verdict.WRONG
    count = sum(prod(gradient.shape) for gradient in ranked)
    own = f" and {several(len(examined), 'check')} of your own code" if examined else ""
    said = (
        f" · {several(len(ranked), 'gradient')} of {several(count, 'element')}{own}, "
        "against references in float64"
    )
    return Line(
        words(("the whole: ", "quiet"), (worst.value if worst else "-", style_of(worst)), (said, "quiet"))
    )
