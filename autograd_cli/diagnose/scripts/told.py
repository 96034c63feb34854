"""From what happened in a script to what is told of it, by the rows that know logs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_cli.diagnose.logs import choosing
from autograd_cli.diagnose.logs.read import read
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts.records import Ended, Happened
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Seen, Traced

_MOST_WARNINGS = 10
_FROM_ANOTHER_PROCESS = "Traceback (most recent call last)"


def findings(happened: Happened) -> tuple[Traced, ...]:
    """Torch's error that ended the script, with its tensors; else its warnings. And what a watch found."""
    raised, tensors = _linked(happened.errors, _lines(happened.warnings))
    known = choosing.known([*happened.warnings, *raised])
    told = []
    for one in choosing.chosen(known):
        seen = next((found for raised, found in tensors if raised is one.raised), ())
        told.append(replace(choosing.told(one), tensors=seen))
    return _joined(told, happened.watched)


def _joined(told: Sequence[Traced], watched: Sequence[Traced]) -> tuple[Traced, ...]:
    """What is told of the words of torch and what a watch found; of one mistake what the watch found.

    It keeps the tensors, and the words of torch.
    """
    met = [next((one for one in watched if _is_one(one.finding, other.finding)), None) for other in told]
    more = {id(one): other for one, other in zip(met, told, strict=True) if one is not None}
    alone = [other for one, other in zip(met, told, strict=True) if one is None]
    return (*alone, *(_with(one, more.get(id(one))) for one in watched))


def _is_one(one: Finding, other: Finding) -> bool:
    """Whether two findings are of one mistake."""
    names = {one.name, *one.also}
    return one.code == other.code or not names.isdisjoint((other.name, *other.also))


def _with(one: Traced, other: Traced | None) -> Traced:
    """A finding with what another has beside it."""
    if other is None:
        return one
    finding = replace(one.finding, torch=one.finding.torch or other.finding.torch)
    return replace(one, finding=finding, tensors=one.tensors or other.tensors)


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
