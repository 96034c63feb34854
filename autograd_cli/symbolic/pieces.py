"""Functions of several results: which steps are one of these, and the shapes of all."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from autograd_cli.lang.nodes import Attribute, Expr, Number, Subscript
from autograd_cli.report import Ref, Step
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, one_by_one, plain
from autograd_cli.symbolic.terms import Shape, broadcast, factor_term
from autograd_cli.symbolic.values import Value

NAMES = {
    "values": 0, "indices": 1, "min": 0, "max": 1, "mantissa": 0, "exponent": 1, "sign": 0, "logabsdet": 1,
    "eigenvalues": 0, "eigenvectors": 1, "Q": 0, "R": 1, "U": 0, "S": 1, "Vh": 2, "V": 2, "L": 0, "info": 1,
    "inverse": 0, "result": 0, "solution": 0, "residuals": 1,
}  # fmt: skip
"""Which result a name of a result stands for."""

Pieces = list[tuple[int, int]]


def is_item(step: Step, steps: Sequence[Step]) -> bool:
    """Whether `step` takes one of the results of a function that has several."""
    first = step.args[0] if step.args else None
    if step.key or step.kind != "call" or not isinstance(first, Ref):
        return False
    of = steps[first.index]
    return of.shape is None and of.kind == "call" and bool(of.key)


def item_of(call: Call) -> int:
    """Which result an item takes; NoRuleError where it is not one."""
    expr, given = call.step.expr, call.args[1:]
    if given and isinstance(given[0], int):
        return given[0]
    if not given and isinstance(expr, Attribute) and expr.name in NAMES:
        return NAMES[expr.name]
    raise NoRuleError(f"{call.name} of several results has no derivative rule yet")


def item(call: Call, index: int) -> Expr:
    """One of the results, by its place."""
    return Subscript(call.step.expr, Number(index))


def alone(call: Call, index: int, g: Value) -> Call:
    """The call as that of one of its results, which `g` has arrived at."""
    expr = item(call, index)
    return replace(call, out=Operand(expr, g.shape, factor_term(expr, g.shape)))


def _axis(dim: Any, x: Operand) -> int:
    return int(plain(dim)) % len(x.shape)


def split(call: Call, x: Operand, size: Any, dim: Any = 0) -> tuple[int, Pieces]:
    """split: pieces of one size, or of the sizes that are listed."""
    axis, sizes = _axis(dim, x), plain(size)
    bounds = [0]
    for part in sizes if isinstance(sizes, tuple) else ():
        bounds.append(bounds[-1] + part)
    return axis, list(pairwise(bounds)) if isinstance(sizes, tuple) else _equal(x.shape[axis], sizes)


def _equal(count: int, size: int) -> Pieces:
    """Stretches of one size, the last of which may be shorter; an empty dim is one piece."""
    return [(start, min(start + size, count)) for start in range(0, count, max(size, 1))] or [(0, 0)]


def chunk(call: Call, x: Operand, chunks: Any, dim: Any = 0) -> tuple[int, Pieces]:
    """chunk: as many pieces as asked for, or fewer, all of one size but the last."""
    axis = _axis(dim, x)
    return axis, _equal(x.shape[axis], -(-x.shape[axis] // plain(chunks)))


def tensor_split(
    call: Call, x: Operand, sections: Any = None, dim: Any = 0, *, indices: Any = None
) -> tuple[int, Pieces]:
    """tensor_split: that many pieces, the first ones longer by 1, or the pieces between indices."""
    axis, by = _axis(dim, x), plain(sections if sections is not None else indices)
    count = x.shape[axis]
    if isinstance(by, tuple):
        bounds = [slice(start, stop).indices(count)[:2] for start, stop in pairwise((0, *by, count))]
        return axis, [(start, max(start, stop)) for start, stop in bounds]
    size, longer = divmod(count, by)
    starts = [i * size + min(i, longer) for i in range(by + 1)]
    return axis, list(pairwise(starts))


def _along(dim: int) -> Callable[..., tuple[int, Pieces]]:
    def rule(call: Call, x: Operand, sections: Any = None, *, indices: Any = None) -> tuple[int, Pieces]:
        axis = 0 if dim == 1 and len(x.shape) == 1 else dim
        return tensor_split(call, x, sections, axis, indices=indices)

    return rule


SPLITS: dict[str, Callable[..., tuple[int, Pieces]]] = {
    **dict.fromkeys(("split", "split_with_sizes", "split_with_sizes_copy", "unsafe_split"), split),
    **dict.fromkeys(("chunk", "unsafe_chunk"), chunk),
    "tensor_split": tensor_split,
    "vsplit": _along(0),
    "hsplit": _along(1),
    "dsplit": _along(2),
}
"""What cuts a tensor along a dim: the dim, and start and stop of each piece."""

UNBINDS = ("unbind", "unbind_copy")


def unbound(x: Operand, dim: Any = 0) -> int:
    """The dim along which unbind takes a tensor apart."""
    return _axis(dim, x)


def shapes_of(call: Call) -> list[Shape]:
    """The shapes of all results of a call; none where they are not known."""
    key, args, kwargs = call.step.key, call.args, call.kwargs
    if key in SPLITS:
        axis, pieces = SPLITS[key](call, *args, **kwargs)
        shape = args[0].shape
        return [(*shape[:axis], stop - start, *shape[axis + 1 :]) for start, stop in pieces]
    if key in UNBINDS:
        shape, axis = args[0].shape, unbound(*args, **kwargs)
        return [shape[:axis] + shape[axis + 1 :]] * shape[axis]
    tensors = _tensors(call)
    if key == "broadcast_tensors":
        return [broadcast(*(t.shape for t in tensors))] * len(tensors)
    if key == "meshgrid":
        order = list(tensors)
        if len(order) > 1 and kwargs.get("indexing") == "xy":
            order[:2] = order[1::-1]
        return [tuple(t.shape[0] if t.shape else 1 for t in order)] * len(tensors)
    return []


def counted(item: int, call: Call) -> int:
    """Which result `item` is, where it is counted from the end."""
    return item if item >= 0 else item % call.step.results


def _tensors(call: Call) -> list[Operand]:
    return [one for one in one_by_one(call.args) if isinstance(one, Operand)]
