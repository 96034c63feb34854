"""Local factors: the derivative of one node's result by each of its inputs.

The formula comes from the derivative rules, the number from torch itself: a grad_fn
called with 1 gives its vector-Jacobian product, which for a scalar is the derivative.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, cast

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.report import below
from autograd_cli.run.tape import LiveStep
from autograd_cli.symbolic.derive import LocalFactors

_LONGEST_TEXT = 200
"""Characters of an expression; beyond this its local formula is left out."""


def numbers(node: GradFn, result: torch.Tensor) -> tuple[float | complex | None, ...]:
    """The derivative of a scalar node's result by the input of each slot, None where unknown.

    `result` is what the node made, or any tensor of that dtype and device. Must be called
    before a backward frees what the node keeps.
    """
    if result.ndim or result.is_meta:
        return ()
    try:
        found = _passed(node, torch.ones_like(result))
        if result.dtype == torch.float16 and inf in map(abs, filter(None, found)):
            less = _passed(node, torch.full_like(result, _LITTLE))
            return tuple(
                b / _LITTLE if b and abs(a or 0) == inf else a for a, b in zip(found, less, strict=True)
            )
    except (RuntimeError, NotImplementedError, TypeError):
        return ()
    return found


_LITTLE = 2.0**-14
"""Sent in place of 1 where half overflows on the way: it computes with numbers larger than it can hold."""


def _passed(node: GradFn, sent: torch.Tensor) -> tuple[float | complex | None, ...]:
    """What a node passes to each of its slots."""
    made = cast("Callable[[torch.Tensor], Any]", node)(sent)
    made = made if isinstance(made, tuple) else (made,)
    return tuple(map(_number, made))


def _number(gradient: torch.Tensor | None) -> float | complex | None:
    """The derivative; torch's gradient of a complex function is its conjugate."""
    if gradient is None or gradient.ndim:
        return None
    found: float | complex = gradient.item()
    return found.conjugate()


def formulas(
    step: LiveStep, steps: Sequence[LiveStep], paper: LocalFactors, below: Sequence[int | None]
) -> dict[int, str]:
    """The local derivative's formula for each slot of the step's own node.

    `below` holds the steps that made the nodes in the slots. An operand is looked for
    in the slot with its own number first, since `x*x` has two slots of one step. A long
    expression has none: its formula would not be read.
    """
    found: dict[int, str] = {}
    if step.expr.span.end - step.expr.span.start > _LONGEST_TEXT:
        return found
    operands = tensor_operands(step, steps)
    for position, formula in paper.of(step.index).items():
        slot = slot_of(position, operands, below)
        if slot is not None:
            found[slot] = formula
    return found


def tensor_operands(step: LiveStep, steps: Sequence[LiveStep]) -> list[int]:
    """The steps of the tensor operands of a call, in the order of its arguments."""
    return [place for place in below(step) if isinstance(steps[place].value, torch.Tensor)]


def slot_of(position: int, operands: Sequence[int], below: Sequence[int | None]) -> int | None:
    """The slot that holds the operand at `position`; None when the call made inner nodes."""
    if position >= len(operands):
        return None
    step = operands[position]
    if position < len(below) and below[position] == step:
        return position
    before = sum(1 for earlier in operands[:position] if earlier == step)
    slots = [slot for slot, index in enumerate(below) if index == step]
    return slots[before] if before < len(slots) else None
