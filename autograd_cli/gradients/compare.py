"""The verdict on one gradient: autograd held against two references in float64.

Everything here is float64 of shape (n,): the components of a leaf, or slopes along
random directions. Where the three do not agree, the odd one out is named.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan

import torch

from autograd_cli.gradients.agreement import plain_agreement
from autograd_cli.gradients.excuses import (
    allowed_at,
    error_at,
    excused,
    largest_of,
    loses_digits,
    off_alike,
    precision,
)
from autograd_cli.gradients.known import Evidence, Outcome, agrees
from autograd_cli.gradients.narrow import underflown
from autograd_cli.gradients.slope import Behaviour, Slope
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.digits import real


@dataclass(frozen=True)
class _Masks:
    """Where each reference is known and where the three stand apart, all (n,) bool.

    `hollow` is where the chain rule comes to NaN or an infinity and the function has a slope: the
    rules of differentiation say nothing there.
    """

    off_formula: torch.Tensor
    off_numeric: torch.Tensor
    apart: torch.Tensor
    by_formula: torch.Tensor
    by_numeric: torch.Tensor
    hollow: torch.Tensor


def judged(evidence: Evidence) -> Outcome:
    """The verdict on the worst place of a gradient, with the count of its kinks."""
    plain = plain_agreement(evidence)
    if plain is not None:
        return plain
    rough = [_rough(evidence, index, slope) for index, slope in evidence.slopes.items()]
    outcomes = [_smooth(evidence), *rough]
    kinks = len(_elements(evidence, [one for one in rough if one.verdict is Verdict.KINK]))
    worst = max(outcomes, key=lambda one: one.verdict.rank)
    sentence = worst.sentence
    if worst.verdict is Verdict.KINK and kinks > 1:
        alike = len(_elements(evidence, [one for one in rough if one.sentence == sentence]))
        sentence = f"{sentence} ({such(alike, kinks)})"
    widened = max((one.widened for one in outcomes if one.widened is not None), default=None)
    place = worst.worst if evidence.by_component else None
    return replace(worst, kinks=kinks or worst.kinks, sentence=sentence, widened=widened, worst=place)


def _elements(evidence: Evidence, outcomes: Sequence[Outcome]) -> set[int]:
    """The elements that outcomes are of; a complex number is one, with both of its parts."""
    parts = 2 if evidence.by_component and evidence.dtype.startswith("complex") else 1
    return {one.worst // parts for one in outcomes if one.worst is not None}


def such(alike: int, kinks: int) -> str:
    """How many elements a sentence is true of, and at how many kinks there are others."""
    if alike == kinks:
        return f"{kinks} such elements"
    return f"{alike} such element{'s' if alike > 1 else ''} of {kinks} at kinks"


# Places that are not smooth

NO_VALUE = "it has no finite value"
"""Why a function whose value is no number has no slope, in the sentence of its verdict."""


def _rough(evidence: Evidence, index: int, slope: Slope) -> Outcome:
    """The verdict at a kink, a jump or an edge."""
    given, allowed = float(evidence.autograd[index]), float(evidence.allowed[index])
    sides = f"{_side(slope.left)} to the left and {_side(slope.right)} to the right"
    if slope.behaviour is Behaviour.KINK:
        if not isfinite(given) and bool(evidence.no_number()[index]):
            return _without_number(evidence, index, f"slopes are {sides}")
        return _kink(given, allowed, slope, sides, index)
    is_jump = slope.behaviour is Behaviour.JUMP
    if is_jump and _is_too_steep(evidence, index, slope):
        sentence = (
            "it rises within less than floats are apart, so that no difference can tell its slope: "
            f"autograd and the formula agree on {real(given)}"
        )
        return Outcome(Verdict.PRECISION, index, sentence=sentence)
    why = "it jumps or rises without bound" if is_jump else "it has no values on one side"
    if slope.left != slope.left and slope.right != slope.right:
        why, sides = NO_VALUE, "on neither side"
    sentence = f"the function has no slope, since {why} (slopes: {sides}); autograd gives {real(given)}"
    return Outcome(Verdict.JUMP if is_jump else Verdict.DOMAIN_EDGE, index, sentence=sentence)


def _is_too_steep(evidence: Evidence, index: int, slope: Slope) -> bool:
    """Whether what looks like a jump may well be the slope that autograd and the formula agree on."""
    if evidence.formula is None or evidence.formula_error is None or slope.left != slope.right:
        return False
    given, formula = float(evidence.autograd[index]), float(evidence.formula[index])
    room = float(evidence.allowed[index]) + float(evidence.formula_error[index])
    is_steep = isfinite(given) and given * slope.left > 0 and abs(given) >= slope.steepest > 0
    return is_steep and abs(given - formula) <= room


def _side(slope: float) -> str:
    """A one-sided slope in words."""
    return "none" if slope != slope else real(slope)


def _kink(given: float, allowed: float, slope: Slope, sides: str, index: int) -> Outcome:
    least, most = slope.between(allowed)
    if least <= given <= most:
        return Outcome(Verdict.KINK, index, sentence=f"the slope is {sides}; autograd gives {real(given)}")
    low, high = sorted((slope.left, slope.right))
    distance, room = max(low - given, given - high), low - least
    sentence = f"autograd gives {real(given)}, which is not between the slopes at this kink: {sides}"
    return Outcome(Verdict.WRONG, index, distance, room, Witness.AUTOGRAD, sentence)


# Smooth places


def _smooth(evidence: Evidence) -> Outcome:
    masks = _masks(evidence)
    suspects = (masks.off_formula | masks.off_numeric | masks.apart) & ~masks.hollow
    isolated = _isolated(evidence, suspects)
    kept = suspects & ~isolated
    outcomes = [_agreement(evidence, (masks.by_formula | masks.by_numeric) & ~(suspects | masks.hollow))]
    if masks.hollow.any():
        outcomes.append(_no_number(evidence, masks.hollow))
    if isolated.any():
        outcomes.append(_isolated_point(evidence, isolated))
    if kept.any():
        outcomes.append(_disagreement(evidence, masks, kept))
    return max(reversed(outcomes), key=lambda one: one.verdict.rank)


def _masks(evidence: Evidence) -> _Masks:
    none = torch.zeros_like(evidence.autograd, dtype=torch.bool)
    smooth = ~none
    smooth[list(evidence.slopes)] = False
    given, formula, numeric = evidence.autograd, evidence.formula, evidence.numeric
    by_formula = by_numeric = off_formula = off_numeric = apart = hollow = none
    if numeric is not None and evidence.numeric_error is not None:
        by_numeric = smooth & ~torch.isnan(numeric)
        off_numeric = by_numeric & ~agrees(given, numeric, evidence.allowed + evidence.numeric_error)
        if not given.isfinite().all():
            hollow = smooth & torch.isfinite(numeric) & evidence.no_number()
    if formula is not None and evidence.formula_error is not None:
        # A formula that comes to 0/0 says nothing of a place where there is a slope.
        by_formula = smooth & ~(torch.isnan(formula) & by_numeric)
        off_formula = by_formula & ~agrees(given, formula, evidence.allowed + evidence.formula_error)
        if numeric is not None and evidence.numeric_error is not None:
            room = evidence.fine + evidence.formula_error + evidence.numeric_error
            apart = by_formula & by_numeric & ~agrees(formula, numeric, room)
    return _Masks(off_formula, off_numeric, apart, by_formula, by_numeric, hollow)


def _agreement(evidence: Evidence, agreed: torch.Tensor) -> Outcome:
    """The verdict where all agree that say anything; a formula that says nothing is told as such."""
    formula, numeric, bar = evidence.formula, evidence.numeric, evidence.numeric_error
    if formula is None or numeric is None or bar is None:
        return _agreement_of_all(evidence, agreed)
    silent = agreed & formula.isnan() & ~numeric.isnan()
    if not silent.any() or (doubt := evidence.formula_error) is None:
        return _agreement_of_all(evidence, agreed)
    filled, error = torch.where(silent, numeric, formula), torch.where(silent, bar, doubt)
    spoken = replace(evidence, formula=filled, doubt=lambda: error)
    found = _agreement_of_all(spoken, agreed)
    if found.verdict is not Verdict.OK:
        return found
    count = int(silent.sum())
    elements = f" at {count} of {formula.numel()} elements" if formula.numel() > 1 else ""
    said = f"autograd and the numeric slope do; the formula comes to nan{elements}, which says nothing"
    return replace(found, sentence=said)


def _agreement_of_all(evidence: Evidence, agreed: torch.Tensor) -> Outcome:
    """OK with the largest distance, or PRECISION where half of the digits are lost in it."""
    reference = evidence.reference
    distance = (evidence.autograd - reference).abs().nan_to_num(nan=-1.0, posinf=-1.0)
    distance = torch.where(agreed, distance, -1.0)
    if not distance.numel() or distance.max() < 0:
        return Outcome(Verdict.OK, sentence=_untold(evidence))
    worst = int(distance.argmax())
    doubt = max(largest_of(evidence.formula_error), largest_of(evidence.numeric_error))
    lost = agreed & underflown(evidence.dtype, evidence.autograd, reference, doubt)
    if lost.any():
        worst = int(torch.where(lost, reference.abs(), -1.0).argmax())
        outcome = Outcome(Verdict.OK, worst, float(distance[worst]), float(evidence.allowed[worst]))
        return precision(evidence, outcome, worst)
    outcome = Outcome(Verdict.OK, worst, float(distance[worst]), allowed_at(evidence, worst))
    is_told = evidence.formula is not None and evidence.autograd[worst] != 0
    blurred = not is_told and distance[worst] <= error_at(evidence.numeric_error, worst)
    if blurred or not loses_digits(evidence, distance, reference):
        return outcome
    alike = agreed & off_alike(evidence, distance)
    return _in_double_too(evidence, distance, alike) if alike.any() else precision(evidence, outcome, worst)


def _in_double_too(evidence: Evidence, distance: torch.Tensor, alike: torch.Tensor) -> Outcome:
    """The verdict where float64 gives the same and is wrong: what that allows is what counts."""
    worst = int(torch.where(alike, distance, -1.0).argmax())
    said = ", ".join(_said(evidence, worst).values())
    allowed = float(evidence.fine[worst]) + error_at(evidence.reference_error, worst)
    sentence = f"{said}, in float64 too"
    return Outcome(Verdict.WRONG, worst, float(distance[worst]), allowed, Witness.AUTOGRAD, sentence)


def _untold(evidence: Evidence) -> str:
    """Why nothing stands beside autograd where the numeric witness alone was asked and found no slope."""
    numeric = evidence.numeric
    if numeric is None or evidence.slopes or not numeric.numel() or not torch.isnan(numeric).all():
        return ""
    return "the numeric witness cannot tell: values overflow within its least step, and there is no formula"


def _no_number(evidence: Evidence, hollow: torch.Tensor) -> Outcome:
    """The verdict where the chain rule gives NaN or an infinity and the function has a slope."""
    assert evidence.numeric is not None
    index, count = int(hollow.nonzero()[0]), int(hollow.sum())
    outcome = _without_number(evidence, index, f"slope is {real(float(evidence.numeric[index]))}")
    if count > 1 and evidence.by_component:
        return replace(outcome, sentence=f"{outcome.sentence} ({count} such elements)")
    return outcome


def _without_number(evidence: Evidence, index: int, slope: str) -> Outcome:
    """The verdict at one such place."""
    given = float(evidence.autograd[index])
    formula = nan if evidence.formula is None else float(evidence.formula[index])
    alike = evidence.formula is not None and (formula == given or (formula != formula and given != given))
    who = "autograd and the formula give" if alike else "autograd gives"
    sentence = f"{who} {real(given)}, while the function's {slope}; AGX502 explains why"
    return Outcome(Verdict.DOMAIN_EDGE, index, sentence=sentence)


def _isolated(evidence: Evidence, suspects: torch.Tensor) -> torch.Tensor:
    """Where autograd is off at this one point and right a little to both sides of it."""
    none = torch.zeros_like(suspects)
    numeric, error = evidence.numeric, evidence.numeric_error
    if numeric is None or error is None or evidence.neighbours is None or not suspects.any():
        return none
    candidates = suspects & torch.isfinite(evidence.autograd) & torch.isfinite(numeric)
    candidates &= ~agrees(evidence.exact, numeric, 1e-4 * numeric.abs() + evidence.fine + error)
    if not candidates.any():
        return none
    above, below = evidence.neighbours(candidates)
    room = 1e-5 * numeric.abs() + evidence.fine + error
    isolated = candidates & agrees(above, numeric, room) & agrees(below, numeric, room)
    # A backward of a person's own may be wrong at one point, where nothing has a kink.
    is_so = evidence.torchs or evidence.innocent is None or not isolated.any() or evidence.innocent()
    return isolated if is_so else none


def _isolated_point(evidence: Evidence, isolated: torch.Tensor) -> Outcome:
    assert evidence.numeric is not None
    index = int(isolated.nonzero()[0])
    given, slope = float(evidence.autograd[index]), float(evidence.numeric[index])
    sentence = (
        f"kinks meet here: autograd gives {real(given)} at this one point, "
        f"the function's slope is {real(slope)} here and on both sides"
    )
    return Outcome(Verdict.KINK, index, abs(given - slope), sentence=sentence, kinks=int(isolated.sum()))


def _disagreement(evidence: Evidence, masks: _Masks, kept: torch.Tensor) -> Outcome:
    """The verdict where the witnesses stand apart, at the place that is furthest out."""
    alone = (masks.off_formula | ~masks.by_formula) & (masks.off_numeric | ~masks.by_numeric)
    if (autograd := kept & alone).any():
        return _autograd_odd(evidence, masks, _furthest(evidence, autograd))
    if (blurred := kept & masks.off_formula & ~masks.apart).any():
        return _autograd_odd(evidence, masks, _furthest(evidence, blurred), blurred=True)
    # Only in low precision can autograd agree with two references that stand apart.
    closer = masks.off_formula | _closer(evidence)
    if (formula := kept & masks.apart & ~masks.off_numeric & closer).any():
        return _formula_odd(evidence, _furthest(evidence, formula))
    return _numeric_odd(evidence, _furthest(evidence, kept))


def _closer(evidence: Evidence) -> torch.Tensor:
    """Where autograd in float64 stands with the numeric slopes rather than with the formula."""
    assert evidence.formula is not None
    assert evidence.numeric is not None
    by_formula = (evidence.exact - evidence.formula).abs().nan_to_num(nan=torch.inf)
    by_numeric = (evidence.exact - evidence.numeric).abs().nan_to_num(nan=torch.inf)
    return by_numeric < by_formula


def _furthest(evidence: Evidence, mask: torch.Tensor) -> int:
    """The component of `mask` where the witnesses are furthest apart for what is allowed."""
    known = [w for w in (evidence.formula, evidence.numeric) if w is not None]
    spans = [(evidence.autograd - w).abs().nan_to_num(nan=torch.inf) for w in known]
    spans += [(known[0] - known[-1]).abs().nan_to_num(nan=torch.inf)]
    ratio = torch.stack(spans).max(0).values / evidence.allowed
    return int(torch.where(mask, ratio, -1.0).argmax())


def _said(evidence: Evidence, index: int) -> dict[Witness, str]:
    """What each witness gives at a component, in words."""
    said = {Witness.AUTOGRAD: f"autograd gives {real(float(evidence.autograd[index]))}"}
    if evidence.formula is not None:
        said[Witness.SYMBOLIC] = f"the formula gives {real(float(evidence.formula[index]))}"
    if evidence.numeric is not None and evidence.numeric_error is not None:
        value, error = float(evidence.numeric[index]), float(evidence.numeric_error[index])
        said[Witness.NUMERIC] = f"the numeric slope is {real(value)} ± {real(error, 1)}"
    return said


def _autograd_odd(evidence: Evidence, masks: _Masks, index: int, blurred: bool = False) -> Outcome:
    """Autograd against the references, unless these differ or, `blurred`, cannot tell."""
    by_formula = evidence.formula is not None and bool(masks.by_formula[index])
    reference = evidence.formula if by_formula else evidence.numeric
    assert reference is not None
    difference = abs(float(evidence.autograd[index] - reference[index]))
    allowed, said = float(evidence.allowed[index]), ", ".join(_said(evidence, index).values())
    undecided = bool(masks.apart[index]) or blurred
    if masks.apart[index]:
        said += ": no two of them agree"
    elif blurred:
        said += ": too uncertain to say which of the two is off"
    odd = None if undecided else Witness.AUTOGRAD
    outcome = Outcome(Verdict.WRONG, index, difference, allowed, odd, said)
    return outcome if masks.apart[index] else excused(evidence, outcome, index)


def _formula_odd(evidence: Evidence, index: int) -> Outcome:
    assert evidence.formula is not None
    assert evidence.numeric is not None
    said = _said(evidence, index)
    sentence = (
        f"{said[Witness.SYMBOLIC]}, {said[Witness.AUTOGRAD]} and {said[Witness.NUMERIC]}: "
        "the formula is wrong, which is a fault of agx and not of the source"
    )
    distance = abs(float(evidence.formula[index] - evidence.numeric[index]))
    return Outcome(Verdict.WRONG, index, distance, float(evidence.allowed[index]), Witness.SYMBOLIC, sentence)


def _numeric_odd(evidence: Evidence, index: int) -> Outcome:
    assert evidence.formula is not None
    assert evidence.numeric is not None
    distance = abs(float(evidence.formula[index] - evidence.numeric[index]))
    sentence = (
        f"autograd and the formula agree; {_said(evidence, index)[Witness.NUMERIC]}, "
        f"so its error bar is widened to {real(distance, 1)}"
    )
    own = abs(float(evidence.autograd[index] - evidence.formula[index]))
    return Outcome(
        Verdict.OK,
        index,
        own,
        float(evidence.allowed[index]),
        Witness.NUMERIC,
        sentence,
        widened=distance,
    )
