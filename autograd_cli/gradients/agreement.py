"""The verdict where nothing is odd: all witnesses are there, and agree at every place.

Most gradients are like this, so that they are judged before any mask is made.
"""

from math import sqrt

import numpy as np
import torch

from autograd_cli.gradients.known import Evidence, Outcome
from autograd_cli.gradients.line import Array
from autograd_cli.report import Verdict

_FEW = 64  # numbers that are sooner compared one by one than as tensors


def plain_agreement(evidence: Evidence) -> Outcome | None:
    """The verdict on smooth places that all witnesses agree on; None where there is more to it.

    What rounding does to the formula is only asked for where they do not agree without it.
    """
    known = (evidence.formula, evidence.numeric, evidence.numeric_error)
    parts = [part for part in known if part is not None]
    count = evidence.autograd.numel()
    if not count or evidence.slopes or len(parts) < 3 or evidence.strict is not None:
        return None
    if count > _FEW:
        return _agreement_of_many(evidence, *parts)
    given, allowed = evidence.autograd.tolist(), evidence.allowed.tolist()
    formula, *others = (part.tolist() for part in parts)
    rows = list(zip(given, allowed, evidence.fine.tolist(), formula, *others, strict=True))
    if not all(_agree(0.0, *row) for row in rows):
        errors = [] if evidence.formula_error is None else evidence.formula_error.tolist()
        if not all(_agree(error, *row) for error, row in zip(errors, rows, strict=True)):
            return None
    distances = [abs(a - b) for a, b in zip(given, formula, strict=True)]
    distance = max(distances)
    if distance > sqrt(evidence.eps) * max(map(abs, formula)):
        return None
    worst = distances.index(distance)
    return Outcome(Verdict.OK, worst if evidence.by_component else None, distance, allowed[worst])


def _agreement_of_many(
    evidence: Evidence, formula: torch.Tensor, numeric: torch.Tensor, numeric_error: torch.Tensor
) -> Outcome | None:
    """The verdict where all witnesses agree whatever rounding does to the formula; None otherwise."""
    given, allowed, by_formula = evidence.autograd.numpy(), evidence.allowed.numpy(), formula.numpy()
    by_slopes, bar = numeric.numpy(), numeric_error.numpy()
    with np.errstate(all="ignore"):  # infinities apart
        distances = np.abs(given - by_formula)
        if not (distances <= allowed).all() or by_formula[given == 0].any():
            return None
        if not _is_within(given - by_slopes, allowed + bar):
            return None
        if not _is_within(by_formula - by_slopes, evidence.fine.numpy() + bar):
            return None
        worst = int(distances.argmax())
        distance = float(distances[worst])
        if distance > sqrt(evidence.eps) * float(np.abs(by_formula).max()):
            return None
    return Outcome(Verdict.OK, worst if evidence.by_component else None, distance, float(allowed[worst]))


def _is_within(apart: Array, room: Array) -> bool:
    """Whether all that lies between two witnesses is no more than what may; `apart` is not kept."""
    return bool((np.abs(apart, out=apart) <= room).all())


def _agree(
    formula_error: float,
    given: float,
    allowed: float,
    fine: float,
    formula: float,
    numeric: float,
    numeric_error: float,
) -> bool:
    """Whether the witnesses of one number agree, and autograd's is not a 0 that may have been more."""
    return (
        abs(given - formula) <= allowed + formula_error
        and abs(given - numeric) <= allowed + numeric_error
        and abs(formula - numeric) <= fine + formula_error + numeric_error
        and not given == 0 != formula
    )
