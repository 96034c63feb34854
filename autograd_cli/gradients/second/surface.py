"""A run as one real function of all its leaves' elements, and its derivatives by autograd.

The function is the sum of the output times the cotangent. Points are float64 vectors (n,) in
which the leaves stand one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from autograd_cli.errors import first_line
from autograd_cli.gradients.lane_rules import NoLanesError
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.line import Array, Line
from autograd_cli.gradients.replay import Replay, ReplayError

Parts = Mapping[str, slice]
"""Where each leaf stands in a point."""

ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


class Surface:
    """The function of a replay in float64; used inside its session.

    `parts` are the places of the leaves in a point, `at` is the recorded point, `scales` how far each
    of its elements is moved at most, `wide` the same where that is too little. `clouded` are the elements
    that reach an output that is not finite, of which there is no change to be had.
    """

    def __init__(self, replay: Replay, names: Sequence[str], cotangent: torch.Tensor, noise: float) -> None:
        self.replay = replay
        self.cotangent = cotangent
        lines = {name: Line(replay, name, cotangent, noise) for name in names}
        self.line = lines[names[0]]
        self.parts = _placed({name: line.components.numel() for name, line in lines.items()})
        self.at: Array = np.concatenate([line.components.numpy() for line in lines.values()])
        typical = np.concatenate([np.full(one.components.numel(), one.typical) for one in lines.values()])
        has_size = np.isfinite(self.at) & (self.at != 0)
        self.scales: Array = np.where(has_size, np.abs(self.at), typical)
        self.wide: Array = np.maximum(typical, 1.0)
        self.clouded = np.concatenate([_mask(line) for line in lines.values()])
        self.lanes = self._lanes(names)

    @property
    def noise(self) -> float:
        """The rounding error of one change of the function."""
        return self.line.noise

    def changes(self, moves: Array) -> Array:
        """The function at several points less that at the recorded one, from the moves there (m, n)."""
        rows = self._rows()
        found = [self._changes(moves[start : start + rows]) for start in range(0, len(moves), rows)]
        return np.concatenate(found) if found else np.empty(0)

    def leaves(self, point: torch.Tensor) -> dict[str, torch.Tensor]:
        """The leaves at a point (n,), or at several (m, n) with these as a first dimension."""
        return {
            name: point[..., part].reshape((*point.shape[:-1], *self.replay.leaves[name].shape))
            for name, part in self.parts.items()
        }

    def _rows(self) -> int:
        return max(1, (1 << 18) // max(1, self.lanes.size())) if self.lanes else 1024

    def _lanes(self, names: Sequence[str]) -> Lanes | None:
        try:
            return Lanes(self.replay, self.line.values, [self.replay.inputs[name] for name in names])
        except NoLanesError:
            return None

    def _changes(self, moves: Array) -> Array:
        if self.lanes is not None:
            moved = torch.from_numpy(self.at + np.concatenate((np.zeros((1, len(self.at))), moves)))
            given = {self.replay.inputs[name]: leaf for name, leaf in self.leaves(moved).items()}
            made = self.line.in_lanes(self.lanes, given, len(moved))
            if made is not None:
                return made
            self.lanes = None
        return np.array([self._change(torch.from_numpy(self.at + move)) for move in moves])

    def _change(self, point: torch.Tensor) -> float:
        output = self.replay(self.leaves(point))
        return float(self.line.sums((output - self.line.output).unsqueeze(0)))


def _mask(line: Line) -> NDArray[np.bool_]:
    """Which components of a leaf have no slope, (n,)."""
    made = np.zeros(line.components.numel(), dtype=bool)
    made[line.clouded()] = True
    return made


def _placed(sizes: Mapping[str, int]) -> Parts:
    """The slices of leaves that stand one after the other."""
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


@dataclass(frozen=True)
class Curvature:
    """Autograd's first gradient and what a second pass makes of it, float64.

    `first` is (n,); `rows` are (m, n): the derivative of the gradient's product with each of m
    directions. `flat` are the leaves whose first gradient has no graph of its own, or is none;
    `cut` those that no second pass came back to.
    """

    first: torch.Tensor
    rows: torch.Tensor
    flat: frozenset[str]
    cut: frozenset[str]


def gradient(replay: Replay, leaves: Mapping[str, torch.Tensor], cotangent: torch.Tensor) -> torch.Tensor:
    """Autograd's first gradient by all the leaves, (n,) in float64. Must run inside a session."""
    held = {name: leaf.detach().clone().requires_grad_() for name, leaf in leaves.items()}
    with torch.enable_grad():
        made = _first(replay(held), list(held.values()), cotangent, False)
    return _joined(made, held)


