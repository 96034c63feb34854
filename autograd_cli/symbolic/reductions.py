"""Rules of sums, means, norms and their kin: cotangents stretched back over what was reduced."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, prod
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr
from autograd_cli.symbolic.build import call as calling, literal, method, parsed
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.terms import ONE, Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions, masked, multiplied
from autograd_cli.symbolic.values import Value, as_dim, summed_along, with_dims


def dims_of(dim: Any, rank: int) -> tuple[int, ...]:
    """The dims that a `dim` argument names, counted from the left; None means all."""
    chosen = plain(dim)
    if chosen is None or chosen == ():
        return tuple(range(rank))
    listed = chosen if isinstance(chosen, tuple) else (chosen,)
    return tuple(sorted(d % rank for d in listed)) if rank else ()


def stretched(value: Value, x: Operand, dim: Any, keepdim: Any) -> Value:
    """A value of the result's shape, put back over the dims of `x` that were reduced."""
    dims = dims_of(dim, len(x.shape))
    if plain(keepdim) or not value.shape:
        return value.to(x.shape)
    return with_dims(value, dims, x.shape)


def count_of(x: Operand, dim: Any) -> int:
    """How many elements of `x` one element of the result is made of."""
    return prod(x.shape[d] for d in dims_of(dim, len(x.shape)))


def total(
    call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False, *, dtype: Any = None
) -> Contributions:
    """sum: the cotangent itself."""
    return [(x, stretched(g, x, dim, keepdim))]


def mean(
    call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False, *, dtype: Any = None
) -> Contributions:
    """mean: the cotangent over the number of elements."""
    count = count_of(x, dim)
    call.note(count, f"{count} is the number of elements that {call.name}() averages")
    share = g.times(Term(1, max(count, 1)), call.out.shape)
    return [(x, stretched(share, x, dim, keepdim))]


LARGEST = 1_000_000
"""Elements up to which the products of all elements but one are written out."""


def product(
    call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False, *, dtype: Any = None
) -> Contributions:
    """prod: the product of the other elements.

    prod(x)/x would be shorter, and 0/0 where an element is 0.
    """
    count = count_of(x, dim)
    if prod(x.shape) * count > LARGEST:
        raise NoRuleError(f"{call.name} of so many elements has no formula of reasonable cost")
    others = ONE if count == 1 else factor_term(_others(x, dims_of(dim, len(x.shape)), count), x.shape)
    return [(x, stretched(g, x, dim, keepdim).times(others, x.shape))]


def _others(x: Operand, dims: Sequence[int], count: int) -> Expr:
    """For each element the product of the others: 1 takes its place in one row of a square."""

    def rows(expr: Expr) -> Expr:
        return calling("where", Compare(("==",), (calling("eye", count), literal(1))), 1, expr)

    rank = len(x.shape)
    if rank == 1:
        return method(rows(x.expr), "prod", 1)
    if len(dims) == rank:
        return method(method(rows(method(x.expr, "flatten")), "prod", 1), "reshape", *x.shape)
    (dim,) = dims
    last = x.expr if dim == rank - 1 else method(x.expr, "movedim", dim, -1)
    made = method(rows(method(last, "unsqueeze", -2)), "prod", -1)
    return made if dim == rank - 1 else method(made, "movedim", -1, dim)


def logsumexp(call: Call, g: Value, x: Operand, dim: Any, keepdim: Any = False) -> Contributions:
    """logsumexp: softmax along the same dim."""
    chosen = plain(dim)
    if isinstance(chosen, tuple) and len(chosen) != 1:
        expr: Expr = calling("exp", Binary("-", x.expr, calling("logsumexp", x.expr, chosen, keepdim=True)))
    else:
        expr = calling("softmax", x.expr, chosen[0] if isinstance(chosen, tuple) else chosen)
    return [(x, stretched(g, x, dim, keepdim).times(factor_term(expr, x.shape), x.shape))]


def _centred(x: Operand, dim: Any) -> Term:
    """x - mean(x), along `dim`."""
    average = (
        calling("mean", x.expr) if plain(dim) is None else calling("mean", x.expr, plain(dim), keepdim=True)
    )
    return factor_term(Binary("-", x.expr, average), x.shape)


