"""The source run a second time, without restoring the random state: what differs is not deterministic."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import torch

from autograd_cli.explore.options import Options, status_of
from autograd_cli.explore.watching import Place, Watching
from autograd_cli.report import Gradient, Report, Verdict
from autograd_cli.report.checks import Checks, Grounds, Repeat
from autograd_cli.report.digits import real
from autograd_cli.run.slices import sliced, whole
from autograd_cli.run.tape import Run
from autograd_cli.run.traced import Ran, Traced
from autograd_cli.run.values import plain

Key = tuple[tuple[int, int], int]
"""A backward: the span of its call, and its number there."""

_MOST, _SECONDS = 8, 2.0
"""What draws and gives the same, as dropout of one number may, is run so often, while that takes no time."""

_NEXT = "torch.manual_seed(0) before what is drawn, or --allow NONDETERMINISTIC"


@dataclass(frozen=True)
class Repeated:
    """What a second run showed of the source's value; `differing` are the backwards that differ."""

    repeat: Repeat
    differing: frozenset[Key] = field(default_factory=frozenset)


def repeated(
    ran: Ran, watching: Watching, begin: torch.Tensor, once_more: Callable[[Watching], Ran], limit: int | None
) -> Repeated | None:
    """The second run held against the first; None where the first drew nothing, or failed.

    `begin` is the random state that the first run began with. What a person's own functions
    draw is not known, so that a source with these is always run again.
    """
    is_still = torch.equal(begin, torch.random.get_rng_state()) and ran.settings.device == "cpu"
    if ran.failure is not None or (is_still and not ran.settings.uses):
        return None
    began = monotonic()
    for _ in range(_MOST):
        other, before = Watching(), torch.random.get_rng_state()
        again = once_more(other)
        pairs = list(_pairs(ran, watching, again, other))
        if again.failure is not None or not pairs:
            return None
        differing = [(key, one, two) for key, one, two in pairs if not _same(one.value, two.value)]
        is_settled = torch.equal(before, torch.random.get_rng_state())
        if differing or is_settled or monotonic() - began > _SECONDS:
            break
    if not differing:
        return Repeated(Repeat(False))
    _, one, two = differing[-1]
    keys = frozenset(key for key, _, _ in differing if key is not None)
    return Repeated(_told(ran, again, one, two, limit), keys)


def _pairs(
    ran: Ran, watching: Watching, again: Ran, other: Watching
) -> Iterator[tuple[Key | None, Traced, Traced]]:
    """The values that backwards started from in both runs, and the value of the source."""
    for span, place in watching.places.items():
        theirs = other.places.get(span, Place(span))
        for one, two in ((place.first, theirs.first), (place.last, theirs.last)):
            if one is not None and two is not None:
                key = ((one.call.span.start, one.call.span.end), one.call.round)
                yield key, one.root, two.root
    if not watching.places:
        first, second = (each.value if ran.program.is_expression else each.last for each in (ran, again))
        if isinstance(first, Traced) and isinstance(second, Traced):
            yield None, first, second


def _same(one: Any, two: Any) -> bool:
    if not isinstance(one, torch.Tensor) or not isinstance(two, torch.Tensor):
        return bool(one == two)
    if one.shape != two.shape or one.is_meta:
        return one.shape == two.shape
    return torch.equal(one.detach().nan_to_num(nan=0.5), two.detach().nan_to_num(nan=0.5))


def _told(ran: Ran, again: Ran, one: Traced, two: Traced, limit: int | None) -> Repeat:
    """Both values, and the first expression below them that gave two."""
    runs = [whole(each) if ran.program.is_expression else sliced(each, root)
            for each, root in ((ran, one), (again, two))]  # fmt: skip
    span = next(_apart(*runs), one.expr.span)
    source = ran.program.source
    first, second = plain(one.value, limit), plain(two.value, limit)
    return Repeat(True, source[span], first, second, (span.start, span.end), source.line_of(span.start))


def _apart(one: Run, two: Run) -> Iterator[Any]:
    for first, second in zip(one.steps, two.steps, strict=False):
        if not _same(first.value, second.value):
            yield first.expr.span


def with_repeat(report: Report, found: Repeated, options: Options) -> Report:
    """The report with the verdict of the second run on every gradient that depends on chance."""
    checks = replace(report.checks or Checks(), repeat=found.repeat)
    if not found.repeat.differs:
        return replace(report, checks=checks)
    backwards = tuple(
        replace(one, gradients=_unsteady(one.gradients, found.repeat))
        if (one.span, one.number) in found.differing
        else one
        for one in report.backwards
    )
    roots = {one.root for one in report.backwards if (one.span, one.number) in found.differing}
    is_shown = not report.backwards or report.root in roots
    gradients = _unsteady(report.gradients, found.repeat) if is_shown else report.gradients
    every = [*gradients, *(gradient for one in backwards for gradient in one.gradients)]
    status = max(report.status, status_of(every, report.findings, options))
    return replace(report, gradients=gradients, backwards=backwards, checks=checks, status=status)


def _unsteady(gradients: Sequence[Gradient], repeat: Repeat) -> tuple[Gradient, ...]:
    return tuple(_one(gradient, repeat) for gradient in gradients)


def _one(gradient: Gradient, repeat: Repeat) -> Gradient:
    """The gradient as not deterministic, and the verdict under one random state beside it."""
    before = gradient.verdict
    if before is not None and before.rank > Verdict.NONDETERMINISTIC.rank:
        return gradient
    told = [real(v, 7) for v in (repeat.first, repeat.second) if isinstance(v, float)]
    values = f" ({told[0]} and {told[1]})" if len(told) == 2 else ""
    sentence = f"two runs differ{values}, first at {repeat.text}"
    grounds = replace(gradient.grounds or Grounds(), fixed=before, next=_NEXT)
    rest = f"; under one random state: {gradient.sentence}" if gradient.sentence else ""
    return replace(gradient, verdict=Verdict.NONDETERMINISTIC, sentence=sentence + rest, grounds=grounds)
