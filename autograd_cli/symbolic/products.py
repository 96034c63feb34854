"""Rules of the matrix products, in all their ranks."""

from typing import Any

from autograd_cli.lang.nodes import Attribute, Binary, Expr
from autograd_cli.report.values import shape_text
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, operand
from autograd_cli.symbolic.terms import Shape, Term, broadcast, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped, reduced, renamed, split


def turned(expr: Expr, rank: int) -> Expr:
    """The transpose as it is written: `X.T`, `X.mT` for a stack of matrices, X for `X.T`."""
    name = "T" if rank == 2 else "mT"
    if isinstance(expr, Attribute) and expr.name == name:
        return expr.value
    return Attribute(expr, name)


def chain(left: Expr, left_shape: Shape, right: Expr, right_shape: Shape) -> Term:
    """`left @ right` as a term that says which shapes met."""
    stack = broadcast(left_shape[:-2], right_shape[:-2])
    rows = (left_shape[-2],) if len(left_shape) > 1 else ()
    columns = (right_shape[-1],) if len(right_shape) > 1 else ()
    origin = f"{shape_text(left_shape)} @ {shape_text(right_shape)}"
    return factor_term(Binary("@", left, right), (*stack, *rows, *columns), origin)


def matmul(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """matmul and what it does for one pair of ranks: mm, mv, dot, bmm."""
    rule = _BY_RANK.get((min(len(a.shape), 3), min(len(b.shape), 3)), _stacked)
    return [(target, value) for target, value in rule(g, a, b) if target.active]


def _dot(g: Value, a: Operand, b: Operand) -> Contributions:
    """(n) @ (n) -> (): the other vector."""
    return [(a, g.times(b.term, a.shape)), (b, g.times(a.term, b.shape))]


def _matrix_vector(g: Value, a: Operand, v: Operand) -> Contributions:
    """(m, n) @ (n) -> (m): outer(g, v) and A.T @ g."""
    return [(a, _outer(g, v)), (v, _onto(g, a, 0, v.shape))]


def _vector_matrix(g: Value, v: Operand, b: Operand) -> Contributions:
    """(n) @ (n, k) -> (k): B @ g and outer(v, g)."""
    if g.natural == ():
        by_matrix = g.times(_column(v), b.shape)
    else:
        by_matrix = mapped(g, lambda expr: calling("outer", v.expr, expr), b.shape)
    return [(v, _onto(g, b, 1, v.shape)), (b, by_matrix)]


def _outer(g: Value, v: Operand) -> Value:
    """outer(g, v); v alone, to be stretched, where g does not vary."""
    shape = (*g.shape, *v.shape)
    if g.natural == ():
        return g.times(v.term, shape)
    return mapped(g, lambda expr: calling("outer", expr, v.expr), shape)


def _column(v: Operand) -> Term:
    """A vector stood upright."""
    return factor_term(method(v.expr, "unsqueeze", -1), (*v.shape, 1))


def _onto(g: Value, matrix: Operand, dim: int, shape: Shape) -> Value:
    """A.T @ g (dim 0) or A @ g (dim 1); a sum of A where g does not vary."""
    if g.natural == ():
        summed = factor_term(method(matrix.expr, "sum", dim), shape, f"{shape_text(matrix.shape)} summed")
        return g.times(summed, shape)
    scalars, expr = split(g)
    left, left_shape = (matrix.expr, matrix.shape) if dim else (turned(matrix.expr, 2), matrix.shape[::-1])
    return Value((scalars.times(chain(left, left_shape, expr, g.shape)),), shape)


def _matrices(g: Value, a: Operand, b: Operand) -> Contributions:
    """(…, m, n) @ (…, n, k): G @ B.T and A.T @ G, summed over a stack that was stretched."""
    return [(a, _times_right(g, b)), (b, _left_times(a, g))]


def _times_right(g: Value, b: Operand) -> Value:
    """G @ B.T."""
    turned_shape = (*b.shape[:-2], b.shape[-1], b.shape[-2])
    other = turned(b.expr, len(b.shape))
    shape = (*g.shape[:-1], b.shape[-2])
    if g.natural == () and g.shape[-1] == 1:
        return g.times(factor_term(other, turned_shape), shape)
    scalars, expr = split(g)
    return Value((scalars.times(chain(expr, g.shape, other, turned_shape)),), shape)


def _left_times(a: Operand, g: Value) -> Value:
    """A.T @ G."""
    turned_shape = (*a.shape[:-2], a.shape[-1], a.shape[-2])
    other = turned(a.expr, len(a.shape))
    shape = (*g.shape[:-2], a.shape[-1], g.shape[-1])
    if g.natural == () and g.shape[-2] == 1:
        return g.times(factor_term(other, turned_shape), shape)
    scalars, expr = split(g)
    return Value((scalars.times(chain(other, turned_shape, expr, g.shape)),), shape)


def _stacked(g: Value, a: Operand, b: Operand) -> Contributions:
    """A stack of matrices with a vector: products element by element, then summed."""
    if len(b.shape) == 1:
        grown = _with_axis(g, -1, (*g.shape, b.shape[0]))
        return [(a, grown.times(b.term, grown.shape)), (b, reduced(grown.times(a.term, a.shape), b.shape))]
    shape = (*g.shape[:-1], a.shape[0], g.shape[-1])
    grown = _with_axis(g, -2, shape)
    summed = reduced(grown.times(b.term, shape), _row_shape(shape, a.shape[0]))
    return [(a, _flat(summed, a.shape)), (b, grown.times(_column(a), shape))]


def _row_shape(shape: Shape, size: int) -> Shape:
    return (*(1 for _ in shape[:-2]), size, 1)


def _flat(value: Value, shape: Shape) -> Value:
    """A value of shape (1, …, n, 1) as a vector."""
    return (
        value.to(shape)
        if value.natural == ()
        else renamed(value, lambda e: method(e, "flatten"), shape, shape)
    )


def _with_axis(g: Value, axis: int, shape: Shape) -> Value:
    """`g` with an axis of size 1 put in before it is stretched to `shape`."""
    if g.natural == ():
        return g.to(shape)
    place = len(g.shape) + 1 + axis
    grown = (*g.shape[:place], 1, *g.shape[place:])
    return mapped(g, lambda expr: method(expr, "unsqueeze", axis), grown).to(shape)


_BY_RANK = {(1, 1): _dot, (2, 1): _matrix_vector, (1, 2): _vector_matrix} | {
    (i, j): _matrices for i in (2, 3) for j in (2, 3)
}


def outer(call: Call, g: Value, u: Operand, v: Operand) -> Contributions:
    """outer: G @ v and G.T @ u; sums where G does not vary."""
    if g.natural == ():
        by_u = g.times(factor_term(method(v.expr, "sum"), ()), u.shape)
        by_v = g.times(factor_term(method(u.expr, "sum"), ()), v.shape)
    else:
        scalars, expr = split(g)
        by_u = Value((scalars.times(chain(expr, g.shape, v.expr, v.shape)),), u.shape)
        turned_shape = g.shape[::-1]
        by_v = Value((scalars.times(chain(turned(expr, 2), turned_shape, u.expr, u.shape)),), v.shape)
    return [(u, by_u), (v, by_v)]


def inner(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """inner: as dot for vectors; G @ B and G.T @ A for matrices."""
    if len(a.shape) == len(b.shape) == 1:
        return matmul(call, g, a, b)
    if not len(a.shape) == len(b.shape) == 2:
        raise NoRuleError("inner of these ranks has no derivative rule yet")
    return _by_rows(g, a, b)


def _by_rows(g: Value, a: Operand, b: Operand) -> Contributions:
    """A @ B.T: G @ B and G.T @ A."""
    scalars, expr = split(g)
    by_a = scalars.times(chain(expr, g.shape, b.expr, b.shape))
    by_b = scalars.times(chain(turned(expr, 2), g.shape[::-1], a.expr, a.shape))
    return [(a, Value((by_a,), a.shape)), (b, Value((by_b,), b.shape))]


def added_product(
    call: Call, g: Value, x: Operand, a: Operand, b: Operand, *, beta: Any = 1, alpha: Any = 1
) -> Contributions:
    """addmm, addmv, baddbmm: beta*x + alpha * A @ B."""
    scaled = g.times(operand(alpha).term, g.shape)
    return [(x, g.times(operand(beta).term, g.shape)), *matmul(call, scaled, a, b)]


def linear(call: Call, g: Value, x: Operand, weight: Operand, bias: Any = None) -> Contributions:
    """linear, x @ W.T + b: G @ W for x, G.T @ X for W, the sum of G for b."""
    if len(weight.shape) != 2 or len(x.shape) > 2:
        raise NoRuleError("linear of these ranks has no derivative rule yet")
    found = _by_rows(g, x, weight) if len(x.shape) == 2 else _linear_of_vector(g, x, weight)
    return found if bias is None else [*found, (bias, g)]


def _linear_of_vector(g: Value, x: Operand, weight: Operand) -> Contributions:
    return [(x, _onto(g, weight, 0, x.shape)), (weight, _outer(g, x))]
