"""Rules of linear algebra with several results: decompositions, and forms that report an `info`.

A rule is given the cotangents by result. Formulas are those that torch's own derivatives come
from: Walter and Lehmann, "Algorithmic differentiation of linear algebra functions", for QR, and
Giles, "Collected matrix derivative results", for the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autograd_cli.symbolic import linalg
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.matrices import formed, turned
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.pieces import alone, item
from autograd_cli.symbolic.terms import Term, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped

Arrived = Mapping[int, Value]
Rule = Callable[..., Contributions]


def _first(rule: Rule, kept: tuple[str, ...] = ()) -> Rule:
    """The rule of a function whose first result is another function's; only `kept` options matter."""

    def of_several(call: Call, by: Arrived, *args: Any, **kwargs: Any) -> Contributions:
        options = {name: value for name, value in kwargs.items() if name in kept}
        return rule(alone(call, 0, by[0]), by[0], *args, **options)

    return of_several


def sign_and_logarithm(call: Call, by: Arrived, a: Operand) -> Contributions:
    """slogdet: inv(A).T for the logarithm, nothing for the sign."""
    return linalg.log_determinant(call, by[1], a) if 1 in by else [(a, Value((), a.shape))]


def _only(call: Call, by: Arrived, index: int, what: str) -> Value:
    """What has arrived at one result; NoRuleError where anything has at another."""
    if set(by) != {index}:
        raise NoRuleError(f"the {what} of {call.name} have no short formula: they hang on each other")
    return by[index]


def symmetric(call: Call, by: Arrived, a: Operand, UPLO: Any = "L") -> Contributions:  # noqa: N803
    """eigh: Q @ diag(G) @ Q.T for the eigenvalues, Q @ (Q.T @ G - G.T @ Q)/gaps @ Q.T/2 for the eigenvectors.

    The gaps between the eigenvalues are made infinite on the diagonal, where nothing passes.
    """
    names = {"q": item(call, 1), "v": item(call, 0)}
    gaps = "(v.unsqueeze(-2) - v.unsqueeze(-1) + diag_embed(full_like(v, inf)))"
    texts = {0: "(q*g)@q.mT", 1: f"q@((q.mT@g - g.mT@q)/{gaps})@q.mT"}
    found = [(a, linalg.weighted(by[0], texts[0], names, a.shape))] if 0 in by else []
    if 1 in by:
        turning = formed(by[1], texts[1], a.shape, names, len(a.shape))
        found.append((a, turning.times(Term(1, 2), a.shape)))
    return found


def singular(call: Call, by: Arrived, a: Operand, *args: Any, **kwargs: Any) -> Contributions:
    """svd, the singular values: U @ diag(G) @ V.T."""
    g = _only(call, by, 1, "singular vectors")
    if a.shape[-1] != a.shape[-2] and not _is_reduced(call, *args, **kwargs):
        raise NoRuleError(f"{call.name} with all singular vectors has no short formula")
    last = item(call, 2)
    names = {"u": item(call, 0), "v": last if call.step.key == "svd" else turned(last, len(a.shape))}
    return [(a, linalg.weighted(g, "(u*g)@v", names, a.shape))]


def _is_reduced(call: Call, full: Any = None, *rest: Any, **named: Any) -> bool:
    """Whether there are as many singular vectors as values."""
    if call.step.key == "torch_svd":
        return bool(plain(named.get("some", True if full is None else full)))
    return not plain(named.get("full_matrices", True if full is None else full))


def orthogonal(
    call: Call, by: Arrived, a: Operand, mode: Any = "reduced", *, some: Any = True
) -> Contributions:
    """qr: (G + Q @ S) @ inv(R).T, S being a triangle and its mirror: of R @ G.T for R, of -G.T @ Q for Q."""
    if plain(mode) not in ("reduced", True) or not plain(some) or a.shape[-2] < a.shape[-1]:
        raise NoRuleError(f"{call.name} has a short formula for tall matrices alone, in the reduced form")
    names, rank = {"q": item(call, 0), "r": item(call, 1)}, len(a.shape)
    names["i"] = calling("linalg.inv", names["r"])
    texts = {
        0: "(g - q@mirrored(g.mT@q))@i.mT",
        1: "q@mirrored(r@g.mT)@i.mT",
    }
    return [(a, formed(g, texts[index], a.shape, names, rank)) for index, g in by.items()]


