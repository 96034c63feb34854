"""From what happened in a script to what is told of it, by the rows that know logs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_cli.diagnose.logs import choosing
from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.read import read
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import cuts, operands, rebinding, rounds
from autograd_cli.diagnose.scripts.cuts import Cut
from autograd_cli.diagnose.scripts.records import Failure, Happened
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Placed

_MOST_WARNINGS = 10
_NO_GRAPH = "does not require grad and does not have a grad_fn"
_FROM_ANOTHER_PROCESS = "Traceback (most recent call last)"
_OF_THREAD = "it ended a thread, and the script went on without it"


def findings(happened: Happened) -> tuple[Placed, ...]:
    """Torch's error that ended the script, with its tensors; else its warnings. And what a watch found."""
    before = _lines(happened.warnings)
    chains = [_linked(errors, before, is_of_thread=True) for errors in happened.threads]
    chains.append(_linked(happened.errors, before))
    last = [chain[-1].raised for chain in chains if chain]
    handed = [one for chain in chains for one in chain]
    known = choosing.known([*happened.warnings, *last])
    told = [_told(one, handed) for one in choosing.chosen(known)]
    return _joined(told, happened.watched)


@dataclass(frozen=True)
class _Read:
    """An error as rows are given it, with how it was handed over, and the statement that cuts the way."""

    raised: Raised
    failure: Failure
    cut: Cut | None = None


def _told(one: choosing.Known, handed: Sequence[_Read]) -> Placed:
    """What is told of an error or a warning, with what the script's process and its source know of it."""
    found = choosing.told(one)
    of = next((other for other in handed if other.raised is one.raised), None)
    if of is None:
        return found
    found = _with_cut(_with_layer(replace(found, tensors=of.failure.tensors), of.failure.layer), of.cut)
    return _with_cause(found, _OF_THREAD) if one.raised.is_warning else found


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


def _cut(failure: Failure) -> Cut | None:
    """Where the way from what is trained to what failed is cut, if the error is that it has no graph."""
    frame = own(failure.raised)
    if frame is None or _NO_GRAPH not in failure.raised.message:
        return None
    reached = [one for one in failure.tensors if one.frame == frame or one.frame.function == "<module>"]
    return cuts.find(frame, reached)


def _with_cut(told: Placed, cut: Cut | None) -> Placed:
    """The finding with the statement that cuts as the first thing that is said of its cause."""
    if cut is None:
        return told
    file = cut.frame.file.replace("\\", "/").rpartition("/")[2]
    line = f"cut at  {file}:{cut.frame.line}  {cut.frame.text}"
    return _with_cause(told, line, f"`{cut.piece}` lets no gradient through")


def _with_layer(told: Placed, layer: str) -> Placed:
    """The finding with the layer that it is of as the first thing that is said of its cause."""
    return _with_cause(told, f"in  {layer}") if layer else told


def _with_cause(told: Placed, *lines: str) -> Placed:
    return replace(told, finding=replace(told.finding, cause=(*lines, *told.finding.cause)))


def _linked(errors: Sequence[Failure], before: tuple[str, ...], is_of_thread: bool = False) -> list[_Read]:
    """What an error came from and itself, the root first, each linked to the one before.

    What the script raised itself is not torch's, whatever its words, but may come from what is. An error
    that ended a thread did not end the script, which goes on to a status of its own: a warning.
    """
    found: list[_Read] = []
    for one in reversed(errors):
        if one.is_own:
            continue
        cut = _cut(one)
        within = _within(one.raised, is_of_thread)
        raised = replace(
            _with_frames(rounds.read(one), one),
            before=before,
            cause=found[-1].raised if within is None and found else within,
            cut=None if cut is None else cut.by,
            is_warning=is_of_thread,
        )
        found.append(_Read(raised, one, cut))
    return found


def _with_frames(raised: Raised, failure: Failure) -> Raised:
    """The error with what its frames tell to the rows."""
    return replace(
        raised,
        rebound=rebinding.statement(raised),
        tensors=failure.tensors,
        handed=failure.handed,
        operands=operands.of(failure.expression),
        layer=failure.layer,
        frozen=failure.frozen,
        is_live=True,
    )


def _within(raised: Raised, is_warning: bool) -> Raised | None:
    """The error of another process, whose traceback is part of the message: a loader's worker, a rank."""
    if _FROM_ANOTHER_PROCESS not in raised.message:
        return None
    log = read([raised.message.encode("utf-8", "replace")])
    found = next((one for one in reversed(log.raised) if not one.is_warning), None)
    return found and replace(found, is_warning=is_warning)
