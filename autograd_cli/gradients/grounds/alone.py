"""Each node of a run alone: its vjp against its own numeric derivative, at the values of the run.

All is float64, so that a node is off by more than rounding or right. A node is called on what it
was called on in the run, with one operand moved; what it is made of plays no part.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import torch
from torch.autograd import forward_ad

from autograd_cli.errors import first_line
from autograd_cli.gradients.grounds.nodes import drawn, guilty, text_of
from autograd_cli.gradients.line import components, shaped
from autograd_cli.gradients.replay import Planned, Replay, ReplayError, evaluated
from autograd_cli.gradients.slope import Behaviour, Place, Slope, slope
from autograd_cli.report import Verdict, refs
from autograd_cli.report.checks import Guilty
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import tensors_in

_EPS = torch.finfo(torch.float64).eps
ROOM = 1e-6
"""How far a vjp may be off, of the sum of the sizes of what it adds up: some kernels hold constants in
single precision."""
_EACH = 16
"""Components of an operand that are moved one by one; a larger one is moved along directions."""
_DIRECTIONS = 3
_MANY = 500
"""Nodes beyond which of those that are alike only some are looked at."""
_ALIKE = 3
_NAMED = 5
"""Guilty nodes that are named; where one rule is wrong all nodes of it are."""
_ROUGH = {
    Behaviour.KINK: (Verdict.KINK, "has a kink here"),
    Behaviour.JUMP: (Verdict.JUMP, "jumps or rises without bound here"),
    Behaviour.EDGE: (Verdict.DOMAIN_EDGE, "has no values here or on one side"),
}


@dataclass(frozen=True)
class Alone:
    """What the nodes alone came to.

    How many have a gradient, how many of them were compared, the guilty ones; `rough` is the worst of
    what was found to be not smooth, in words, `missed` says of one that could not be looked at why.
    """

    nodes: int
    checked: int
    guilty: tuple[Guilty, ...]
    rough: tuple[Verdict, str] | None = None
    missed: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict on those that were compared."""
        if self.guilty:
            return Verdict.WRONG
        return self.rough[0] if self.rough else Verdict.OK


_Off = tuple[float, float]
"""The slope by a vjp that is wrong, and the one by numbers."""


@dataclass
class _Told:
    """What one node came to: where its vjp is wrong, and by which operands it is not smooth."""

    guilty: list[Guilty] = field(default_factory=list)
    rough: list[Behaviour] = field(default_factory=list)
    is_compared: bool = False


def each_alone(run: Run, replay: Replay, name: str | None = None) -> Alone:
    """Every node of the run below the root alone, or those that the leaf `name` goes into.

    Must not run inside a session of the replay. Raises ReplayError where that cannot be run.
    """
    with replay.session():
        return _Looking(run, replay.recorded()).over(list(reached_calls(replay, name)))


class _Looking:
    """The nodes of a run looked at one after the other, and what was found so far."""

    def __init__(self, run: Run, values: Sequence[Any]) -> None:
        self.run = run
        self.values = values
        self.nodes = self.checked = 0
        self.guilty: list[Guilty] = []
        self.rough: list[tuple[Verdict, str]] = []
        self.missed = ""

    def over(self, plan: Sequence[tuple[Planned, list[int]]]) -> Alone:
        """What all calls of a plan come to, each with the operands that it is differentiated by."""
        seen = Counter[Any]()
        for planned, reached in plan:
            kind = _kind(self.run.steps[planned.index], planned, self.values) if len(plan) > _MANY else None
            seen[kind] += 1
            if kind is not None and seen[kind] > _ALIKE:
                self.nodes += 1
            elif len(self.guilty) < _NAMED:
                self._look(planned, reached)
        rough = max(self.rough, key=lambda one: one[0].rank, default=None)
        return Alone(self.nodes, self.checked, tuple(self.guilty[:_NAMED]), rough, self.missed)

    def _look(self, planned: Planned, reached: Sequence[int]) -> None:
        step = self.run.steps[planned.index]
        try:
            told = _told(self.run, planned, self.values, reached)
        except ReplayError as error:
            self.nodes += 1
            self.missed = self.missed or f"{text_of(self.run, step)} could not be: {error}"
            return
        self.nodes += told.is_compared
        self.checked += told.is_compared
        self.guilty += told.guilty
        for behaviour in told.rough:
            verdict, words = _ROUGH[behaviour]
            self.rough.append((verdict, f"{text_of(self.run, step)} {words}"))


