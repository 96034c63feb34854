"""The second derivative on paper: the rules applied again to the text of a first derivative.

The text is parsed and recorded as any source, and differentiated again. By a leaf of several
elements its product with a name, an arbitrary tensor of the shape of that leaf, is differentiated:
what comes out is a block of the Hessian applied to that name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count

import torch

from autograd_cli.errors import AgxError, first_line
from autograd_cli.gradients.exact import Exact, Formulas, with_names
from autograd_cli.gradients.replay import ReplayError, default_dtype, quiet
from autograd_cli.gradients.second.matrices import matrix_of
from autograd_cli.lang.nodes import Call, Expr, Name, Number, expression
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.record import run as record
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.symbolic.build import rewritten
from autograd_cli.symbolic.derive import Derivative, differentiate
from autograd_cli.symbolic.unparse import unparse

_ZERO = Number(0)

LONGEST = 500
"""Characters of a formula above which none is given: it would not be read."""
_READ = 400
"""Characters of a product up to which its matrix is looked for."""

_TOO_LONG = f"longer than {LONGEST:,} characters"


@dataclass(frozen=True)
class Paper:
    """A block on paper: its `formula`, applied to the name `applied` if that is not empty.

    `by_name` is the same still applied, which gives the values of any formula; the formula is None
    where there is none, for a `reason`.
    """

    formula: Expr | None
    applied: str = ""
    by_name: Expr | None = None
    reason: str = ""


class Papers:
    """The blocks of one run's second derivative on paper, from its first derivatives."""

    def __init__(self, run: Run, firsts: Mapping[str, Derivative]) -> None:
        self.run = run
        self.firsts = firsts
        self.leaves = run.leaves
        self.formulas = Formulas(run)
        self._recorded: dict[str, Run] = {}

    def block(self, one: str, other: str, whole: bool) -> Paper:
        """The derivative by `one` of the gradient by `other`; a `whole` block rather than a product."""
        if not self.leaves[one].ndim and self.leaves[other].ndim and whole:
            one, other = (
                other,
                one,
            )  # either order gives the same: the derivative of what is a number is short
        first = self.firsts.get(other)
        if first is None or first.formula is None:
            return Paper(None, reason=first.reason if first else f"d/d{other} was not asked for")
        try:
            with quiet(), default_dtype(torch.float64):
                return self._derived(first.formula, one, other, whole)
        except (AgxError, ReplayError, RuntimeError, TypeError, ValueError) as error:
            return Paper(None, reason=first_line(error))

    @cached_property
    def directions(self) -> dict[str, str]:
        """The name that a block is applied to, for each leaf: one that nothing else has."""
        taken = {binding.name for binding in self.run.bindings}
        names = dict[str, str]()
        for leaf in self.leaves:
            stem = "v" if len(self.leaves) == 1 else f"v_{leaf}"
            names[leaf] = next(n for n in chain((stem,), (f"{stem}{i}" for i in count(1))) if n not in taken)
            taken.add(names[leaf])
        return names

    def _derived(self, first: Expr, one: str, other: str, whole: bool) -> Paper:
        text = unparse(first)
        if len(text) > LONGEST:
            return Paper(None, reason=_TOO_LONG)
        made = self._record(text)
        output, leaf = made.output, self.leaves[other]
        places = [step.index for step in made.steps if step.name == one and step.kind == "binding"]
        if not places or not isinstance(output, torch.Tensor):
            return Paper(_ZERO)
        if not leaf.ndim and output.numel() == 1:
            return self._of_number(self._differentiated(made, places[0], None))
        name = self.directions[other]
        cotangent: Expr = Name(name)
        if output.shape != leaf.shape:
            if output.ndim:
                return Paper(None, reason=f"d/d{other} is one number for all elements")
            cotangent = parse(Source(f"{name}.sum()")).body
        found = self._differentiated(made, places[0], cotangent)
        if found.formula is None:
            return Paper(None, reason=found.reason)
        if _is_zero(found.formula):
            return Paper(_ZERO)
        text = unparse(found.formula)
        if len(text) > LONGEST:
            return Paper(None, reason=_TOO_LONG)
        shape = tuple(self.leaves[one].shape)
        looked_for = whole and len(shape) == 1 and len(text) <= _READ
        matrix = matrix_of(self._record(text), name, shape) if looked_for else None
        if matrix is not None:
            return Paper(self._in_words(matrix), by_name=found.formula)
        return Paper(found.formula, applied=name, by_name=found.formula)

    def _of_number(self, found: Derivative) -> Paper:
        """The block of a leaf that is a number: the formula as it is."""
        if found.formula is None or _is_zero(found.formula):
            return Paper(found.formula and _ZERO, reason=found.reason)
        if len(unparse(found.formula)) > LONGEST:
            return Paper(None, reason=_TOO_LONG)
        return Paper(found.formula)

    def _differentiated(self, made: Run, place: int, cotangent: Expr | None) -> Derivative:
        assert made.root is not None
        hidden = [*self.directions.values(), *(binding.name for binding in self.run.bindings)]
        found = differentiate(made.tape, made.root, [place], cotangent, hidden)[place]
        if found.formula is None:
            return found
        return replace(found, formula=self._in_words(found.formula))

    def _in_words(self, formula: Expr) -> Expr:
        """A formula with what the run held written as the source has it."""
        held = {binding.name: expr for expr, binding in self.formulas.recorded.items()}
        if not held:
            return formula
        return rewritten(formula, lambda node: held.get(node.id) if isinstance(node, Name) else None)

    def _record(self, text: str) -> Run:
        """The run of a formula's text in float64, its directions bound to ones."""
        if text not in self._recorded:
            program = parse(Source(text))
            if self.formulas.recorded:
                body = with_names(program.body, self.formulas.recorded)
                program = expression(program.source, body)
            made = record(program, self.bindings(), Settings(dtype="float64", seed=self.run.seed))
            if made.failure is not None:
                raise made.failure.error
            self._recorded[text] = made
        return self._recorded[text]

    def bindings(self, at: Mapping[str, torch.Tensor] | None = None) -> tuple[BoundValue, ...]:
        """What names stand for in a formula; directions are `at` some leaf's value, ones unless said."""
        given = {leaf: torch.ones(value.shape, dtype=torch.float64) for leaf, value in self.leaves.items()}
        given |= at or {}
        names = self.directions
        return (
            *self.formulas.bindings,
            *(BoundValue(names[leaf], "", value, "constant") for leaf, value in given.items()),
        )

    def evaluated(self, formula: Expr, shape: torch.Tensor, other: str, direction: torch.Tensor) -> Exact:
        """The value of a formula, broadcast to the shape of a tensor, with the direction of `other` given."""
        formulas = Formulas(self.run)
        formulas.bindings = self.bindings({other: direction})
        return formulas.evaluate(formula, shape)


def _is_zero(formula: Expr | None) -> bool:
    """Whether a formula is 0, or zeros in the shape of a leaf."""
    if not isinstance(formula, Call):
        return formula == _ZERO
    return unparse(formula.function) in ("zeros_like", "torch.zeros_like")
