"""The verdict on one block of a second derivative.

Autograd's second derivative is held against the formula, against second differences of the
function, and against differences of autograd's own first gradient. The last tell a wrong double
backward from a first gradient that is wrong itself.
"""

from dataclasses import dataclass, replace
from math import isfinite, sqrt

import torch

from autograd_cli.gradients.compare import such
from autograd_cli.gradients.known import Outcome, agrees
from autograd_cli.gradients.second.differences import Bend
from autograd_cli.gradients.second.evidence import BlockEvidence, Differences
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.digits import real

FLAT = "autograd's first gradient is a constant and has no graph, which stands for 0"
CUT = "no graph leads from autograd's first gradient back there, which stands for 0"
UNKNOWN = "not known whether it is right: no formula, and no difference is sharp enough to tell"
LOST = (
    "that gradient has no graph, which happens to a backward under no_grad, or from "
    "values that it kept detached"
)


_SHARP = 1e-2
"""The error bar of a number, and the size of one against the largest, by which it is told from others.

It allows nothing: a wider bar only says that these differences are no reference, as a bar of the number's
own size would agree with any.
"""
_NOTHING = 1e-6
"""The bar within which no bend at all is told, of the size of one: a number that is 0 has no other."""


@dataclass(frozen=True)
class _Stand:
    """Where a reference is known and what autograd in the run's precision and in float64 is off from it."""

    known: torch.Tensor
    off: torch.Tensor
    apart: torch.Tensor


def judged(evidence: BlockEvidence) -> Outcome | None:
    """The verdict on the worst place of a block, with the count of its kinks.

    None where no reference is sharp enough to tell of some place, and nothing is wrong at the others.
    """
    rough = [_rough(evidence, place, bend, by) for place, (bend, by) in _places(evidence).items()]
    outcome = _smooth(evidence, list(_places(evidence)))
    kinks = sum(one.verdict is Verdict.KINK for one in rough)
    found = rough if outcome is None else [outcome, *rough]
    if not found:
        return None
    worst = max(found, key=lambda one: one.verdict.rank)
    if worst.verdict is Verdict.KINK and kinks > 1:
        alike = sum(one.sentence == worst.sentence for one in rough)
        worst = replace(worst, sentence=f"{worst.sentence} ({such(alike, kinks)})")
    if worst.verdict is Verdict.OK and not worst.sentence:
        worst = replace(worst, sentence=FLAT if evidence.is_flat else CUT if evidence.is_cut else "")
    if worst.verdict is Verdict.WRONG and worst.odd is Witness.AUTOGRAD and evidence.is_flat:
        worst = replace(worst, sentence=f"{worst.sentence}; {LOST}")
    return replace(worst, kinks=kinks)


def _places(evidence: BlockEvidence) -> dict[int, tuple[Bend, Differences]]:
    """The places without a smooth second derivative, and by which differences that is seen."""
    found: dict[int, tuple[Bend, Differences]] = {}
    numeric, slopes = evidence.numeric, evidence.slopes
    if slopes is not None:
        told = (
            torch.zeros_like(evidence.exact, dtype=torch.bool)
            if numeric is None
            else _tells(numeric, evidence)
        )
        found |= {
            place: (bend, slopes)
            for place, bend in slopes.rough.items()
            if not told[place] and (bend is not Bend.EDGE or numeric is None)
        }
    if numeric is not None:
        sharp = _known_by_slopes(evidence)
        found |= {place: (bend, numeric) for place, bend in numeric.rough.items() if not sharp[place]}
    return dict(sorted(found.items()))


def _known_by_slopes(evidence: BlockEvidence) -> torch.Tensor:
    """Where autograd's first gradient is smooth and says what the second pass does.

    Its differences are sharper than those of the function, which may take a kink nearby for one here.
    """
    slopes = evidence.slopes
    if slopes is None:
        return torch.zeros_like(evidence.exact, dtype=torch.bool)
    room = evidence.fine + slopes.errors.nan_to_num(nan=0.0)
    known = _tells(slopes, evidence) & agrees(evidence.exact, slopes.values, room)
    known[list(slopes.rough)] = False
    return known


def _tells(reference: Differences, evidence: BlockEvidence) -> torch.Tensor:
    """Where differences are sharp enough to tell one number from another."""
    size = torch.maximum(reference.values.abs(), evidence.exact.abs().nan_to_num(0.0, 0.0, 0.0))
    largest = size.nan_to_num(0.0, 0.0, 0.0).max() if size.numel() else 0.0
    sharp = _SHARP * torch.clamp(size, min=_SHARP * largest)
    sharp = torch.maximum(sharp, torch.maximum(evidence.fine, _NOTHING * reference.size))
    return reference.values.isfinite() & (reference.errors <= sharp)


