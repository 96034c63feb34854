"""Slopes of a call by its values alone, with their error bars, and what a gradient is held against."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import torch

from autograd_cli.gradients.clinic.trial import Trial, Values
from autograd_cli.gradients.grounds.alone import ROOM, sizes
from autograd_cli.gradients.slope import Behaviour, Place, Slope, slope

_EPS = torch.finfo(torch.float64).eps
_SCALES = (1.0, 1e-3)
"""Steps for the size of what is moved; the shorter ones where the far ones leave the domain."""

_SUMS = 1e3 * _EPS
"""The same, of the largest of their elements: what rounding does to a sum of terms that cancel."""


class Measured(NamedTuple):
    """A gradient by differences and its error bar, element by element; NaN where there is none."""

    value: torch.Tensor
    error: torch.Tensor

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 within the error bar at every element, and known at one."""
        known = self.value.isfinite()
        return bool(known.any()) and bool((self.value.abs() <= self.error)[known].all())

    @property
    def is_known(self) -> bool:
        """Whether there is a slope at every element."""
        return bool(self.value.isfinite().all())

    def times(self, factor: float) -> "Measured":
        """So many times the gradient."""
        return Measured(factor * self.value, abs(factor) * self.error)


def gradient(trial: Trial, position: int, values: Values, cotangents: Sequence[torch.Tensor]) -> Measured:
    """The slopes of the weighed outputs by one slot, each element moved by itself for its size."""
    at = values[position]
    scales = sizes(at).reshape(-1)
    found = []
    for element, size in enumerate(scales.tolist()):
        unit = torch.zeros_like(scales)
        unit[element] = size
        moved = {position: unit.reshape(at.shape)}
        found.append(along(moved, values, lambda given: trial.parts(given, cotangents)))
    value = torch.tensor([one.value for one in found], dtype=torch.float64) / scales
    error = torch.tensor([_bar(one) for one in found], dtype=torch.float64) / scales
    return Measured(value.reshape(at.shape), error.reshape(at.shape))


def may_be(
    given: torch.Tensor, trial: Trial, position: int, values: Values, cotangents: Sequence[torch.Tensor]
) -> bool:
    """Whether a gradient has the slope of one drawn direction, which takes a part of the time of them all."""
    generator = torch.Generator().manual_seed(0)
    at = values[position]
    direction = sizes(at) * torch.randn(at.shape, generator=generator, dtype=torch.float64)
    found = along({position: direction}, values, lambda moved: trial.parts(moved, cotangents))
    if not (found.is_smooth and isfinite(found.value)):
        return True
    terms = given * direction
    return abs(float(terms.sum()) - found.value) <= found.error + ROOM * float(terms.abs().sum())


def _bar(found: Slope) -> float:
    """The error bar of a slope; at a kink any number between both sides will do."""
    apart = abs(found.right - found.left) / 2 if found.behaviour is Behaviour.KINK else 0.0
    return found.error + apart


def along(
    direction: Mapping[int, torch.Tensor], values: Values, function: Callable[[Values], torch.Tensor]
) -> Slope:
    """The slope of the sum of a vector, a function of the values, along a direction of some of them.

    Where the function raises it has no value. Raises what it raises at the values themselves.
    """
    here = function(values)
    size = float(here.abs().nan_to_num(0.0, 0.0, 0.0).sum())

    def change(step: float) -> float:
        moved = list(values)
        for position, unit in direction.items():
            moved[position] = values[position] + step * unit
        try:
            there = function(moved)
        except Exception:  # whatever their code raises beside the values
            return float("nan")
        return float(_moves(here, there).sum()) if there.shape == here.shape else float("nan")

    place = Place(0.0, size, 4 * _EPS * size, stepped=True, terms=lambda: _largest(here, *values))
    return slope(change, place, _SCALES)


def _largest(*values: Any) -> float:
    """The size of the largest number in tensors."""
    tensors = [one.detach() for one in values if isinstance(one, torch.Tensor) and one.numel()]
    return max((float(one.abs().nan_to_num(0.0, 0.0, 0.0).max()) for one in tensors), default=0.0)


def _moves(here: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """By how much each part changed: what is infinite or NaN before and after did not."""
    same = (here == there) | (here.isnan() & there.isnan())
    return torch.where(same, 0.0, there - here)


def alike(given: torch.Tensor, meant: Measured) -> bool:
    """Whether a gradient is the measured one within its error bar, wherever that is known; no two zeros."""
    if given.shape != meant.value.shape:
        return False
    known = meant.value.isfinite()
    return _are_near(given[known], meant.value[known], meant.error[known])


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two gradients by one formula are the same but for rounding; no two zeros."""
    return one.shape == other.shape and _are_near(one, other, torch.zeros_like(one))


def room(given: torch.Tensor, meant: Measured) -> torch.Tensor:
    """How far a gradient may be from the measured one and still be alike, by element."""
    return _room(torch.maximum(given.abs(), meant.value.abs())) + meant.error


def _room(size: torch.Tensor) -> torch.Tensor:
    return ROOM * size + _SUMS * float(size.nan_to_num(nan=0.0, posinf=0.0).max())


def _are_near(one: torch.Tensor, other: torch.Tensor, bar: torch.Tensor) -> bool:
    size = torch.maximum(one.abs(), other.abs())
    if not (size.numel() and float(size.max()) > 0):
        return False
    return bool(((one - other).abs() <= _room(size) + bar).all())
