"""The slopes by forward mode: how much the output moves as a leaf moves (jvp), in float64."""

import torch
from torch.autograd import forward_ad

from autograd_cli.errors import first_line
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.line import components, shaped
from autograd_cli.gradients.numeric import Probes
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.report.checks import Forward
from autograd_cli.report.digits import real
from autograd_cli.run.values import plain

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
    room = spread.reference(backward, samples) + 1e-10 * backward.abs()
    both = (slopes == backward) | (torch.isnan(slopes) & torch.isnan(backward))
    agrees = bool((both | (off <= room)).all())
    place = int(torch.where(both, 0.0, off / room).nan_to_num(nan=torch.inf).argmax()) if len(off) else 0
    said = "" if agrees else f"jvp gives {real(float(slopes[place]))}, vjp {real(float(backward[place]))}"
    return Forward(values, count, float(off.nan_to_num(0.0).max()) if len(off) else 0.0, agrees, said)
