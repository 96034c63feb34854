"""Rules of linear algebra: determinants, inverses, solutions, triangles, powers of matrices.

Formulas are those of Petersen and Pedersen's Matrix Cookbook and of Giles, "Collected matrix
derivative results for forward and reverse mode algorithmic differentiation"; the triangles
are those of Murray, "Differentiation of the Cholesky decomposition".
"""

from collections.abc import Callable
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.symbolic import shapes
from autograd_cli.symbolic.build import call as calling, method, parsed
from autograd_cli.symbolic.matrices import column, filled, formed, is_identity, turned
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.reductions import stretched
from autograd_cli.symbolic.terms import Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped, scaled, split

MATRIX = (-2, -1)
_POWERS = 8
"""Powers up to which the derivative of a power of a matrix is written out."""


def _inverse_turned(a: Operand) -> Term:
    return factor_term(turned(calling("linalg.inv", a.expr), len(a.shape)), a.shape)


def determinant(call: Call, g: Value, a: Operand) -> Contributions:
    """det: det(A)*inv(A).T, after Jacobi."""
    share = g.times(call.out.term, call.out.shape)
    return [(a, stretched(share, a, MATRIX, False).times(_inverse_turned(a), a.shape))]


def log_determinant(call: Call, g: Value, a: Operand) -> Contributions:
    """logdet, and slogdet's logarithm: inv(A).T."""
    return [(a, stretched(g, a, MATRIX, False).times(_inverse_turned(a), a.shape))]


def inverse(call: Call, g: Value, a: Operand) -> Contributions:
    """inv: -inv(A).T @ G @ inv(A).T."""
    return [(a, formed(g, "-b.mT@g@b.mT", a.shape, {"b": call.out.expr}, len(a.shape)))]


def pseudo_inverse(call: Call, g: Value, a: Operand, *args: Any, **kwargs: Any) -> Contributions:
    """pinv of a matrix of full rank, after Golub and Pereyra: as inv, and what a change of its rows
    or columns adds."""
    names, rank = {"a": a.expr, "b": call.out.expr}, len(a.shape)
    found = formed(g, "-b.mT@g@b.mT", a.shape, names, rank)
    rows, columns = a.shape[-2:]
    if rows > columns:
        found = formed(g, "(g.mT - a@b@g.mT)@b@b.mT", a.shape, names, rank).plus(found)
    if rows < columns:
        found = formed(g, "b.mT@b@(g.mT - g.mT@b@a)", a.shape, names, rank).plus(found)
    return [(a, found)]


def _is_vector(a: Operand, b: Operand) -> bool:
    """Whether the right side of a system is a vector, or a stack of vectors."""
    return len(b.shape) == 1 or b.shape == a.shape[:-1]


def solve(call: Call, g: Value, a: Operand, b: Operand, *, left: Any = True) -> Contributions:
    """solve, A @ X = B: S = solve(A.T, G) for B, -S @ X.T for A; X @ A = B likewise."""
    rank, sided = len(a.shape), plain(left)
    given = {} if sided else {"left": False}

    def solved(expr: Expr) -> Expr:
        return calling("linalg.solve", turned(a.expr, rank), expr, **given)

    by_b = mapped(g, solved, g.shape)
    return [(a, _by_matrix(by_b, a, call.out, _is_vector(a, b), sided)), (b, by_b)]


def _by_matrix(by_b: Value, a: Operand, out: Operand, of_vector: bool, left: bool) -> Value:
    """-S @ X.T where S is what the right side gets, or -X.T @ S where X stands on the left."""
    scalars, s = split(by_b)
    outside = Term(-1).times(scalars)
    stack = by_b.shape[:-1] if of_vector else by_b.shape[:-2]
    if of_vector and not stack:
        return scaled(outside, calling("outer", s, out.expr), a.shape)
    if of_vector:
        row = method(out.expr, "unsqueeze", -2)
        return scaled(outside, filled(parsed("s@x"), {"s": column(s), "x": row}), (*stack, *a.shape[-2:]))
    text = "s@x.mT" if left else "x.mT@s"
    made = filled(parsed(text), {"s": s, "x": out.expr}, len(out.shape))
    return scaled(outside, made, (*stack, *a.shape[-2:]))


