"""Cancellation in a difference that no better form is known of: the call that loses the digits."""

import torch

from autograd_cli.diagnose.numerics.played import Played
from autograd_cli.lang.source import named
from autograd_cli.report import Fix, below, under
from autograd_cli.run.tape import LiveStep

OFF = 0.01
"""From which error on, by the size of the whole, a value or a gradient counts as lost."""

_REMAINDER = 1e-12
"""A difference that is smaller, by its operands, is 0 in all but rounding, in float64 as well."""

_GROWN = 100.0
"""How many times more than its operands a difference must be off to be to blame."""


def guilty(own: Played, reference: Played) -> LiveStep | None:
    """The first difference of two values of the same leaf that loses what its operands had."""
    for step in own.run.steps[: own.root + 1]:
        if step.function is None or step.function.name not in ("sub", "add") or step.index not in own.slopes:
            continue
        operands = list(dict.fromkeys(below(step)))
        if len(operands) == 2 and _is_lost(own, reference, step, operands) and _shared(own, operands):
            return step
    return None


def _is_lost(own: Played, reference: Played, step: LiveStep, operands: list[int]) -> bool:
    exact = reference.values[step.index].detach()
    size = max(float(reference.values[each].detach().norm()) for each in operands)
    before = max(apart(own.operand(step, each), reference.values[each]) for each in operands)
    error = apart(own.made(step), exact)
    return error >= OFF and error >= _GROWN * before and float(exact.norm()) > _REMAINDER * size


def _shared(own: Played, operands: list[int]) -> set[int]:
    """The leaves that both operands are computed from."""
    one, other = ({*under(own.run.steps, each)} for each in operands)
    return one & other & set(own.leaves.values())


def apart(own: torch.Tensor, exact: torch.Tensor) -> float:
    """The distance of a tensor from what it should be, by the size of that."""
    size = float(exact.detach().double().norm())
    distance = float((own.detach().double() - exact.detach().double()).norm())
    return distance / size if size and distance == distance else 0.0


def is_felt(own: Played, reference: Played) -> bool:
    """Whether the output or a gradient is off by as much."""
    exact = reference.gradients
    pairs = [(own.output, reference.output)]
    pairs += [(value, exact[name]) for name, value in own.gradients.items() if name in exact]
    return any(apart(value, wanted) >= OFF for value, wanted in pairs if value.shape == wanted.shape)


def fix(own: Played, step: LiveStep) -> Fix:
    """What remains to be done: a cast inside the expression leaves the gradients in the narrow dtype."""
    shared = _shared(own, list(dict.fromkeys(below(step))))
    names = named([name for name, at in own.leaves.items() if at in shared])
    return Fix(f"have {names} in float64 from the start, which keeps 16 digits: no better form is known")
