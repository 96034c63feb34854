"""`agx diagnose --reproduce`: the mistake that a log tells of, made again by the program of its page."""

from collections.abc import Sequence
from dataclasses import replace

from autograd_cli.catalogue import Example, Kind, Page, Said, is_same, nearest, page
from autograd_cli.cli.live import PROGRAM, plainly, ran
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.reproduced import Outcome, Reproduced


def reproduced(found: Sequence[Placed]) -> tuple[Placed, ...]:
    """Each finding with what the installed torch says of a smallest program that has the same mistake."""
    return tuple(replace(one, reproduced=_reproduced(one.finding)) for one in found)


def _reproduced(finding: Finding) -> Reproduced | None:
    """What came of it; None where the page has no program that Python alone runs."""
    import torch

    about, version = page(finding.code), str(torch.__version__)
    if about.needs:
        return Reproduced(version, Outcome.NOT_HERE, needs=about.needs)
    programs = [_said(example, about) for example in about.broken if example.kind is not Kind.CONSOLE]
    best = nearest(programs, finding.torch, finding.name)
    if best is None:
        return None
    repaired = about.repaired[about.broken.index(best.example)]  # it stands in the same place
    after = ran(repaired)
    return Reproduced(
        torch=version,
        outcome=_outcome(best, about, finding),
        command=f"python {PROGRAM}",
        program=best.example.text,
        said=best.message,
        repaired=repaired.text,
        passed=not after.found and after.status == 0,
    )


def _said(example: Example, about: Page) -> Said:
    error, found = plainly(example)
    warned = next((one.torch for one in found if one.code == about.code), "")
    said = error if error and found else warned  # an error that nothing is told of is another one
    return Said(example, said, frozenset(one.name for one in found))


def _outcome(best: Said, about: Page, wanted: Finding) -> Outcome:
    if best.message:
        return Outcome.RAISED if is_same(best.message, wanted.torch) else Outcome.REWORDED
    is_there = about.code in ran(best.example).codes
    return Outcome.SILENT if is_there else Outcome.GONE
