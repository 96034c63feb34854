"""The slopes by forward mode: how much the output moves as a leaf moves (jvp), in float64."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.autograd import forward_ad

from autograd_cli.errors import first_line
from autograd_cli.gradients.clinic.written import place
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.alone import ROOM, Node, reached_calls
from autograd_cli.gradients.grounds.nodes import drawn, guilty
from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.line import components, shaped
from autograd_cli.gradients.numeric import Probes
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.report.checks import Forward, Guilty
from autograd_cli.report.digits import real
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import plain

_OTHER = 1e-10
"""What forward mode may be off besides what rounding does to backward, of a slope: its kernels are others,
and that of logcumsumexp loses 2e-12."""
_EACH = 256
"""Components of a leaf that are moved one by one; a larger one moves along directions."""


def forward(seen: Seen, limit: int | None) -> Forward:
    """The jvp of the weighted output by each component of the leaf, held against the backward in float64."""
    bench, leaf = seen.bench, seen.leaf
    if bench.replay is None:
        return Forward(None, None, None, None, f"forward mode was not asked: {bench.reason}")
    count = len(components(bench.replay.leaves[seen.name]))
    probes = None if count <= _EACH else Probes(count)
    directions = torch.eye(count, dtype=torch.float64) if probes is None else _all(probes)
    try:
        made = [_slope(bench, bench.replay, seen.name, v) for v in directions]
        slopes = torch.tensor(made, dtype=torch.float64)
    except (NotImplementedError, RuntimeError, ReplayError) as error:
        return Forward(None, None, None, None, f"no forward mode: {first_line(_first(error))}")
    values = None if probes else plain(shaped(slopes, leaf), limit)
    return _compared(seen, slopes, values, probes)


def _first(error: BaseException) -> BaseException:
    """What torch itself raised, below what was made of it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _all(probes: Probes) -> torch.Tensor:
    return torch.stack([probes.direction(number) for number in range(probes.count)])


def _slope(bench: Bench, replay: Replay, name: str, direction: torch.Tensor) -> float:
    leaf = replay.leaves[name]
    with replay.session(), torch.enable_grad(), forward_ad.dual_level():
        dual = forward_ad.make_dual(leaf.detach().clone(), shaped(direction, leaf))  # type: ignore[no-untyped-call]
        tangent = forward_ad.unpack_dual(replay({name: dual})).tangent  # type: ignore[no-untyped-call]
        if tangent is None:
            return 0.0
        return float((bench.cotangent.conj() * tangent).real.sum())


def _compared(seen: Seen, slopes: torch.Tensor, values: object, probes: Probes | None) -> Forward:
    spread = seen.bench.rounding.spreads.get(seen.name) if seen.bench.rounding else None
    count = probes.count if probes else None
    if spread is None:
        return Forward(values, count, None, None, seen.bench.reason)
    backward = probes.along(spread.exact) if probes else spread.exact
    samples = probes.along(spread.samples) if probes else spread.samples
    off = (slopes - backward).abs()
    room = spread.reference(backward, samples) + _OTHER * backward.abs()
    both = (slopes == backward) | (torch.isnan(slopes) & torch.isnan(backward))
    agrees = bool((both | (off <= room)).all())
    place = int(torch.where(both, 0.0, off / room).nan_to_num(nan=torch.inf).argmax()) if len(off) else 0
    said = "" if agrees else f"jvp gives {real(float(slopes[place]))}, vjp {real(float(backward[place]))}"
    return Forward(values, count, float(off.nan_to_num(0.0).max()) if len(off) else 0.0, agrees, said)


def wrong_jvps(seen: Seen) -> tuple[Guilty, ...]:
    """The nodes whose jvp is another one than their vjp makes it; nothing of one that has none alone."""
    run, replay = seen.bench.run, seen.bench.replay
    assert replay is not None
    found = list[Guilty]()
    with replay.session():
        values = replay.recorded()
        for planned, places in reached_calls(replay, seen.name):
            with suppress(ReplayError):
                node = Node(planned, values)
                found += _off(run, node, [place for place in places if _is_number(values[place])])
    return tuple(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _off(run: Run, node: Node, places: Sequence[int]) -> Iterator[Guilty]:
    step = run.steps[node.planned.index]
    for at in places:
        vjp, direction = node.vjp(at), drawn(node.values[at], 0)
        if vjp is None:
            continue
        terms = (vjp.conj() * direction).real
        right, given = float(terms.sum()), node.jvp(at, direction)
        if not abs(given - right) <= ROOM * float(terms.abs().sum()):
            yield guilty(run, step, given, right, sentence=_jvp_place(step))


def _jvp_place(step: LiveStep) -> str:
    """Where the jvp stands that is wrong, of a person's own Function."""
    owners = [owner for node in step.grad_fns if (owner := getattr(type(node), "_forward_cls", None))]
    places = [f"{place(owner.jvp)}, {owner.__name__}.jvp" for owner in owners]
    return f"{', '.join(places) or 'its jvp'} is wrong"