# Places that are not smooth


def _rough(evidence: BlockEvidence, place: int, bend: Bend, by: Differences) -> Outcome:
    given = float(evidence.given[place])
    autograd = f"autograd gives {real(given)}"
    if bend is Bend.STEP:
        return _step(evidence, place, by)
    if bend is Bend.KINK:
        sentence = f"the slope itself jumps here, so there is no second derivative; {autograd}"
        return Outcome(Verdict.KINK, place, sentence=sentence)
    if bend is Bend.STEEP:
        return Outcome(
            Verdict.JUMP, place, sentence=f"the second derivative grows without bound here; {autograd}"
        )
    what = "its first gradient" if by is evidence.slopes else "the function"
    sentence = f"{what} has no values here or on one side, so there is no second derivative; {autograd}"
    return Outcome(Verdict.DOMAIN_EDGE, place, sentence=sentence)


def _step(evidence: BlockEvidence, place: int, by: Differences) -> Outcome:
    """The verdict where the second derivative is another one on each side."""
    given, (low, high) = float(evidence.given[place]), by.sides(place)
    room = float(evidence.allowed[place]) + float(by.errors[place])
    sides = f"{real(low, 4)} on one side and {real(high, 4)} on the other"
    if low - room <= given <= high + room:
        sentence = f"the second derivative is {sides}; autograd gives {real(given)}"
        return Outcome(Verdict.KINK, place, sentence=sentence)
    sentence = (
        f"autograd gives {real(given)}, which is not between the second derivatives at this kink: {sides}"
    )
    return Outcome(Verdict.WRONG, place, max(low - given, given - high), room, Witness.AUTOGRAD, sentence)


# Smooth places


def _smooth(evidence: BlockEvidence, rough: list[int]) -> Outcome | None:
    """The verdict on the smooth places; None where some are not known of, or there are none."""
    smooth = torch.ones_like(evidence.given, dtype=torch.bool)
    smooth[rough] = False
    stands, nowhere = _stands(evidence, smooth), torch.zeros_like(smooth)
    off = torch.stack([nowhere, *(stand.off for stand in stands.values())]).any(0)
    if off.any():
        return _worst_of(evidence, stands, off)
    known = torch.stack([nowhere, *(stand.known for stand in stands.values())]).any(0)
    return _agreement(evidence, known) if smooth.any() and bool(known[smooth].all()) else None


def _stands(evidence: BlockEvidence, smooth: torch.Tensor) -> dict[str, _Stand]:
    """Of each reference that there is how autograd stands to it."""
    made = {}
    if evidence.formula is not None:
        made["formula"] = _to_formula(evidence, evidence.formula, smooth)
    for name, reference in (("numeric", evidence.numeric), ("slopes", evidence.slopes)):
        if reference is not None:
            known = smooth & _tells(reference, evidence)
            known[list(reference.rough)] = False
            made[name] = _stand(evidence, reference.values, reference.errors.nan_to_num(nan=0.0), known)
    return made


def _to_formula(evidence: BlockEvidence, formula: torch.Tensor, smooth: torch.Tensor) -> _Stand:
    """How autograd stands to the formula; what rounding does to that is found where it matters."""
    stand = _stand(evidence, formula, 1e-14 * formula.abs().nan_to_num(0.0, 0.0, 0.0), smooth)
    if evidence.doubt is not None and (stand.off | stand.apart).any():
        stand = _stand(evidence, formula, evidence.doubt(), smooth)
    return stand


def _stand(evidence: BlockEvidence, values: torch.Tensor, room: torch.Tensor, known: torch.Tensor) -> _Stand:
    off = known & ~agrees(evidence.given, values, evidence.allowed + room)
    apart = known & ~agrees(evidence.exact, values, evidence.fine + room)
    return _Stand(known, off, apart)


def _agreement(evidence: BlockEvidence, known: torch.Tensor) -> Outcome:
    """OK with the largest distance, or PRECISION where half of the digits are lost in it."""
    reference = evidence.exact if evidence.formula is None else evidence.formula
    distance = torch.where(known, (evidence.given - reference).abs().nan_to_num(0.0, 0.0, 0.0), -1.0)
    place = int(distance.argmax())
    off = float(distance[place])
    outcome = Outcome(Verdict.OK, place, off, float(evidence.allowed[place]))
    largest = float(reference.abs().nan_to_num(0.0, 0.0, 0.0).max())
    return _precision(evidence, outcome) if off > sqrt(evidence.eps) * largest else outcome


