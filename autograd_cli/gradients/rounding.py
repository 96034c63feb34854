"""What rounding may do to a gradient: the spread over seeded, perturbed float64 runs.

In each sample every leaf and every step's result is moved by a random part of the
precision that it had in the run, and so is the cotangent that passes it. Where large
terms cancel the spread is large, so the tolerance follows the size of the summands.
A result's own memory is moved too, since a backward reads what was stored.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import hypot, isfinite, sqrt

import numpy as np
import torch

from autograd_cli.gradients.line import Array
from autograd_cli.gradients.openings import Opened
from autograd_cli.gradients.pieces import in_pieces
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.sampler import DOUBLE, Sampled, Sampler, finfo
from autograd_cli.gradients.structure import Structured
from autograd_cli.gradients.together import alike, rows, together
from autograd_cli.lang.same import once
from autograd_cli.lang.swift import swift
from autograd_cli.run.modes import Grad

_SPREADS = ((8, 6.0), (5, 9.0), (1, 16.0))
"""By how many samples there are at least, how many times their mean error no error comes to."""
_ENOUGH = 5
"""Samples whose mean error of the total is hardly ever far too small by chance."""
_NUMBERS = 6
"""Numbers that are sooner reckoned with one by one than as tensors."""


@swift
@dataclass(frozen=True)
class Spread:
    """One leaf's gradient in float64 and how far rounding moves it, by component.

    `exact` is autograd's gradient in float64 (n,), `samples` what the perturbed runs
    gave less `exact` (samples, n) in the run's precision, `fine` the factor from there
    to float64. `eps` and `tiny` are the precision and the smallest number of the leaf.
    """

    exact: torch.Tensor
    samples: torch.Tensor
    eps: float
    tiny: float
    fine: float

    def tolerance(self, exact: torch.Tensor, samples: torch.Tensor) -> torch.Tensor:
        """What rounding allows in the run's precision, for components or slopes along lines."""
        return _bound(self._spread(samples), exact, 4 * self.eps, 8 * self.tiny)

    def reference(self, exact: torch.Tensor, samples: torch.Tensor) -> torch.Tensor:
        """What rounding allows between two gradients that were both computed in float64."""
        return _bound(self.fine * self._spread(samples), exact, 16 * DOUBLE)

    def both(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The tolerance and the reference of the components by their own samples."""
        if self.exact.numel() > _NUMBERS:
            return self.tolerance(self.exact, self.samples), self.reference(self.exact, self.samples)
        spread, exact = self._own.tolist(), self.exact.tolist()
        coarse, least = 4 * self.eps, 8 * self.tiny
        sizes = [abs(number) if isfinite(number) else 0.0 for number in exact]
        pairs = list(zip(spread, sizes, strict=True))
        allowed = [one + coarse * size + least for one, size in pairs]
        fine = [self.fine * one + 16 * DOUBLE * size for one, size in pairs]
        made = torch.from_numpy(np.array((allowed, fine)))
        return made[0], made[1]

    def _spread(self, samples: torch.Tensor) -> torch.Tensor:
        return self._own if samples is self.samples else spreads(samples)

    @once
    def _own(self) -> torch.Tensor:
        return spreads(self.samples)


@swift
@dataclass(frozen=True)
class Rounding:
    """The spread of each leaf's gradient, and the noise in float64 of the weighted output.

    `opened` is what the searches for the slopes by some leaves ask first, `points` the elements of
    those leaves that were found to move all at once.
    """

    spreads: Mapping[str, Spread]
    noise: float
    opened: Mapping[str, list[Opened]]
    points: Mapping[str, Structured]


def value_errors(
    replay: Replay, exact: torch.Tensor, fitted: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """What rounding does in float64 to the components `exact` (n,) of a program's fitted value.

    Must run inside the replay's session.
    """
    sampler = Sampler(replay, None, None)
    moved = _moved_together(sampler, exact)
    if moved is None:
        each = [fitted(sampler.output(replay.leaves, draw)) for draw in sampler.draws()]
        moved = torch.stack(each).sub_(exact)
    return spreads(moved) / sampler.amplified + 16 * DOUBLE * _finite(exact.abs())


def _moved_together(sampler: Sampler, exact: torch.Tensor) -> torch.Tensor | None:
    """By how much the fitted value moves in each sample (samples, n), from one evaluation; else None."""
    lanes = together(sampler)
    if lanes is None:
        return None
    with suppress(Exception):  # one sample after the other says what is wrong
        made = rows(lanes.output({}))
        if made.shape[1] in (1, exact.numel()) and alike(made[0].expand_as(exact), exact):
            return (made[1:] - made[0]).expand(len(made) - 1, exact.numel())
    return None


def _bound(spread: torch.Tensor, exact: torch.Tensor, eps: float, least: float = 0.0) -> torch.Tensor:
    """A spread (n,), and so many parts of what is exact, and the least in any case."""
    if exact.numel() > _NUMBERS:
        return _bound_of_many(spread, exact, eps, least)
    pairs = zip(spread.tolist(), exact.tolist(), strict=True)
    bounds = [one + eps * abs(number) + least if isfinite(number) else one + least for one, number in pairs]
    return torch.from_numpy(np.array(bounds))


def _bound_of_many(spread: torch.Tensor, exact: torch.Tensor, eps: float, least: float) -> torch.Tensor:
    """As `_bound`: what is not finite is looked for where a sum is not."""
    room = np.abs(exact.numpy())
    if not isfinite(room.sum()):
        room[~np.isfinite(room)] = 0.0
    room *= eps
    room += spread.numpy()
    if least:
        room += least
    return torch.from_numpy(room)


def spreads(samples: torch.Tensor) -> torch.Tensor:
    """How far rounding moves a component at most, from samples of how far it does: (samples, n) -> (n,)."""
    times = next(times for least, times in _SPREADS if len(samples) >= least)
    if samples.shape[1] > _NUMBERS:
        return rms(samples).mul_(times)
    each = zip(*samples.tolist(), strict=True)
    return torch.from_numpy(np.array([times * _rms(numbers) for numbers in each]))


def _rms(numbers: Sequence[float]) -> float:
    """The root mean square of numbers, of what is finite, as `rms` has it."""
    return hypot(*filter(isfinite, numbers)) / sqrt(len(numbers))


def rms(samples: torch.Tensor) -> torch.Tensor:
    """The root mean square over the first axis, of what is finite: (samples, n) -> (n,)."""
    numbers = samples.numpy()
    with np.errstate(all="ignore"):
        made: Array = np.square(numbers).sum(0)
    if isfinite(made.sum()):
        made /= len(numbers)
        return torch.from_numpy(np.sqrt(made, out=made))
    known = _finite(samples)
    largest = known.abs().amax(0).clamp(min=1.0)  # the squares of these are too large for floats
    return (known / largest).square().mean(0).sqrt() * largest


def _finite(values: torch.Tensor) -> torch.Tensor:
    return values.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)


def rounding(replay: Replay, cotangent: torch.Tensor, cap: float | None = None) -> Rounding:
    """The spreads for one backward of `cotangent` (of the output's shape, float64).

    With `cap` no step counts as less precise than that, as if the run had no casts to
    lower precision. Raises ReplayError where torch has no float64 backward.
    """
    with replay.session(), Grad(True):
        sampler = Sampler(replay, cotangent, cap)
        sampler.opens = cap is None
        (moved, exact, samples, opened), points = _in_pieces(sampler) or (_sampled(sampler), {})
    fine = DOUBLE / 2 / sampler.strongest
    noise = fine * _rms(moved) / sampler.amplified * (1 if len(moved) >= _ENOUGH else 2)
    spreads = {}
    for name, index in replay.inputs.items():
        info = finfo(replay.steps[index].value.dtype)
        given = samples[name] if sampler.amplified == 1 else samples[name] / sampler.amplified
        spreads[name] = Spread(exact[name], given, info.eps, info.smallest_normal * info.eps, fine)
    return Rounding(spreads, noise if isfinite(noise) else 0.0, opened, points)


def _in_pieces(sampler: Sampler) -> tuple[Sampled, dict[str, Structured]] | None:
    """The samples of a large program by pieces, with its elements as they move at once; else None."""
    with suppress(Exception):  # the samples in whole say what is wrong
        made = in_pieces(sampler)
        return made and (made[0], {made[1].line.name: made[1]})
    return None


def _sampled(sampler: Sampler) -> Sampled:
    """By how much the total moves in each sample, the gradients, and by how much these move."""
    while (lanes := together(sampler)) is not None:
        with suppress(Exception):  # one sample after the other says what is wrong
            return lanes.sampled()
        if not sampler.opens:
            break
        sampler.opens = False  # there may be no values as far away as the searches ask
    if sampler.is_small:
        return sampler.together()
    total, exact = sampler.sample(None)
    drawn = [sampler.sample(draw) for draw in sampler.draws()]
    samples = {name: torch.stack([sampled[name] - exact[name] for _, sampled in drawn]) for name in exact}
    return Sampled([one - total for one, _ in drawn], exact, samples)
