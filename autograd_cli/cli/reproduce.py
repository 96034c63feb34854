"""`agx diagnose --reproduce`: the mistake that a log tells of, made again by the program of its page."""

import re
from collections.abc import Sequence
from dataclasses import replace

from autograd_cli.catalogue import Example, Kind, Page, message_words, page
from autograd_cli.cli.live import command, findings, ran
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Traced
from autograd_cli.report.reproduced import Outcome, Reproduced

_CLASS = re.compile(r"^\w+(?:Error|Warning): ")

_SAME = 0.7
"""Messages are the same where this share of the words of the shorter one is in the other, numbers aside."""


def reproduced(found: Sequence[Traced]) -> tuple[Traced, ...]:
    """Each finding with what the installed torch says of a smallest program that has the same mistake."""
    return tuple(replace(one, reproduced=_reproduced(one.finding)) for one in found)


def _reproduced(finding: Finding) -> Reproduced:
    import torch

    about, version = page(finding.code), str(torch.__version__)
    if about.needs:
        return Reproduced(version, Outcome.NOT_HERE, needs=about.needs)
    shown = [(example, _told(example, about)) for example in about.broken]
    example, told = max(shown, key=lambda pair: _nearness(pair[1], finding))
    repaired = _repair(about, example)
    after = None if repaired is None else ran(repaired)
    return Reproduced(
        torch=version,
        outcome=_outcome(told, finding),
        command="" if example.kind is Kind.CONSOLE else command(example),
        program=example.text,
        said="" if told is None else told.torch,
        repaired="" if repaired is None else repaired.text,
        passed=None if after is None else not after.codes and after.status == 0,
    )


def _told(example: Example, about: Page) -> Finding | None:
    """The finding of a page that its example gives here; None where it gives none."""
    return next((found for found in findings(example) if found.code == about.code), None)


def _nearness(told: Finding | None, wanted: Finding) -> tuple[bool, float, float]:
    """How near a finding is to the one of the log: by its name, then by torch's words."""
    if told is None:
        return False, -1.0, -1.0
    words, others = _words(told.torch), _words(wanted.torch)
    return told.name == wanted.name, _likeness(told.torch, wanted.torch), -len(words ^ others)


def _outcome(told: Finding | None, wanted: Finding) -> Outcome:
    if told is None:
        return Outcome.GONE
    if not told.torch:
        return Outcome.SILENT
    return Outcome.RAISED if _likeness(told.torch, wanted.torch) >= _SAME else Outcome.REWORDED


def _likeness(message: str, other: str) -> float:
    """The share of the words of the shorter message that are in the other: logs leave out, releases add."""
    words, others = _words(message), _words(other)
    return len(words & others) / min(len(words), len(others)) if words and others else 0.0


def _words(message: str) -> frozenset[str]:
    """The words of a message without the class of the error."""
    return message_words(_CLASS.sub("", message))


def _repair(about: Page, example: Example) -> Example | None:
    """The repaired example that belongs to a broken one: the one in its place, else the first."""
    if not about.repaired:
        return None
    at = about.broken.index(example)
    return about.repaired[at if len(about.repaired) == len(about.broken) else 0]
