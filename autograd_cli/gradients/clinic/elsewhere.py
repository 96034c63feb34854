"""Values drawn near those of a call: what is special at the given ones (0, ones, an eye) is not at these."""

from collections.abc import Iterator
from typing import Any

import torch

from autograd_cli.gradients.clinic.trial import Trial

_SPREADS = (0.5, 0.05)
"""How far values are moved for their size, as far as forward takes that."""


def elsewhere(trial: Trial) -> Iterator[Trial]:
    """The call at a point of its own, of which forward and backward make finite numbers; or none."""
    for spread in _SPREADS:
        values = list(trial.values)
        generator = torch.Generator().manual_seed(0)
        for position in trial.slots:
            values[position] = _drawn(values[position], spread, generator)
        moved = trial.moved(values)
        if moved is not None and _is_finite(moved):
            yield moved
            return


def _drawn(value: torch.Tensor, spread: float, generator: torch.Generator) -> torch.Tensor:
    """A tensor near another: each number keeps its sign, and its size within the spread.

    A 0 gets the sign that others have, if they all have one.
    """
    part = 2 * torch.rand(value.shape, generator=generator, dtype=torch.float64) - 1
    size = value.abs().max() if bool(value.any()) else 1.0
    zeros = part * spread * size
    zeros = zeros.abs() if bool((value >= 0).all()) else -zeros.abs() if bool((value <= 0).all()) else zeros
    made: torch.Tensor = torch.where(value == 0, zeros, value * (1 + spread * part))
    return made


def _is_finite(trial: Trial) -> bool:
    """Whether forward and backward give finite numbers."""
    passed = trial.backward(trial.values, trial.drawn())
    return passed.error is None and all(map(_finite, (*passed.outputs, *passed.gradients.values())))


def _finite(value: Any) -> bool:
    return not isinstance(value, torch.Tensor) or bool(value.isfinite().all())
