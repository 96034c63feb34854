"""Elements of a gradient: those that are furthest off, and those where the function has two slopes."""

import torch

from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.known import Evidence
from autograd_cli.gradients.line import place_of
from autograd_cli.report import Verdict
from autograd_cli.report.checks import Element, Sides

MOST = 20
"""Elements that are kept; a view shows fewer."""


def worst_elements(seen: Seen) -> tuple[Element, ...]:
    """The elements furthest from the reference for what rounding allows, worst first.

    Nothing where the gradient is one number, which stands in the gradient itself.
    """
    known = seen.evidence[0] if seen.evidence and seen.evidence[0].by_component else None
    if known is None or seen.leaf.numel() < 2:
        return ()
    reference = _reference(known)
    off = (known.autograd - reference).abs()
    share = (off / known.allowed).nan_to_num(nan=-1.0, posinf=torch.inf)
    share = torch.where((off == 0) | torch.isnan(off), -1.0, share)
    ranked = share.argsort(descending=True)[:MOST].tolist()
    least = 1.0 if seen.gradient.verdict is Verdict.WRONG else 0.0  # what is right is none of the worst
    return tuple(_element(seen, known, reference, place) for place in ranked if share[place] >= least)


def _reference(known: Evidence) -> torch.Tensor:
    if known.formula is not None:
        return known.formula
    return known.numeric if known.numeric is not None else known.exact


def _element(seen: Seen, known: Evidence, reference: torch.Tensor, place: int) -> Element:
    return Element(
        index=place_of(place, seen.leaf),
        autograd=float(known.autograd[place]),
        reference=float(reference[place]),
        numeric=None if known.numeric is None else float(known.numeric[place]),
        difference=float((known.autograd[place] - reference[place]).abs()),
        tolerance=float(known.allowed[place]),
    )


def sides(seen: Seen) -> tuple[Sides, ...]:
    """The slopes to both sides at each element that has two, and whether autograd's lies between."""
    known = seen.evidence[-1] if seen.evidence else None
    if seen.slopes is None or seen.slopes.probes is not None or known is None:
        return ()
    made = []
    for place, slope in list(seen.slopes.slopes.items())[:MOST]:
        given, (least, most) = float(known.autograd[place]), slope.between(float(known.allowed[place]))
        between = least <= given <= most
        made.append(Sides(place_of(place, seen.leaf), slope.left, slope.right, given, between))
    return tuple(made)