def _precision(evidence: BlockEvidence, outcome: Outcome) -> Outcome:
    place = outcome.worst or 0
    given, exact = float(evidence.given[place]), float(evidence.exact[place])
    sentence = (
        f"digits are lost to rounding in {evidence.dtype}: autograd gives {real(given)}, "
        f"in float64 {real(exact)}"
    )
    return replace(outcome, verdict=Verdict.PRECISION, odd=Witness.AUTOGRAD, sentence=sentence)


def _worst_of(evidence: BlockEvidence, stands: dict[str, _Stand], off: torch.Tensor) -> Outcome:
    """The verdict where autograd is off from a reference, at the place that is furthest out."""
    outcomes = [_at(evidence, stands, int(place)) for place in off.nonzero().flatten()[:1000]]
    return max(outcomes, key=lambda one: (one.verdict.rank, (one.difference or 0.0) / (one.tolerance or 1.0)))


def _at(evidence: BlockEvidence, stands: dict[str, _Stand], place: int) -> Outcome:
    """The verdict at one place where autograd is off from a reference."""
    known = {name for name, stand in stands.items() if stand.known[place]}
    apart = {name for name in known if stands[name].apart[place]}
    said = _said(evidence, known, place)
    reference = next(name for name in ("formula", "numeric", "slopes") if name in known)
    value = float(_values(evidence, reference)[place])
    difference = abs(float(evidence.given[place]) - value)
    outcome = Outcome(Verdict.WRONG, place, difference, float(evidence.allowed[place]), None, said)
    if not apart:
        return _precision(evidence, outcome)
    if not isfinite(float(evidence.exact[place])) and "formula" in known - apart:
        why = "the rules of differentiation come to no number here, while differences do"
        return replace(outcome, verdict=Verdict.DOMAIN_EDGE, sentence=f"{said}: {why}")
    return _odd(outcome, known, apart)


def _odd(outcome: Outcome, known: set[str], apart: set[str]) -> Outcome:
    """Who is the odd one out: `apart` are the references that autograd in float64 does not agree with."""
    by_differences = known & {"numeric", "slopes"}
    said = outcome.sentence
    if apart == {"formula"} and by_differences:
        why = "the formula is wrong, which is a fault of agx and not of the source"
        return replace(outcome, odd=Witness.SYMBOLIC, sentence=f"{said}: {why}")
    if "formula" in known - apart and len(apart) == 1:
        why = "autograd and the formula agree, so the differences are held to be off"
        return replace(outcome, verdict=Verdict.OK, odd=Witness.NUMERIC, sentence=f"{said}: {why}")
    if "formula" in known - apart:
        return replace(outcome, sentence=f"{said}: two against two")
    if "slopes" in known - apart:
        why = "the second pass fits autograd's own first gradient, and that one is wrong"
        return replace(outcome, odd=Witness.AUTOGRAD, sentence=f"{said}: {why}")
    if apart == {"slopes"} and "numeric" in known:
        why = "the function alone says the same as autograd"
        return replace(outcome, verdict=Verdict.OK, odd=Witness.NUMERIC, sentence=f"{said}: {why}")
    why = "double backward is wrong" if "slopes" in apart else "autograd is the odd one out"
    return replace(outcome, odd=Witness.AUTOGRAD, sentence=f"{said}: {why}")


def _values(evidence: BlockEvidence, name: str) -> torch.Tensor:
    if name == "formula":
        assert evidence.formula is not None
        return evidence.formula
    reference = evidence.numeric if name == "numeric" else evidence.slopes
    assert reference is not None
    return reference.values


_WORDS = {
    "formula": "the formula gives",
    "numeric": "second differences of the function give",
    "slopes": "differences of its first gradient give",
}


def _said(evidence: BlockEvidence, known: set[str], place: int) -> str:
    """What autograd and each reference give at one place, in words."""
    parts = [f"autograd gives {real(float(evidence.given[place]))}"]
    for name in (name for name in _WORDS if name in known):
        bar = evidence.numeric if name == "numeric" else evidence.slopes if name == "slopes" else None
        error = f" ± {real(float(bar.errors[place]), 1)}" if bar else ""
        parts.append(f"{_WORDS[name]} {real(float(_values(evidence, name)[place]))}{error}")
    return ", ".join(parts)
