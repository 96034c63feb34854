"""Rules of what picks elements: the cotangent is put into zeros where they came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from autograd_cli.lang.nodes import Expr, Number, Subscript, walk
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.terms import ONE, Shape, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.unparse import unparse
from autograd_cli.symbolic.values import Value, mapped, placed, scaled, split

_ONE = calling("ones", ())
"""The cotangent 1 as a tensor."""

_MOST_ROWS = 64
"""Rows of the identity of which one is written for a unit vector: all of them are made."""


@dataclass(frozen=True)
class Pick:
    """An int or a slice of one dim, with the shape it picks from."""

    dim: int
    index: Any
    shape: Shape

    def back(self, zeros: Expr, picked: Expr) -> Expr:
        """`zeros` with `picked` at the place that was picked; of a 1 a row of the identity."""
        if picked == _ONE and len(self.shape) == 1 and self.shape[0] <= _MOST_ROWS:
            return Subscript(calling("eye", *self.shape), Number(self.index))
        if not isinstance(self.index, slice):
            return method(zeros, "select_scatter", picked, self.dim, self.index)
        start, stop, step = self.index.start, self.index.stop, self.index.step
        bounds = (
            (start, stop, step) if step not in (None, 1) else (start, stop) if stop is not None else (start,)
        )
        return method(zeros, "slice_scatter", picked, self.dim, *bounds)

    @property
    def result(self) -> Shape:
        """The shape of what is picked."""
        before, after = self.shape[: self.dim], self.shape[self.dim + 1 :]
        if not isinstance(self.index, slice):
            return before + after
        return (*before, len(range(*self.index.indices(self.shape[self.dim]))), *after)


def items_back(x: Operand, axis: int, by: Mapping[int, Value]) -> Value:
    """The cotangents of the slices of `x` along `axis`: stacked, or in zeros where not all have one."""
    if len(by) == x.shape[axis] > 1:
        return put_together("stack", x, axis, by)
    back = [put_back(g, x, [Pick(axis, item, x.shape)]) for item, g in by.items()]
    return reduce(Value.plus, back)


def put_together(name: str, x: Operand, axis: int, by: Mapping[int, Value]) -> Value:
    """The cotangents of all pieces of `x`, by `name`: "stack", "cat"."""
    values = [by[item] for item in sorted(by)]
    if all(g.natural == () and g.terms == values[0].terms for g in values):
        return values[0].to(x.shape)
    parts = tuple(_of_full_shape(g, x) for g in values)
    return scaled(ONE, calling(name, parts, *((axis,) if axis else ())), x.shape)


def _of_full_shape(g: Value, x: Operand) -> Expr:
    """The cotangent of a part of `x` as a tensor: a number alone is none."""
    if g.is_zero:
        return calling("zeros", *(g.shape or ((),)))
    if g.shape == () and any(unparse(node) == unparse(x.expr) for node in walk(g.written())):
        return g.written()
    scalars, expr = split(g)
    return scalars.times(factor_term(expr, g.shape)).written()


def getitem(call: Call, g: Value, x: Operand, index: Any) -> Contributions:
    """x[index] for ints and slices, one mask, or index tensors from the first dim on."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(_is_gathering(part) for part in parts):
        return [(x, _gathered_back(g, x, parts))]
    if x.step is not None and len(parts) == 1 and type(first := _number(parts[0])) is int:
        return [(replace(x, shape=x.shape[1:], item=first % x.shape[0]), g)]
    picks = list(_picks(x.shape, [_number(part) for part in parts]))
    shape = picks[-1].result if picks else x.shape
    if picks and None in parts:
        unsized = mapped(g, lambda expr: method(expr, "reshape", *(shape or ((),))), shape)
        return [(x, put_back(unsized, x, picks))]
    return [(x, put_back(g, x, picks) if picks else _reshaped(g, x))]


def _is_gathering(part: Any) -> bool:
    return isinstance(part, list | bool) or (isinstance(part, Operand) and part.position is not None)


