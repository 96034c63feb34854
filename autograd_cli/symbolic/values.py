"""Values: sums of terms that broadcast to a shape, which is how cotangents are kept.

A cotangent of shape (10, 1) may be the single term 1/10: it is written out in full only
where a formula needs that, in a matrix product or at the end.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from autograd_cli.lang.nodes import Binary, Expr, Number
from autograd_cli.lang.swift import swift
from autograd_cli.report.values import shape_text
from autograd_cli.symbolic.branches import chosen
from autograd_cli.symbolic.build import call, method
from autograd_cli.symbolic.terms import (
    ONE,
    Shape,
    Term,
    added,
    broadcast,
    factor_term,
    multiplied,
    reduced_fraction,
)


@swift
@dataclass(frozen=True)
class Value:
    """The sum of `terms`, stretched to `shape`; no terms are 0."""

    terms: tuple[Term, ...]
    shape: Shape

    @property
    def natural(self) -> Shape:
        """The shape that the sum has as it is written."""
        return broadcast(*(t.shape for t in self.terms))

    @property
    def is_zero(self) -> bool:
        """Whether nothing was added up."""
        return not self.terms

    def plus(self, other: "Value") -> "Value":
        """The sum, with the terms of `self` written first and like terms joined."""
        terms = reduce(_gathered, other.terms, self.terms)
        return Value(tuple(t for t in terms if not (t.is_number and t.top == 0)), self.shape)

    def single(self) -> Term:
        """The value as one term: a sum becomes one factor. Not for zero."""
        if len(self.terms) == 1:
            return self.terms[0]
        common, rest = _common(self.terms)
        rest = chosen(rest)
        if len(rest) == 1:
            return common.times(rest[0])
        return common.times(factor_term(written_sum(rest), self.natural))

    def times(self, local: Term, shape: Shape) -> "Value":
        """The value times a local factor, which is written first; of shape `shape`."""
        return Value(() if self.is_zero else (local.times(self.single()),), shape)

    def to(self, shape: Shape) -> "Value":
        """The same terms, stretched to another shape."""
        return Value(self.terms, shape)

    def written(self) -> Expr:
        """The sum as an expression of the natural shape."""
        return self.single().written() if self.terms else Number(0)


def _gathered(terms: tuple[Term, ...], new: Term) -> tuple[Term, ...]:
    """`terms` plus `new`, joined with the term like it where that changes no value.

    2*f - f is not f where f is infinite, so factors are joined only under one sign.
    """
    for i, old in enumerate(terms):
        if old.like() == new.like() and (old.is_number or old.top * new.top > 0):
            fraction = _sum_of_fractions(old, new)
            if fraction is not None:
                return (*terms[:i], Term(*fraction, old.factors), *terms[i + 1 :])
    return (*terms, new)


def _sum_of_fractions(a: Term, b: Term) -> tuple[float, float] | None:
    if a.bottom == b.bottom:
        return reduced_fraction(added(a.top, b.top), a.bottom)
    parts = (a.top, a.bottom, b.top, b.bottom)
    if not all(isinstance(part, int) for part in parts):
        return None
    top = added(multiplied(a.top, b.bottom), multiplied(b.top, a.bottom))
    return reduced_fraction(top, multiplied(a.bottom, b.bottom))


def _common(terms: Sequence[Term]) -> tuple[Term, tuple[Term, ...]]:
    """The fraction that all terms share, and the terms without it; 1 where they share none."""
    first = terms[0]
    if first.bottom == 1 or any(t.bottom != first.bottom for t in terms):
        return ONE, tuple(terms)
    if first.top != 0 and all(abs(t.top) == abs(first.top) for t in terms):
        shared = Term(abs(first.top), first.bottom)
        return shared, tuple(Term(1 if t.top > 0 else -1, 1, t.factors) for t in terms)
    return Term(1, first.bottom), tuple(Term(t.top, 1, t.factors) for t in terms)


def written_sum(terms: Iterable[Term]) -> Expr:
    """`a + b - c`, beginning with a term that has no minus sign where there is one."""
    ordered = list(terms)
    first = next((i for i, term in enumerate(ordered) if term.top >= 0), 0)
    ordered.insert(0, ordered.pop(first))
    made = ordered[0].written()
    for term in ordered[1:]:
        if term.top < 0:
            made = Binary("-", made, Term(-term.top, term.bottom, term.factors).written())
        else:
            made = Binary("+", made, term.written())
    return made


def reduced(value: Value, to: Shape) -> Value:
    """The sum of `value` over what broadcasting stretched, for an operand of shape `to`.

    Where the terms do not vary along a dimension, its size is multiplied in instead.
    """
    if value.shape == to or value.is_zero:
        return value.to(to)
    plans = [_Reduction(term.shape, value.shape, to) for term in value.terms]
    if any(plan.leaves or plan.keeps for plan in plans):
        term, plan = value.single(), _Reduction(value.natural, value.shape, to)
        return Value((plan.of(term),), to)
    return Value(tuple(t.times(Term(p.size)) for t, p in zip(value.terms, plans, strict=True)), to)


def summed_along(value: Value, dims: Sequence[int]) -> Value:
    """The sum along `dims`, stretched again over the value's shape."""
    whole = len(dims) == len(value.shape)
    kept = () if whole else tuple(1 if d in dims else n for d, n in enumerate(value.shape))
    return reduced(value, kept).to(value.shape)


