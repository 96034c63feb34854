"""A run made once more with its graph: the value of every step and what arrives there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from autograd_cli.gradients.enlarged import HALVES, in_its_dtype
from autograd_cli.gradients.replay import Planned, Replay, ReplayError, evaluated
from autograd_cli.report import Ref, below
from autograd_cli.run.tape import LiveStep, Run, filled

MOST = 4_000_000
"""Elements that are computed again to tell where something went wrong."""

Index = tuple[int, ...]

Number = float | complex
"""An element of a tensor, complex where that is."""


@dataclass(frozen=True)
class Played:
    """`values` are those of all steps, `slopes` what arrives at each that requires grad, by index.

    `calls` are how each step is called in the replay, `leaves` the steps of the leaves by name. `before`
    has, in a run that writes into its values, what each step was given, by its index and the operand's,
    and what it made, by its index twice.
    """

    run: Run
    values: Sequence[Any]
    slopes: dict[int, torch.Tensor]
    calls: dict[int, Planned]
    leaves: dict[str, int]
    root: int
    before: Mapping[tuple[int, int], torch.Tensor]

    def operand(self, step: LiveStep, index: int) -> Any:
        """The value of an operand as a step was given it; a tensor is cut from the graph."""
        value = self.before.get((step.index, index), self.values[index])
        return value.detach() if isinstance(value, torch.Tensor) else value

    def made(self, step: LiveStep) -> Any:
        """The value of a step as it was made."""
        return self.operand(step, step.index)

    @property
    def gradients(self) -> dict[str, torch.Tensor]:
        """What arrives at each leaf that anything arrives at."""
        return {name: self.slopes[at] for name, at in self.leaves.items() if at in self.slopes}

    @property
    def output(self) -> torch.Tensor:
        """The root's value."""
        value: torch.Tensor = self.values[self.root]
        return value.detach()


def played(run: Run, cotangent: torch.Tensor | None = None, *, double: bool = False) -> Played | None:
    """The run made again in its own dtypes, or in float64; None where it cannot be, or takes too long.

    `cotangent` is what is sent into the root, ones where it is None.
    """
    if run.root is None or run.failure is not None:
        return None
    try:
        replay = Replay(run, double)
        if replay.work() > MOST:
            return None
        with replay.session(), torch.enable_grad():
            before: dict[tuple[int, int], torch.Tensor] = {}
            values = _values(replay, run.steps, before)
            calls = {planned.index: planned for planned in (*replay.plan, *replay.fixed)}
            slopes = _slopes(values, replay.root, cotangent)
            return Played(run, values, slopes, calls, dict(replay.inputs), replay.root, before)
    except (ReplayError, RuntimeError, IndexError, TypeError, ValueError):  # nothing is known then
        return None


def _values(
    replay: Replay, steps: Sequence[LiveStep], before: dict[tuple[int, int], torch.Tensor]
) -> list[Any]:
    """The values of all steps; into `before` what each step is given, where a later one writes into it."""
    leaves = {name: value.clone().requires_grad_() for name, value in replay.leaves.items()}
    writes = any(step.function is not None and step.function.writes for step in steps)
    if replay.double or not (writes or any(map(_is_half, steps))):
        return replay.every(leaves)
    values = replay.base.copy()
    for name, value in leaves.items():
        values[replay.inputs[name]] = value
    for planned in replay.plan:
        for index in below(steps[planned.index]) if writes else ():
            if isinstance(values[index], torch.Tensor):
                before[planned.index, index] = values[index].detach().clone()
        made = values[planned.index] = in_its_dtype(planned, values)
        if writes and isinstance(made, torch.Tensor):
            before[planned.index, planned.index] = made.detach().clone()
    return values


def _is_half(step: LiveStep) -> bool:
    return isinstance(step.value, torch.Tensor) and step.value.dtype in HALVES


def _slopes(values: Sequence[Any], root: int, cotangent: torch.Tensor | None) -> dict[int, torch.Tensor]:
    asked = {i: v for i, v in enumerate(values) if isinstance(v, torch.Tensor) and v.requires_grad}
    start = values[root]
    if not isinstance(start, torch.Tensor) or not start.requires_grad:
        raise ReplayError("the root has no graph")
    sent = torch.ones_like(start) if cotangent is None else cotangent.to(start.dtype)
    found = torch.autograd.grad(start, list(asked.values()), sent, retain_graph=True, allow_unused=True)
    return {index: slope for index, slope in zip(asked, found, strict=True) if slope is not None}


