"""Terms: a fraction times factors with whole powers, the form in which products are kept.

A product is the same in any order, bit for bit but for rounding, overflow and underflow:
it is NaN where a factor is NaN or where 0 meets infinity. So factors may be put in
order and powers of the same sign joined. A factor never cancels against its inverse,
and 0 times a factor stays written.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, reduce
from math import isfinite

from autograd_cli.lang.nodes import Attribute, Binary, Call as CallExpr, Expr, Name, Number, Subscript, Unary
from autograd_cli.lang.swift import swift
from autograd_cli.symbolic.build import number
from autograd_cli.symbolic.unparse import unparse

Shape = tuple[int, ...]
Real = int | float


def broadcast(*shapes: Shape) -> Shape:
    """The shape that `shapes` are stretched to together; they are known to fit."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(next((n for n in sizes if n != 1), 1) for sizes in zip(*padded, strict=True))


@swift
@dataclass(frozen=True)
class Factor:
    """`expr ** power`, of `shape`, or anything that broadcasts; Python's numbers are ().

    `origin` says how a matrix product or a sum got its shape: "(3,10) @ (10,1)".
    """

    expr: Expr
    shape: Shape
    power: int = 1
    origin: str = ""

    @cached_property
    def text(self) -> str:
        """What the factor is known by: equal texts have equal values."""
        return unparse(self.expr)

    @property
    def same(self) -> tuple[str, bool]:
        """Factors that agree in this can be joined by adding their powers."""
        return self.text, self.power > 0

    def raised(self, by: int) -> "Factor":
        """The factor with its power multiplied by `by`."""
        return Factor(self.expr, self.shape, self.power * by, self.origin)

    def written(self) -> Expr:
        """The factor with its power, taken as positive: `x`, `x**2`."""
        power = abs(self.power)
        return self.expr if power == 1 else Binary("**", self.expr, Number(power))


@swift
@dataclass(frozen=True)
class Term:
    """`top/bottom` times the factors. The bottom is positive, and 1 where it divides the top."""

    top: Real = 1
    bottom: Real = 1
    factors: tuple[Factor, ...] = ()

    @property
    def shape(self) -> Shape:
        """The shape of the value, which may still be stretched."""
        return broadcast(*(f.shape for f in self.factors))

    @property
    def is_number(self) -> bool:
        """Whether the term is a fraction and nothing else."""
        return not self.factors

    @property
    def coefficient(self) -> "Term":
        """The fraction alone."""
        return Term(self.top, self.bottom)

    @property
    def body(self) -> "Term":
        """The factors alone."""
        return Term(factors=self.factors)

    def like(self) -> frozenset[tuple[str, int]]:
        """What two terms have in common when they differ in the fraction only."""
        return frozenset((f.text, f.power) for f in self.factors)

    def times(self, other: "Term") -> "Term":
        """The product, with the factors of `self` written first."""
        made = _fraction(self.top, self.bottom, other.top, other.bottom)
        joined = _joined(self.factors, other.factors)
        if made is None:
            spilled = Term(other.top, other.bottom).written()
            return Term(self.top, self.bottom, (Factor(spilled, ()), *joined))
        return Term(*made, joined)

    def power(self, exponent: int) -> "Term":
        """The term raised to a whole number that is not 0."""
        made = Term(factors=tuple(f.raised(exponent) for f in self.factors))
        if (self.top, self.bottom) == (1, 1):
            return made
        once = Term(self.top, self.bottom) if exponent > 0 else _quotient(self.bottom, self.top)
        return reduce(Term.times, [once] * abs(exponent), made)

    def written(self) -> Expr:
        """The term as an expression: sign and number, then names, calls and sums."""
        above = sorted((f for f in self.factors if f.power > 0), key=_rank)
        below = [f.written() for f in sorted((f for f in self.factors if f.power < 0), key=_rank)]
        product = _matrix_product(above)
        if product is not None:
            outside = Term(self.top, self.bottom if not below else 1, tuple(above[:-1]))
            return _over(_scaled(product, outside), below, self.bottom)
        parts = [f.written() for f in above]
        if below:
            return _over(_product(_signed(self.top, 1, parts)), below, self.bottom)
        return _product(_signed(self.top, self.bottom, parts))

    def times_expr(self, right: Expr) -> Expr:
        """The term written before `right`: `2/10*s*X.T`."""
        parts = [*(f.written() for f in self.factors), right]
        return _product(_signed(self.top, self.bottom, parts))


