"""A call step as the rules see it: its operands as terms, its result, its plain arguments."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS
from autograd_cli.lang.nodes import Attribute, Expr, Name, Number
from autograd_cli.report import Ref, Step
from autograd_cli.symbolic.build import literal
from autograd_cli.symbolic.terms import Shape, Term, factor_term, number_term

FLATTENED_POWER = 64
PLAIN = (bool, int, float, str, tuple, list, type(None))


class NoRuleError(Exception):
    """There is no derivative formula; the text is the reason as a person reads it."""


@dataclass(frozen=True)
class Operand:
    """One argument of a call: a tensor, or a number where `position` is None.

    `position` counts the tensors among the arguments. `value` is the number's Python
    value where that is known when the formula is made, else None.
    """

    expr: Expr
    shape: Shape
    term: Term = field(repr=False)
    position: int | None = None
    step: Step | None = None
    value: Any = None
    active: bool = False


@dataclass(frozen=True)
class Call:
    """A call step with its arguments as operands; tuples and lists of them stay tuples.

    `args` holds an Operand for each value computed by an earlier step, and Python values
    as they were written. `out` is the result.
    """

    step: Step
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Operand
    notes: list[tuple[int, str]] = field(default_factory=list)

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


class Tape:
    """The steps, with the terms of their values: products taken apart if `apart`."""

    def __init__(self, steps: Sequence[Step], active: Collection[int], apart: bool = True) -> None:
        self.steps = steps
        self.active = active
        self.apart = apart
        self.terms: dict[int, Term] = {}

    def call(self, step: Step) -> Call:
        """The call step `step` with its operands."""
        positions = count()
        args = [self.operand(a, positions) for a in step.args]
        kwargs = {NUMPY_KEYWORDS.get(k, k): self.operand(v, positions) for k, v in step.kwargs}
        row = by_path.get(step.path)
        for name in [a.name for a in row.arguments if not a.keyword_only][len(args) :] if row else ():
            if name not in kwargs:
                break
            args.append(kwargs.pop(name))
        out = Operand(step.expr, step.shape or (), self.opaque(step))
        return Call(step, tuple(args), kwargs, out)

    def operand(self, given: Any, positions: Iterator[int]) -> Any:
        """An argument with every Ref in it made an Operand."""
        if isinstance(given, Ref):
            step = self.steps[given.index]
            return self.of_step(step, next(positions) if step.shape is not None else None)
        if isinstance(given, tuple):
            return tuple(self.operand(item, positions) for item in given)
        if isinstance(given, list):
            return [self.operand(item, positions) for item in given]
        if isinstance(given, slice):
            return slice(*(self.operand(part, positions) for part in (given.start, given.stop, given.step)))
        return given

    def of_step(self, step: Step, position: int | None) -> Operand:
        """The value of a step as an operand."""
        value = step.value if isinstance(step.value, PLAIN) else None
        active = step.index in self.active
        return Operand(step.expr, step.shape or (), self.term(step), position, step, value, active)

    def term(self, step: Step) -> Term:
        """The value of `step` as a term: products and quotients are taken apart."""
        if step.index not in self.terms:
            self.terms[step.index] = self._taken_apart(step)
        return self.terms[step.index]

    def opaque(self, step: Step) -> Term:
        """The value of `step` as a term of one factor."""
        if step.shape is None and isinstance(step.expr, Number) and isinstance(step.value, int | float):
            return number_term(step.value)
        return factor_term(step.expr, step.shape or ())

    def _taken_apart(self, step: Step) -> Term:
        parts = _PRODUCTS.get(step.key)
        plain = self.apart and step.kind == "call" and not step.kwargs and "float" in (step.dtype or "")
        if parts is None or not plain or len(step.args) > 2:
            return self.opaque(step)
        return parts(self, *step.args) or self.opaque(step)

    def of(self, given: Any) -> Term:
        """The term of a raw argument of a step."""
        return self.term(self.steps[given.index]) if isinstance(given, Ref) else number_term(given)

    def _power(self, base: Any, exponent: Any) -> Term | None:
        whole = type(exponent) is int and 0 < abs(exponent) <= FLATTENED_POWER
        return self.of(base).power(exponent) if whole else None


_PRODUCTS: dict[str, Callable[..., Term | None]] = {
    "mul": lambda tape, left, right: tape.of(left).times(tape.of(right)),
    "div": lambda tape, left, right: tape.of(left).times(tape.of(right).power(-1)),
    "neg": lambda tape, operand: Term(-1).times(tape.of(operand)),
    "pow": Tape._power,
}


def operand(given: Any) -> Operand:
    """An argument as an operand, where it may be a Python number."""
    if isinstance(given, Operand):
        return given
    if isinstance(given, int | float):
        return Operand(literal(given), (), number_term(given), value=given)
    return Operand(literal(given), (), factor_term(literal(given), ()), value=given)


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
