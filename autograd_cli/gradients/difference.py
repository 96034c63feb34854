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
    """How far one difference is off: by rounding and by truncation."""

    total: float
    rounding: float
    truncation: float


def plain(own: Replay, line: Line, slopes: Numeric, step: float) -> Plain:
    """The differences at `step` in the precision of `own`, held against the float64 `slopes`.

    `line` is the leaf in float64. Raises ReplayError.
    """
    leaf, at = own.leaves[line.name], line.components
    value, eps = _weighed(own, line, leaf), torch.finfo(leaf.dtype).eps
    values, worst, best = torch.full_like(slopes.values, nan), None, _Best(line.size * eps / 2)

    def differences(direction: torch.Tensor, h: float) -> tuple[float, float]:
        """The plain one, and the same in float64."""
        with own.session():
            up, down = value(at + h * direction), value(at - h * direction)
        with line.replay.session():
            exact = (line.move(direction, h) - line.move(direction, -h)) / (2 * h)
        return (up - down) / (2 * h), exact

    for place, direction in _directions(line, slopes):
        values[place], exact = differences(direction, step)
        if place in slopes.slopes:
            continue
        slope, usual = float(slopes.values[place]), _scale(line, direction) * cbrt(eps)
        off = _off(float(values[place]), exact, slope)
        worst = off if worst is None or not off.total <= worst.total else worst
        best.see(_off(*differences(direction, usual), slope), usual)
    return Plain(values, _told(worst, step, leaf.dtype, best) if worst else "")


class _Best:
    """The step at which rounding, as 1/step, and truncation, as its square, add up to the least.

    Both are measured at a step that is usually good, whatever the one asked for. What hardly bends
    has no such step: no more than the cube root of the precision is named. `noise` is what rounding of
    the output comes to at least.
    """

    def __init__(self, noise: float) -> None:
        self.noise = noise
        self.bend = self.usual = 0.0

    def see(self, off: _Off, h: float) -> None:
        """What is off at a step `h` along one direction."""
        if isfinite(off.rounding):
            self.noise = max(self.noise, off.rounding * h)
        self.bend, self.usual = max(self.bend, off.truncation / h / h), max(self.usual, h)

    @property
    def step(self) -> float:
        """That step."""
        return min(cbrt(self.noise / (2 * self.bend)), self.usual) if self.bend else self.usual


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


def _off(value: float, exact: float, slope: float) -> _Off:
    if not isfinite(value):
        return _Off(inf, inf, 0.0)
    return _Off(abs(value - slope), abs(value - exact), abs(exact - slope))


def _told(worst: _Off, step: float, dtype: torch.dtype, of: _Best) -> str:
    """How far off the step is, whether it is too small or too large, and which is best."""
    head = f"step {small(step)} in {dtype_name(dtype)}"
    if not isfinite(worst.total):
        return f"{head} gives no finite difference"
    head = f"{head} is off by {small(worst.total)}"
    best, bends = of.step, worst.truncation > max(worst.rounding, of.noise / step)
    if step / _NEAR <= best <= step * _NEAR or bends == (best > step):
        return f"{head}, about as close as a plain difference comes there"
    if best > step:
        why = "too small, rounding of the output divided by the step dominates"
    else:
        why = "too large, how the function bends within the step dominates"
    return f"{head}: {why}; about {real(best, 1)} is best"
