"""Rules of distances and angles between vectors, and of attention, which weighs values by them.

The slope of a length, x/norm(x), is that of Petersen and Pedersen, "The Matrix Cookbook" (2012),
section 2.6; what is 0 where two vectors are one is so by torch's own convention.
"""

from collections.abc import Callable
from dataclasses import replace
from math import isqrt
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr, Number
from autograd_cli.symbolic.build import call as calling, literal, method, number
from autograd_cli.symbolic.matrices import chain, turned
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, operand, plain
from autograd_cli.symbolic.reductions import norm
from autograd_cli.symbolic.terms import Shape, Term, broadcast, factor_term
from autograd_cli.symbolic.texts import Contributions, masked
from autograd_cli.symbolic.values import Value, mapped, placed, split, summed_along, with_dims

_SMALL = 1e-38
"""Below any length in single precision: the direction of a short vector, and 0 of none."""


def pairwise_distance(
    call: Call, g: Value, x: Operand, y: Operand, p: Any = 2, eps: Any = 1e-06, keepdim: Any = False
) -> Contributions:
    """pairwise_distance: as the norm of x - y + eps along the last dim."""
    shape = broadcast(x.shape, y.shape)
    apart = Binary("+", Binary("-", x.expr, y.expr), literal(plain(eps)))
    made = Operand(apart, shape, factor_term(apart, shape))
    ((_, value),) = norm(call, g, made, p, -1, keepdim)
    return [(x, value), (y, value.times(Term(-1), shape))]


def cosine_similarity(
    call: Call, g: Value, x: Operand, y: Operand, dim: Any = 1, eps: Any = 1e-08
) -> Contributions:
    """cosine_similarity C: G*(Y - C*X)/norm(x), X a unit vector, Y and norm(x) with torch's bound eps.

    That is the quotient rule on C = x@y/(norm(x)*norm(y)), with the slope of a length as above.
    """
    shape = broadcast(x.shape, y.shape)
    if not shape:
        raise NoRuleError(f"{call.name} of two numbers has no short formula")
    axis, bound = plain(dim) % len(shape), plain(eps)
    along = axis - len(shape)
    one, other = _whole(x, axis, shape), _whole(y, axis, shape)
    cosine = with_dims(Value((call.out.term,), call.out.shape), [axis], shape).single()
    share = with_dims(g, [axis], shape)

    def unit(o: Operand, eps: float) -> Term:
        return factor_term(calling("F.normalize", o.expr, dim=along, eps=eps), o.shape)

    def by_one(one: Operand, other: Operand) -> Value:
        if share.is_zero:
            return share
        back = Term(-1).times(cosine).times(unit(one, _SMALL))
        bent = Value((unit(other, bound),), shape).plus(Value((back,), shape))
        length = calling("linalg.vector_norm", one.expr, dim=along, keepdim=True)
        kept = tuple(1 if d == along + len(one.shape) else n for d, n in enumerate(one.shape))
        length = calling("clamp_min", length, bound)
        return bent.times(share.single(), shape).times(factor_term(length, kept).power(-1), shape)

    return [(x, by_one(one, other)), (y, by_one(other, one))]


def _whole(x: Operand, axis: int, shape: Shape) -> Operand:
    """Vectors as long as they are stretched to."""
    at = axis - len(shape) + len(x.shape)
    if at >= 0 and x.shape[at] == shape[axis]:
        return x
    expr = method(x.expr, "expand", *shape)
    return replace(x, expr=expr, shape=shape, term=factor_term(expr, shape))


def distances(
    call: Call, g: Value, x: Operand, y: Operand, p: Any = 2, compute_mode: Any = None
) -> Contributions:
    """cdist: W.sum(1)*x - W @ y, W being G over the distances, and likewise for y; signs for p = 1.

    These are the sums over j of G[i, j]*(x[i] - y[j])/D[i, j], the slope of a length as above, with
    the factors taken apart.
    """
    if plain(p) == 1:
        return _by_signs(g, x, y)
    if plain(p) != 2:
        raise NoRuleError(f"{call.name} with p = {plain(p)} has no short formula")
    apart = factor_term(Compare((">",), (call.out.expr, Number(0))), call.out.shape)
    share = masked(apart, g.times(call.out.term.power(-1), call.out.shape), keep=True)
    scalars, weights = split(share)
    by_x = _pulled(scalars, weights, share.shape, x, y)
    flipped = (*share.shape[:-2], share.shape[-1], share.shape[-2])
    return [(x, by_x), (y, _pulled(scalars, turned(weights, len(share.shape)), flipped, y, x))]


def _pulled(scalars: Term, weights: Expr, shape: Shape, x: Operand, y: Operand) -> Value:
    """For each x the sum over all y of the weight of both times x - y."""
    summed = factor_term(method(weights, "sum", -1, keepdim=True), (*shape[:-1], 1))
    drawn = chain(weights, shape, y.expr, y.shape)
    full = (*broadcast(shape[:-2], y.shape[:-2]), *x.shape[-2:])
    return Value((scalars.times(summed).times(x.term), Term(-1).times(scalars).times(drawn)), full)


