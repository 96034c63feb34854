"""What rounding explains of the distance of autograd from the references: digits lost, and constants."""

from dataclasses import replace
from math import isfinite, sqrt

import torch

from autograd_cli.gradients.known import Evidence, Outcome, agrees
from autograd_cli.gradients.narrow import loss
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.digits import real

_SINGLE = torch.finfo(torch.float32).eps  # some float64 kernels hold constants of this precision
_DOUBLE = torch.finfo(torch.float64).eps
_EXCESS = 8  # times the tolerance: composite kernels round more often than a sample does


def loses_digits(evidence: Evidence, distance: torch.Tensor, reference: torch.Tensor) -> bool:
    """Whether half of the digits are gone, or more than the leaf's own dtype would lose."""
    if evidence.strict is not None and bool((distance > evidence.strict).any()):
        return True
    largest = _size(reference)
    if _is_nothing(evidence, largest):
        return False
    return bool(distance.max() > sqrt(evidence.eps) * largest)


def _is_nothing(evidence: Evidence, largest: float) -> bool:
    """Whether the reference is 0 but for its own rounding: summands cancel, and there is no digit to lose.

    Where the output has lost its digits as well, something before the last sum is to blame.
    """
    is_zero = largest <= max(largest_of(evidence.fine), largest_of(evidence.reference_error))
    return is_zero and (evidence.keeps is None or evidence.keeps())


def _size(values: torch.Tensor) -> float:
    """The largest of what is finite."""
    return float(values.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).abs().max())


def allowed_at(evidence: Evidence, index: int) -> float:
    """What may lie between autograd and what it is measured against there."""
    distance = abs(float(evidence.autograd[index] - evidence.reference[index]))
    allowed = float(evidence.allowed[index])
    return allowed if distance <= allowed else allowed + error_at(evidence.reference_error, index)


def precision(evidence: Evidence, outcome: Outcome, worst: int, said: str = "") -> Outcome:
    """The outcome as one of lost digits, with what is lost in words, unless it is known."""
    given, reference = float(evidence.autograd[worst]), float(evidence.reference[worst])
    digits = next((d for d in (7, 12) if real(given, d) != real(reference, d)), 17)
    dtype = evidence.lowest or evidence.dtype
    said = said or loss(evidence.dtype, dtype, given, reference)
    sentence = (
        f"{said}: autograd gives {real(given, digits)}, the reference in float64 is {real(reference, digits)}"
    )
    return replace(outcome, verdict=Verdict.PRECISION, odd=Witness.AUTOGRAD, sentence=sentence)


def excused(evidence: Evidence, outcome: Outcome, index: int) -> Outcome:
    """The verdict where autograd is further off than is allowed, which rounding may still explain."""
    assert outcome.difference is not None
    if evidence.in_double:
        return _in_double(evidence, outcome, index, outcome.difference)
    if not _is_rounding(evidence, index, outcome.difference):
        said = f"{evidence.lowest or evidence.dtype} underflows on the way"
        is_so = _is_underflow(evidence, index, outcome.difference)
        return precision(evidence, outcome, index, said) if is_so else outcome
    is_nothing = _is_nothing(evidence, _size(evidence.reference))
    within = _within(evidence, index, outcome.difference) if is_nothing else None
    return within or precision(evidence, outcome, index)


def _within(evidence: Evidence, index: int, difference: float) -> Outcome | None:
    """What is no further off than when the run is repeated, rounded otherwise; None where it is."""
    noise = float(evidence.repeated()[index]) if evidence.repeated else 0.0
    return Outcome(Verdict.OK, index, difference, noise) if difference <= noise else None


def _in_double(evidence: Evidence, outcome: Outcome, index: int, difference: float) -> Outcome:
    """The verdict in float64, where how a kernel rounds inside, or a constant in it, explains a little."""
    size, at = _size(evidence.reference), abs(float(evidence.reference[index]))
    within = _within(evidence, index, difference)
    if within is not None:
        keeps = difference <= sqrt(evidence.eps) * size or _is_nothing(evidence, size)
        return within if keeps else precision(evidence, within, index)
    if not difference <= _SINGLE * at:
        is_cast = _is_cast(evidence, index, difference)
        return precision(replace(evidence, lowest="float32"), outcome, index) if is_cast else outcome
    if not evidence.torchs:
        return precision(evidence, outcome, index)
    share = real(difference / at, 1)
    sentence = f"off by {share} of it: a kernel of torch's rounds more inside, or has a constant in float32"
    return Outcome(Verdict.OK, index, difference, _SINGLE * at, sentence=sentence)


def _is_cast(evidence: Evidence, index: int, difference: float) -> bool:
    """Whether casts to float32 in a person's own code explain the distance: without them all is right."""
    single = _EXCESS * _SINGLE / _DOUBLE * float(evidence.allowed[index])
    return not evidence.torchs and difference <= single and bool(_right_in_double(evidence)[index])


def _is_rounding(evidence: Evidence, index: int, difference: float) -> bool:
    """Whether low precision explains the distance of autograd from the references."""
    if difference <= _SINGLE * abs(float(evidence.reference[index])):
        return True
    if not _right_in_double(evidence)[index]:
        return False
    given = float(evidence.autograd[index])
    if given == 0 or not isfinite(given) or difference <= _EXCESS * float(evidence.allowed[index]):
        return True
    return evidence.repeated is not None and difference <= float(evidence.repeated()[index])


def _is_underflow(evidence: Evidence, index: int, difference: float) -> bool:
    """Whether the same gradient by way of larger numbers is right: some were too small for their dtype.

    A gradient is linear in what it begins with, so that nothing else is mended by it; made again as it
    was it must be as far off.
    """
    if evidence.enlarged is None or not _right_in_double(evidence)[index]:
        return False
    again, *larger = evidence.enlarged()[:, index].tolist()
    if not abs(again - float(evidence.autograd[index])) <= difference / _EXCESS:
        return False
    right, room = float(evidence.reference[index]), _EXCESS * float(evidence.allowed[index])
    return any(abs(one - right) <= room for one in larger)


def off_alike(evidence: Evidence, distance: torch.Tensor) -> torch.Tensor:
    """Where autograd gives about the same in float64, and is off there for what that allows: (n,) bool.

    What rounding does is far less in float64. Where more is allowed, the samples passed a jump of the
    backward, as where it asks whether a number is 1 or how its memory lies.
    """
    if evidence.eps <= _DOUBLE:
        return torch.zeros_like(distance, dtype=torch.bool)
    same = (evidence.exact - evidence.autograd).abs() <= distance / _EXCESS
    return same & (distance > 0) & ~_right_in_double(evidence)


def _right_in_double(evidence: Evidence) -> torch.Tensor:
    """Where autograd in float64 agrees with every reference: (n,) bool."""
    known = ((evidence.formula, evidence.formula_error), (evidence.numeric, evidence.numeric_error))
    right = torch.ones_like(evidence.exact, dtype=torch.bool)
    for values, errors in known:
        if values is not None and errors is not None:
            room = evidence.fine + errors + 1e-9 * values.abs()
            right &= agrees(evidence.exact, values, room) | values.isnan()
    return right


def largest_of(errors: torch.Tensor | None) -> float:
    """The largest of errors that may not be known."""
    return 0.0 if errors is None or not errors.numel() else float(errors.max())


def error_at(errors: torch.Tensor | None, index: int) -> float:
    """One of errors that may not be known."""
    return 0.0 if errors is None else float(errors[index])
