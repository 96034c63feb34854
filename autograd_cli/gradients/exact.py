"""The symbolic witness: a formula's text, run like any other source, in float64.

What is printed is what is evaluated: the text is parsed anew. Calls that drew at random
in the run, or whose value was held, take the recorded value.
"""

from dataclasses import dataclass, replace

import torch

from autograd_cli.errors import AgxError
from autograd_cli.gradients.numeric import components
from autograd_cli.gradients.replay import Replay, ReplayError, default_dtype, raised
from autograd_cli.gradients.rounding import value_errors
from autograd_cli.lang.nodes import Call, Expr
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.interpreter import Settings
from autograd_cli.run.record import run as record
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.symbolic.unparse import unparse


@dataclass(frozen=True)
class Exact:
    """A formula and its value in float64, by component of the leaf, with what rounding does to it.

    `reason` says why there is no value.
    """

    formula: str
    values: torch.Tensor | None = None
    errors: torch.Tensor | None = None
    reason: str = ""


def evaluate(formula: Expr, run: Run, leaf: torch.Tensor) -> Exact:
    """The formula's text and its value at the run's bindings, in the shape of `leaf`.

    A reason is given instead of a value where the text cannot be evaluated or its value
    has another shape: then the formula, not the gradient, is at fault.
    """
    text = unparse(formula)
    try:
        replay = _replay(text, run)
        with replay.session():
            values = _fitted(replay({}), leaf)
            return Exact(text, values, value_errors(replay, lambda value: _fitted(value, leaf)))
    except (AgxError, ReplayError, RuntimeError, TypeError, ValueError) as error:
        return Exact(text, reason=str(error).splitlines()[0])


def _replay(text: str, run: Run) -> Replay:
    """The formula's own tape, ready to be evaluated: casts to lower precision are float64 in it."""
    settings = Settings(dtype="float64", seed=run.seed, overrides=_held(run))
    with default_dtype(torch.float64):  # nothing is drawn: what drew has its recorded value
        made = record(parse(Source(text)), [_bound(b) for b in run.bindings], settings)
    if made.failure is not None:
        raise made.failure.error
    return Replay(made)


def _bound(binding: BoundValue) -> BoundValue:
    value = raised(binding.value)
    return replace(binding, value=value.requires_grad_() if binding.role == "leaf" else value)


def _held(run: Run) -> dict[str, torch.Tensor]:
    """The recorded values of calls that must not be made again, by their text."""
    return {
        unparse(step.expr): raised(step.value)
        for step in run.steps
        if step.held and type(step.expr) is Call and isinstance(step.value, torch.Tensor)
    }


def _fitted(value: torch.Tensor, leaf: torch.Tensor) -> torch.Tensor:
    """The components of `value` as a gradient of `leaf`; a single number stands for all elements."""
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, dtype=torch.float64)
    if value.is_complex() and not leaf.is_complex():
        value = value.real
    if value.shape != leaf.shape and value.numel() != 1:
        raise ValueError(f"its value has shape {tuple(value.shape)}, the binding {tuple(leaf.shape)}")
    return components(value.to(raised(leaf.dtype)).broadcast_to(leaf.shape))
