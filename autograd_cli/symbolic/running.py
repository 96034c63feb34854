"""Rules of running sums and products, differences, areas and covariances."""

from collections.abc import Callable
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr, Unary
from autograd_cli.symbolic.build import call as calling, literal, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.reductions import LARGEST, count_of, norm, stretched
from autograd_cli.symbolic.terms import Term, broadcast, factor_term
from autograd_cli.symbolic.texts import Contributions, masked
from autograd_cli.symbolic.values import Value, mapped, placed, split

Rule = Callable[..., Contributions]


def summed_back(value: Value, dim: int) -> Value:
    """The running sum along `dim` from the other end."""

    def back(expr: Expr) -> Expr:
        return method(method(method(expr, "flip", dim), "cumsum", dim), "flip", dim)

    return mapped(value, back, value.shape)


def cumulative_sum(call: Call, g: Value, x: Operand, dim: Any, *, dtype: Any = None) -> Contributions:
    """cumsum: the running sum from the other end."""
    return [(x, g if not x.shape else summed_back(g, plain(dim)))]


def cumulative_product(call: Call, g: Value, x: Operand, dim: Any, *, dtype: Any = None) -> Contributions:
    """cumprod: the running products of the elements without each one, in rows, times the cotangent.

    What divides by x would be shorter, and 0/0 where an element is 0.
    """
    if not x.shape:
        return [(x, g)]
    axis, rank = plain(dim) % len(x.shape), len(x.shape)
    count = x.shape[axis]
    if count * count_of(x, None) > LARGEST:
        raise NoRuleError(f"{call.name} of so many elements has no formula of reasonable cost")
    last = axis == rank - 1

    def turned(expr: Expr) -> Expr:
        return expr if last else method(expr, "movedim", axis, -1)

    row = turned(x.expr) if rank == 1 else method(turned(x.expr), "unsqueeze", -2)
    kept = calling("where", Compare(("==",), (calling("eye", count), literal(1))), 1, row)
    products = method(method(kept, "cumprod", -1), "triu")

    def back(expr: Expr) -> Expr:
        given = turned(expr) if rank == 1 else method(turned(expr), "unsqueeze", -2)
        summed = method(Binary("*", products, given), "sum", -1)
        return summed if last else method(summed, "movedim", -1, axis)

    return [(x, placed(g, back, x.shape))]


def cumulative_logsumexp(call: Call, g: Value, x: Operand, dim: Any) -> Contributions:
    """logcumsumexp: the running sum of G*exp(x - out) from the other end.

    It is made of logarithms, as torch makes it, since exp(x) alone may overflow: those of G where
    it is positive, and of -G where it is negative.
    """
    if not x.shape:
        return [(x, g)]
    axis = plain(dim)

    def back(logarithms: Expr) -> Expr:
        flipped = method(method(method(logarithms, "flip", axis), "logcumsumexp", axis), "flip", axis)
        return calling("exp", Binary("+", x.expr, flipped))

    def part(expr: Expr) -> Expr:
        return back(Binary("-", calling("log", calling("clamp_min", expr, 0)), call.out.expr))

    if g.natural == ():
        ones = factor_term(back(Unary("-", call.out.expr)), x.shape)
        return [(x, g.times(ones, x.shape))]
    return [(x, mapped(g, lambda e: Binary("-", part(e), part(Unary("-", e))), x.shape))]


def nansum(
    call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False, *, dtype: Any = None
) -> Contributions:
    """nansum: times 0 where an element is NaN."""
    back, nan = stretched(g, x, dim, keepdim), calling("isnan", x.expr)
    if back.terms and back.single().is_number:
        return [(x, masked(factor_term(nan, x.shape), back, keep=False))]
    return [(x, back.times(factor_term(Unary("~", nan), x.shape), x.shape))]


