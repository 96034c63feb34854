"""Who is right in float64 for a plain cotangent, and wrong in the run's dtype, or as a cotangent is sent."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.alone import Node, reached_calls
from autograd_cli.gradients.grounds.nodes import guilty, text_of
from autograd_cli.gradients.line import components
from autograd_cli.gradients.replay import Planned, Replay, ReplayError, raised
from autograd_cli.report.checks import Guilty
from autograd_cli.run.brought import Called
from autograd_cli.run.tape import LiveStep


def varied(bench: Bench, name: str) -> tuple[Guilty, ...]:
    """The person's own nodes that are wrong otherwise than alone, by what that takes; the first one of each.

    Must not run inside a session of a replay.
    """
    if bench.replay is None or not any(map(_is_theirs, bench.run.steps)):
        return ()
    try:
        return tuple(_found(bench, bench.replay, name))
    except ReplayError:
        return ()


def _is_theirs(step: LiveStep) -> bool:
    return isinstance(step.call, Called)


def _found(bench: Bench, replay: Replay, name: str) -> Iterator[Guilty]:
    """As `varied`. Raises ReplayError where a node cannot be called so."""
    with replay.session():
        values = replay.recorded()
        plan = [each for each in reached_calls(replay, name) if _is_theirs(bench.run.steps[each[0].index])]
    own = _own(bench)
    for planned, reached in plan:
        for place in reached:
            if isinstance(values[place], torch.Tensor) and values[place].is_floating_point():
                made = _of_operand(bench, replay, planned, place, values, own)
                if made is not None:
                    yield made


def _own(bench: Bench) -> list[Any] | None:
    """The values in the run's own precision; None where that is double."""
    if bench.run.dtype in ("float64", "complex128"):
        return None
    with bench.own.session():
        return bench.own.recorded()


def _of_operand(
    bench: Bench, replay: Replay, planned: Planned, place: int, values: list[Any], own: list[Any] | None
) -> Guilty | None:
    """What is wrong of one node by one operand, with the worst element; None where nothing is."""
    run, step = bench.run, bench.run.steps[planned.index]
    operand = text_of(run, run.steps[place]) if place < len(run.steps) else ""
    with replay.session():
        for said, given, right, eps in _pairs(bench, Node(planned, values), planned, place, own):
            off = (given - right).abs()
            if off.numel() and bool(off.max() > sqrt(eps) * right.abs().max()):
                worst = int(off.argmax())
                numbers = float(given[worst]), float(right[worst])
                return guilty(run, step, *numbers, operand=operand, sentence=said)
    return None


_Pair = tuple[str, torch.Tensor, torch.Tensor, float]
"""What a node's backward is tried in, what it gives there (n,), what is right, and that precision."""


def _pairs(bench: Bench, node: Node, planned: Planned, place: int, own: list[Any] | None) -> Iterator[_Pair]:
    """A node's backward in the run's dtype, and for cotangents that do not lie as memory does."""
    if own is not None:
        with bench.own.session():
            narrow = Node(planned, own)
            given, eps = narrow.vjp(place), torch.finfo(own[place].dtype).eps
        node.weights = [raised(weight) for weight in narrow.weights]
        right = node.vjp(place)
        if given is not None and right is not None:
            said = f"it is wrong in {bench.run.dtype} alone, and right in float64"
            yield said, components(given), components(right), eps
    node.weights = [torch.ones_like(made).contiguous() for made in node.here]
    right, plain = node.vjp(place), node.weights
    for said, weights in (
        ("stretched, as sum() sends it", [weight.new_ones(()).expand(weight.shape) for weight in plain]),
        ("not contiguous", [weight.mT.contiguous().mT if weight.ndim > 1 else weight for weight in plain]),
    ):
        node.weights = weights
        given = node.vjp(place)
        if given is not None and right is not None:
            eps = torch.finfo(torch.float64).eps
            yield f"it is wrong where grad_output is {said}", components(given), components(right), eps
