"""All samples of a perturbed program in one evaluation, each in a lane; the first one stays as it is."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

import torch

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.draws import KEPT, TOGETHER, WIDE, Use, lane_factors
from autograd_cli.gradients.lane_rules import NoLanesError
from autograd_cli.gradients.lanes import Laned, Lanes
from autograd_cli.gradients.openings import Opened, Openings
from autograd_cli.gradients.sampler import Sampled, Sampler, is_single
from autograd_cli.run.tape import filled

_ALIKE = 1e-9
_ONE = torch.Size(())


def together(sampler: Sampler) -> "Together | None":
    """The samples in lanes; None of a program that has to be evaluated sample by sample."""
    if sampler.count > TOGETHER or (sampler.count > WIDE and sampler.widest() > WIDE):
        return None
    try:
        return Together(sampler)
    except NoLanesError:
        return None


class Together:
    """The samples of a program in lanes. Raises NoLanesError."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        replay = self.replay = sampler.replay
        self.constants = [planned.index for planned in replay.fixed if planned.index in sampler.offsets]
        self.literals = [slot for slot in replay.literals if not is_single(replay.base[slot])]
        values = replay.base.copy()
        for planned in replay.plan:
            values[planned.index] = replay.steps[planned.index].value
        self.lanes = Lanes(replay, values, (*replay.inputs.values(), *self.constants, *self.literals))
        self.samples = sampler.samples(sampler.count)
        self.opened: dict[str, list[Opened]] = {}
        self.openings = self._openings()
        self.count = 1 + self.samples + (self.openings.lanes if self.openings else 0)

    def _openings(self) -> Openings | None:
        """What the searches for slopes ask first, where the sum is one real number and lanes cost little."""
        sampler, replay = self.sampler, self.replay
        if not sampler.opens or sampler.count > KEPT or not _is_number(replay.recorded()[replay.root]):
            return None
        openings = Openings(replay.leaves)
        return openings if openings.fits(sampler.widest()) else None

    def sampled(self) -> Sampled:
        """By how much the total moves in each sample, the gradients, and by how much these move.

        Raises what torch raises, and NoLanesError where the first lane is not what the replay gives.
        """
        cotangent, last = self.sampler.cotangent, 1 + self.samples
        assert cotangent is not None
        leaves = {name: self.leaf(name, leaf).requires_grad_() for name, leaf in self.replay.leaves.items()}
        output = self.output(leaves)
        # Where the sum is a number, the weight is as a rule 1: to send that takes a product and its backward.
        is_one = self.openings is not None and float(cotangent) == 1
        given = None if is_one else cotangent.expand(output.shape)
        made = slopes(output, list(leaves.values()), given)
        numbers = self.totals(output.detach(), cotangent)
        exact, samples = {}, {}
        for (name, leaf), slope in zip(leaves.items(), made, strict=True):
            gradient = rows(torch.zeros_like(leaf) if slope is None or slope._is_zerotensor() else slope)
            exact[name], samples[name] = gradient[0], gradient[1:last] - gradient[0]
        return Sampled([number - numbers[0] for number in numbers[1:last]], exact, samples, self.opened)

    def leaf(self, name: str, leaf: torch.Tensor) -> torch.Tensor:
        """A leaf in all lanes."""
        if self.openings is None:
            return leaf.expand(self.count, *leaf.shape).clone()
        return self.openings.moved(name, leaf, 1 + self.samples)

    def totals(self, output: torch.Tensor, cotangent: torch.Tensor) -> list[float]:
        """The sum in each lane. Raises NoLanesError where the first lane is not what the replay gives."""
        recorded = self.replay.recorded()[self.replay.root]
        if recorded.ndim == 0 and not (output.is_complex() or cotangent.is_complex()):
            return self.numbers(output, recorded, cotangent)
        if not alike(output[0], recorded):
            raise NoLanesError
        weighed = output * cotangent.conj()
        real = weighed.real if weighed.is_complex() else weighed
        numbers: list[float] = real.reshape(self.count, -1).sum(1).tolist()
        return numbers

    def numbers(self, output: torch.Tensor, recorded: torch.Tensor, cotangent: torch.Tensor) -> list[float]:
        """As `totals`, where the output is one real number."""
        outputs = output.tolist()
        if output.ndim != 1 or output.dtype != recorded.dtype or not _same(outputs[0], float(recorded)):
            raise NoLanesError
        if self.openings is not None:
            self.opened = self.openings.opened(outputs, 1 + self.samples)
        weight = float(cotangent)
        return [weight * output for output in outputs]

    def output(self, leaves: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """The root's value in lanes, every step's own moved; leaves that are not given are as recorded.

        Raises what torch raises, and NoLanesError where the root has no lanes.
        """
        if not self.lanes.moves_root:
            raise NoLanesError
        values = self.lanes.values.copy()
        still = self.count - 1 - self.samples
        factors = lane_factors(self.uses(), self.sampler.count, self.samples, still)
        for name, index in self.replay.inputs.items():
            leaf = leaves.get(name, self.replay.leaves[name])
            moves = self.sampler.moves[index]
            values[index] = leaf * next(factors) if moves else leaf.expand(self.count, *leaf.shape)
        self.move_constants(values, factors)
        for laned in self.lanes.calls:
            values[laned[0].index] = self.rounded(laned, values, factors)
        output: torch.Tensor = values[self.replay.root]
        return output

    def uses(self) -> list[Use]:
        """The factors that are taken, in order."""
        sampler, steps = self.sampler, self.replay.steps
        found = [(steps[i].value.shape, sampler.moves[i]) for i in self.replay.inputs.values()]
        found = [use for use in found if use[1]]
        found += [(steps[index].value.shape, sampler.amplified) for index in self.constants]
        found += [(_ONE, sampler.strongest * sampler.amplified) for _ in self.literals]
        for planned, _, _ in self.lanes.calls:
            index = planned.index
            if index in sampler.terms and sampler.moves[index]:
                found.append((steps[sampler.terms[index]].value.shape, sampler.moves[index]))
            if sampler.moves[index]:
                found += [(steps[index].value.shape, sampler.moves[index])] * 2
        return found

    def move_constants(self, values: list[Any], factors: Iterator[torch.Tensor]) -> None:
        """Moves constants by what the run had there, and Python floats that the dtype rounds."""
        for index in self.constants:
            values[index] = values[index] + self.sampler.offsets[index] * (next(factors) - 1)
        for slot in self.literals:
            values[slot] = values[slot] * next(factors)

    def rounded(self, laned: Laned, values: list[Any], factors: Iterator[torch.Tensor]) -> Any:
        """A call's result as it may be: from moved terms, moved where it is stored and on its way on."""
        planned, call, slots = laned
        index = planned.index
        moves = self.sampler.moves[index]
        place = self.sampler.terms.get(index) if moves else None
        operand: Any = None if place is None else values[place]
        if place is not None:
            values[place] = operand * next(factors)
        if slots is None:
            made = call(*filled(planned.args, values), **filled(planned.kwargs, values))
        else:
            made = call(*[values[slot] for slot in slots])
        if place is not None:
            values[place] = operand
        if not moves:
            return made
        stored, passed = next(factors), next(factors)
        if not made._is_view():
            made.data.mul_(stored)
        return made * passed


def _is_number(value: Any) -> bool:
    """Whether a value is one finite real number in float64."""
    return value.ndim == 0 and value.dtype == torch.float64 and isfinite(value)


def alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two values are the same but for rounding."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.ndim == 0:
        return _same(complex(one), complex(other))
    room = _ALIKE * float(other.abs().nan_to_num(0.0, 0.0, 0.0).max()) if other.numel() else 0.0
    return torch.allclose(one, other, rtol=_ALIKE, atol=room, equal_nan=True)


def _same(here: complex, there: complex) -> bool:
    """Whether two numbers are the same but for rounding."""
    return here == there or abs(here - there) <= _ALIKE * abs(here) or (here != here and there != there)


def rows(lanes: torch.Tensor) -> torch.Tensor:
    """Lanes as float64 (lanes, n); a complex number's real and imaginary parts."""
    lanes = lanes.detach()
    if lanes.is_complex():
        lanes = torch.view_as_real(lanes.resolve_conj())
    return lanes.reshape(len(lanes), -1)
