"""What is known about one gradient, and what is concluded from it."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from autograd_cli.gradients.slope import Slope
from autograd_cli.lang.same import once
from autograd_cli.lang.swift import swift
from autograd_cli.report import Verdict, Witness

Neighbours = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


@swift
@dataclass(frozen=True)
class Evidence:
    """What is known about one gradient.

    `autograd` is the run's. `formula` and `numeric` are the references, None where
    there is none, with `numeric_error` and what `doubt` gives; `slopes` are the places that
    are not smooth. `exact` is autograd in float64, `allowed` what rounding allows in the
    run's precision, `fine` in float64. `dtype` and `eps` are the leaf's. `strict` is
    what rounding allows without the run's casts to lower precision, to `lowest`.
    `neighbours` gives autograd's float64 gradient a little above and below in the
    components of a mask, `repeated` how far the run's own computation is off when its
    inputs and its cotangent are rounded otherwise, `enlarged` its gradient made again
    and then by way of larger numbers (tries, n), as a scaled loss has it, `keeps` whether the run's
    output keeps half of its digits, `innocent` whether every node that the leaf goes into is right by
    itself. `by_component` is False for slopes along directions; `torchs` says that no function of the
    run is a person's own.
    """

    autograd: torch.Tensor
    formula: torch.Tensor | None
    doubt: Callable[[], torch.Tensor] | None
    numeric: torch.Tensor | None
    numeric_error: torch.Tensor | None
    slopes: dict[int, Slope]
    exact: torch.Tensor
    allowed: torch.Tensor
    fine: torch.Tensor
    dtype: str
    eps: float
    strict: torch.Tensor | None = None
    lowest: str = ""
    neighbours: Neighbours | None = None
    repeated: Callable[[], torch.Tensor] | None = None
    enlarged: Callable[[], torch.Tensor] | None = None
    keeps: Callable[[], bool] | None = None
    innocent: Callable[[], bool] | None = None
    by_component: bool = True
    torchs: bool = False

    @property
    def in_double(self) -> bool:
        """Whether nothing in the run was less precise than the references are."""
        return (self.lowest or self.dtype) in ("float64", "complex128")

    @property
    def reference(self) -> torch.Tensor:
        """What autograd is measured against: the formula, else the numeric slopes, else float64."""
        if self.formula is not None:
            return self.formula
        return self.exact if self.numeric is None else self.numeric

    @property
    def reference_error(self) -> torch.Tensor | None:
        """How far that may itself be off."""
        return self.numeric_error if self.formula is None else self.formula_error

    def no_number(self) -> torch.Tensor:
        """Where the chain rule comes to no number though each of its rules is right, as 0 * inf is."""
        empty = ~(torch.isfinite(self.autograd) | torch.isfinite(self.exact))
        if self.formula is not None:
            alike = empty & agrees(self.autograd, self.formula, self.allowed)
            if bool((alike == empty).all()):
                return alike
        is_so = bool(empty.any()) and self.innocent is not None and self.innocent()
        return empty & is_so

    @once
    def formula_error(self) -> torch.Tensor | None:
        """What rounding does to the formula, found when it is asked for: it takes as long as all else."""
        return None if self.doubt is None else self.doubt()


@swift
@dataclass(frozen=True)
class Outcome:
    """A verdict with the component it rests on, its distance and what was allowed there.

    `widened` is the error bar that the numeric witness needs to agree, where it is the
    odd one out.
    """

    verdict: Verdict
    worst: int | None = None
    difference: float | None = None
    tolerance: float | None = None
    odd: Witness | None = None
    sentence: str = ""
    kinks: int = 0
    widened: float | None = None


def agrees(one: torch.Tensor, other: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """Where two gradients are the same within `allowed`; equal infinities and NaNs agree."""
    both_nan = torch.isnan(one) & torch.isnan(other)
    distance = (one - other).abs()
    return (distance.isfinite() & (distance <= allowed)) | (one == other) | both_nan