class _Reduction:
    """How a term of shape `natural`, stretched to `full`, is summed to shape `to`.

    `leaves` and `keeps` are the dims of the term to sum away and to sum to size 1;
    `size` is the product of those along which it does not vary.
    """

    def __init__(self, natural: Shape, full: Shape, to: Shape) -> None:
        self.natural = natural
        lead, missing = len(full) - len(to), len(full) - len(natural)
        gone = range(lead)
        stretched = [d for d in range(lead, len(full)) if to[d - lead] == 1 != full[d]]
        varies = [d for d in (*gone, *stretched) if d >= missing and natural[d - missing] != 1]
        self.size = prod(full[d] for d in (*gone, *stretched) if d not in varies)
        self.leaves = [d - missing for d in gone if d >= missing]
        self.keeps = [d - missing for d in stretched if d in varies]

    def of(self, term: Term) -> Term:
        """`term` summed."""
        outside = term.coefficient.times(Term(self.size))
        if not (self.leaves or self.keeps):
            return term.body.times(outside)
        expr, shape = self._summed(term.body.written())
        return outside.times(factor_term(expr, shape, f"{shape_text(self.natural)} summed"))

    def _summed(self, expr: Expr) -> tuple[Expr, Shape]:
        """The sum and its shape: `.sum(0)`, `.sum(1, keepdim=True)`, or `.sum()` of all."""
        touched = {*self.leaves, *self.keeps}
        everything = all(d in touched or n == 1 for d, n in enumerate(self.natural))
        if (everything and self.leaves and self.keeps) or len(self.leaves) == len(self.natural):
            return method(expr, "sum"), ()
        if self.leaves:
            expr = method(expr, "sum", as_dim(self.leaves))
        if self.keeps:
            expr = method(expr, "sum", as_dim(d - len(self.leaves) for d in self.keeps), keepdim=True)
        kept = (1 if d in self.keeps else n for d, n in enumerate(self.natural))
        return expr, tuple(kept)[len(self.leaves) :]


def as_dim(dims: Iterable[int]) -> int | tuple[int, ...]:
    """Dims as they are written: one alone, or a tuple of several."""
    chosen = tuple(dims)
    return chosen[0] if len(chosen) == 1 else chosen


def with_dims(value: Value, dims: Sequence[int], full: Shape) -> Value:
    """A value from which `dims` of `full` were reduced away, put back to be stretched."""
    if value.is_zero:
        return value.to(full)
    kept = [d for d in range(len(full)) if d not in dims]
    natural = value.natural
    first = kept[len(kept) - len(natural)] if natural else len(full)
    inside = [d for d in sorted(dims) if d > first]
    if not inside:
        return value.to(full)
    shape = tuple(1 if d in inside else natural[kept.index(d) - len(kept)] for d in range(first, len(full)))
    places = [dim - first for dim in inside]
    return renamed(value, lambda e: reduce(lambda a, d: method(a, "unsqueeze", d), places, e), shape, full)


def split(value: Value) -> tuple[Term, Expr]:
    """A scalar term and an expression of the value's full shape, whose product it is."""
    term = value.single()
    scalars = Term(term.top, term.bottom, tuple(f for f in term.factors if f.shape == ()))
    rest = Term(factors=tuple(f for f in term.factors if f.shape != ()))
    if rest.is_number:
        return scalars, call("ones", *(value.shape or ((),)))
    expr = rest.written()
    return scalars, expr if rest.shape == value.shape else method(expr, "expand", *value.shape)


def like(value: Value, operand: Expr) -> tuple[Expr, str]:
    """The value written with exactly its shape, which is that of `operand`, and its origin."""
    if value.is_zero:
        return (call("zeros_like", operand) if value.shape else Number(0)), ""
    term = value.single()
    if value.shape == term.shape:
        return term.written(), _origin(term)
    if term.is_number:
        return _filled(term, operand), ""
    if term.shape == ():
        return term.times(factor_term(call("ones_like", operand), value.shape)).written(), ""
    return method(term.written(), "expand_as", operand), ""


def _filled(term: Term, operand: Expr) -> Expr:
    if term == ONE:
        return call("ones_like", operand)
    return call("full_like", operand, term.written())


def _origin(term: Term) -> str:
    shaped = [f for f in term.factors if f.shape != ()]
    if len(shaped) == 1 and shaped[0].power == 1 and shaped[0].origin:
        return f"{shape_text(term.shape)} = {shaped[0].origin}"
    return ""


def scaled(outside: Term, expr: Expr, shape: Shape, origin: str = "") -> Value:
    """The value `outside * expr`, where `expr` has the full shape."""
    return Value((outside.times(factor_term(expr, shape, origin)),), shape)


def full(value: Value) -> tuple[Term, Expr]:
    """A fraction and an expression of the value's full shape, whose product it is.

    Other than `split`, it leaves scalars inside: beside an element that a rule sets to 0
    an infinite scalar has no business.
    """
    term = value.single()
    body = term.body
    if body.is_number or (body.shape == () != value.shape):
        ones = factor_term(call("ones", *(value.shape or ((),))), value.shape)
        return term.coefficient, body.times(ones).written()
    expr = body.written()
    return term.coefficient, expr if body.shape == value.shape else method(expr, "expand", *value.shape)


def placed(value: Value, move: Callable[[Expr], Expr], shape: Shape) -> Value:
    """The value written out in full, scalars and all, and moved by `move` into zeros."""
    outside, expr = full(value)
    return scaled(outside, move(expr), shape)


def mapped(value: Value, move: Callable[[Expr], Expr], shape: Shape) -> Value:
    """The value written out in full and moved by `move`, with its scalars before it."""
    scalars, expr = split(value)
    return scaled(scalars, move(expr), shape)


def renamed(value: Value, move: Callable[[Expr], Expr], natural: Shape, shape: Shape) -> Value:
    """The value moved as it is written, not stretched: its natural shape becomes `natural`."""
    term = value.single()
    return Value((term.coefficient.times(factor_term(move(term.body.written()), natural)),), shape)
