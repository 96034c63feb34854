"""Rules of the functions that only move elements: the cotangent is moved back."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.matrices import are_products, turned
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, one_by_one, plain
from autograd_cli.symbolic.reductions import dims_of
from autograd_cli.symbolic.terms import Shape, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped, placed, renamed, with_dims


def same(call: Call, g: Value, x: Operand, *args: Any, **kwargs: Any) -> Contributions:
    """clone, contiguous, a cast: nothing moves; expand: the sum over what was stretched."""
    return [(x, g)]


def reshape(call: Call, g: Value, x: Operand, *shape: Any, **kwargs: Any) -> Contributions:
    """reshape, view, flatten, ravel: the cotangent in the operand's shape."""
    if g.natural == ():
        return [(x, g.to(x.shape))]
    return [(x, mapped(g, lambda expr: method(expr, "reshape", *_sizes(x.shape)), x.shape))]


def _sizes(shape: Shape) -> tuple[Any, ...]:
    return shape or ((),)


def squeeze(call: Call, g: Value, x: Operand, dim: Any = None) -> Contributions:
    """squeeze: the dims of size 1 put back."""
    named = () if plain(dim) == () else dims_of(dim, len(x.shape))
    dims = [d for d in named if x.shape[d] == 1]
    return [(x, with_dims(g, dims, x.shape))]


def unsqueeze(call: Call, g: Value, x: Operand, dim: Any) -> Contributions:
    """unsqueeze: the new dim taken away."""
    natural, rank = g.natural, len(call.out.shape)
    place = plain(dim) % rank - (rank - len(natural))
    if place < 0:
        return [(x, g.to(x.shape))]
    shape = natural[:place] + natural[place + 1 :]
    return [(x, renamed(g, lambda expr: method(expr, "squeeze", place), shape, x.shape))]


def transpose(call: Call, g: Value, x: Operand, dim0: Any = -2, dim1: Any = -1) -> Contributions:
    """T, t, mT, transpose: the same two dims exchanged again."""
    rank = len(x.shape)
    if rank < 2:
        return [(x, g)]
    order = list(range(rank))
    first, second = plain(dim0) % rank, plain(dim1) % rank
    order[first], order[second] = second, first
    return [(x, permuted(g, order, x.shape))]


def reversed_dims(call: Call, g: Value, x: Operand) -> Contributions:
    """T of any rank: all dims in the opposite order."""
    return [(x, permuted(g, list(range(len(x.shape)))[::-1], x.shape))]


def permute(call: Call, g: Value, x: Operand, *dims: Any) -> Contributions:
    """permute: each dim back to its place."""
    order = [plain(d) % len(x.shape) for d in one_by_one(dims)]
    return [(x, permuted(g, [order.index(d) for d in range(len(order))], x.shape))]


def movedim(call: Call, g: Value, x: Operand, source: Any, destination: Any) -> Contributions:
    """movedim of one dim: moved back."""
    if isinstance(plain(source), tuple):
        raise NoRuleError("movedim of several dims has no derivative rule yet")
    back = (plain(destination), plain(source))
    return [
        (x, g.to(x.shape) if g.natural == () else mapped(g, lambda e: method(e, "movedim", *back), x.shape))
    ]


def permuted(g: Value, order: Sequence[int], shape: Shape) -> Value:
    """The cotangent with its dims in `order`: `.T`, `.mT`, `.permute(…)`."""
    if g.natural == () or list(order) == sorted(order):
        return g.to(shape)
    rank = len(order)
    swapped_last = list(order) == [*range(rank - 2), rank - 1, rank - 2]

    def move(expr: Expr) -> Expr:
        return turned(expr, rank) if swapped_last else method(expr, "permute", *order)

    if swapped_last and rank == 2 and len(g.natural) == 1:
        return renamed(g, lambda expr: method(expr, "unsqueeze", 1), (*g.natural, 1), shape)
    if len(g.terms) > 1 and swapped_last and are_products(g):
        each = [mapped(Value((term,), g.shape), move, shape) for term in g.terms]
        return reduce(Value.plus, each)
    if len(g.natural) < rank or g.natural == g.shape:
        return mapped(g, move, shape)
    return renamed(g, move, tuple(g.natural[d] for d in order), shape)


def flip(call: Call, g: Value, x: Operand, *dims: Any) -> Contributions:
    """flip: flipped again."""
    return [(x, g if g.natural == () else mapped(g, lambda e: method(e, "flip", *plain(dims)), x.shape))]


def roll(call: Call, g: Value, x: Operand, shifts: Any, dims: Any = None) -> Contributions:
    """roll: rolled back."""
    by = plain(shifts)
    back = tuple(-n for n in by) if isinstance(by, tuple) else -by
    rest = () if dims is None else (plain(dims),)
    return [(x, g if g.natural == () else mapped(g, lambda e: method(e, "roll", back, *rest), x.shape))]


def triangle(call: Call, g: Value, x: Operand, diagonal: Any = 0) -> Contributions:
    """tril, triu: the same triangle of the cotangent."""
    rest = (plain(diagonal),) if plain(diagonal) else ()
    return [(x, placed(g, lambda e: method(e, call.step.key, *rest), x.shape))]


def cat(call: Call, g: Value, tensors: Any, dim: Any = 0) -> Contributions:
    """cat: to each tensor its stretch of the cotangent."""
    along, start = plain(dim) % len(call.out.shape), 0
    found: Contributions = []
    for piece in tensors:
        if len(piece.shape) < len(call.out.shape):  # torch lets one of shape (0,) stand in any list
            continue
        found.append((piece, _stretch(g, along, start, piece)))
        start += piece.shape[along]
    return found


def _stretch(g: Value, along: int, start: int, piece: Operand) -> Value:
    if g.natural == ():
        return g.to(piece.shape)
    return mapped(g, lambda e: method(e, "narrow", along, start, piece.shape[along]), piece.shape)


def stack(call: Call, g: Value, tensors: Any, dim: Any = 0) -> Contributions:
    """stack: to each tensor its slice of the cotangent."""
    along = plain(dim) % len(call.out.shape)
    return [(piece, _layer(g, along, i, piece)) for i, piece in enumerate(tensors)]


def _layer(g: Value, along: int, index: int, piece: Operand) -> Value:
    if g.natural == ():
        return g.to(piece.shape)
    return mapped(g, lambda e: method(e, "select", along, index), piece.shape)


def trace(call: Call, g: Value, x: Operand) -> Contributions:
    """trace: the identity."""
    rows, columns = x.shape
    identity = calling("eye", rows) if rows == columns else calling("eye", rows, columns)
    return [(x, g.times(factor_term(identity, x.shape), x.shape))]


def diagonal(
    call: Call, g: Value, x: Operand, offset: Any = 0, dim1: Any = 0, dim2: Any = 1
) -> Contributions:
    """diagonal: put back on the diagonal of zeros."""
    where = tuple(map(plain, (offset, dim1, dim2)))
    rest = where if where != (0, 0, 1) else ()
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda expr: method(zeros, "diagonal_scatter", expr, *rest), x.shape))]
