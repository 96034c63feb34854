"""Rules of what writes elements into a copy of a tensor: nothing passes where it was overwritten."""

from collections.abc import Callable
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr, Subscript
from autograd_cli.symbolic.build import call as calling, literal, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, operand, plain
from autograd_cli.symbolic.terms import factor_term
from autograd_cli.symbolic.texts import Contributions, masked
from autograd_cli.symbolic.values import Value, mapped, placed

Rule = Callable[..., Contributions]


def _emptied(g: Value, x: Operand, write: Callable[[Expr], Expr]) -> tuple[Operand, Value]:
    """To what was written into: the cotangent with zeros written instead."""
    return x, placed(g, write, x.shape)


def _read(g: Value, source: Any, read: Callable[[Expr], Expr]) -> Contributions:
    """To what was written: the cotangent where it was put."""
    if not (isinstance(source, Operand) and source.position is not None):
        return []
    return [(source, g.to(source.shape) if g.natural == () else mapped(g, read, source.shape))]


def take(call: Call, g: Value, x: Operand, index: Operand) -> Contributions:
    """take: added up where the elements came from."""
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda e: method(zeros, "put", index.expr, e, accumulate=True), x.shape))]


def take_along_dim(call: Call, g: Value, x: Operand, indices: Operand, dim: Any = None) -> Contributions:
    """take_along_dim: added up where the elements came from."""
    axis = plain(dim)
    if axis is None:
        return take(call, g, x, indices)
    axis %= len(x.shape)
    if any(n != m for d, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True)) if d != axis):
        raise NoRuleError("take_along_dim with stretched indices has no derivative rule yet")
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda e: method(zeros, "scatter_add", axis, indices.expr, e), x.shape))]


def masked_scatter(call: Call, g: Value, x: Operand, mask: Operand, source: Operand) -> Contributions:
    """masked_scatter: to the tensor where the mask is not; what it covers to the first of the source."""
    rest = (x, masked(factor_term(mask.expr, mask.shape), g, keep=False))
    if not source.active:
        return [rest]
    if mask.shape != x.shape:
        raise NoRuleError("masked_scatter by a mask that is stretched has no derivative rule by its source")
    count = calling("arange", prod(source.shape))
    place = count if len(source.shape) == 1 else method(count, "reshape", *(source.shape or ((),)))
    first = Compare(("<",), (place, method(mask.expr, "sum")))
    zeros = calling("zeros_like", source.expr)
    taken = placed(g, lambda e: method(zeros, "masked_scatter", first, Subscript(e, mask.expr)), source.shape)
    return [rest, (source, taken)]


def scatter(
    call: Call,
    g: Value,
    x: Operand,
    dim: Any,
    index: Operand,
    src: Any = None,
    *,
    value: Any = None,
    reduce: Any = None,
) -> Contributions:
    """scatter: the source has what is gathered, the tensor the rest."""
    if plain(reduce) is not None:
        raise NoRuleError("scatter with reduce has no derivative rule")
    source = src if src is not None else value
    where = (plain(dim), index.expr)
    made = [_emptied(g, x, lambda expr: method(expr, "scatter", *where, 0))]
    if isinstance(source, Operand) and source.active and source.shape != index.shape:
        raise NoRuleError("scatter of a part of its source has no derivative rule by it")
    return [*made, *_read(g, source, lambda expr: method(expr, "gather", *where))]


def scatter_add(call: Call, g: Value, x: Operand, dim: Any, index: Operand, src: Operand) -> Contributions:
    """scatter_add: the cotangent itself, and what is gathered from it."""
    if src.active and src.shape != index.shape:
        raise NoRuleError("scatter_add of a part of its source has no derivative rule by it")
    return [(x, g), *_read(g, src, lambda expr: method(expr, "gather", plain(dim), index.expr))]


def scatter_reduce(
    call: Call,
    g: Value,
    x: Operand,
    dim: Any,
    index: Operand,
    src: Operand,
    reduce: Any,
    *,
    include_self: Any = True,
) -> Contributions:
    """scatter_reduce by a sum that takes the tensor in: scatter_add."""
    if plain(reduce) != "sum" or not plain(include_self):
        raise NoRuleError("scatter_reduce has a derivative rule for sums that include the tensor only")
    return scatter_add(call, g, x, dim, index, src)


def index_add(
    call: Call, g: Value, x: Operand, dim: Any, index: Operand, source: Operand, *, alpha: Any = 1
) -> Contributions:
    """index_add: the cotangent itself, and its slices."""
    scaled = g.times(operand(alpha).term, g.shape)
    return [(x, g), *_read(scaled, source, _selected(dim, index))]


def _selected(dim: Any, index: Operand) -> Callable[[Expr], Expr]:
    return lambda expr: method(expr, "index_select", plain(dim), index.expr)


