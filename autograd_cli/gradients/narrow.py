"""What a narrow dtype does to a gradient: overflow, underflow, lost digits."""

from math import isfinite

import torch


def underflown(dtype: str, given: torch.Tensor, reference: torch.Tensor, doubt: float) -> torch.Tensor:
    """Where autograd gives 0 for a number too small for `dtype` to hold with all its digits.

    All are (n,); `doubt` is how far the reference itself may be off. Numbers far below
    what the dtype can write at all are 0 in any reading.
    """
    kind = getattr(torch, dtype)
    if not kind.is_floating_point or kind == torch.float64:
        return torch.zeros_like(given, dtype=torch.bool)
    limits, size = torch.finfo(kind), reference.abs().nan_to_num(nan=0.0)
    least = max(1e-3 * limits.smallest_normal * limits.eps, 10 * doubt)
    return (given == 0) & (size > least) & (size < limits.smallest_normal)


def loss(dtype: str, lowest: str, given: float, reference: float) -> str:
    """What happened to one element, in words; `lowest` is the narrowest dtype of the run."""
    if not isfinite(given) and isfinite(reference):
        return f"{lowest} overflows on the way"
    if given == 0 and abs(reference) < torch.finfo(getattr(torch, dtype)).smallest_normal:
        return f"{lowest} underflows on the way"
    return f"digits are lost to rounding in {lowest}"
