"""What came of showing a finding again, as a person reads it."""

from collections.abc import Iterator

from autograd_cli.lang.source import visible
from autograd_cli.report.reproduced import Outcome, Reproduced
from autograd_cli.views.findings import edited, torch_says
from autograd_cli.views.pieces import Line, words

_SAID = {
    Outcome.RAISED: "raises the same from this:",
    Outcome.REWORDED: "raises it in other words from this:",
    Outcome.SILENT: "does not say so of this, which has the same mistake:",
    Outcome.GONE: "no longer raises it: this comes to its end:",
}

_LONG = 6
"""A program of this many lines is not written out twice."""


def block(of: Reproduced | None) -> Iterator[Line]:
    """The program that shows it, what torch says of it, and the repaired one; nothing without one."""
    if of is None:
        return
    if of.outcome is Outcome.NOT_HERE:
        said = f"no program shows it on every machine: it takes {visible(of.needs)}"
        yield Line(words(("reproduced  ", "quiet"), said), indent=2, hang=12)
        return
    yield Line(
        words(("reproduced  ", "quiet"), f"torch {visible(of.torch)} {_SAID[of.outcome]}"), indent=2, hang=12
    )
    yield from _program(of.program)
    yield from torch_says(of.said)
    if of.repaired and of.outcome is not Outcome.GONE:
        ran = "comes to its end, nothing is found in it:" if of.passed else "does not come to its end here:"
        yield Line(words(("repaired  ", "good"), f"this {ran}"), indent=2, hang=10)
        yield from _repaired(of.program.splitlines(), of.repaired.splitlines())


def _repaired(before: list[str], after: list[str]) -> list[Line]:
    """The repaired program; of a long one the lines that are not as they were."""
    if min(len(before), len(after)) < _LONG:
        return list(_program("\n".join(after)))
    return edited(before, after)


def _program(text: str) -> Iterator[Line]:
    for line in text.rstrip("\n").splitlines():
        yield Line(words((visible(line), "source")), indent=7 if line else 0, whole=True)