def rounded(own: Played, cotangent: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
    """The gradients in float64 of the values as `own` has them, its forward's cost; {} where unknown."""
    try:
        replay = Replay(own.run)
        with replay.session(), torch.enable_grad():
            values = replay.base.copy()
            for name, value in replay.leaves.items():
                values[replay.inputs[name]] = value.clone().requires_grad_()
            for planned in replay.plan:
                values[planned.index] = _as_rounded(planned, values, own.values[planned.index])
            slopes = _slopes(values, replay.root, cotangent)
    except (ReplayError, RuntimeError, IndexError, TypeError, ValueError):
        return {}
    return {name: slopes[at] for name, at in replay.inputs.items() if at in slopes}


def _as_rounded(planned: Planned, values: Sequence[Any], given: Any) -> Any:
    """A value with the numbers that the run has there, for what comes after it and for its own way back."""
    kept: list[list[torch.Tensor]] = []

    def keep(tensor: torch.Tensor) -> list[torch.Tensor]:
        kept.append([tensor.detach()])
        return kept[-1]

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda held: held[0]):
        made = evaluated(planned, values)
    if not isinstance(made, torch.Tensor) or not isinstance(given, torch.Tensor):
        return made
    if not made.is_floating_point() or made.shape != given.shape or not bool(given.isfinite().all()):
        return made
    numbers = given.detach().to(made.dtype)
    for held in kept:  # a function such as sigmoid keeps its result
        if held[0].data_ptr() == made.data_ptr() and held[0].shape == made.shape:
            held[0] = numbers
    return made + (numbers - made.detach())


# One call alone


def handed(one: Played, step: LiveStep, arriving: torch.Tensor) -> dict[int, torch.Tensor]:
    """What a step hands to each of its operands, by their index, where `arriving` comes to it."""
    planned = one.calls.get(step.index)
    if planned is None:
        return {}
    operands = [index for index in dict.fromkeys(below(step)) if _passes(one.values[index])]
    fresh = {index: one.operand(step, index).clone().requires_grad_() for index in operands}
    return _asked(one, step, planned, fresh, arriving)


def _asked(
    one: Played, step: LiveStep, planned: Planned, fresh: dict[int, torch.Tensor], arriving: torch.Tensor
) -> dict[int, torch.Tensor]:
    values = list(one.values)
    for index in below(step):
        values[index] = one.operand(step, index)
    writes = step.function is not None and step.function.writes
    for index, leaf in fresh.items():  # torch writes into no leaf
        values[index] = leaf.clone() if writes else leaf
    try:
        with torch.enable_grad():
            made = in_its_dtype(planned, values)
            found = torch.autograd.grad(made, list(fresh.values()), arriving, allow_unused=True)
    except (RuntimeError, TypeError):  # what torch does not take alone is not known
        return {}
    return {index: slope for index, slope in zip(fresh, found, strict=True) if slope is not None}


def _passes(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def number_of(element: torch.Tensor) -> Number:
    """The number of a tensor that holds one."""
    number = element.item()
    return number if isinstance(number, complex) else float(number)


def factor(one: Played, step: LiveStep, operand: int, index: Index, out: Index) -> Number | None:
    """The slope of element `out` of an elementwise step by element `index` of an operand."""
    planned, made = one.calls.get(step.index), one.values[step.index]
    if planned is None:
        return None
    leaf = one.operand(step, operand)[index].clone().requires_grad_()
    values = list(one.values)
    for each in below(step):
        values[each] = _at(one.operand(step, each), made.shape, out)
    values[operand] = leaf.clone() if step.function is not None and step.function.writes else leaf
    try:
        with torch.enable_grad():
            single = planned.call(*filled(_args(planned), values), **filled(planned.kwargs, values))
            (found,) = torch.autograd.grad(single.sum(), leaf, allow_unused=True)
    except (RuntimeError, TypeError):
        return None
    return None if found is None else number_of(found)


def _args(planned: Planned) -> tuple[Any, ...]:
    return planned.args if planned.slots is None else tuple(Ref(slot) for slot in planned.slots)


def _at(value: Any, shape: torch.Size, out: Index) -> Any:
    """The one element of an operand that counts at `out`."""
    if not isinstance(value, torch.Tensor):
        return value
    try:
        return value.broadcast_to(shape)[out].clone()
    except RuntimeError:
        return value


def reached_from(one: Played, step: LiveStep, operand: int, index: Index) -> Iterator[Index]:
    """The elements of an elementwise step that an element of an operand goes into."""
    shape, own = one.values[step.index].shape, one.values[operand].shape
    numbers = torch.arange(prod(own)).reshape(own)
    try:
        yield from map(tuple, (numbers.broadcast_to(shape) == numbers[index]).nonzero().tolist())
    except RuntimeError:
        return
