"""A run's graph read before anything is hooked or freed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.graph import local
from autograd_cli.graph.match import Owner, carries_leaf, owners
from autograd_cli.graph.saved import SavedTensors
from autograd_cli.graph.walk import Walk, walk
from autograd_cli.report import Local, Saved
from autograd_cli.run.tape import LiveStep, Run, grad_fn_of
from autograd_cli.run.values import tensors_in
from autograd_cli.symbolic.derive import LocalFactors
from autograd_cli.symbolic.remembered import local_factors

_LOCAL_LIMIT = 1000
"""Local factors are for reading; beyond this many nodes nobody reads them."""

Numbers = tuple[float | complex | None, ...]
"""Local derivatives of one node by the inputs in its slots, None where unknown."""


@dataclass
class Reading:
    """What was read of a graph: the walk, who made each node, what it keeps, its factors.

    All lists are by node number. `factors` holds, per node, the Local of each slot that
    has one. `storages` are the bytes of each storage that is kept, by its number.
    """

    walk: Walk
    owners: list[Owner | None]
    saved: list[tuple[Saved, ...]] = field(default_factory=list)
    factors: list[dict[int, Local]] = field(default_factory=list)
    storages: list[int] = field(default_factory=list)

    @property
    def kept_bytes(self) -> int:
        """The bytes of all storages, each counted once."""
        return sum(self.storages)


def read(run: Run, root: torch.Tensor) -> Reading:
    """The graph below `root`; nothing is cloned, wrapped or hooked.

    Must come before the first backward, which frees what the nodes keep.
    """
    walked, saved, storages = _kept(_edges([root]))
    owned = owners(run.steps, walked.nodes)
    reading = Reading(walked, [owned.get(node) for node in walked.nodes], saved, storages=storages)
    reading.factors = _factors(run, reading, None)
    return reading


@dataclass
class Glance:
    """What has to be read of a graph before a backward frees it; who made its nodes comes later.

    `numbers` holds, by node number, the local derivatives of a node with one scalar result,
    None where they were not asked for.
    """

    walk: Walk
    saved: list[tuple[Saved, ...]]
    storages: list[int]
    numbers: list[Numbers] | None


def glance(roots: Sequence[torch.Tensor], with_numbers: bool = True) -> Glance:
    """The graph below `roots` as it stands."""
    walked, saved, storages = _kept(_edges(roots))
    return Glance(walked, saved, storages, numbers_of(walked) if with_numbers else None)


def numbers_of(walked: Walk) -> list[Numbers]:
    """The local derivatives of the scalar nodes, as far as they are read."""
    return [_early(node) for node in walked.nodes[:_LOCAL_LIMIT]]


def reading_of(run: Run, seen: Glance) -> Reading:
    """The reading of a graph that was glanced at, whose nodes the steps of `run` made."""
    owned = owners(run.steps, seen.walk.nodes)
    owning = [owned.get(node) for node in seen.walk.nodes]
    reading = Reading(seen.walk, owning, seen.saved, storages=seen.storages)
    reading.factors = _factors(run, reading, seen.numbers or [()] * len(seen.walk.nodes))
    return reading


def _edges(roots: Sequence[torch.Tensor]) -> list[GradFn]:
    wanted = (root for root in roots if root.requires_grad)
    return [root.grad_fn or torch.autograd.graph.get_gradient_edge(root).node for root in wanted]


def _kept(roots: Sequence[GradFn]) -> tuple[Walk, list[tuple[Saved, ...]], list[int]]:
    """The walk from `roots`, what each node keeps, and the bytes of each storage of that."""
    walked, saved = walk(roots), SavedTensors()
    return walked, [saved.of(node) for node in walked.nodes], saved.storages


def _early(node: GradFn) -> Numbers:
    """The local derivatives of a node by its inputs; a leaf's own is not called, which adds to .grad."""
    like = None if carries_leaf(type(node)) else _like_result(node)
    return () if like is None else local.numbers(node, like)


def value_of(node: GradFn, owner: Owner | None, steps: list[LiveStep]) -> torch.Tensor | None:
    """The tensor that a step's own node made; None for a node inside a call."""
    if owner is None or owner.inside:
        return None
    candidates = tensors_in(steps[owner.step].value)
    if len(candidates) == 1:
        return candidates[0]
    return next((t for t in candidates if grad_fn_of(t) is node), None)


def _factors(run: Run, reading: Reading, early: Sequence[Numbers] | None) -> list[dict[int, Local]]:
    near, is_tape = run.near, run.near is run.tape
    paper = local_factors(near) if is_tape else LocalFactors(near, [step.expr for step in run.steps])
    count = len(reading.walk.nodes)
    some = range(min(count, _LOCAL_LIMIT))
    known = [_factors_of(i, run, reading, paper, early[i] if early else None) for i in some]
    return known + [{}] * (count - len(known))


def _factors_of(
    number: int, run: Run, reading: Reading, paper: LocalFactors, early: Numbers | None
) -> dict[int, Local]:
    """The local factor of each slot of one node, where the node's result is a scalar."""
    node, owner = reading.walk.nodes[number], reading.owners[number]
    if owner is None or run.steps[owner.step].kind != "call":
        return {}
    result = value_of(node, owner, run.steps) if not owner.inside else _like_result(node)
    if result is None or result.ndim:
        return {}
    below = [None if to is None else _step(reading.owners[to]) for to in reading.walk.inputs(number)]
    known = {} if owner.inside else local.formulas(run.steps[owner.step], run.steps, paper, below)
    found = enumerate(local.numbers(node, result) if early is None else early)
    return {slot: Local(known.get(slot, ""), n) for slot, n in found if n is not None}


def _like_result(node: GradFn) -> torch.Tensor | None:
    """A tensor like the scalar that a node inside a call made; None where it made no scalar."""
    known: tuple[Any, ...] = getattr(node, "_input_metadata", ())
    if len(known) != 1 or tuple(known[0].shape):
        return None
    return torch.ones((), dtype=known[0].dtype, device=known[0].device)


def _step(owner: Owner | None) -> int | None:
    return None if owner is None else owner.step
