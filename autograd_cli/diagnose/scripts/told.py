"""From what happened in a script to what is told of it, by the rows that know logs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_cli.diagnose.logs import choosing
from autograd_cli.diagnose.logs.read import read
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts.records import Ended, Happened
from autograd_cli.report.diagnosis import Seen, Traced

_MOST_WARNINGS = 10
_FROM_ANOTHER_PROCESS = "Traceback (most recent call last)"


def findings(happened: Happened) -> tuple[Traced, ...]:
    """The error of torch that ended the script, with its tensors; else torch's warnings."""
    raised, tensors = _linked(happened.errors, _lines(happened.warnings))
    known = choosing.known([*happened.warnings, *raised])
    told = []
    for one in choosing.chosen(known):
        seen = next((found for raised, found in tensors if raised is one.raised), ())
        told.append(replace(choosing.told(one), tensors=seen))
    return tuple(told)


def _lines(warnings: Sequence[Raised]) -> tuple[str, ...]:
    """What stands above the error in what the script printed: torch may have warned of it."""
    return tuple(f"{one.kind}: {one.message}" for one in warnings[-_MOST_WARNINGS:])


def _linked(
    errors: Sequence[Ended], before: tuple[str, ...]
) -> tuple[list[Raised], list[tuple[Raised, tuple[Seen, ...]]]]:
    """The error with what it came from linked to it, and each of them with its tensors.

    What the script raised itself is not torch's, whatever its words, but may come from what is.
    """
    link: Raised | None = None
    tensors = []
    for one in reversed(errors):
        if one.is_own:
            continue
        link = replace(one.raised, before=before, cause=_within(one.raised) or link)
        tensors.append((link, one.tensors))
    return ([] if link is None else [link]), tensors


def _within(raised: Raised) -> Raised | None:
    """The error of another process, whose traceback is part of the message: a loader's worker, a rank."""
    if _FROM_ANOTHER_PROCESS not in raised.message:
        return None
    return next(_last_first(read([raised.message.encode("utf-8", "replace")]).raised), None)


def _last_first(raised: Sequence[Raised]) -> Iterator[Raised]:
    return reversed([one for one in raised if not one.is_warning])