def _by_signs(g: Value, x: Operand, y: Operand) -> Contributions:
    """p = 1: the sums of G*sign(x - y) over all y, and minus those over all x."""
    difference = Binary("-", method(x.expr, "unsqueeze", -2), method(y.expr, "unsqueeze", -3))
    shape = (*g.shape, x.shape[-1])
    share = with_dims(g, [len(g.shape)], shape)
    signed = share.times(factor_term(calling("sign", difference), shape), shape)
    by_x = mapped(signed, lambda e: method(e, "sum", -2), _without(shape, -2))
    by_y = mapped(signed, lambda e: method(e, "sum", -3), _without(shape, -3))
    return [(x, by_x), (y, by_y.times(Term(-1), by_y.shape))]


def _without(shape: Shape, dim: int) -> Shape:
    return (*shape[:dim], *shape[len(shape) + dim + 1 :])


def attention(
    call: Call,
    g: Value,
    query: Operand,
    key: Operand,
    value: Operand,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    *,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Contributions:
    """attention, A = softmax(Q @ K.T/sqrt(d)): A.T @ G for V; what softmax passes of G @ V.T for Q and K.

    After Dao et al., "FlashAttention" (2022), appendix B.2, of the layer of Vaswani et al. (2017).
    """
    if plain(dropout_p) or plain(enable_gqa):
        raise NoRuleError(f"{call.name} with dropout or shared heads has no short formula")
    by = operand(scale).term if plain(scale) is not None else _root(query.shape[-1])
    scores, shape = _scores(query, key, by, attn_mask, plain(is_causal))
    weights = factor_term(calling("softmax", scores, -1), shape)
    scalars, arriving = split(g)
    across = chain(arriving, g.shape, turned(value.expr, len(value.shape)), _flipped(value.shape))
    each = Value((scalars.times(across),), shape)
    mean = summed_along(each.times(weights, shape), [len(shape) - 1])
    slopes = each.plus(mean.times(Term(-1), shape)).times(weights, shape)
    s, behind = split(slopes.times(by, shape))
    upright = turned(weights.factors[0].expr, len(shape))
    found = [
        (query, s.times(chain(behind, shape, key.expr, key.shape))),
        (key, s.times(chain(turned(behind, len(shape)), _flipped(shape), query.expr, query.shape))),
        (value, scalars.times(chain(upright, _flipped(shape), arriving, g.shape))),
    ]
    given = [(to, Value((term,), term.shape)) for to, term in found]
    return [*given, (attn_mask, slopes)] if isinstance(attn_mask, Operand) else given


def _flipped(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


def _root(size: int) -> Term:
    """One over the root of a size."""
    root = isqrt(size)
    if root * root == size:
        return Term(1, root)
    return factor_term(calling("math.sqrt", size), ()).power(-1)


def _scores(query: Operand, key: Operand, by: Term, mask: Any, is_causal: bool) -> tuple[Expr, Shape]:
    """What the softmax is taken of, and its shape."""
    product = chain(query.expr, query.shape, turned(key.expr, len(key.shape)), _flipped(key.shape))
    scores, shape = by.times(product).written(), product.shape
    if by.is_number and by.top == 1 != by.bottom:
        scores = Binary("/", product.written(), Number(by.bottom))
    if is_causal:
        allowed: Expr = Compare(("==",), (method(calling("ones", *shape[-2:]), "tril"), Number(1)))
        return calling("where", allowed, scores, number(float("-inf"))), shape
    if not isinstance(mask, Operand):
        return scores, shape
    shape = broadcast(shape, mask.shape)
    if mask.step is not None and mask.step.dtype == "bool":
        return calling("where", mask.expr, scores, number(float("-inf"))), shape
    return Binary("+", scores, mask.expr), shape


def embedding(
    call: Call,
    g: Value,
    index: Operand,
    weight: Operand,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Contributions:
    """embedding: added up where the rows came from; nothing at the padding's row."""
    if plain(max_norm) is not None or plain(scale_grad_by_freq):
        raise NoRuleError(f"{call.name} that changes the rows or counts them has no short formula")
    zeros, padding = calling("zeros_like", weight.expr), plain(padding_idx)

    def put(expr: Expr) -> Expr:
        made = method(zeros, "index_put", (index.expr,), expr, accumulate=True)
        return made if padding is None else method(made, "index_fill", 0, calling("tensor", padding), 0)

    return [(weight, placed(g, put, weight.shape))]


RULES: dict[str, Callable[..., Contributions]] = {
    "pairwise_distance": pairwise_distance,
    "cosine_similarity": cosine_similarity,
    "cdist": distances,
    "scaled_dot_product_attention": attention,
    "embedding": embedding,
}
"""The rules of this file by key."""
