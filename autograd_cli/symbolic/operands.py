"""A call step as the rules see it: its operands as terms, its result, its plain arguments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograd_cli.lang.nodes import Attribute, Expr, Name
from autograd_cli.lang.swift import swift
from autograd_cli.report import Step
from autograd_cli.symbolic.build import literal
from autograd_cli.symbolic.terms import Shape, Term, factor_term, number_term

FLATTENED_POWER = 64


class NoRuleError(Exception):
    """There is no derivative formula; the text is the reason as a person reads it."""


@swift
@dataclass(frozen=True)
class Operand:
    """One argument of a call: a tensor, or a number where `position` is None.

    `position` counts the tensors among the arguments. `value` is the number's Python
    value where that is known when the formula is made, else None. `item` says which of
    several results of `step` it is.
    """

    expr: Expr
    shape: Shape
    term: Term = field(repr=False)
    position: int | None = None
    step: Step | None = None
    value: Any = None
    active: bool = False
    item: int | None = None


@swift
@dataclass(frozen=True)
class Call:
    """A call step with its arguments as operands; tuples and lists of them stay tuples.

    `args` holds an Operand for each value computed by an earlier step, and Python values
    as they were written. `out` is the result, `steps` are those of the whole tape.
    """

    step: Step
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Operand
    notes: list[tuple[int, str]] = field(default_factory=list)
    steps: Sequence[Step] = field(default=(), repr=False)

    def note(self, number: int, text: str) -> None:
        """Keep what to say about `number` where it stands in a formula."""
        self.notes.append((number, text))

    @property
    def name(self) -> str:
        """What the function is called by a person."""
        expr = self.step.expr
        if self.step.key:
            return self.step.path.rpartition(".")[2] or self.step.key
        return f".{expr.name}" if isinstance(expr, Attribute) else "this"

    @property
    def all_operands(self) -> list[Operand]:
        """What earlier steps have computed among the arguments, in their order."""
        return list(_operands((self.args, tuple(self.kwargs.values()))))

    @property
    def operands(self) -> list[Operand]:
        """The tensors among the arguments, by position."""
        return [given for given in self.all_operands if given.position is not None]


def _operands(given: Any) -> Iterator[Operand]:
    if isinstance(given, Operand):
        yield given
    elif isinstance(given, tuple | list):
        for item in given:
            yield from _operands(item)
    elif isinstance(given, slice):
        yield from _operands((given.start, given.stop, given.step))


def operand(given: Any) -> Operand:
    """An argument as an operand, where it may be a Python number."""
    if isinstance(given, Operand):
        return given
    if isinstance(given, int | float):
        return Operand(literal(given), (), number_term(given), value=given)
    return Operand(literal(given), (), factor_term(literal(given), ()), value=given)


def one_by_one(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments that are given one by one, or all in one tuple or list."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given


def plain(given: Any) -> Any:
    """An argument as a Python value: a dim, a flag, a size."""
    if isinstance(given, tuple | list):
        return tuple(map(plain, given))
    if not isinstance(given, Operand):
        return given
    if given.value is None:
        name = given.expr.id if isinstance(given.expr, Name) else "an argument"
        raise NoRuleError(f"the value of {name} is not known where formulas are made")
    return given.value
