"""`agx diagnose --reproduce`: the mistake that a log tells of, made again by the program of its page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_cli.catalogue import Example, Kind, Page, message_words, page
from autograd_cli.cli.live import PROGRAM, findings, plainly, ran
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.reproduced import Outcome, Reproduced

_CLASS = re.compile(r"^\w+(?:Error|Warning): ")

_SAME = 0.7
"""Messages are the same where this share of the words of the shorter one is in the other, numbers aside."""


def reproduced(found: Sequence[Placed]) -> tuple[Placed, ...]:
    """Each finding with what the installed torch says of a smallest program that has the same mistake."""
    return tuple(replace(one, reproduced=_reproduced(one.finding)) for one in found)


@dataclass(frozen=True)
class _Try:
    """A program with the mistake: what torch `said` of it where Python alone ran it, and how near that is.

    Of programs that are equally near the shorter is nearer.
    """

    example: Example
    said: str
    nearness: tuple[bool, bool, float, bool, int, int]


def _reproduced(finding: Finding) -> Reproduced:
    import torch

    about, version = page(finding.code), str(torch.__version__)
    if about.needs:
        return Reproduced(version, Outcome.NOT_HERE, needs=about.needs)
    programs = [example for example in about.broken if example.kind is not Kind.CONSOLE]
    best = max((_tried(example, about, finding) for example in programs), key=lambda one: one.nearness)
    repaired = _repair(about, best.example)
    after = ran(repaired)
    return Reproduced(
        torch=version,
        outcome=_outcome(best, about, finding),
        command=f"python {PROGRAM}",
        program=best.example.text,
        said=best.said,
        repaired=repaired.text,
        passed=not after.codes and after.status == 0,
    )


def _tried(example: Example, about: Page, wanted: Finding) -> _Try:
    error, found = plainly(example)
    warned = next((one.torch for one in found if one.code == about.code), "")
    said = error if error and found else warned  # an error that nothing is told of is another one
    likeness = _likeness(said, wanted.torch)
    has_name = any(one.name == wanted.name for one in found)
    far = len(_words(said) ^ _words(wanted.torch))
    return _Try(example, said, (bool(said), likeness >= _SAME, likeness, has_name, -far, -len(example.text)))


def _outcome(best: _Try, about: Page, wanted: Finding) -> Outcome:
    if best.said:
        return Outcome.RAISED if _likeness(best.said, wanted.torch) >= _SAME else Outcome.REWORDED
    is_there = any(one.code == about.code for one in findings(best.example))
    return Outcome.SILENT if is_there else Outcome.GONE


def _likeness(message: str, other: str) -> float:
    """The share of the words of the shorter message that are in the other: logs leave out, releases add."""
    words, others = _words(message), _words(other)
    return len(words & others) / min(len(words), len(others)) if words and others else 0.0


def _words(message: str) -> frozenset[str]:
    """The words of a message without the class of the error."""
    return message_words(_CLASS.sub("", message))


def _repair(about: Page, example: Example) -> Example:
    """The repaired example that belongs to a broken one: it stands in the same place."""
    return about.repaired[about.broken.index(example)]
