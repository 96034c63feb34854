"""Each node of a run alone: its vjp against its own numeric derivative, at the values of the run.

All is float64, so that a node is off by more than rounding or right. A node is called on what it
was called on in the run, with one operand moved; what it is made of plays no part.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch

from autograd_cli.gradients.line import components, shaped
from autograd_cli.gradients.replay import Planned, Replay, evaluated
from autograd_cli.gradients.slope import Place, Shape, slope
from autograd_cli.report import refs
from autograd_cli.report.checks import Guilty
from autograd_cli.report.kinds import Witness
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import tensors_in

_EPS = torch.finfo(torch.float64).eps
_ROOM = 1e-7
"""How far a vjp may be off in float64: of the sum of the sizes of what it adds up."""
_SINGLE = 1e-6
"""The same for one kernel: some hold constants in single precision."""
_EACH = 16
"""Components of an operand that are moved one by one; a larger one is moved along directions."""
_DIRECTIONS = 3
_MANY = 500
"""Nodes beyond which of those that are alike only some are looked at."""
_ALIKE = 3
_NAMED = 5
"""Guilty nodes that are named; where one rule is wrong all nodes of it are."""


@dataclass(frozen=True)
class Alone:
    """What the nodes alone came to: how many there were, how many were looked at, the guilty ones."""

    nodes: int
    checked: int
    guilty: tuple[Guilty, ...]


def each_alone(run: Run, replay: Replay, name: str | None = None) -> Alone:
    """Every node of the run below the root alone, or those that the leaf `name` goes into.

    Must not run inside a session of the replay.
    """
    with replay.session():
        values = replay.recorded()
        found: list[Guilty] = []
        checked, seen = 0, Counter[Any]()
        plan = list(_reached(replay, name))
        for planned, reached in plan:
            kind = _kind(run.steps[planned.index], planned, values) if len(plan) > _MANY else None
            seen[kind] += 1
            if kind is not None and seen[kind] > _ALIKE:
                continue
            checked += 1
            if len(found) < _NAMED:
                found += _guilty(run, planned, values, reached)
    return Alone(len(plan), checked, tuple(found[:_NAMED]))


def _reached(replay: Replay, name: str | None) -> Iterator[tuple[Planned, list[int]]]:
    """The calls that depend on the leaf, each with the places of its operands that do."""
    reached = {index for leaf, index in replay.inputs.items() if name in (None, leaf)}
    for planned in replay.plan:
        if planned.index >= len(replay.steps):
            continue
        operands = [place for place in dict.fromkeys(_operands(planned)) if place in reached]
        if operands:
            reached.add(planned.index)
            yield planned, operands


def _operands(planned: Planned) -> Sequence[int]:
    if planned.slots is not None:
        return planned.slots
    return [ref.index for part in (planned.args, tuple(planned.kwargs.values())) for ref in refs(part)]


def _kind(step: LiveStep, planned: Planned, values: Sequence[Any]) -> Any:
    """What is the same of two nodes that are alike: the function, and the shapes that it is given."""
    shapes = tuple(tuple(t.shape) for place in _operands(planned) for t in tensors_in(values[place]))
    return (step.function.path if step.function else id(step.call), shapes)


class _Node:
    """One call as a function of one operand; the weighted sum of its results is what is differentiated.

    With `only` it is that of one of several results: some have no gradient together, as an
    eigenvector that is known up to its phase.
    """

    def __init__(self, planned: Planned, values: Sequence[Any], only: int | None = None) -> None:
        self.planned = planned
        self.only = only
        self.values = {place: values[place] for place in _operands(planned)}
        generator = torch.Generator().manual_seed(0)
        self.here = self(None, None)
        self.weights = [_random(t, generator) for t in self.here]
        self.size = float(sum((w * t).abs().nan_to_num(0.0, 0.0, 0.0).sum() for w, t in self._pairs()))

    def _pairs(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        return zip(self.weights, self.here, strict=True)

    def __call__(self, place: int | None, value: torch.Tensor | None) -> list[torch.Tensor]:
        """The results that are numbers, with the operand at `place` being `value`."""
        given = {key: t.clone() if isinstance(t, torch.Tensor) else t for key, t in self.values.items()}
        if place is not None and value is not None:
            given[place] = value
        made = evaluated(self.planned, given)  # type: ignore[arg-type]
        numbers = [t for t in tensors_in(made) if t.is_floating_point() or t.is_complex()]
        return numbers if self.only is None else [numbers[self.only]]

    def vjp(self, place: int) -> torch.Tensor | None:
        """What the node's own backward sends to an operand; None where nothing."""
        leaf = self.values[place].detach().clone().requires_grad_()
        with torch.enable_grad():
            made = self(place, leaf.clone())
        ends = [(t, w) for t, w in zip(made, self.weights, strict=True) if t.requires_grad]
        if not ends:
            return None
        roots, weights = zip(*ends, strict=True)
        (found,) = torch.autograd.grad(roots, [leaf], weights, allow_unused=True)
        return torch.zeros_like(leaf) if found is None else found

    def move(self, place: int, moved: torch.Tensor) -> float:
        """The change of the weighted sum with the components of an operand at `moved`."""
        made = self(place, shaped(moved, self.values[place]))
        parts = zip(self.weights, made, self.here, strict=True)
        return float(sum((w.conj() * (new - old)).real.sum() for w, new, old in parts))


