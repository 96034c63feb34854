"""The samples of a program whose leaf's elements touch their own terms of the sum alone, by pieces.

A few thousand elements after the other are taken through all samples: what they come to fits a
cache, which of a large program the samples in whole do not.
"""

from itertools import count
from math import sqrt

import torch

from autograd_cli.gradients.draws import pooled_anew
from autograd_cli.gradients.line import Line
from autograd_cli.gradients.sampler import Sampled, Sampler, is_single
from autograd_cli.gradients.structure import Structured, structured

_WORTH = 2048
"""Elements of a leaf from which on it is looked at in pieces."""
_NUMBERS = 1 << 15
"""Numbers in all lanes of a piece."""


def in_pieces(sampler: Sampler) -> tuple[Sampled, Structured] | None:
    """What the samples tell, and the elements as they move at once; None of any other program.

    Raises what torch raises, and NoLanesError.
    """
    replay, cotangent = sampler.replay, sampler.cotangent
    if len(replay.inputs) != 1 or cotangent is None or sampler.offsets or sampler.terms:
        return None
    (name,) = replay.inputs
    if replay.leaves[name].numel() < _WORTH:
        return None
    with torch.no_grad():
        points = structured(Line(replay, name, cotangent))
    return None if points is None else (_Pieces(sampler, points).sampled(name), points)


class _Pieces:
    """The samples of one program, each in a lane behind one that stays as it is."""

    def __init__(self, sampler: Sampler, points: Structured) -> None:
        self.moves = sampler.moves
        self.at = points.line.components
        self.flat = points.flat
        self.samples = sampler.samples(sampler.count)
        self.drawn = count()
        self.values = self.flat.values.copy()
        for slot in sampler.replay.literals:
            value = self.values[slot]
            if not is_single(value):
                self.values[slot] = value * self._factors(1, sampler.strongest * sampler.amplified)
        behind = [planned.index for planned in sampler.replay.plan]
        self.behind = [self.moves[i] for i in behind if i not in {step[0] for step in self.flat.steps}]
        self.tail = self._passed(1)

    def sampled(self, name: str) -> Sampled:
        """By how much the total moves in each sample, the gradient, and by how much it moves."""
        elements, width = len(self.at), _NUMBERS // (1 + self.samples)
        pieces = 1 + (elements - 1) // width
        exact, samples = torch.empty_like(self.at), self.at.new_empty(self.samples, elements)
        totals = self.at.new_zeros(1 + self.samples)
        for number in range(pieces):
            chosen = slice(elements * number // pieces, elements * (number + 1) // pieces)
            total, gradient = self._piece(chosen)
            totals += total
            exact[chosen] = gradient[0]
            torch.sub(gradient[1:], gradient[0], out=samples[:, chosen])
        return Sampled((totals[1:] - totals[0]).tolist(), {name: exact}, {name: samples})

    def _piece(self, chosen: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """What some elements add to the total in each lane, and the gradient there: (lanes,), (lanes, m)."""
        leaf = self.at[chosen].repeat(1 + self.samples, 1).requires_grad_()
        values, flat = self.values.copy(), self.flat
        values[flat.start] = self._moved(leaf, flat.start)
        for index, call, places, laid in flat.steps:
            for place in laid:
                values[place] = self.values[place][chosen]
            given = [values[place] for place in places]
            made = call(*given)
            if made is not given[0] and not made._is_view() and self.moves[index]:
                made.data.mul_(self._factors(made.shape[1], self.moves[index]))
            values[index] = self._moved(made, index)
        parts = [self._weighed(values[place], weight, chosen) for place, weight in flat.weights.items()]
        total = sum(parts[1:], parts[0])
        (gradient,) = torch.autograd.grad(total.sum(), leaf)
        return total.detach(), gradient

    def _weighed(self, made: torch.Tensor, weight: torch.Tensor | float, chosen: slice) -> torch.Tensor:
        """What elements of a value in lanes add to the total, (lanes, m) -> (lanes,)."""
        if isinstance(weight, float):
            return made.sum(1) * (weight * self.tail)
        return (made * (weight[chosen] * self._passed(made.shape[1]))).sum(1)

    def _passed(self, width: int) -> torch.Tensor:
        """The factors of all calls behind the values that are summed, as if it were one."""
        eps = max(self.behind, default=0.0)
        times = sqrt(sum(move * move for move in self.behind)) / eps if eps else 0.0
        made = self._factors(width, eps or 1.0).sub(1).mul_(times).add_(1)
        return made.squeeze(1) if width == 1 else made

    def _moved(self, value: torch.Tensor, index: int) -> torch.Tensor:
        """A value moved in the graph, so that the cotangent is moved as well."""
        eps = self.moves[index]
        return value * self._factors(value.shape[1], eps) if eps else value

    def _factors(self, width: int, eps: float) -> torch.Tensor:
        return pooled_anew(width, eps, self.samples, next(self.drawn))
