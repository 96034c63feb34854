"""Rules of the matrix products, in all their ranks."""

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Attribute, Binary, Expr, Unary
from autograd_cli.report import Ref, Step
from autograd_cli.report.values import shape_text
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.matrices import Written, chain, column, formed, turned
from autograd_cli.symbolic.operands import Call, Operand, one_by_one, operand, plain
from autograd_cli.symbolic.terms import ONE, Shape, Term, broadcast, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped, reduced, renamed, split, with_dims


def matmul(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """matmul and what it does for one pair of ranks: mm, mv, dot, bmm."""
    rule = _BY_RANK.get((min(len(a.shape), 3), min(len(b.shape), 3)), _stacked)
    a, b = _known(call, a), _known(call, b)
    (by, left), (other, right) = _bare(a), _bare(b)
    passed = [rule(g.times(other, g.shape), left, right)[0], rule(g.times(by, g.shape), left, right)[1]]
    return [(to, value) for to, (_, value) in zip((a, b), passed, strict=True)]


def _bare(a: Operand) -> tuple[Term, Operand]:
    """The numbers before an operand, which go before the product, and the operand without them."""
    term = a.term
    scalars = tuple(f for f in term.factors if f.shape == ())
    rest = [f for f in term.factors if f.shape != ()]
    if len(rest) != 1 or rest[0].power != 1 or rest[0].shape != a.shape or len(term.factors) == term.top == 1:
        return ONE, a
    return Term(term.top, term.bottom, scalars), replace(a, expr=rest[0].expr, term=Term(factors=(rest[0],)))


def _known(call: Call, operand: Operand) -> Operand:
    """An operand that is a product itself as one that is known: `x@A` is written `A.T@x`."""
    if operand.step is None or operand.step.key != "matmul":
        return operand
    if len(operand.shape) == 2:
        return replace(operand, expr=_written(call, operand.step))
    made = _column_of(call, operand.step)
    return operand if made is None else replace(operand, term=made, expr=made.written())


def _written(call: Call, step: Step) -> Expr:
    """The product of two matrices of the source, and of those that its first factor is a product of."""
    expr = step.expr
    if step.key != "matmul" or not isinstance(expr, Binary) or not all(isinstance(a, Ref) for a in step.args):
        return expr
    one, two = (call.steps[a.index] for a in step.args)
    if len(one.shape or ()) != 2 or len(two.shape or ()) != 2:
        return expr
    return Written("@", _written(call, one), two.expr)


def _column_of(call: Call, step: Step) -> Term | None:
    """The result of a step that multiplies a vector by a matrix, as a column; None of another step."""
    if step.key != "matmul" or step.kwargs or not all(isinstance(a, Ref) for a in step.args):
        return None
    vector, matrix = (call.steps[a.index] for a in step.args)
    one, two = vector.shape or (), matrix.shape or ()
    if (len(one), len(two)) != (1, 2):
        return None
    scalars, upright = _signed(_column_of(call, vector) or factor_term(vector.expr, one))
    return scalars.times(chain(turned(matrix.expr, 2), two[::-1], upright, one))


def _signed(vector: Term) -> tuple[Term, Expr]:
    """The sign of a vector, and the vector without it."""
    expr = vector.body.written()
    if isinstance(expr, Unary) and expr.op == "-":
        return Term(-1).times(vector.coefficient), expr.operand
    return vector.coefficient, expr


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
    return factor_term(column(v.expr), (*v.shape, 1))


def _onto(g: Value, matrix: Operand, dim: int, shape: Shape) -> Value:
    """A.T @ g (dim 0) or A @ g (dim 1); a sum of A where g does not vary."""
    if g.natural == ():
        return g.times(_summed(matrix, dim, shape), shape)
    scalars, expr = split(g)
    left, left_shape = (matrix.expr, matrix.shape) if dim else (turned(matrix.expr, 2), matrix.shape[::-1])
    return Value((scalars.times(chain(left, left_shape, expr, g.shape)),), shape)


def _summed(matrix: Operand, dim: int, shape: Shape) -> Term:
    """The sum of a matrix along `dim`; of `X.T`, that of X along the other."""
    expr, summed = matrix.expr, matrix.shape
    if isinstance(expr, Attribute) and expr.name == "T":
        expr, dim, summed = expr.value, 1 - dim, summed[::-1]
    return factor_term(method(expr, "sum", dim), shape, f"{shape_text(summed)} summed")


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


def _by_rows(g: Value, a: Operand, b: Operand) -> Contributions:
    """A @ B.T: G @ B and G.T @ A; of a stack of A, the sum of these, by its rows."""
    scalars, expr = split(g)
    by_a = scalars.times(chain(expr, g.shape, b.expr, b.shape))
    rows, rows_shape = _as_rows(expr, g.shape)
    other, other_shape = _as_rows(a.expr, a.shape)
    by_b = scalars.times(chain(turned(rows, 2), rows_shape[::-1], other, other_shape))
    return [(a, Value((by_a,), a.shape)), (b, Value((by_b,), b.shape))]


def _as_rows(expr: Expr, shape: Shape) -> tuple[Expr, Shape]:
    """A stack of matrices as one, all rows below each other."""
    if len(shape) == 2:
        return expr, shape
    return method(expr, "flatten", 0, -2), (prod(shape[:-1]), shape[-1])


def added_product(
    call: Call, g: Value, x: Operand, a: Operand, b: Operand, *, beta: Any = 1, alpha: Any = 1
) -> Contributions:
    """addmm, addmv, baddbmm, addbmm, addr: beta*x + alpha * A @ B."""
    scaled = g.times(operand(alpha).term, g.shape)
    rule = {"addr": outer, "addbmm": _summed_products}.get(call.step.key, matmul)
    return [(x, g.times(operand(beta).term, g.shape)), *rule(call, scaled, a, b)]


def _summed_products(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """The sum of a stack of products: G @ B.mT and A.mT @ G, G being one matrix."""
    by_a = formed(g, "g@b.mT", a.shape, {"b": b.expr}, 3)
    return [(a, by_a), (b, formed(g, "a.mT@g", b.shape, {"a": a.expr}, 3))]


def linear(call: Call, g: Value, x: Operand, weight: Operand, bias: Any = None) -> Contributions:
    """linear, x @ W.T + b: G @ W for x, G.T @ X for W, the sum of G for b."""
    if len(weight.shape) == 1:
        found = _stacked(g, x, weight) if len(x.shape) > 1 else _dot(g, x, weight)
    else:
        found = _by_rows(g, x, weight) if len(x.shape) > 1 else _linear_of_vector(g, x, weight)
    return found if bias is None else [*found, (bias, g)]


def _linear_of_vector(g: Value, x: Operand, weight: Operand) -> Contributions:
    return [(x, _onto(g, weight, 0, x.shape)), (weight, _outer(g, x))]


def several(call: Call, g: Value, *given: Any) -> Contributions:
    """multi_dot, chain_matmul: for each matrix the product of those before it, G, and those after it."""
    matrices = one_by_one(given)
    found: Contributions = []
    left = [matrices[0]]
    for factor in matrices[1:]:
        left.append(_times(left[-1], factor))
    for product, factor in zip(left[-2::-1], matrices[:0:-1], strict=True):
        (_, by_left), by_right = _one_product(g, product, factor)
        found.append(by_right)
        g = by_left
    return [(matrices[0], g), *found[::-1]]


def _times(a: Operand, b: Operand) -> Operand:
    """`a @ b` as an operand of the product with the next."""
    made = chain(a.expr, a.shape, b.expr, b.shape)
    return Operand(made.factors[0].expr, made.shape, made)


def _one_product(g: Value, a: Operand, b: Operand) -> Contributions:
    return _BY_RANK[len(a.shape), len(b.shape)](g, a, b)


def along(call: Call, g: Value, x: Operand, y: Operand, *, dim: Any = -1) -> Contributions:
    """vecdot, sums of products along a dim: the other factor."""
    shape = broadcast(x.shape, y.shape)
    axis = plain(dim) % len(shape)
    grown = with_dims(g, [axis], shape)
    return [(x, grown.times(y.term, shape)), (y, grown.times(x.term, shape))]


def cross(call: Call, g: Value, x: Operand, y: Operand, dim: Any = None) -> Contributions:
    """cross: y x G and G x x."""
    shape = broadcast(x.shape, y.shape)
    axis = plain(dim)
    if axis is None:
        axis = shape.index(3) - len(shape) if call.step.key == "cross" else -1
    given = {} if axis % len(shape) == len(shape) - 1 else {"dim": axis}

    def product(left: Expr, right: Expr) -> Expr:
        return calling("linalg.cross", left, right, **given)

    by_x = mapped(g, lambda e: product(y.expr, e), shape)
    return [(x, by_x), (y, mapped(g, lambda e: product(e, x.expr), shape))]


RULES: dict[str, Callable[..., Contributions]] = {
    **dict.fromkeys(("matmul", "mm", "mv", "dot", "vdot", "bmm"), matmul),
    **dict.fromkeys(("addmm", "addmv", "baddbmm", "addbmm", "addr"), added_product),
    "outer": outer,
    "linear": linear,
    **dict.fromkeys(("multi_dot", "chain_matmul"), several),
    "vecdot": along,
    **dict.fromkeys(("cross", "linalg_cross"), cross),
}
"""The rules of this file by key."""
