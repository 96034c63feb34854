"""A program in float64, every value of it moved as rounding in the run's precision would.

One sample after the other; `together` has all of them in one evaluation.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.draws import MANY, Draw, draws
from autograd_cli.gradients.line import components
from autograd_cli.gradients.openings import Opened
from autograd_cli.gradients.replay import CALL, Planned, Replay, ReplayError, evaluated, raised
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.same import once
from autograd_cli.report import refs
from autograd_cli.run.tape import LiveStep

SAMPLES = 8
_SAMPLES_OF_MANY, _SAMPLES_OF_DOUBLE = 5, 3
_MANY, _LONG = 12_000, 4_000_000
"""Random numbers a sample, and the same with calls counted as such, above which time counts for more."""
DOUBLE = torch.finfo(torch.float64).eps
_LANES = 16
_COARSE = 1e-4
_PRODUCTS = frozenset({Kind.PRODUCT, Kind.LINALG, Kind.LAYER})
_LEAST = 1e-10  # a relative move that float64 itself shows clearly


class Sampled(NamedTuple):
    """By how much the total moves in each sample, the gradients by name, and by how much these move.

    `opened` is what the searches for slopes ask first.
    """

    moved: list[float]
    exact: dict[str, torch.Tensor]
    samples: dict[str, torch.Tensor]
    opened: Mapping[str, list[Opened]] = MappingProxyType({})


@cache
def finfo(dtype: torch.dtype) -> torch.finfo:
    """torch.finfo(dtype), which takes longer to make than to read."""
    return torch.finfo(dtype)


def _rounds(value: Any, cap: float | None) -> float:
    """How much the dtype of a value rounds by, relative to it; 0 where it is not floating."""
    if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
        return 0.0
    eps = finfo(value.dtype).eps
    return (eps if cap is None else min(eps, cap)) / 2


def _accumulation(steps: Sequence[LiveStep], index: int, eps: float) -> float:
    """By how much the sums inside a product round more than their terms and result do.

    A sum of n terms rounds n times, at the size of what has come together by then; a
    kernel adds in several lanes, and adds half precision in single.
    """
    step = steps[index]
    if eps > _COARSE or step.function is None or step.function.kind not in _PRODUCTS:
        return 1.0
    operands = [steps[ref.index].value for ref in refs((step.args, step.kwargs))]
    sizes = [value.numel() for value in (*operands, step.value) if isinstance(value, torch.Tensor)]
    if len(sizes) < 3 or not all(sizes):
        return 1.0
    one, other, made = sizes[0], sizes[1], sizes[-1]
    # For (m, k) @ (k, n) these are k, m and n: the sums of the product and of its backward.
    lengths = (one * other / made, one * made / other, other * made / one)
    return sqrt(1 + sqrt(max(lengths)) / _LANES)


class Sampler:
    """Float64 backwards of one replay, perturbed or not.

    `precisions` is how much each moved step rounds by, relative to its value; `terms`
    has the place of the first operand of each product, moved as the product's terms are.
    `opens` says that what the searches for slopes ask first is wanted as well.
    """

    opens = False

    def __init__(self, replay: Replay, cotangent: torch.Tensor | None, cap: float | None) -> None:
        self.replay = replay
        self.cotangent = cotangent
        calls = [planned.index for planned in (*replay.fixed, *replay.plan)]
        self.moved = [*replay.inputs.values(), *calls]
        self.offsets: dict[int, torch.Tensor] = {}
        self.still: set[int] = set()
        rounds = {index: self.rounds(index, cap) for index in self.moved}
        self.strongest = max(rounds.values(), default=0.0) or DOUBLE / 2
        self.amplified = max(1.0, _LEAST / self.strongest)
        sums = {index: _accumulation(replay.steps, index, eps) for index, eps in rounds.items()}
        self.precisions = {index: eps * sums[index] for index, eps in rounds.items()}
        self.moves = {index: eps * self.amplified for index, eps in self.precisions.items()}
        summing = [planned for planned in replay.plan if planned.slots and sums[planned.index] > 1]
        self.terms = {planned.index: self.terms_of(planned) for planned in summing}
        self.measure_constants()

    def rounds(self, index: int, cap: float | None) -> float:
        """How much a step rounds by; what is copied as recorded does not."""
        return 0.0 if index in self.replay.renewals else _rounds(self.replay.steps[index].value, cap)

    def measure_constants(self) -> None:
        """Find by how much what the run had for each constant differs; large ones that do not stay out."""
        for planned in self.replay.fixed:
            if self.precisions[planned.index]:
                off = self.offset(planned.index)
                if off.any():
                    self.offsets[planned.index] = off
                elif off.numel() > MANY:
                    self.still.add(planned.index)

    def offset(self, index: int) -> torch.Tensor:
        """What the run had for a constant less what float64 has."""
        try:
            off: torch.Tensor = raised(self.replay.steps[index].value) - self.replay.base[index]
        except Exception as error:  # whatever torch raises is the reason
            raise ReplayError(first_line(error)) from error
        return off

    def terms_of(self, planned: Planned) -> int:
        """The place of the first floating tensor among the arguments of a call."""
        places = [slot for slot in planned.slots or () if slot < len(self.replay.steps)]
        return next(place for place in places if _rounds(self.replay.steps[place].value, None))

    @property
    def is_small(self) -> bool:
        """Whether the graphs of all samples may stand at once, and each has one real number at its end."""
        assert self.cotangent is not None
        values = (self.cotangent, *self.replay.leaves.values())
        return self.count <= MANY and not any(value.is_complex() for value in values)

    def together(self) -> Sampled:
        """All samples, by one backward."""
        assert self.cotangent is not None
        leaves: list[dict[str, torch.Tensor]] = []
        numbers: list[torch.Tensor] = []
        try:
            for draw in chain((None,), self.draws()):
                leaves.append(self.fresh())
                output = self.output(leaves[-1], draw)
                numbers.append((output * self.cotangent.to(output.dtype)).sum())
            asked = [leaf for sample in leaves for leaf in sample.values()]
            is_reached = numbers[0].requires_grad
            made = (
                torch.autograd.grad(numbers, asked, allow_unused=True) if is_reached else [None] * len(asked)
            )
        except Exception as error:  # whatever torch raises is the reason
            raise ReplayError(first_line(error)) from error
        pairs = zip(made, asked, strict=True)
        given = [torch.zeros_like(v) if g is None or g._is_zerotensor() else g for g, v in pairs]
        exact, samples = {}, {}
        for place, name in enumerate(self.replay.leaves):
            each = torch.stack(given[place :: len(self.replay.leaves)]).reshape(len(leaves), -1)
            exact[name], samples[name] = each[0], each[1:] - each[0]
        total, *others = torch.stack(numbers).tolist()
        return Sampled([other - total for other in others], exact, samples)

    def fresh(self) -> dict[str, torch.Tensor]:
        """The leaves anew, with a graph to begin."""
        return {name: leaf.clone().requires_grad_() for name, leaf in self.replay.leaves.items()}

    def draws(self) -> Iterator[Draw]:
        """The random numbers of one sample after the other, the same ones in every call."""
        return draws(self.count, self.samples(self.count))

    @once
    def count(self) -> int:
        """How many random numbers a sample takes."""
        moved = [*self.moved, *self.moved, *self.terms.values()]
        values = [self.replay.steps[index].value for index in moved if index not in self.still]
        count = sum(value.numel() for value in values if isinstance(value, torch.Tensor))
        return count + len(self.replay.literals)

    def widest(self) -> int:
        """The elements of the largest value."""
        values = (self.replay.steps[index].value for index in (*self.moved, *self.terms.values()))
        return max((value.numel() for value in values if isinstance(value, torch.Tensor)), default=0)

    def samples(self, count: int) -> int:
        """How many samples are taken, of so many random numbers each.

        With few samples chance would make some of many elements look exact. In double precision far
        more can be allowed than rounding does, so that as few will do as in other precisions do not.
        """
        if not (count > _MANY or count + CALL * len(self.replay.plan) > _LONG):
            return SAMPLES
        return _SAMPLES_OF_DOUBLE if self.strongest <= DOUBLE else _SAMPLES_OF_MANY

    def sample(self, draw: Draw | None) -> tuple[float, dict[str, torch.Tensor]]:
        """The weighted sum of the output and the gradients (n,) of the leaves."""
        leaves = self.fresh()
        try:
            assert self.cotangent is not None
            output = self.output(leaves, draw)
            made = slopes(output, list(leaves.values()), self.cotangent)
        except Exception as error:  # whatever torch raises is the reason
            raise ReplayError(first_line(error)) from error
        total = float((self.cotangent.conj() * output.detach()).real.sum())
        given = (torch.zeros_like(v) if g is None else g for g, v in zip(made, leaves.values(), strict=True))
        return total, dict(zip(leaves, map(components, given), strict=True))

    def output(self, leaves: Mapping[str, torch.Tensor], draw: Draw | None) -> torch.Tensor:
        """The root's value, every step's own moved by what `draw` gives."""
        values = self.replay.base.copy()
        for name, leaf in leaves.items():
            index = self.replay.inputs[name]
            values[index] = leaf if draw is None else self.passed(leaf, index, draw)
        if draw is not None:
            self.move_constants(values, draw)
        for planned in self.replay.plan:
            values[planned.index] = (
                evaluated(planned, values) if draw is None else self.rounded(planned, values, draw)
            )
        output: torch.Tensor = values[self.replay.root]
        return output

    def move_constants(self, values: list[Any], draw: Draw) -> None:
        """Moves what constants made by what the run had there, and Python floats that the dtype rounds."""
        for planned in self.replay.fixed:
            if planned.index in self.offsets:
                exact, off = values[planned.index], self.offsets[planned.index]
                values[planned.index] = exact + off * draw.offset(exact.shape) * self.amplified
            elif self.precisions[planned.index] and planned.index not in self.still:
                draw.skip(values[planned.index].shape)
        eps = self.strongest * self.amplified
        for slot in self.replay.literals:
            if not is_single(values[slot]):
                values[slot] = draw.number(values[slot], eps)

    def rounded(self, planned: Planned, values: list[Any], draw: Draw) -> Any:
        """A call's result as it may be: from moved terms, moved where it is stored and on its way on."""
        index = planned.index
        if index in self.terms:
            made = self.from_moved_terms(planned, values, draw)
        else:
            made = evaluated(planned, values)
        eps = self.moves[index]
        if not eps:
            return made
        shape = made.shape
        if not made._is_view():
            stored = made if self.cotangent is None else made.data
            stored.mul_(draw.factor(shape, eps))
        if self.replay.steps[index].renewed:  # what is written later has to stay itself
            return made
        return made * draw.factor(shape, eps)

    def from_moved_terms(self, planned: Planned, values: list[Any], draw: Draw) -> Any:
        """A product's result, its first operand moved as its terms are."""
        slot = self.terms[planned.index]
        operand = values[slot]
        values[slot] = self.passed(operand, planned.index, draw)
        made = evaluated(planned, values)
        values[slot] = operand
        return made

    def passed(self, value: Any, index: int, draw: Draw) -> Any:
        """A value moved in the graph, so that the cotangent is moved as well."""
        eps = self.moves[index]
        return value * draw.factor(value.shape, eps) if eps else value


def is_single(value: float) -> bool:
    """Whether single precision holds a Python float as it is."""
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False