def _freedom(call: Call, x: Operand, dim: Any, unbiased: Any, correction: Any) -> tuple[Any, int]:
    """The dim that is meant and the divisor of a variance: n - 1 unless told."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = plain(correction)
    lost = (1 if less is None else less) if plain(unbiased) else 0
    left = count_of(x, dim) - lost
    if left <= 0:
        raise NoRuleError(f"{call.name} of so few elements is not a number")
    call.note(left, f"{left} is the number of elements of {call.name}() less {lost}")
    return dim, left


def variance(
    call: Call,
    g: Value,
    x: Operand,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: Any = False,
    *,
    correction: Any = 1,
) -> Contributions:
    """var: 2/(n - 1) * (x - mean(x))."""
    dim, left = _freedom(call, x, dim, unbiased, correction)
    local = Term(2, left).times(_centred(x, dim))
    return [(x, stretched(g, x, dim, keepdim).times(local, x.shape))]


def deviation(
    call: Call,
    g: Value,
    x: Operand,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: Any = False,
    *,
    correction: Any = 1,
) -> Contributions:
    """std: (x - mean(x))/((n - 1)*std(x))."""
    dim, left = _freedom(call, x, dim, unbiased, correction)
    share = g.times(call.out.term.power(-1), call.out.shape)
    local = Term(1, left).times(_centred(x, dim))
    return [(x, stretched(share, x, dim, keepdim).times(local, x.shape))]


def norm(
    call: Call, g: Value, x: Operand, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> Contributions:
    """norm, vector_norm: x/norm(x), sign(x) for p = 1, and the like for other p."""
    order = plain(p)
    if order in (None, "fro", 2):
        share = _over(g, call.out.term, call.out.shape)
        return [(x, stretched(share, x, dim, keepdim).times(x.term, x.shape))]
    if order == 1:
        return [(x, multiplied(stretched(g, x, dim, keepdim), parsed("sign(x)"), {"x": x}, x.shape))]
    if order == 0:
        return [(x, Value((), x.shape))]
    if order in (inf, -inf):
        return [(x, _largest(call, g, x, dim, keepdim))]
    if not isinstance(order, int | float):
        raise NoRuleError(f"{call.name} with p = {order} has no derivative rule yet")
    made = _power_norm(call, g, x, order, stretched_by=(dim, keepdim))
    if order > 1:
        return [(x, made)]
    zero = factor_term(Compare(("==",), (x.expr, literal(0))), x.shape)
    return [(x, masked(zero, made, keep=False))]


def _over(g: Value, size: Term, shape: Shape) -> Value:
    """The cotangent over a norm, taken from its power where it has one: 2*x is what norm(x)**2 passes."""
    (factor,) = size.factors
    known = next((f for t in g.terms[:1] for f in t.factors if f.same == (factor.text, True)), None)
    if known is None or len(g.terms) > 1:
        return g.times(size.power(-1), shape)
    (term,) = g.terms
    kept = [replace(f, power=f.power - 1) if f is known else f for f in term.factors]
    return Value((replace(term, factors=tuple(f for f in kept if f.power)),), shape)


def _largest(call: Call, g: Value, x: Operand, dim: Any, keepdim: Any) -> Value:
    """Of the largest or smallest size: the signs of the elements that have it, shared among these."""
    sized = Operand(calling("abs", x.expr), x.shape, factor_term(calling("abs", x.expr), x.shape))
    ((_, shared),) = extreme(call, g, sized, dim, keepdim)
    return shared.times(factor_term(calling("sign", x.expr), x.shape), x.shape)


def _power_norm(call: Call, g: Value, x: Operand, order: float, stretched_by: tuple[Any, Any]) -> Value:
    """sign(x)*|x|**(p - 1) / norm**(p - 1), after torch's derivatives.yaml."""
    less = literal(order - 1)
    below = factor_term(Binary("**", call.out.expr, less), call.out.shape).power(-1)
    share = stretched(g.times(below, call.out.shape), x, *stretched_by)
    size = factor_term(Binary("**", calling("abs", x.expr), less), x.shape)
    return share.times(factor_term(calling("sign", x.expr), x.shape).times(size), x.shape)


def linalg_norm(
    call: Call,
    g: Value,
    x: Operand,
    ord: Any = None,
    dim: Any = None,
    keepdim: Any = False,
    *,
    dtype: Any = None,
) -> Contributions:
    """linalg.norm: as `norm` for vectors and for the Frobenius norm of matrices."""
    of_matrix = len(dims_of(dim, len(x.shape))) == 2
    if of_matrix and plain(ord) not in (None, "fro"):
        raise NoRuleError(f"{call.name} of a matrix with ord = {plain(ord)} has no derivative rule yet")
    return norm(call, g, x, ord, dim, keepdim)


def matrix_norm(
    call: Call,
    g: Value,
    x: Operand,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: Any = False,
    *,
    dtype: Any = None,
) -> Contributions:
    """linalg.matrix_norm: the Frobenius norm, as a vector's."""
    return linalg_norm(call, g, x, ord, dim, keepdim)


def extreme(call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False) -> Contributions:
    """amax, amin, and max, min of all: shared by the elements that are equal to the result."""
    if isinstance(dim, Operand) and dim.position is not None:
        raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
    best = stretched(Value((call.out.term,), call.out.shape), x, dim, keepdim).single()
    ties = Compare(("==",), (x.expr, best.written()))
    condition = factor_term(ties, x.shape)
    listed = dims_of(dim, len(x.shape))
    everything = len(listed) == len(x.shape)
    count = method(ties, "sum") if everything else method(ties, "sum", as_dim(listed), keepdim=True)
    shape: Shape = () if everything else tuple(1 if d in listed else n for d, n in enumerate(x.shape))
    inside = masked(condition, stretched(g, x, dim, keepdim), keep=True)
    return [(x, inside.times(factor_term(count, shape).power(-1), x.shape))]


def softmax(call: Call, g: Value, x: Operand, dim: Any, dtype: Any = None) -> Contributions:
    """softmax: s*(g - (g*s).sum()), s being the result."""
    return [(x, _centred_by(g, call.out.term, x, dim))]


def softmin(call: Call, g: Value, x: Operand, dim: Any, *, dtype: Any = None) -> Contributions:
    """softmin: minus what softmax passes."""
    return [(x, _centred_by(g, call.out.term, x, dim).times(Term(-1), x.shape))]


def _centred_by(g: Value, result: Term, x: Operand, dim: Any) -> Value:
    along = summed_along(g.times(result, x.shape), dims_of(dim, len(x.shape)))
    return g.plus(along.times(Term(-1), x.shape)).times(result, x.shape)


def log_softmax(call: Call, g: Value, x: Operand, dim: Any, dtype: Any = None) -> Contributions:
    """log_softmax: g - softmax(x)*g.sum()."""
    shares = factor_term(calling("softmax", x.expr, plain(dim)), x.shape)
    return [(x, g.plus(summed_along(g, dims_of(dim, len(x.shape))).times(Term(-1).times(shares), x.shape)))]
