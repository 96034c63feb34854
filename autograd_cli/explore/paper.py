"""Local derivatives evaluated on paper: in float64, with what each name stood for at its place."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

import torch

from autograd_cli.errors import AgxError
from autograd_cli.gradients.exact import Formulas
from autograd_cli.gradients.line import components
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Local, below
from autograd_cli.run.stand_ins import Alias, Moved, Written
from autograd_cli.run.tape import BoundValue, LiveStep, Run
from autograd_cli.symbolic.derive import GIVEN

MOST_FORMULAS = 200
"""Local derivatives that are evaluated on paper: more would not be read."""

_COMPARED = 100_000
"""Elements of all that is read for one vjp."""


class Numbers:
    """Evaluates local derivatives on paper, each text of a step once; none where a call draws."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.places: dict[int, Formulas | None] = {}
        self.known: dict[tuple[int, str], tuple[float, float] | None] = {}
        self.draws = any(step.random_state is not None for step in run.steps)

    def of(self, step: int | None, local: Local, dtype: str | None) -> tuple[float, bool] | None:
        """The value of a step's local derivative, and whether its number in `dtype` is that but for rounding.

        None if not known.
        """
        factor = local.value
        if step is None or not local.formula or not isinstance(factor, int | float) or dtype is None:
            return None
        key = (step, local.formula)
        if key not in self.known and len(self.known) < MOST_FORMULAS:
            self.known[key] = self._evaluated(*key)
        found = self.known.get(key)
        if found is None:
            return None
        value, doubt = found
        unit = torch.finfo(getattr(torch, dtype)).eps
        allowed = 16 * unit * (abs(value) + doubt / torch.finfo(torch.float64).eps)
        same = factor == value or (factor != factor and value != value)
        return value, same or not isfinite(allowed) or abs(factor - value) <= allowed

    def same(self, step: int | None, text: str, given: torch.Tensor, had: torch.Tensor) -> bool | None:
        """Whether a step's vjp on paper gives for the cotangent `given` what was had; None if not known."""
        formulas = None if step is None else self.at(step)
        if formulas is None:
            return None
        run = formulas.run
        tensors = [b.value for b in run.bindings if isinstance(b.value, torch.Tensor)]
        if sum(tensor.numel() for tensor in (*tensors, given, had)) > _COMPARED:
            return None
        bound = (*run.bindings, BoundValue(GIVEN, "", given, "constant"))
        try:
            found = Formulas(replace(run, bindings=bound)).evaluate(parse(Source(text)).body, had)
        except AgxError:
            return None
        if found.values is None or found.doubt is None:
            return None
        values, own, unit = found.values, components(had), torch.finfo(had.dtype).eps
        equal = (values == own) | (values.isnan() & own.isnan())
        off = (values - own).abs().masked_fill(equal, 0)
        allowed = 64 * unit * values.abs().nan_to_num(0, 0, 0).max() if values.numel() else 0.0
        if bool((off <= allowed).all()):
            return True
        return bool((off <= allowed + 16 * unit / torch.finfo(torch.float64).eps * found.doubt()).all())

    def at(self, step: int) -> Formulas | None:
        """Formulas in terms of the names at one step; None where a name is no single value there."""
        if step not in self.places:
            self.places[step] = None if self.draws else _formulas(self.run, step)
        return self.places[step]

    def _evaluated(self, step: int, formula: str) -> tuple[float, float] | None:
        """A formula's value in float64 and what rounding does to it there."""
        formulas = self.at(step)
        try:
            body = parse(Source(formula)).body
            found = None if formulas is None else formulas.evaluate(body, torch.zeros(()))
        except AgxError:
            return None
        if found is None or found.values is None or found.doubt is None:
            return None
        return found.values.item(), found.doubt().item()


def _formulas(run: Run, step: int) -> Formulas | None:
    """Formulas with the values that a step's names had, and those that its calls held, when it read them."""
    read = _read(run.steps, step)
    named: dict[str, LiveStep] = {}
    for one in read:
        name = one.name or one.variable
        if isinstance(one.call, Alias | Moved | Written):  # written behind the name's back
            return None
        if not name or one.index == step or not isinstance(one.value, torch.Tensor):
            continue
        if _is_written(run.steps, one, step) or named.setdefault(name, one) is not one:
            return None
    values = tuple(_bound(name, one.value) for name, one in named.items())
    held = [replace(one, index=place) for place, one in enumerate(one for one in read if one.held)]
    return Formulas(Run(run.program, values, held, None, None, run.settings))


def _is_written(steps: Sequence[LiveStep], one: LiveStep, step: int) -> bool:
    """Whether a call may have written into a value before a step read it."""
    between = steps[one.index + 1 : step] if one.renewed else ()
    return any(call.kind == "call" and _may_write(call) for call in between)


def _may_write(call: LiveStep) -> bool:
    flagged = any(value is True for value in (*call.args, *call.kwargs.values()))
    return call.function is None or call.function.writes or flagged


def _bound(name: str, value: torch.Tensor) -> BoundValue:
    """A name's value: that of a leaf where it may be one, so that rounding is followed from it."""
    return BoundValue(name, "", value.detach(), "leaf" if value.is_floating_point() else "constant")


def _read(steps: list[LiveStep], step: int) -> Iterable[LiveStep]:
    """A step and what its text is made of: down to the values that have a name, or are held."""
    found: dict[int, LiveStep] = {}
    waiting = [step]
    while waiting:
        one = steps[waiting.pop()]
        if one.index in found:
            continue
        found[one.index] = one
        ends = one.index != step and (one.variable or one.name or one.held)
        waiting.extend(() if ends else below(one))
    return found.values()
