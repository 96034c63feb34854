"""What is known about one block of a second derivative, element by element."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray

from autograd_cli.gradients.line import Array
from autograd_cli.gradients.second.differences import Bend, Bends


@dataclass(frozen=True)
class Differences:
    """A reference by differences: values and error bars (n,), and the places that are not smooth.

    `low` and `high` are the second derivatives on the two sides of a place where they differ. `size`
    (n,) is that of one of a function that bends within its own size, or turns its gradient within that.
    """

    values: torch.Tensor
    errors: torch.Tensor
    size: torch.Tensor
    rough: dict[int, Bend] = field(default_factory=dict)
    low: torch.Tensor | None = None
    high: torch.Tensor | None = None

    @property
    def widest(self) -> float | None:
        """The largest error bar where there is one."""
        known = self.errors[self.errors.isfinite()]
        return float(known.max()) if known.numel() else None

    def smooth(self) -> "Differences":
        """These with nothing said of the places that are not smooth."""
        values = self.values.clone()
        values[list(self.rough)] = torch.nan
        return Differences(values, self.errors, self.size)

    def without(self, places: NDArray[np.bool_]) -> "Differences":
        """These, with an edge at the places at which the function has no value."""
        if not places.any():
            return self
        values = self.values.masked_fill(torch.from_numpy(places), torch.nan)
        rough = self.rough | dict.fromkeys(np.flatnonzero(places).tolist(), Bend.EDGE)
        return replace(self, values=values, rough=dict(sorted(rough.items())))

    def sides(self, place: int) -> tuple[float, float]:
        """The second derivatives on the two sides of a place."""
        assert self.low is not None
        assert self.high is not None
        return float(self.low[place]), float(self.high[place])


def differences(bends: Bends, size: Array) -> Differences:
    """What was read off levels, as tensors."""
    values, errors, low, high = (
        torch.from_numpy(part) for part in (bends.values, bends.errors, bends.low, bends.high)
    )
    return Differences(values, errors.abs(), torch.from_numpy(size), bends.rough, low, high)


@dataclass(frozen=True)
class BlockEvidence:
    """What is known about one block, all (n,) in float64.

    `given` is autograd in the run's own precision, `exact` in float64; `allowed` is what rounding
    allows to the first, `fine` to the second. `formula` is that on paper, with the error that `doubt`
    finds; `numeric` are second differences of the function alone, `slopes` those of autograd's first
    gradient. `dtype` and `eps` are the leaf's. `is_flat` says that
    autograd's first gradient has no graph, `is_cut` that no way leads from there to the other leaf.
    """

    given: torch.Tensor
    exact: torch.Tensor
    allowed: torch.Tensor
    fine: torch.Tensor
    dtype: str
    eps: float
    formula: torch.Tensor | None = None
    doubt: Callable[[], torch.Tensor] | None = None
    numeric: Differences | None = None
    slopes: Differences | None = None
    is_flat: bool = False
    is_cut: bool = False
