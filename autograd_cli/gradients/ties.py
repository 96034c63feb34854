"""Comparisons of equal numbers: the function changes its branch there, so that they move as it moves.

Elsewhere what was compared comes out the same nearby, and is held as recorded.
"""

from dataclasses import replace

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.numeric import Numeric, numeric
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.gradients.slope import Behaviour
from autograd_cli.report import Ref, below
from autograd_cli.run.tape import LiveStep, Run

_COMPARE = frozenset({"eq", "ne", "lt", "less", "le", "gt", "greater", "ge"})

_PICKS = frozenset({"getitem", "__getitem__", "masked_select", "nonzero", "argwhere", "take", "index_select"})


def slopes(bench: Bench, name: str, given: torch.Tensor, jumps: bool = True) -> Numeric | None:
    """The numeric slopes of a leaf, comparisons moving with it where they compare equal numbers.

    Where `given`, autograd's gradient, is not finite, a branch not taken is what has to be told of.
    Without `jumps` a function that changes its branch with a jump is held to the one that it took, and
    that is said.
    """
    if bench.replay is None or name not in bench.replay.leaves:
        return bench.numeric(name)
    moving = _moving(bench.run)
    if moving is None or not bool(given.isfinite().all()):
        return bench.numeric(name)
    try:
        noise = bench.rounding.noise if bench.rounding else 0.0
        found = numeric(Replay(moving), name, bench.cotangent, noise, bench.elements)
    except (ReplayError, RuntimeError):  # a shape that depends on what is compared
        return bench.numeric(name)
    kinks = all(slope.behaviour in (Behaviour.SMOOTH, Behaviour.KINK) for slope in found.slopes.values())
    return found if jumps or kinks else _on_its_branch(bench, name)


def _on_its_branch(bench: Bench, name: str) -> Numeric | None:
    """The slopes on the branch that the run took, and which comparison makes the function jump off it."""
    taken, run = bench.numeric(name), bench.run
    texts = dict.fromkeys(run.program.source[step.expr.span] for step in run.steps if _is_tie(step, run))
    said = f"the function jumps where {', '.join(texts)} compares equal numbers: this is the branch it took"
    return taken and replace(taken, remark="; ".join(filter(None, (taken.remark, said))))


def _moving(run: Run) -> Run | None:
    """The run whose comparisons, and what is made of them, are made anew; None without a tie."""
    ties = {step.index for step in run.steps if _is_tie(step, run)}
    if not ties:
        return None
    moved = set(ties)
    for step in run.steps:
        if step.kind == "call" and _is_bool(step) and not moved.isdisjoint(below(step)):
            moved.add(step.index)
    if any(_may_pick(step) and not moved.isdisjoint(below(step)) for step in run.steps):
        return None
    steps = [replace(s, held=False, renewed=True) if s.index in moved else s for s in run.steps]
    return replace(run, steps=steps)


def _may_pick(step: LiveStep) -> bool:
    """Whether how many elements the step gives may depend on the values of a mask."""
    return step.kind == "call" and (step.function is None or step.function.name in _PICKS)


def _is_bool(step: LiveStep) -> bool:
    return isinstance(step.value, torch.Tensor) and step.value.dtype == torch.bool


def _is_tie(step: LiveStep, run: Run) -> bool:
    """Whether the step compares two numbers that are equal somewhere, and that a gradient may come to."""
    if step.function is None or step.function.name not in _COMPARE or not step.held or not _is_bool(step):
        return False
    values = [run.steps[arg.index].value if isinstance(arg, Ref) else arg for arg in step.args]
    if len(values) != 2 or step.value.is_meta:
        return False
    one, two = (v.detach() if isinstance(v, torch.Tensor) else v for v in values)
    equal = one == two
    return bool(equal.any()) if isinstance(equal, torch.Tensor) else bool(equal)
