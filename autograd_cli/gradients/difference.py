"""The plain central difference that tutorials show, and what is wrong with its step.

It is taken in the run's own dtype, on its device, so that it is as far off as a person's
own would be. The same difference in float64 tells how much of that the step's length is
to blame for (truncation, which grows as its square) and how much rounding is, which grows
as the step shrinks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import cbrt, inf, isfinite, nan

import torch

from autograd_cli.gradients.line import Line, shaped
from autograd_cli.gradients.numeric import ELEMENTS, Numeric
from autograd_cli.gradients.replay import Replay
from autograd_cli.report.digits import real, small
from autograd_cli.run.values import dtype_name

_NEAR = 3.0  # a step within this factor of the best one is as good


@dataclass(frozen=True)
class Plain:
    """Differences (n,) by component of the leaf, or along the directions of the numeric witness.

    NaN where the numeric witness was not asked, and beyond so many components as it takes by itself.
    """

    values: torch.Tensor
    sentence: str


@dataclass(frozen=True)
class _Off:
    """How far one difference is off: by rounding and by truncation, at a component of size `scale`."""

    total: float
    rounding: float
    truncation: float
    scale: float


def plain(own: Replay, line: Line, slopes: Numeric, step: float) -> Plain:
    """The differences at `step` in the precision of `own`, held against the float64 `slopes`.

    `line` is the leaf in float64. Raises ReplayError.
    """
    leaf, at = own.leaves[line.name], line.components
    value = _weighed(own, line, leaf)
    values, worst = torch.full_like(slopes.values, nan), None
    for place, direction in _directions(line, slopes):
        with own.session():
            up, down = value(at + step * direction), value(at - step * direction)
        difference = (up - down) / (2 * step)
        values[place] = difference
        if place in slopes.slopes:
            continue
        with line.replay.session():
            exact = (line.move(direction, step) - line.move(direction, -step)) / (2 * step)
        off = _off(difference, exact, float(slopes.values[place]), _scale(line, direction))
        worst = off if worst is None or not off.total <= worst.total else worst
    least = torch.finfo(leaf.dtype).eps
    sentence = _told(worst, step, leaf.dtype, line.size * least / 2 / step) if worst else ""
    return Plain(values, sentence)


def _directions(line: Line, slopes: Numeric) -> Iterator[tuple[int, torch.Tensor]]:
    """The directions that the numeric witness took, float64 of shape (n,); of many elements the first."""
    if slopes.probes is not None:
        yield from enumerate(map(slopes.probes.direction, range(slopes.probes.count)))
        return
    known = {*(~slopes.values.isnan()).nonzero().flatten().tolist(), *slopes.slopes}
    for place in sorted(known)[:ELEMENTS]:
        direction = torch.zeros_like(line.components)
        direction[place] = 1.0
        yield place, direction


def _weighed(own: Replay, line: Line, leaf: torch.Tensor) -> Callable[[torch.Tensor], float]:
    """The sum that is differentiated, at components of the leaf, as the run's dtype computes it."""

    def value(moved: torch.Tensor) -> float:
        output = own({line.name: shaped(moved, leaf).to(leaf.device, leaf.dtype)})
        return float((output * line.cotangent.to(output.device, output.dtype)).sum().real)

    return value


def _scale(line: Line, direction: torch.Tensor) -> float:
    """The size of what is moved, 1 where that is less: how the function bends tells of smaller ones."""
    moved = line.components[direction != 0].abs()
    return max(float(moved[0]) if moved.numel() == 1 else 0.0, line.typical, 1.0)


def _off(value: float, exact: float, slope: float, scale: float) -> _Off:
    if not isfinite(value):
        return _Off(inf, inf, 0.0, scale)
    return _Off(abs(value - slope), abs(value - exact), abs(exact - slope), scale)


def _told(worst: _Off, step: float, dtype: torch.dtype, least: float) -> str:
    """How far off the step is, whether it is too small or too large, and which is best.

    `least` is the error that rounding of the output makes at least.
    """
    head = f"step {small(step)} in {dtype_name(dtype)}"
    if not isfinite(worst.total):
        return f"{head} gives no finite difference"
    head = f"{head} is off by {small(worst.total)}"
    best = _best(worst, step, torch.finfo(dtype).eps, least)
    if step / _NEAR <= best <= step * _NEAR:
        return f"{head}, about as close as a plain difference comes there"
    if best > step:
        why = "too small, rounding of the output divided by the step dominates"
    else:
        why = "too large, how the function bends within the step dominates"
    return f"{head}: {why}; about {real(best, 1)} is best"


def _best(worst: _Off, step: float, eps: float, least: float) -> float:
    """The step at which rounding, as 1/step, and truncation, as its square, add up to the least.

    What hardly bends has no such step: no more than the cube root of the precision is named.
    """
    rounding = max(worst.rounding, least)
    usual = max(worst.scale * cbrt(eps), step)
    if rounding >= 2 * worst.truncation:
        ratio = rounding / (2 * worst.truncation) if worst.truncation else inf
        return min(step * cbrt(ratio), usual)
    return step * cbrt(rounding / (2 * worst.truncation)) or usual
