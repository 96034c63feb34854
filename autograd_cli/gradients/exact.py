"""The symbolic witness: a formula's text, run like any other source, in float64.

What is printed is what is evaluated: the text is parsed anew. What the replay holds as
recorded (draws, comparisons, cuts) has its recorded value here too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import torch

from autograd_cli.errors import AgxError, Span, first_line
from autograd_cli.gradients.formula import Computed, computed
from autograd_cli.gradients.line import components
from autograd_cli.gradients.replay import Replay, ReplayError, in_double, raised
from autograd_cli.gradients.rounding import value_errors
from autograd_cli.lang.nodes import Expr, Name, expression
from autograd_cli.lang.parse import parse
from autograd_cli.lang.same import once
from autograd_cli.lang.source import Source
from autograd_cli.lang.swift import swift
from autograd_cli.run.record import run as record
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.symbolic.unparse import unparse


@swift
@dataclass(frozen=True)
class Exact:
    """A formula and its value in float64, by component of the leaf.

    `doubt` gives what rounding does to the value; `reason` says why there is no value.
    """

    formula: str
    values: torch.Tensor | None = None
    doubt: Callable[[], torch.Tensor] | None = None
    reason: str = ""


class Formulas:
    """Evaluates formulas at the bindings of one run, in float64."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def evaluate(self, formula: Expr, leaf: torch.Tensor) -> Exact:
        """The formula's text and its value, in the shape of `leaf`.

        A reason is given instead of a value where the text cannot be evaluated or its value
        has another shape: then the formula, not the gradient, is at fault.
        """
        text = unparse(formula)
        try:
            with in_double():
                made, value = self._evaluated(text)
            values = _fitted(value, leaf)
            return Exact(text, values, partial(_errors, made, values, leaf))
        except (AgxError, ReplayError, RuntimeError, TypeError, ValueError) as error:
            return Exact(text, reason=first_line(error))

    @once
    def recorded(self) -> dict[Expr, BoundValue]:
        """What the run held, by its expression, under names that no person can bind.

        A formula never holds two draws that are written alike: the rules refuse it.
        """
        run = self.run
        return {
            run.tape[step.index].expr: BoundValue(f"__held{step.index}", "", raised(step.value), "constant")
            for step in run.steps
            if step.held and isinstance(step.value, torch.Tensor)
        }

    @once
    def bindings(self) -> tuple[BoundValue, ...]:
        """The values of the names: those of the run, and what it held."""
        return (*map(_bound, self.run.bindings), *self.recorded.values())

    @once
    def _settings(self) -> Settings:
        uses = tuple(use._replace(double=True) for use in self.run.settings.uses)
        return Settings(dtype="float64", seed=self.run.seed, uses=uses)

    def _evaluated(self, text: str) -> tuple[Callable[[], Run], Any]:
        """What gives the formula's own run, and its value: casts to lower precision are float64 in it."""
        found = None if self.recorded else computed(text, self.bindings)
        if found is not None:
            return partial(self._run_of, found), found.value
        settings = self._settings
        program = parse(Source(text))
        if self.recorded:
            program = expression(program.source, with_names(program.body, self.recorded))
        made = record(program, self.bindings, settings)
        if made.failure is not None:
            raise made.failure.error
        replay = Replay(made)
        with replay.session():
            return lambda: made, replay({})

    def _run_of(self, found: Computed) -> Run:
        """The run of a formula that was computed."""
        steps = found.steps()
        return Run(self.run.program, self.bindings, steps, len(steps) - 1, None, self._settings)


def _errors(run: Callable[[], Run], values: torch.Tensor, leaf: torch.Tensor) -> torch.Tensor:
    """What rounding does to a formula's values; no bound is known where it cannot be evaluated nearby."""
    try:
        replay = Replay(run())
        with replay.session():
            return value_errors(replay, values, lambda value: _fitted(value, leaf))
    except (ReplayError, RuntimeError, TypeError, ValueError):
        return torch.full_like(values, torch.inf)


def _bound(binding: BoundValue) -> BoundValue:
    value, role = raised(binding.value), binding.role
    return BoundValue(binding.name, "", value.requires_grad_() if role == "leaf" else value, role)


def with_names(node: Any, recorded: Mapping[Expr, BoundValue]) -> Any:
    """A node with each recorded expression in it replaced by its name; a tuple of nodes likewise."""
    if isinstance(node, tuple) and not isinstance(node, Span):
        return tuple(with_names(item, recorded) for item in node)
    if not isinstance(node, Expr):
        return node
    if node in recorded:
        return Name(recorded[node].name, span=node.span)
    parts = {part.name: getattr(node, part.name) for part in fields(node)}
    return replace(node, **{name: with_names(value, recorded) for name, value in parts.items()})


def _fitted(value: Any, leaf: torch.Tensor) -> torch.Tensor:
    """The components of `value` as a gradient of `leaf`; a single number stands for all elements."""
    value = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=torch.float64)
    if value.is_complex() and not leaf.is_complex():
        value = value.real
    if value.shape != leaf.shape and value.numel() != 1:
        raise ValueError(f"its value has shape {tuple(value.shape)}, the binding {tuple(leaf.shape)}")
    if value.dtype is not torch.float64 or leaf.is_complex():
        value = value.to(raised(leaf.dtype))
    return components(value if value.shape == leaf.shape else value.broadcast_to(leaf.shape))
