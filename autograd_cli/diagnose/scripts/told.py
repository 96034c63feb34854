"""From what happened in a script to what is told of it, by the rows that know logs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_cli.diagnose.logs import choosing
from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.read import read
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import cuts, rounds
from autograd_cli.diagnose.scripts.cuts import Cut
from autograd_cli.diagnose.scripts.records import Ended, Happened
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Placed

_MOST_WARNINGS = 10
_NO_GRAPH = "does not require grad and does not have a grad_fn"
_FROM_ANOTHER_PROCESS = "Traceback (most recent call last)"


def findings(happened: Happened) -> tuple[Placed, ...]:
    """Torch's error that ended the script, with its tensors; else its warnings. And what a watch found."""
    before = _lines(happened.warnings)
    raised, linked = [], []
    for errors in (*happened.threads, happened.errors):
        more, links = _linked(errors, before)
        raised += more
        linked += links
    known = choosing.known([*happened.warnings, *raised])
    told = []
    for one in choosing.chosen(known):
        ended = next((ended for raised, ended in linked if raised is one.raised), Ended(one.raised))
        found = replace(choosing.told(one), tensors=ended.tensors)
        told.append(_with_cut(_with_layer(found, ended.layer), _cut(ended)))
    return _joined(told, happened.watched)


def _joined(told: Sequence[Placed], watched: Sequence[Placed]) -> tuple[Placed, ...]:
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


def _with(one: Placed, other: Placed | None) -> Placed:
    """A finding with what another has beside it."""
    if other is None:
        return one
    finding = replace(one.finding, torch=one.finding.torch or other.finding.torch)
    return replace(one, finding=finding, tensors=one.tensors or other.tensors)


def _lines(warnings: Sequence[Raised]) -> tuple[str, ...]:
    """What stands above the error in what the script printed: torch may have warned of it."""
    return tuple(f"{one.kind}: {one.message}" for one in warnings[-_MOST_WARNINGS:])


def _cut(ended: Ended) -> Cut | None:
    """Where the way from what is trained to what failed is cut, if the error is that it has no graph."""
    frame = own(ended.raised)
    if frame is None or _NO_GRAPH not in ended.raised.message:
        return None
    reached = [one for one in ended.tensors if one.frame == frame or one.frame.function == "<module>"]
    return cuts.find(frame, reached)


def _with_cut(told: Placed, cut: Cut | None) -> Placed:
    """The finding with the statement that cuts as the first thing that is said of its cause."""
    if cut is None:
        return told
    file = cut.frame.file.replace("\\", "/").rpartition("/")[2]
    line = f"cut at  {file}:{cut.frame.line}  {cut.frame.text}"
    piece = f"`{cut.piece}` lets no gradient through"
    finding = replace(told.finding, cause=(line, piece, *told.finding.cause))
    return replace(told, finding=finding)


def _with_layer(told: Placed, layer: str) -> Placed:
    """The finding with the layer that it is of as the first thing that is said of its cause."""
    cause = (f"in  {layer}", *told.finding.cause) if layer else told.finding.cause
    return replace(told, finding=replace(told.finding, cause=cause))


def _linked(
    errors: Sequence[Ended], before: tuple[str, ...]
) -> tuple[list[Raised], list[tuple[Raised, Ended]]]:
    """The error with what it came from linked to it, and each of them with how it was handed over.

    What the script raised itself is not torch's, whatever its words, but may come from what is.
    """
    link: Raised | None = None
    linked = []
    for one in reversed(errors):
        if one.is_own:
            continue
        cut = _cut(one)
        around = (*before, *([f"cut = {cut.piece}"] if cut else rounds.lines(one.raised, one.tensors)))
        link = replace(one.raised, before=around, cause=_within(one.raised) or link)
        linked.append((link, one))
    return ([] if link is None else [link]), linked


def _within(raised: Raised) -> Raised | None:
    """The error of another process, whose traceback is part of the message: a loader's worker, a rank."""
    if _FROM_ANOTHER_PROCESS not in raised.message:
        return None
    return next(_last_first(read([raised.message.encode("utf-8", "replace")]).raised), None)


def _last_first(raised: Sequence[Raised]) -> Iterator[Raised]:
    return reversed([one for one in raised if not one.is_warning])