def index_copy(call: Call, g: Value, x: Operand, dim: Any, index: Operand, source: Operand) -> Contributions:
    """index_copy: the slices to the source, the rest to the tensor."""
    rest = _emptied(g, x, lambda expr: method(expr, "index_fill", plain(dim), index.expr, 0))
    return [rest, *_read(g, source, _selected(dim, index))]


def index_fill(call: Call, g: Value, x: Operand, dim: Any, index: Operand, value: Any) -> Contributions:
    """index_fill: the rest to the tensor, the sum of the slices to the value."""
    rest = _emptied(g, x, lambda expr: method(expr, "index_fill", plain(dim), index.expr, 0))
    if not (isinstance(value, Operand) and value.position is not None):
        return [rest]

    def filled(expr: Expr) -> Expr:  # an index that stands twice fills its slice once
        kept = method(expr, "index_fill", plain(dim), index.expr, 0)
        return method(Binary("-", expr, kept), "sum")

    return [rest, (value, placed(g, filled, ()))]


def index_put(
    call: Call, g: Value, x: Operand, indices: Any, values: Operand, accumulate: Any = False
) -> Contributions:
    """index_put: to the values what stands at the indices, the rest to the tensor."""
    index = _listed(indices)
    one_value = values.shape == ()
    if values.active and not one_value and len(index.items) != 1:
        raise NoRuleError("index_put has a derivative rule by its values for one index only")
    rest = (
        (x, g)
        if plain(accumulate)
        else _emptied(g, x, lambda expr: method(expr, "index_put", index, calling("tensor", 0.0)))
    )

    def read(expr: Expr) -> Expr:
        picked = Subscript(expr, index.items[0] if len(index.items) == 1 else index)
        return method(picked, "sum") if one_value else picked

    if not values.active:
        return [rest]
    return [rest, (values, placed(g, read, values.shape))]


def _listed(indices: Any) -> Any:
    return literal(tuple(one.expr if isinstance(one, Operand) else one for one in indices))


def put(
    call: Call, g: Value, x: Operand, index: Operand, source: Operand, accumulate: Any = False
) -> Contributions:
    """put: to the source what stands at the places, the rest to the tensor."""
    zeros = calling("zeros_like", source.expr)
    rest = (x, g) if plain(accumulate) else _emptied(g, x, lambda e: method(e, "put", index.expr, zeros))
    return [rest, *_read(g, source, lambda expr: method(expr, "take", index.expr))]


def fill(call: Call, g: Value, x: Operand, value: Any) -> Contributions:
    """fill: nothing to the tensor, all to the value."""
    own = [(value, g)] if isinstance(value, Operand) else []
    return [(x, Value((), x.shape)), *own]


def select_scatter(call: Call, g: Value, x: Operand, src: Operand, dim: Any, index: Any) -> Contributions:
    """select_scatter: the slice to the source, the rest to the tensor."""
    where = (plain(dim), plain(index))
    zeros = calling("zeros_like", src.expr)
    rest = _emptied(g, x, lambda expr: method(expr, "select_scatter", zeros, *where))
    return [rest, *_read(g, src, lambda expr: method(expr, "select", *where))]


def slice_scatter(
    call: Call,
    g: Value,
    x: Operand,
    src: Operand,
    dim: Any = 0,
    start: Any = None,
    end: Any = None,
    step: Any = 1,
) -> Contributions:
    """slice_scatter: the slice to the source, the rest to the tensor."""
    axis = plain(dim) % len(x.shape)
    first, stop, by = slice(plain(start), plain(end), plain(step)).indices(x.shape[axis])
    if by != 1:
        raise NoRuleError("slice_scatter with a step has no derivative rule yet")
    zeros = calling("zeros_like", src.expr)
    rest = _emptied(g, x, lambda expr: method(expr, "slice_scatter", zeros, axis, first, stop))
    return [rest, *_read(g, src, lambda expr: method(expr, "narrow", axis, first, max(stop - first, 0)))]


def diagonal_scatter(
    call: Call, g: Value, x: Operand, src: Operand, offset: Any = 0, dim1: Any = 0, dim2: Any = 1
) -> Contributions:
    """diagonal_scatter: the diagonal to the source, the rest to the tensor."""
    where = tuple(map(plain, (offset, dim1, dim2)))
    rest = where if where != (0, 0, 1) else ()
    zeros = calling("zeros_like", src.expr)
    return [
        _emptied(g, x, lambda expr: method(expr, "diagonal_scatter", zeros, *rest)),
        *_read(g, src, lambda expr: method(expr, "diagonal", *rest)),
    ]


RULES: dict[str, Rule] = {
    "take": take,
    "take_along_dim": take_along_dim,
    "masked_scatter": masked_scatter,
    "scatter": scatter,
    "scatter_add": scatter_add,
    "scatter_reduce": scatter_reduce,
    "index_add": index_add,
    "index_copy": index_copy,
    "index_fill": index_fill,
    "index_put": index_put,
    "put": put,
    "fill": fill,
    "select_scatter": select_scatter,
    "slice_scatter": slice_scatter,
    "diagonal_scatter": diagonal_scatter,
}