def reached_calls(replay: Replay, name: str | None) -> Iterator[tuple[Planned, list[int]]]:
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


class Node:
    """One call as a function of one operand; the weighted sum of its results is what is differentiated.

    With `only` it is that of one of several results: some have no gradient together, as an
    eigenvector that is known up to its phase. What is not finite in them has no slope, and no weight.
    """

    def __init__(self, planned: Planned, values: Sequence[Any], only: int | None = None) -> None:
        self.planned = planned
        self.only = only
        self.values = {place: values[place] for place in _operands(planned)}
        self.here = self(None, None)
        self.finite = [t.isfinite() for t in self.here]
        self.all_finite = all(bool(finite.all()) for finite in self.finite)
        self.weights = [
            torch.where(finite, drawn(t, seed), 0.0)
            for seed, (t, finite) in enumerate(zip(self.here, self.finite, strict=True))
        ]
        self.size = float(sum((w * t).abs().nan_to_num(0.0, 0.0, 0.0).sum() for w, t in self._pairs()))

    def _pairs(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        return zip(self.weights, self.here, strict=True)

    def __call__(self, place: int | None, value: torch.Tensor | None) -> list[torch.Tensor]:
        """The results that are numbers, with the operand at `place` being `value`. Raises ReplayError."""
        given = {key: t.clone() if isinstance(t, torch.Tensor) else t for key, t in self.values.items()}
        if place is not None and value is not None:
            given[place] = value
        try:
            made = evaluated(self.planned, given)  # type: ignore[arg-type]
        except Exception as error:  # of torch, or of a person's own code
            raise ReplayError(first_line(error)) from error
        numbers = [t for t in tensors_in(made) if t.is_floating_point() or t.is_complex()]
        return numbers if self.only is None else [numbers[self.only]]

    def vjp(self, place: int) -> torch.Tensor | None:
        """What the node's own backward sends to an operand; None where it has none. Raises ReplayError."""
        leaf = self.values[place].detach().clone().requires_grad_()
        with torch.enable_grad():
            made = self(place, leaf.clone())
        ends = [(t, w) for t, w in zip(made, self.weights, strict=True) if t.requires_grad]
        if not ends:
            return None
        roots, weights = zip(*ends, strict=True)
        try:
            (found,) = torch.autograd.grad(roots, [leaf], weights, allow_unused=True)
        except Exception as error:  # of torch, or of a person's own backward
            raise ReplayError(first_line(error)) from error
        return torch.zeros_like(leaf) if found is None else found

    def jvp(self, place: int, direction: torch.Tensor) -> float:
        """The slope of the weighted sum by forward mode as an operand moves. Raises ReplayError."""
        value = self.values[place].detach().clone()
        try:
            with torch.enable_grad(), forward_ad.dual_level():
                made = self(place, forward_ad.make_dual(value, direction))  # type: ignore[no-untyped-call]
                tangents = [forward_ad.unpack_dual(t).tangent for t in made]  # type: ignore[no-untyped-call]
        except Exception as error:  # of torch, or of a person's own jvp
            raise ReplayError(first_line(error)) from error
        parts = zip(self.weights, tangents, strict=True)
        return float(sum((w.conj() * t).real.sum() for w, t in parts if t is not None))

    def move(self, place: int, moved: torch.Tensor) -> float:
        """The change of the weighted sum with the components of an operand at `moved`."""
        made = self(place, shaped(moved, self.values[place]))
        parts = zip(self.weights, made, self.here, self.finite, strict=True)
        moves = ((w.conj() * torch.where(finite, new - old, 0.0)).real for w, new, old, finite in parts)
        return float(sum(one.sum() for one in moves))


def _told(run: Run, planned: Planned, values: Sequence[Any], reached: Sequence[int]) -> _Told:
    """What the node comes to; of several results that have no gradient together, by one that has.

    Raises ReplayError where it cannot be called or differentiated alone.
    """
    results = len(tensors_in(run.steps[planned.index].value))
    failed: ReplayError | None = None
    for only in (None, *(range(results) if results > 1 else ())):
        try:
            return _of_node(run, Node(planned, values, only), reached)
        except ReplayError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _of_node(run: Run, node: Node, reached: Sequence[int]) -> _Told:
    """What the node comes to by its operands; nothing where it has no backward, as one that compares."""
    told = _Told()
    for place in reached:
        operand = node.values[place]
        if not isinstance(operand, torch.Tensor) or not (operand.is_floating_point() or operand.is_complex()):
            continue
        vjp = node.vjp(place)
        if vjp is None:
            continue
        told.is_compared = True
        rough, worst = _compared(node, place, components(vjp))
        told.rough += rough
        if worst is not None:
            what = text_of(run, run.steps[place]) if place < len(run.steps) else ""
            told.guilty.append(guilty(run, run.steps[node.planned.index], *worst, operand=what))
    return told


def _compared(node: Node, place: int, vjp: torch.Tensor) -> tuple[list[Behaviour], _Off | None]:
    """How the node behaves that is not smooth, and the slopes by the vjp and by numbers where it is wrong.

    Raises ReplayError where it behaves in no way that differences could tell.
    """
    at, rough = components(node.values[place]), list[Behaviour]()
    worst, most = None, -1.0
    for direction in _directions(at):
        made = slope(
            lambda t, v=direction: node.move(place, at + t * v),  # type: ignore[misc]
            Place(0.0, node.size, 4 * _EPS * node.size),
            [1.0],
        )
        given, total = float(vjp @ direction), float((vjp * direction).abs().sum())
        if not isfinite(given) and not node.all_finite:
            rough.append(Behaviour.EDGE)
            continue
        if not made.is_smooth:
            rough.append(made.behaviour)
        reference = _nearest(made, given, len(at) <= _EACH)
        if reference is None:
            continue
        distance, room = abs(given - reference), made.error + ROOM * total + 1e3 * _EPS * node.size
        off = distance / max(abs(reference), abs(given), 1e-300)
        if not distance <= room and not off <= most:
            worst, most = (given, reference), off
    return rough, worst


def _nearest(made: Slope, given: float, is_single: bool) -> float | None:
    """What a slope is held against: the numeric one, or, of a kink, what is nearest between its two sides.

    None where there is no such number. Along a direction of several components a kink of each has two
    sides, and a gradient between those of each need not be between the two of the whole.
    """
    if made.is_smooth:
        if not isfinite(made.value):
            raise ReplayError("values are too large to tell a slope")
        return made.value
    if made.behaviour is not Behaviour.KINK or not is_single:
        return None
    low, high = sorted((made.left, made.right))
    return min(max(given, low), high)


def _directions(at: torch.Tensor) -> Iterator[torch.Tensor]:
    """Each component alone, of few; else random directions, each component for its size."""
    each = sizes(at)
    if len(at) <= _EACH:
        yield from torch.diag(each)
        return
    for seed in range(_DIRECTIONS):
        yield each * drawn(each, seed)


def sizes(value: torch.Tensor) -> torch.Tensor:
    """How large each element is, of which steps are a part; of a 0, what is typical of the others."""
    known = value[value.isfinite() & (value != 0)].abs()
    typical = float(known.median()) if len(known) else 1.0
    return torch.where((value == 0) | ~value.isfinite(), typical, value.abs())