def curvature(
    output: torch.Tensor,
    leaves: Mapping[str, torch.Tensor],
    cotangent: torch.Tensor,
    directions: torch.Tensor,
) -> Curvature:
    """Autograd's second derivative along each of `directions` (m, n), of an output with its graph.

    Raises ReplayError with torch's words where it has none.
    """
    held = list(leaves.values())
    try:
        made = _first(output, held, cotangent, True)
        refuse_once(made)
        passed = [_second(made, leaves, direction) for direction in directions]
    except Exception as error:  # whatever torch raises is the reason
        raise ReplayError(first_line(error)) from error
    flat = {name for name, one in zip(leaves, made, strict=True) if one is None or not one.requires_grad}
    cut = {name for k, name in enumerate(leaves) if all(one[k] is None for one in passed)}
    rows = [_joined(one, leaves) for one in passed]
    return Curvature(_joined(made, leaves), torch.stack(rows), frozenset(flat), frozenset(cut))


def refuse_once(first: Sequence[torch.Tensor | None]) -> None:
    """Raise ReplayError where a backward on the way to the first gradients was marked once_differentiable.

    torch.autograd.grad gives a number then, since the node that would raise leads to no leaf.
    """
    pending = [one.grad_fn for one in first if one is not None and one.grad_fn is not None]
    seen = set(pending)
    while pending:
        node = pending.pop()
        if type(node).__name__ == "Error":
            raise ReplayError(ONCE)
        further = {after for after, _ in node.next_functions if after is not None} - seen
        seen |= further
        pending.extend(further)


def is_once(output: torch.Tensor, leaves: Mapping[str, torch.Tensor], cotangent: torch.Tensor) -> bool:
    """Whether a backward that is marked once_differentiable is on the way.

    torch goes past the mark where no cotangent requires grad, so that one is sent that does.
    """
    sent = cotangent.detach().clone().requires_grad_()
    try:
        refuse_once(_first(output, list(leaves.values()), sent, True))
    except ReplayError:
        return True
    return False


def _first(
    output: torch.Tensor, leaves: list[torch.Tensor], cotangent: torch.Tensor, again: bool
) -> tuple[torch.Tensor | None, ...]:
    """The gradients of the weighted output, with a graph of their own where they are taken `again`."""
    if not output.requires_grad:
        return (None,) * len(leaves)
    number = _weighed(output, cotangent)
    return torch.autograd.grad(number, leaves, create_graph=again, allow_unused=True)


def _weighed(output: torch.Tensor, cotangent: torch.Tensor) -> torch.Tensor:
    sent = cotangent.to(output.device, output.dtype)
    return (output * sent.conj()).real.sum() if output.is_complex() else (output * sent).sum()


def _second(
    first: Sequence[torch.Tensor | None], leaves: Mapping[str, torch.Tensor], direction: torch.Tensor
) -> tuple[torch.Tensor | None, ...]:
    """The derivative of the first gradient's product with a direction, by each leaf."""
    total, start = None, 0
    for one, leaf in zip(first, leaves.values(), strict=True):
        part = direction[start : start + leaf.numel()]
        start += leaf.numel()
        if one is None or not one.requires_grad or not part.any():
            continue
        term = (one * part.reshape(leaf.shape).to(one.device, one.dtype)).sum()
        total = term if total is None else total + term
    if total is None:
        return (None,) * len(leaves)
    return torch.autograd.grad(total, list(leaves.values()), retain_graph=True, allow_unused=True)


def _joined(given: Sequence[torch.Tensor | None], leaves: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Gradients of all leaves as one vector in float64, 0 where there is none."""
    parts = [
        torch.zeros(leaf.numel(), dtype=torch.float64)
        if one is None
        else one.detach().to("cpu", torch.float64).reshape(-1)
        for one, leaf in zip(given, leaves.values(), strict=True)
    ]
    return torch.cat(parts)