def solve_triangular(
    call: Call, g: Value, a: Operand, b: Operand, *, upper: Any, left: Any = True, unitriangular: Any = False
) -> Contributions:
    """solve_triangular: as solve, with the triangle of what A gets."""
    up, ones = plain(upper), plain(unitriangular)
    given = {"upper": not up}
    given |= {} if plain(left) else {"left": False}
    given |= {"unitriangular": True} if ones else {}

    def solved(expr: Expr) -> Expr:
        return calling("linalg.solve_triangular", turned(a.expr, len(a.shape)), expr, **given)

    by_b = mapped(g, solved, g.shape)
    by_a = _by_matrix(by_b, a, call.out, False, plain(left))
    edge = (1 if up else -1,) if ones else ()
    return [(a, mapped(by_a, lambda e: method(e, "triu" if up else "tril", *edge), by_a.shape)), (b, by_b)]


def cholesky(call: Call, g: Value, a: Operand, upper: Any = False) -> Contributions:
    """cholesky, A = L @ L.T: inv(L).T @ S @ inv(L)/2, S being tril(L.T @ G) and its mirror."""
    text = "u.mT@mirrored(l.mT@g)@u"
    if plain(upper):
        text = "u@mirrored(l@g.mT)@u.mT"
    names = {"l": call.out.expr, "u": calling("linalg.inv", call.out.expr)}
    return [(a, formed(g, text, a.shape, names, len(a.shape)).times(Term(1, 2), a.shape))]


def cholesky_solve(call: Call, g: Value, b: Operand, triangle: Operand, upper: Any = False) -> Contributions:
    """cholesky_solve, L @ L.T @ X = B: S = cholesky_solve(G, L) for B, -(S @ X.T + X @ S.T) @ L for L."""
    given = {"upper": True} if plain(upper) else {}
    by_b = mapped(g, lambda e: calling("cholesky_solve", e, triangle.expr, **given), g.shape)
    text = "-l@(s@x.mT + x@s.mT)" if given else "-(s@x.mT + x@s.mT)@l"
    names = {"l": triangle.expr, "x": call.out.expr}
    return [(b, by_b), (triangle, _twofold(by_b, text, names, triangle.shape))]


def cholesky_inverse(call: Call, g: Value, triangle: Operand, upper: Any = False) -> Contributions:
    """cholesky_inverse, X = inv(L @ L.T): -X @ (G + G.T) @ X @ L."""
    text = "-l@x@(s + s.mT)@x" if plain(upper) else "-x@(s + s.mT)@x@l"
    names = {"l": triangle.expr, "x": call.out.expr}
    return [(triangle, _twofold(g, text, names, triangle.shape))]


def _twofold(s: Value, text: str, names: dict[str, Expr], shape: Shape) -> Value:
    """A text in which the value `s` stands more than once."""
    scalars, expr = split(s)
    made = filled(parsed(text.lstrip("-")), {**names, "s": expr}, len(shape))
    return scaled(Term(-1).times(scalars), made, shape)


def power(call: Call, g: Value, a: Operand, n: Any) -> Contributions:
    """matrix_power: the sum of A**k.T @ G @ A**(n-1-k).T; of a negative one, that of the inverse."""
    count = plain(n)
    if abs(count) > _POWERS:
        raise NoRuleError(
            f"{call.name} to the {count} has no short formula: it is a sum of {abs(count)} products"
        )
    rank = len(a.shape)
    if count >= 0:
        return [(a, _of_power(g, a.expr, count, a.shape))]
    inverted = calling("linalg.inv", a.expr)
    inside = _of_power(g, inverted, -count, a.shape)
    return [(a, formed(inside, "-b.mT@g@b.mT", a.shape, {"b": inverted}, rank))]


def _of_power(g: Value, base: Expr, count: int, shape: Shape) -> Value:
    rank, (scalars, arriving) = len(shape), split(g)
    if is_identity(arriving):
        made = _power(turned(base, rank), count - 1)
        return scaled(Term(count).times(scalars), arriving if made is None else made, shape)
    found = Value((), shape)
    for k in range(count):
        left, right = (_power(turned(base, rank), i) for i in (k, count - 1 - k))
        text = "@".join(name for name, made in (("l", left), ("g", 1), ("r", right)) if made is not None)
        names = {name: made for name, made in (("l", left), ("r", right)) if made is not None}
        found = found.plus(formed(g, text, shape, names, rank))
    return found


def _power(base: Expr, count: int) -> Expr | None:
    if count < 2:
        return base if count else None
    return calling("matrix_power", base, count)


