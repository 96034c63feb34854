"""Whether the backward of a Function can itself be differentiated, and rightly."""

from collections.abc import Sequence
from math import nan
from pathlib import Path

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.clinic.concerns import is_once
from autograd_cli.gradients.clinic.trial import Trial, Values
from autograd_cli.report import Verdict
from autograd_cli.run.targets import place_of, shown

_ALIKE = 1e-5


def second_order(trial: Trial) -> tuple[Verdict | None, str]:
    """The verdict on the second order along one drawn direction, and what it rests on.

    Autograd's slope of the first gradients is held against differences of these. None where backward
    has no second order, and where no difference can be had: then what it rests on is empty, or says
    what backward raises when it is recorded. All is done on the trial's values in float64.
    """
    if is_once(trial.owner):
        return None, ""  # which is a concern of its own
    cotangents = trial.drawn()
    weights = _drawn(trial, 1)
    direction = dict(zip(trial.slots, _drawn(trial, 2), strict=True))
    try:
        slope = _by_autograd(trial, cotangents, weights, direction)
    except RuntimeError as error:
        place = place_of(error, Path(trial.owner.forward.__code__.co_filename).parent)
        where = f"   {shown(place[0])}:{place[1]}" if place else ""
        return None, f"backward raises when it is recorded itself: {first_line(error)}{where}"

    def first(values: Values) -> float:
        made = trial.backward(values, cotangents).gradients
        if not made:  # forward does not take what is beside the values
            return nan
        weighed = zip((made[i] for i in trial.slots), weights, strict=True)
        return sum((float((one * weight).sum()) for one, weight in weighed if one is not None), 0.0)

    numeric = trial.along(direction, trial.values, first)
    if numeric != numeric or slope != slope:
        return None, ""
    off = abs(slope - numeric)
    if off <= _ALIKE * max(abs(slope), abs(numeric)) + 1e-8:
        return Verdict.OK, ""
    return (
        Verdict.WRONG,
        f"autograd gives {slope:.6g} along a drawn direction, differences of backward {numeric:.6g}",
    )


def _by_autograd(
    trial: Trial,
    cotangents: Sequence[torch.Tensor],
    weights: Sequence[torch.Tensor],
    direction: dict[int, torch.Tensor],
) -> float:
    """Autograd's slope of the weighed first gradients along the direction; 0 where they have no graph."""
    leaves = trial.leaves(trial.values, trial.slots)
    with torch.enable_grad():
        outputs = trial.call(leaves)
        wanted = [leaves[i] for i in trial.slots]
        weighed = trial.weigh(outputs, cotangents)
        first = torch.autograd.grad(weighed, wanted, create_graph=True, allow_unused=True)
        parts = [(g * w).sum() for g, w in zip(first, weights, strict=True) if g is not None]
        total = torch.stack(parts).sum() if parts else None
    if total is None or not total.requires_grad:
        return 0.0
    second = torch.autograd.grad(total, wanted, allow_unused=True)
    return sum(
        float((made * direction[i]).sum())
        for i, made in zip(trial.slots, second, strict=True)
        if made is not None
    )


def _drawn(trial: Trial, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(trial.values[i].shape, generator=generator, dtype=torch.float64) for i in trial.slots]
