"""What the searches for slopes ask first, answered beside the samples of rounding in one evaluation."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from autograd_cli.gradients.slope import opening

LEVELS = 6
"""Levels that are asked for at once where points are evaluated together: most functions need no more."""
_FEW = 6
"""Components of a leaf up to which each is moved in lanes of its own."""
_MOST = 200
"""Lanes in all, and elements of the widest value in one, up to which they cost little."""


class Opened(NamedTuple):
    """The first steps of a component, the output without a step, and the outputs at these."""

    steps: list[float]
    here: float
    outputs: list[float]


class Openings:
    """The first steps of every component of small real leaves, each in a lane behind others."""

    def __init__(self, leaves: Mapping[str, torch.Tensor]) -> None:
        self.steps: dict[str, list[list[float]]] = {}
        self.first: dict[str, int] = {}
        self.lanes = 0
        for name, leaf in leaves.items():
            if 0 < leaf.numel() <= _FEW and leaf.dtype == torch.float64:
                at = [leaf.item()] if leaf.ndim == 0 else leaf.flatten().tolist()
                self.steps[name] = [opening(one, abs(one) or 1.0, LEVELS) for one in at]
                self.first[name] = self.lanes
                self.lanes += 2 * LEVELS * len(at)

    def fits(self, widest: int) -> bool:
        """Whether the lanes cost little beside those of the samples."""
        return self.lanes <= _MOST and widest <= _MOST

    def moved(self, name: str, leaf: torch.Tensor, before: int) -> torch.Tensor:
        """A leaf in all lanes, `before` of them without a step: (lanes, …)."""
        if name not in self.steps:
            return leaf.expand(before + self.lanes, *leaf.shape).clone()
        if leaf.ndim == 0:
            return self._number_moved(name, leaf.item(), before)
        lanes = np.empty((before + self.lanes, leaf.numel()))
        lanes[:] = leaf.numpy().reshape(-1)
        first = before + self.first[name]
        for component, steps in enumerate(self.steps[name]):
            lanes[first : first + len(steps), component] += steps
            first += len(steps)
        return torch.from_numpy(lanes).view(-1, *leaf.shape)

    def _number_moved(self, name: str, at: float, before: int) -> torch.Tensor:
        """As `moved`, of one number."""
        lanes = [at] * (before + self.lanes)
        first, (steps,) = before + self.first[name], self.steps[name]
        lanes[first : first + len(steps)] = [at + step for step in steps]
        return torch.from_numpy(np.array(lanes))

    def opened(self, outputs: list[float], before: int) -> dict[str, list[Opened]]:
        """The outputs by leaf and component, from those of all lanes."""
        found: dict[str, list[Opened]] = {}
        for name, each in self.steps.items():
            first, found[name] = before + self.first[name], []
            for steps in each:
                found[name].append(Opened(steps, outputs[0], outputs[first : first + len(steps)]))
                first += len(steps)
        return found