def exponential(call: Call, g: Value, a: Operand) -> Contributions:
    """matrix_exp: the upper right block of the exponential of [[A.T, G], [0, A.T]], after Higham."""
    if len(a.shape) > 2:
        raise NoRuleError(f"{call.name} of a stack of matrices has no short formula")
    n = a.shape[0]
    text = f"matrix_exp(cat([cat([a.mT, g], 1), cat([zeros_like(a), a.mT], 1)]))[:{n}, {n}:]"
    return [(a, formed(g, text, a.shape, {"a": a.expr}))]


def tensor_inverse(call: Call, g: Value, a: Operand, ind: Any = 2) -> Contributions:
    """tensorinv: as inv, of the matrix that the tensor is taken as."""
    n = prod(a.shape[: plain(ind)])
    inverted = method(call.out.expr, "reshape", n, n)
    square = mapped(g, lambda e: method(e, "reshape", n, n), (n, n))
    made = formed(square, "-b.mT@g@b.mT", (n, n), {"b": inverted})
    return [(a, mapped(made, lambda e: method(e, "reshape", *a.shape), a.shape))]


def symmetric_eigenvalues(call: Call, g: Value, a: Operand, UPLO: Any = "L") -> Contributions:  # noqa: N803
    """eigvalsh: Q @ diag(G) @ Q.T, Q being the eigenvectors."""
    given = {} if plain(UPLO) == "L" else {"UPLO": plain(UPLO)}
    vectors = calling("linalg.eigh", a.expr, **given)
    return [(a, weighted(g, "(q*g)@q.mT", {"q": _item(vectors, 1)}, a.shape))]


def singular_values(call: Call, g: Value, a: Operand, *, driver: Any = None) -> Contributions:
    """svdvals: U @ diag(G) @ Vh."""
    made = calling("linalg.svd", a.expr, full_matrices=False)
    return [(a, weighted(g, "(u*g)@v", {"u": _item(made, 0), "v": _item(made, 2)}, a.shape))]


def _item(expr: Expr, index: int) -> Expr:
    return filled(parsed(f"a[{index}]"), {"a": expr})


def weighted(g: Value, text: str, names: dict[str, Expr], shape: Shape) -> Value:
    """A text in which the columns of a matrix are multiplied by G, or by nothing where it does not vary."""
    if g.natural == ():
        made = filled(parsed(text.replace("*g", "")), names, len(shape))
        return g.times(factor_term(made, shape), shape)
    if len(shape) > 2:
        g = mapped(g, lambda e: method(e, "unsqueeze", -2), (*g.shape[:-1], 1, g.shape[-1]))
    return formed(g, text, shape, names, len(shape))


def diagonal(
    call: Call, g: Value, a: Operand, *, offset: Any = 0, dim1: Any = -2, dim2: Any = -1
) -> Contributions:
    """linalg.diagonal: put back on the diagonal of zeros."""
    rank = len(a.shape)
    return shapes.diagonal(call, g, a, offset, plain(dim1) % rank, plain(dim2) % rank)


def vandermonde(call: Call, g: Value, x: Operand, *, N: Any = None) -> Contributions:  # noqa: N803
    """vander, the powers of x: the sum of G times k*x**(k-1)."""
    powers = f"arange(1, {call.out.shape[-1]})*out[..., :-1]"
    summed = "sum(-1)" if x.shape else "sum()"
    text = f"({powers}).{summed}" if g.natural == () else f"(g[..., 1:]*({powers})).{summed}"
    names = {"out": call.out.expr}
    if g.natural == ():
        return [(x, g.times(factor_term(filled(parsed(text), names), x.shape), x.shape))]
    return [(x, formed(g, text, x.shape, names))]


RULES: dict[str, Callable[..., Contributions]] = {
    "det": determinant,
    "logdet": log_determinant,
    "inv": inverse,
    "pinv": pseudo_inverse,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "cholesky": cholesky,
    "cholesky_solve": cholesky_solve,
    "cholesky_inverse": cholesky_inverse,
    "matrix_power": power,
    "matrix_exp": exponential,
    "tensorinv": tensor_inverse,
    "eigvalsh": symmetric_eigenvalues,
    "svdvals": singular_values,
    "linalg_diagonal": diagonal,
    "vander": vandermonde,
}
"""The rules of this file by key."""
