"""Sums over the two branches of one condition, written as one choice: `where(c, f, g)`.

Autograd multiplies what it has masked: `f*where(c, 1, 0)` is NaN where the branch was not taken
and f is infinite. So f is put into the branch only where it is finite for every finite input.
"""

from collections.abc import Sequence
from typing import NamedTuple

from autograd_cli.lang.nodes import Attribute, Binary, Call, Expr, Number, walk
from autograd_cli.symbolic.build import Prelude, call, number
from autograd_cli.symbolic.terms import Factor, Term, broadcast, factor_term
from autograd_cli.symbolic.unparse import unparse

_FINITE = frozenset(
    {
        "sign", "abs", "tanh", "sigmoid", "sin", "cos", "atan", "relu", "clamp", "softmax", "where", "sum",
        "mean", "unsqueeze", "squeeze", "reshape", "expand",
    }
)  # fmt: skip
"""Functions that are finite where what they are given is."""


class _Masked(NamedTuple):
    """A term less the factor that is 1 where the condition is `when`, and 0 elsewhere."""

    condition: Expr
    mask: Factor
    when: bool
    rest: Term


def chosen(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms with two of them that stand in the branches of one condition made one."""
    found = [_masked(term) for term in terms]
    for i, first in enumerate(found):
        for j, second in enumerate(found[i + 1 :], i + 1):
            if first and second and first.when != second.when and first.mask.shape == second.mask.shape:
                pair = (first, second) if first.when else (second, first)
                if unparse(pair[0].condition) == unparse(pair[1].condition):
                    others = [term for place, term in enumerate(terms) if place not in (i, j)]
                    return (_choice(*pair), *others)
    return tuple(terms)


def _masked(term: Term) -> _Masked | None:
    masks = [factor for factor in term.factors if _when(factor) is not None]
    if len(masks) != 1:
        return None
    mask = masks[0]
    rest = Term(term.top, term.bottom, tuple(factor for factor in term.factors if factor is not mask))
    when, expr = _when(mask), mask.expr
    if when is None or not isinstance(expr, Call) or not all(map(_is_finite, rest.factors)):
        return None
    return _Masked(expr.args[0], mask, when, rest)


def _when(factor: Factor) -> bool | None:
    """Whether a factor is 1 where its condition holds, or where it does not; None for all others."""
    expr = factor.expr
    if factor.power != 1 or not isinstance(expr, Call) or expr.function != Prelude("where"):
        return None
    values = [part.value for part in expr.args[1:] if isinstance(part, Number)]
    return True if values == [1.0, 0.0] else False if values == [0.0, 1.0] else None


def _is_finite(factor: Factor) -> bool:
    """Whether a factor is finite for every finite input, overflow aside."""
    return factor.power > 0 and all(map(_keeps_finite, walk(factor.expr)))


def _keeps_finite(node: Expr) -> bool:
    if isinstance(node, Binary):
        whole = isinstance(node.right, Number) and isinstance(node.right.value, int) and node.right.value > 0
        return node.op in "+-*@" or (node.op == "**" and whole) or (node.op == "/" and _is_number(node.right))
    if isinstance(node, Call):
        called = node.function
        return (called.name if isinstance(called, Attribute) else getattr(called, "id", "")) in _FINITE
    return not isinstance(node, Prelude) or node.id not in ("inf", "nan")


def _choice(taken: _Masked, other: _Masked) -> Term:
    """`where(c, f, g)`, with the fraction that both share before it."""
    first, second = taken.rest, other.rest
    shared = Term()
    if first.coefficient == second.coefficient:
        shared, first, second = first.coefficient, first.body, second.body
    expr = call("where", taken.condition, _branch(first), _branch(second))
    return shared.times(factor_term(expr, broadcast(taken.mask.shape, first.shape, second.shape)))


def _branch(term: Term) -> Expr:
    """A branch: a float where it is a number, since both may be numbers."""
    return number(float(term.top / term.bottom)) if term.is_number else term.written()


def _is_number(node: Expr) -> bool:
    return isinstance(node, Number) and node.value != 0
