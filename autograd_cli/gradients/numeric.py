"""The numeric witness: a gradient from values of the program alone.

The function of one leaf is the sum of the output times the cotangent; for complex
numbers its real part, by which torch's gradient is dL/d(real) + i dL/d(imaginary).
Complex leaves are taken as pairs of real components.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isfinite, nan

import torch

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.slope import Function, Shape, Slope, slope

ELEMENTS = 1000
"""A leaf of more components than this is probed along random directions."""
DIRECTIONS = 16
_EPS = torch.finfo(torch.float64).eps
_WORK = 300_000_000
"""Components times the work of one replay, above which a smaller leaf is probed as well."""


@dataclass(frozen=True)
class Numeric:
    """Slopes by component of the leaf, or by direction where `probes` is given.

    `values` and `errors` are float64 of shape (n,); a value is NaN at a jump and at an
    edge of the domain. `slopes` holds the places where the function is not smooth.
    """

    values: torch.Tensor
    errors: torch.Tensor
    slopes: dict[int, Slope] = field(default_factory=dict)
    probes: "Probes | None" = None


@dataclass(frozen=True)
class Probes:
    """Seeded random directions of +1 and -1 in the components of a leaf."""

    components: int
    count: int = DIRECTIONS

    def direction(self, number: int) -> torch.Tensor:
        """The direction of that number, float64 of shape (components,)."""
        generator = torch.Generator().manual_seed(number)
        signs = torch.randint(0, 2, (self.components,), generator=generator)
        return signs.to(torch.float64).mul_(2).sub_(1)

    def along(self, gradients: torch.Tensor) -> torch.Tensor:
        """The slopes of gradients along each direction: (m, components) -> (m, count)."""
        return torch.stack([gradients @ self.direction(number) for number in range(self.count)], -1)


def components(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor's elements as float64 of shape (n,); a complex one's real and imaginary parts."""
    tensor = tensor.detach()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.to("cpu", torch.float64).reshape(-1)


def shaped(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Components (n,) in the shape of a leaf, and complex where it is."""
    if like.is_complex():
        return torch.view_as_complex(values.reshape(*like.shape, 2))
    return values.reshape(like.shape)


def numeric(replay: Replay, name: str, cotangent: torch.Tensor, noise: float = 0.0) -> Numeric:
    """The slopes of the leaf `name`, by Ridders' extrapolation.

    `noise` is the measured rounding error of the sum in float64, where it is more than
    the size of the sum makes one expect. Raises ReplayError.
    """
    with replay.session():
        line = Line(replay, name, cotangent, noise)
        count = line.components.numel()
        if count <= ELEMENTS and count * replay.work() <= _WORK:
            return _by_element(line)
        return _by_direction(line)


def _by_element(line: "Line") -> Numeric:
    at = line.components.tolist()
    found = [line.slope(line.element(i), x) for i, x in enumerate(at)]
    for i in line.clouded():
        found[i] = Slope(nan, nan, Shape.EDGE)
    return _gathered(found, None)


def _by_direction(line: "Line") -> Numeric:
    probes = Probes(line.components.numel())
    found = [line.slope(line.toward(probes.direction(k)), 0.0) for k in range(probes.count)]
    return _gathered(found, probes)


def _gathered(found: list[Slope], probes: Probes | None) -> Numeric:
    values = torch.tensor([one.value for one in found], dtype=torch.float64)
    errors = torch.tensor([one.error for one in found], dtype=torch.float64)
    rough = {i: one for i, one in enumerate(found) if one.shape is not Shape.SMOOTH}
    return Numeric(values, errors, rough, probes)


class Line:
    """The program along lines through the recorded value of one leaf; used inside the replay's session.

    `components` are the leaf's, `typical` is the size of one; `size` is that of the sum.
    """

    def __init__(self, replay: Replay, name: str, cotangent: torch.Tensor, noise: float = 0.0) -> None:
        self.replay = replay
        self.name = name
        self.leaf = replay.leaves[name]
        self.components = components(self.leaf)
        self.is_scalar = self.leaf.ndim == 0 and not self.leaf.is_complex()
        self.output = replay({})
        self.cotangent = cotangent.conj().resolve_conj() if cotangent.is_complex() else cotangent
        self.simple = self._weigh_number() or self._weigh()
        self.noise = max(2 * _EPS * self.size, noise)
        self.typical = self._typical()

    def _weigh_number(self) -> bool:
        """Take the measure of an output that is one finite real number; False of any other."""
        if self.output.ndim or self.output.is_complex() or self.cotangent.is_complex():
            return False
        self.value, self.weight = float(self.output), float(self.cotangent)
        self.size, self.all_finite = abs(self.weight * self.value), True
        return isfinite(self.value)

    def _weigh(self) -> bool:
        """Take the measure of any other output."""
        self.finite = torch.isfinite(self.output)
        self.all_finite = bool(self.finite.all())
        terms = (self.cotangent * self.output)[self.finite]
        self.size = float(terms.abs().sum())
        return False

    def _typical(self) -> float:
        """The size of a leaf's component, 1 where all are 0."""
        if self.is_scalar:
            size = abs(float(self.leaf))
            return size if 0 < size < inf else 1.0
        sizes = self.components.abs()
        sizes = sizes[(sizes > 0) & (sizes < inf)]
        return float(sizes.median()) if sizes.numel() else 1.0

    def slope(self, change: Callable[[float], float], at: float) -> Slope:
        """The derivative of the sum along one line, from the component's value `at`."""
        function = Function(change, at, self.size, self.noise)
        scales = [abs(at) or self.typical]
        scales += [wide for wide in (self.typical, 1.0) if wide > 8 * scales[0]]
        return slope(function, scales)

    def element(self, index: int) -> Callable[[float], float]:
        """The change of the sum as one component moves by t."""
        if self.is_scalar:
            return lambda t: self.at(self.leaf + t)
        moved, cells = self.movable
        cell = cells[index]
        at = float(cell)

        def change(t: float) -> float:
            cell.fill_(at + t)
            try:
                return self.at(moved)
            finally:
                cell.fill_(at)

        return change

    @cached_property
    def movable(self) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """A copy of the leaf to be moved, and each of its components, in the same memory."""
        moved = self.components.clone()
        return shaped(moved, self.leaf), moved.unbind()

    def toward(self, direction: torch.Tensor) -> Callable[[float], float]:
        """The change of the sum as all components move by t times a direction."""
        return lambda t: self.move(direction, t)

    def move(self, direction: torch.Tensor, t: float) -> float:
        """The change of the sum as all components move by t times a direction."""
        return self.change(torch.add(self.components, direction, alpha=t))

    def change(self, moved: torch.Tensor) -> float:
        """The sum at the components `moved` less the sum as recorded.

        Outputs are subtracted before they are summed: those that do not move cancel.
        """
        return self.at(shaped(moved, self.leaf))

    def at(self, leaf: torch.Tensor) -> float:
        """The sum with the leaf at another value, less the sum as recorded."""
        output = self.replay({self.name: leaf})
        if self.simple:
            return (float(output) - self.value) * self.weight
        moves = output - self.output
        if not self.all_finite:
            moves = torch.where(self.finite, moves, 0.0)
        return float((self.cotangent * moves).real.sum())

    def clouded(self) -> list[int]:
        """The components that reach an output that is not finite: they have no slope."""
        if self.all_finite:
            return []
        leaf = self.leaf.detach().clone().requires_grad_()
        with torch.enable_grad():
            output = self.replay({self.name: leaf})
            (reached,) = slopes(output, [leaf], ~self.finite)
        return [] if reached is None else components(reached).nonzero().flatten().tolist()