def triangles(call: Call, by: Arrived, a: Operand, *, pivot: Any = True) -> Contributions:
    """lu: P @ inv(L).T @ M @ inv(U).T, M being a triangle of L.T @ G for L and of G @ U.T for U."""
    if a.shape[-1] != a.shape[-2] or not plain(pivot):
        raise NoRuleError(f"{call.name} has a short formula for square matrices alone, with pivots")
    names = {"p": item(call, 0), "l": item(call, 1), "u": item(call, 2)}
    names |= {"i": calling("linalg.inv", names["l"]), "j": calling("linalg.inv", names["u"])}
    texts = {1: "p@i.mT@tril(l.mT@g, -1)@j.mT", 2: "p@i.mT@triu(g@u.mT)@j.mT"}
    return [(a, formed(g, texts[index], a.shape, names, len(a.shape))) for index, g in by.items() if index]


def triangular_solve(
    call: Call,
    by: Arrived,
    b: Operand,
    a: Operand,
    upper: Any = True,
    transpose: Any = False,
    unitriangular: Any = False,
) -> Contributions:
    """triangular_solve: as solve_triangular; of A.T, what A gets is turned."""
    if not plain(transpose):
        found = linalg.solve_triangular(
            alone(call, 0, by[0]), by[0], a, b, upper=upper, unitriangular=unitriangular
        )
        return found[::-1]
    rank, up, ones = len(a.shape), plain(upper), plain(unitriangular)
    given = {"upper": up, **({"unitriangular": True} if ones else {})}
    by_b = mapped(by[0], lambda e: calling("linalg.solve_triangular", a.expr, e, **given), by[0].shape)
    by_a = formed(by_b, "-x@g.mT", a.shape, {"x": item(call, 0)}, rank)
    edge = (1 if up else -1,) if ones else ()
    return [(b, by_b), (a, mapped(by_a, lambda e: method(e, "triu" if up else "tril", *edge), a.shape))]


def least_squares(
    call: Call, by: Arrived, a: Operand, b: Operand, rcond: Any = None, *, driver: Any = None
) -> Contributions:
    """lstsq, X = pinv(A) @ B: pinv(A).T @ G for B, and what pinv passes of G @ B.T for A."""
    if set(by) != {0} or len(b.shape) < 2:
        raise NoRuleError(f"{call.name} has a short formula for the solution alone, of matrices")
    g = by[0]
    inverted = calling("linalg.pinv", a.expr)
    turned_shape = (*a.shape[:-2], a.shape[-1], a.shape[-2])
    solved = Operand(inverted, turned_shape, factor_term(inverted, turned_shape))
    by_b = formed(g, "p.mT@g", b.shape, {"p": inverted}, len(a.shape))
    by_inverse = formed(g, "g@b.mT", turned_shape, {"b": b.expr}, len(b.shape))
    return [(b, by_b), *linalg.pseudo_inverse(replace(call, out=solved), by_inverse, a)]


RULES: dict[str, Rule] = {
    "slogdet": sign_and_logarithm,
    "inv_ex": _first(linalg.inverse),
    "cholesky_ex": _first(linalg.cholesky, ("upper",)),
    "solve_ex": _first(linalg.solve, ("left",)),
    "eigh": symmetric,
    **dict.fromkeys(("svd", "torch_svd"), singular),
    **dict.fromkeys(("qr", "torch_qr"), orthogonal),
    "lu": triangles,
    "triangular_solve": triangular_solve,
    "lstsq": least_squares,
}
"""The rules of this file by key."""
