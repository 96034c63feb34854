"""Autograd's second pass over a run: in its own precision, in float64, and as rounding may move it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.gradients.rounding import Spread, rms
from autograd_cli.gradients.sampler import DOUBLE, Sampler, finfo
from autograd_cli.gradients.second.surface import Curvature, Surface, curvature

MOST = 32
"""Elements of all leaves together up to which every second derivative is worked out."""
_WORK = 300_000_000
"""Elements squared times the work of one replay, above which fewer are looked at as well."""
_SAMPLES = 4
_CALLS, _LEAST = 4.0, 0.25


@dataclass(frozen=True)
class Plan:
    """What is worked out: `directions` (m, n) of a second pass, and of each leaf which of them are its own.

    Of a `whole` Hessian they are the unit vectors, else one of +1 and -1 for each leaf.
    """

    directions: torch.Tensor
    rows: Mapping[str, slice]
    whole: bool


def planned(surface: Surface) -> Plan:
    """Every element of few and a direction in each leaf of many."""
    count = len(surface.at)
    if count <= MOST and count * count * surface.replay.work() <= _WORK:
        return Plan(torch.eye(count, dtype=torch.float64), surface.parts, True)
    signs = seeded(count, 0)
    directions = torch.zeros(len(surface.parts), count, dtype=torch.float64)
    for row, part in enumerate(surface.parts.values()):
        directions[row, part] = signs[part]
    rows = {name: slice(row, row + 1) for row, name in enumerate(surface.parts)}
    return Plan(directions, rows, False)


def seeded(count: int, seed: int) -> torch.Tensor:
    """A direction of +1 and -1, (count,) in float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 2, (count,), generator=generator).to(torch.float64).mul_(2).sub_(1)


class Passes:
    """Second passes along the directions of a plan. Raises ReplayError where torch has none."""

    def __init__(self, bench: Bench, names: Sequence[str], plan: Plan) -> None:
        assert bench.replay is not None
        self.bench = bench
        self.names = names
        self.plan = plan
        self.double = bench.replay

    @cached_property
    def exact(self) -> Curvature:
        """What a second pass gives in float64."""
        return self._passed(self.double)

    @cached_property
    def given(self) -> Curvature:
        """What a second pass gives in the run's own precision, on its device."""
        run = self.bench.run
        same = run.device == "cpu" and all(
            not isinstance(step.value, torch.Tensor) or step.value.dtype not in _LOWER for step in run.steps
        )
        return self.exact if same else self._passed(self.bench.own)

    def _passed(self, replay: Replay) -> Curvature:
        leaves = {name: replay.leaves[name].detach().clone().requires_grad_() for name in self.names}
        with replay.session(), torch.enable_grad():
            return curvature(replay(leaves), leaves, self.bench.cotangent, self.plan.directions)

    @cached_property
    def samples(self) -> torch.Tensor:
        """By how much float64 passes move whose values are moved as rounding would, (samples, m, n)."""
        sampler = self._sampler
        found = []
        with self.double.session(), torch.enable_grad():
            for draw in islice(sampler.draws(), _SAMPLES):
                leaves = sampler.fresh()
                output = sampler.output(leaves, draw)
                held = {name: leaves[name] for name in self.names}
                made = curvature(output, held, self.bench.cotangent, self.plan.directions)
                found.append(made.rows - self.exact.rows)
        return torch.stack(found) / sampler.amplified

    @cached_property
    def _sampler(self) -> Sampler:
        with self.double.session():
            return Sampler(self.double, self.bench.cotangent, None)

    def allowed(self, spread: Spread) -> torch.Tensor:
        """What may lie between the run's own second pass and a reference, (n,).

        A second pass has several calls for each one that the samples move, and of few samples some
        elements look exact by chance.
        """
        found = _CALLS * spread.tolerance(spread.exact, spread.samples)
        return torch.maximum(found, _LEAST * rms(found.unsqueeze(1)))

    def spread(self, name: str, exact: torch.Tensor, samples: torch.Tensor) -> Spread:
        """What rounding does to a block (n,) by a leaf, of which the samples are (samples, n)."""
        info = finfo(self.bench.run.leaves[name].dtype)
        fine = DOUBLE / 2 / self._sampler.strongest
        return Spread(exact, samples, info.eps, info.smallest_normal * info.eps, fine)


_LOWER = frozenset({torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex32})


def rounding_of(bench: Bench, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What rounding does in float64 to autograd's first gradient by all the leaves, (n,)."""
    if bench.rounding is None:
        raise ReplayError(bench.reason or "there is no float64 backward")
    parts = []
    for name in names:
        spread = bench.rounding.spreads[name]
        parts.append(spread.reference(spread.exact, spread.samples).numpy())
    return np.concatenate(parts)