def nanmean(
    call: Call, g: Value, x: Operand, dim: Any = None, keepdim: Any = False, *, dtype: Any = None
) -> Contributions:
    """nanmean: over the number of elements that are not NaN, and 0 at the others."""
    good, kept = Unary("~", calling("isnan", x.expr)), plain(keepdim)
    over = () if plain(dim) is None else (plain(dim),)
    count = method(good, "sum", *over, keepdim=True) if kept and over else method(good, "sum", *over)
    share = g.times(factor_term(count, call.out.shape).power(-1), call.out.shape)
    return nansum(call, share, x, dim, keepdim)


def diff(
    call: Call, g: Value, x: Operand, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None
) -> Contributions:
    """diff: minus the difference of the cotangent between zeros, once for each difference taken."""
    if prepend is not None or append is not None:
        raise NoRuleError("diff with what stands before or after has no derivative rule yet")
    times, axis = plain(n), plain(dim) % len(x.shape)
    border = (0, 0) * (len(x.shape) - 1 - axis) + (times, times)
    rest = () if (times, axis) == (1, len(x.shape) - 1) else (times, axis)
    scalars, expr = split(g)
    back = method(calling("F.pad", expr, border), "diff", *rest)
    return [(x, Value((Term((-1) ** times).times(scalars).times(factor_term(back, x.shape)),), x.shape))]


def trapezoid(
    call: Call, g: Value, y: Operand, x: Any = None, *, dx: Any = None, dim: Any = -1
) -> Contributions:
    """trapezoid: the weights of the points, which are the areas under each one alone."""
    if isinstance(x, Operand) and (x.active or len(x.shape) != 1):
        raise NoRuleError(f"{call.name} has no derivative rule by its points")
    axis, rank = plain(dim) % len(y.shape), len(y.shape)
    given = (x.expr,) if isinstance(x, Operand) else ()
    named = {} if dx is None else {"dx": dx.expr if isinstance(dx, Operand) else dx}
    weights = calling("trapezoid", calling("eye", y.shape[axis]), *given, **named)
    after = rank - 1 - axis
    shape = (y.shape[axis], *([1] * after))
    upright = method(weights, "reshape", -1, *([1] * after)) if after else weights
    return [(y, stretched(g, y, dim, False).times(factor_term(upright, shape), y.shape))]


def covariance(
    call: Call,
    g: Value,
    x: Operand,
    *,
    correction: Any = 1,
    fweights: Any = None,
    aweights: Any = None,
) -> Contributions:
    """cov of variables in rows: (G + G.T) @ (X - mean)/(n - 1)."""
    if fweights is not None or aweights is not None or len(x.shape) != 2:
        raise NoRuleError("cov of a vector, or with weights, has no derivative rule yet")
    left = x.shape[1] - plain(correction)
    if left <= 0:
        raise NoRuleError(f"{call.name} of so few elements is not a number")
    scalars, expr = split(g)
    both = Binary("+", expr, method(expr, "t"))
    centred = Binary("-", x.expr, calling("mean", x.expr, 1, keepdim=True))
    made = factor_term(Binary("@", both, centred), x.shape)
    return [(x, Value((Term(1, left).times(scalars).times(made),), x.shape))]


def distance(call: Call, g: Value, x: Operand, y: Operand, p: Any = 2) -> Contributions:
    """dist: as the norm of x - y."""
    difference = Binary("-", x.expr, y.expr)
    shape = broadcast(x.shape, y.shape)
    apart = Operand(difference, shape, factor_term(difference, shape))
    ((_, value),) = norm(call, g, apart, p)
    return [(x, value), (y, value.times(Term(-1), shape))]


RULES: dict[str, Rule] = {
    "cumsum": cumulative_sum,
    "cumprod": cumulative_product,
    "logcumsumexp": cumulative_logsumexp,
    "nansum": nansum,
    "nanmean": nanmean,
    "diff": diff,
    "trapezoid": trapezoid,
    "cov": covariance,
    "dist": distance,
}