def _random(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(like.shape, generator=generator, dtype=like.dtype)


def _guilty(run: Run, planned: Planned, values: Sequence[Any], reached: Sequence[int]) -> Iterator[Guilty]:
    """The operands by which the node's vjp is wrong; nothing of a node that cannot be called alone."""
    results = len(tensors_in(run.steps[planned.index].value))
    for only in (None, *(range(results) if results > 1 else ())):
        with suppress(Exception):  # what cannot be called alone says nothing of itself
            yield from list(_of_node(run, _Node(planned, values, only), reached))
            return


def _of_node(run: Run, node: _Node, reached: Sequence[int]) -> Iterator[Guilty]:
    for place in reached:
        operand = node.values[place]
        if isinstance(operand, torch.Tensor) and (operand.is_floating_point() or operand.is_complex()):
            found = _compared(node, place)
            if found is not None:
                yield _named(run, node.planned, place, *found)


def _compared(node: _Node, place: int) -> tuple[float, float, float] | None:
    """The slope by the vjp, the numeric one, and how far off that is for its size; None where it is right."""
    vjp = node.vjp(place)
    if vjp is None:
        return None
    given, at = components(vjp), components(node.values[place])
    worst: tuple[float, float, float] | None = None
    for direction in _directions(at):
        made = slope(
            lambda t, v=direction: node.move(place, at + t * v),  # type: ignore[misc]
            Place(0.0, node.size, 4 * _EPS * node.size),
            [1.0],
        )
        slopes, total = float(given @ direction), float((given * direction).abs().sum())
        distance = abs(slopes - made.value)
        room = made.error + _room(total) + 1e3 * _EPS * node.size
        if made.shape is not Shape.SMOOTH or not isfinite(made.value) or distance <= room:
            continue
        off = distance / max(abs(made.value), abs(slopes))
        if worst is None or off > worst[2]:
            worst = (slopes, made.value, off)
    return worst


def _room(total: float) -> float:
    return max(_ROOM, _SINGLE) * total


def _directions(at: torch.Tensor) -> Iterator[torch.Tensor]:
    """Each component alone, of few; else random directions, each component for its size."""
    known = at[at.isfinite() & (at != 0)].abs()
    typical = float(known.median()) if len(known) else 1.0
    sizes = torch.where((at == 0) | ~at.isfinite(), typical, at.abs())
    if len(at) <= _EACH:
        yield from torch.diag(sizes)
        return
    generator = torch.Generator().manual_seed(0)
    for _ in range(_DIRECTIONS):
        yield sizes * torch.randn(len(at), generator=generator, dtype=torch.float64)


def _named(run: Run, planned: Planned, place: int, given: float, reference: float, relative: float) -> Guilty:
    step, source = run.steps[planned.index], run.program.source
    span = step.expr.span
    return Guilty(
        text=source[span],
        node=node_name(step),
        operand=source[run.steps[place].expr.span] if place < len(run.steps) else "",
        odd=Witness.AUTOGRAD,
        given=given,
        reference=reference,
        relative=relative,
        span=(span.start, span.end),
        line=source.line_of(span.start),
    )


def node_name(step: LiveStep) -> str:
    """The node's class as torch calls it, else the function's name."""
    if step.grad_fns:
        return type(step.grad_fns[-1]).__name__
    return step.function.name if step.function else "call"
