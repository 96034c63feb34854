"""Whether the backward of a Function can itself be differentiated, and rightly."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.clinic.concerns import is_once
from autograd_cli.gradients.clinic.differences import along
from autograd_cli.gradients.clinic.trial import Trial, Values
from autograd_cli.gradients.grounds.alone import ROOM, sizes
from autograd_cli.report import Verdict
from autograd_cli.run.targets import place_of, shown

_EPS = torch.finfo(torch.float64).eps


class Order(NamedTuple):
    """The verdict on the second order and what it rests on; `missed` says why it could not be looked at."""

    verdict: Verdict | None = None
    sentence: str = ""
    missed: str = ""


def second_order(trial: Trial) -> Order:
    """The second order along one drawn direction, in which each element moves for its size.

    Autograd's slope of the first gradients is held against differences of these. There is no verdict
    where backward has no second order: then the sentence is empty, or says what is raised when it is
    recorded; and none where no difference can be had, as where forward has a kink. All is done on the
    trial's values in float64.
    """
    if is_once(trial.owner):
        return Order()  # which is a concern of its own
    cotangents, weights = trial.drawn(), _drawn(trial, 1)
    drawn = zip(trial.slots, _drawn(trial, 2), strict=True)
    direction = {i: sizes(trial.values[i]) * part for i, part in drawn}
    try:
        given, total = _by_autograd(trial, cotangents, weights, direction)
    except Exception as error:  # of torch, or of their backward
        return Order(sentence=f"backward raises when it is recorded itself: {_said(trial, error)}")
    failed: list[Exception] = []

    def first(values: Values) -> torch.Tensor:
        passed = trial.backward(values, cotangents)
        if passed.error is not None:
            failed.append(passed.error)
            raise passed.error
        made = zip((passed.gradients[i] for i in trial.slots), weights, strict=True)
        parts = [torch.zeros_like(w) if one is None else one * w for one, w in made]
        return torch.cat([part.reshape(-1) for part in parts])

    if not along(direction, trial.values, lambda values: trial.parts(values, cotangents)).is_smooth:
        return Order()
    try:
        numeric = along(direction, trial.values, first)
        size = float(first(trial.values).abs().sum())
    except Exception as error:
        return Order(missed=_missed(trial, [error]))
    if not (numeric.is_smooth and isfinite(numeric.value) and isfinite(given)):
        return Order(missed=_missed(trial, failed))
    room = numeric.error + ROOM * total + 1e3 * _EPS * size
    if abs(given - numeric.value) <= room:
        return Order(Verdict.OK)
    said = f"autograd gives {given:.6g} along a drawn direction, differences of backward {numeric.value:.6g}"
    return Order(Verdict.WRONG, said)


def _missed(trial: Trial, errors: Sequence[Exception]) -> str:
    """Why there is no difference of gradients: what is raised nearby; nothing where nothing is."""
    return (
        f"its second order was not looked at: nearby, it raises {_said(trial, errors[0])}" if errors else ""
    )


def _said(trial: Trial, error: Exception) -> str:
    """What an error says, by its type where it is not torch's usual one, and its place in their file."""
    place = place_of(error, Path(trial.owner.forward.__code__.co_filename).parent)
    where = f"   {shown(place[0])}:{place[1]}" if place else ""
    kind = "" if isinstance(error, RuntimeError) or not str(error) else f"{type(error).__name__}: "
    return f"{kind}{first_line(error)}{where}"


def _by_autograd(
    trial: Trial,
    cotangents: Sequence[torch.Tensor],
    weights: Sequence[torch.Tensor],
    direction: dict[int, torch.Tensor],
) -> tuple[float, float]:
    """Autograd's slope of the weighed first gradients along the direction, and the sizes of what it sums.

    0 where they have no graph.
    """
    leaves = trial.leaves(trial.values, trial.slots)
    with torch.enable_grad():
        outputs = trial.call(leaves)
        wanted = [leaves[i] for i in trial.slots]
        weighed = trial.weigh(outputs, cotangents)
        first = torch.autograd.grad(weighed, wanted, create_graph=True, allow_unused=True)
        parts = [(g * w).sum() for g, w in zip(first, weights, strict=True) if g is not None]
        total = torch.stack(parts).sum() if parts else None
    if total is None or not total.requires_grad:
        return 0.0, 0.0
    second = zip(trial.slots, torch.autograd.grad(total, wanted, allow_unused=True), strict=True)
    parts = [made * direction[i] for i, made in second if made is not None]
    return sum(float(part.sum()) for part in parts), sum(float(part.abs().sum()) for part in parts)


def _drawn(trial: Trial, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(trial.values[i].shape, generator=generator, dtype=torch.float64) for i in trial.slots]