def _number(part: Any) -> Any:
    if isinstance(part, slice):
        return slice(plain(part.start), plain(part.stop), plain(part.step))
    return plain(part)


def _picks(shape: Shape, parts: list[Any]) -> Iterator[Pick]:
    """The picks one after the other; None and `:` pick nothing."""
    named = sum(part is not None and part is not ... for part in parts)
    dim = 0
    for part in parts:
        if part is ...:
            dim += len(shape) - dim - (named - _named_before(parts, part))
        elif part == slice(None):
            dim += 1
        elif part is not None:
            pick = Pick(dim, part, shape)
            yield pick
            shape = pick.result
            dim += isinstance(part, slice)


def _named_before(parts: list[Any], ellipsis: Any) -> int:
    return sum(part is not None for part in parts[: parts.index(ellipsis)])


def _reshaped(g: Value, x: Operand) -> Value:
    if g.natural == ():
        return g.to(x.shape)
    return mapped(g, lambda expr: method(expr, "reshape", *(x.shape or ((),))), x.shape)


def put_back(g: Value, x: Operand, picks: list[Pick]) -> Value:
    """The cotangent put back into zeros through all picks, the last one first."""

    def place(expr: Expr) -> Expr:
        for pick in reversed(picks):
            first = pick is picks[0]
            zeros = calling("zeros_like", x.expr) if first else calling("zeros", *pick.shape)
            expr = pick.back(zeros, expr)
        return expr

    return placed(g, place, x.shape)


def _gathered_back(g: Value, x: Operand, parts: tuple[Any, ...]) -> Value:
    """A mask: masked_scatter; index tensors: index_put, adding where an element was picked twice."""
    zeros = calling("zeros_like", x.expr)
    (first, *rest) = parts
    if not rest and isinstance(first, Operand) and first.step is not None and first.step.dtype == "bool":
        if first.shape == x.shape:
            return placed(g, lambda expr: method(zeros, "masked_scatter", first.expr, expr), x.shape)
        raise NoRuleError("an index by a mask of fewer dims has no derivative rule yet")
    indices = tuple(_index_tensor(part) for part in parts)
    return placed(g, lambda expr: method(zeros, "index_put", indices, expr, accumulate=True), x.shape)


def _index_tensor(part: Any) -> Expr:
    if isinstance(part, Operand) and part.step is not None and part.step.dtype == "int64":
        return part.expr
    value = plain(part)
    if isinstance(value, tuple | int) and not isinstance(value, bool):
        return calling("tensor", list(value) if isinstance(value, tuple) else value)
    raise NoRuleError("an index of this kind has no derivative rule yet")


def select(call: Call, g: Value, x: Operand, dim: Any, index: Any) -> Contributions:
    """select: the slice put into zeros."""
    return [(x, put_back(g, x, [Pick(plain(dim), plain(index), x.shape)]))]


def narrow(call: Call, g: Value, x: Operand, dim: Any, start: Any, length: Any) -> Contributions:
    """narrow: the stretch put into zeros."""
    first = plain(start)
    return [(x, put_back(g, x, [Pick(plain(dim), slice(first, first + plain(length)), x.shape)]))]


def masked_select(call: Call, g: Value, x: Operand, mask: Operand) -> Contributions:
    """masked_select: the elements put back where the mask is true."""
    if mask.shape != x.shape:
        raise NoRuleError("masked_select with a mask that is stretched has no derivative rule yet")
    return [(x, _gathered_back(g, x, (mask,)))]


def gather(
    call: Call, g: Value, x: Operand, dim: Any, index: Operand, *, sparse_grad: Any = False
) -> Contributions:
    """gather: added up where the elements came from."""
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda expr: method(zeros, "scatter_add", plain(dim), index.expr, expr), x.shape))]


def index_select(call: Call, g: Value, x: Operand, dim: Any, index: Operand) -> Contributions:
    """index_select: added up where the slices came from."""
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda expr: method(zeros, "index_add", plain(dim), index.expr, expr), x.shape))]