ONE = Term()


def number_term(value: Real) -> Term:
    """A number of the source as a term; what is not finite stays a factor."""
    if is_finite(value):
        return Term(int(value) if isinstance(value, bool) else value)
    return Term(factors=(Factor(number(value), ()),))


def factor_term(expr: Expr, shape: Shape, origin: str = "") -> Term:
    """An expression that is not looked into, as a term."""
    return Term(factors=(Factor(expr, shape, 1, origin),))


def _quotient(top: Real, bottom: Real) -> Term:
    """`top/bottom`; a division by 0 stays written."""
    if bottom == 0:
        return Term(top, 1, (Factor(Number(bottom), (), -1),))
    return Term(top, bottom) if bottom > 0 else Term(-top, -bottom)


def _fraction(top: Real, bottom: Real, other_top: Real, other_bottom: Real) -> tuple[Real, Real] | None:
    """The product of two fractions; None where a float would overflow or vanish."""
    above, below = multiplied(top, other_top), multiplied(bottom, other_bottom)
    lost = above == 0 and top != 0 and other_top != 0
    if lost or not (is_finite(above) and is_finite(below)) or below == 0:
        return None
    return reduced_fraction(above, below)


def reduced_fraction(top: Real, bottom: Real) -> tuple[Real, Real]:
    """The fraction with bottom 1 where the bottom divides the top, else as it is."""
    if isinstance(top, int) and isinstance(bottom, int) and top % bottom == 0:
        return top // bottom, 1
    return top, bottom


def is_finite(value: Real) -> bool:
    """Whether a number is finite; whole numbers of any size are."""
    return isinstance(value, int) or isfinite(value)


def multiplied(a: Real, b: Real) -> Real:
    """The product as it is done on paper, so that 0.1 times 3 is 0.3."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return float(Decimal(repr(a)) * Decimal(repr(b)))


def added(a: Real, b: Real) -> Real:
    """The sum as it is done on paper."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return float(Decimal(repr(a)) + Decimal(repr(b)))


def _joined(first: tuple[Factor, ...], second: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """All factors, with the powers of those that stand in both added up."""
    if not first or not second:
        return first or second
    made = {factor.same: factor for factor in first}
    for new in second:
        old = made.get(new.same)
        made[new.same] = Factor(old.expr, old.shape, old.power + new.power) if old else new
    return tuple(made.values())


def _rank(factor: Factor) -> tuple[int, bool]:
    """Numbers and names first, then calls, sums, matrix products; of each kind scalars first."""
    expr, stretches = factor.expr, factor.shape != ()
    if isinstance(expr, Name | Number):
        return 0, stretches
    if isinstance(expr, CallExpr | Attribute | Subscript):
        return 1, stretches
    return 3 if isinstance(expr, Binary) and expr.op == "@" else 2, stretches


def _matrix_product(above: Iterable[Factor]) -> Binary | None:
    """The last factor if it is `A @ B` and all before it are scalars, which may scale A."""
    *scalars, last = above or (None,)
    if last is None or last.power != 1 or not (isinstance(last.expr, Binary) and last.expr.op == "@"):
        return None
    return last.expr if all(s is not None and s.shape == () for s in scalars) else None


def _scaled(product: Binary, outside: Term) -> Binary:
    """`A @ B @ C` with scalars before A."""
    left = product.left
    if isinstance(left, Binary) and left.op == "@":
        return replace(product, left=_scaled(left, outside))
    return replace(product, left=outside.times_expr(left))


def _signed(top: Real, bottom: Real, parts: list[Expr]) -> list[Expr]:
    """The parts with the fraction before them; a lone minus sign goes to the first part."""
    if bottom == 1 and top == 1:
        return parts or [Number(1)]
    if bottom == 1 and top == -1 and parts:
        return [Unary("-", parts[0]), *parts[1:]]
    head = number(top)
    return [head if bottom == 1 else Binary("/", head, Number(bottom)), *parts]


def _over(above: Expr, below: list[Expr], bottom: Real) -> Expr:
    """`above/below`, the number first in the denominator."""
    if not below:
        return above
    return Binary("/", above, _product(below if bottom == 1 else [Number(bottom), *below]))


def _product(parts: Iterable[Expr]) -> Expr:
    return reduce(lambda left, right: Binary("*", left, right), parts)
