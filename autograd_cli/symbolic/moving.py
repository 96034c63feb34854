"""Rules of the functions that repeat, join, pad and rearrange elements."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.symbolic.build import call as calling, method, parsed
from autograd_cli.symbolic.indexing import Pick, put_back, put_together
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, one_by_one, plain
from autograd_cli.symbolic.terms import Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions, multiplied
from autograd_cli.symbolic.values import Value, as_dim, mapped, placed

Rule = Callable[..., Contributions]


def moved(g: Value, x: Operand, move: Callable[[Expr], Expr]) -> Contributions:
    """The cotangent moved by `move`; as it is where all of its elements are the same.

    Only for what uses every element of `x` once: one that is left out gets 0 of any cotangent.
    """
    return [(x, g.to(x.shape) if g.natural == () else mapped(g, move, x.shape))]


def flipped(name: str) -> Rule:
    """fliplr, flipud: flipped again."""

    def rule(call: Call, g: Value, x: Operand) -> Contributions:
        return moved(g, x, lambda expr: method(expr, name))

    return rule


def rot90(call: Call, g: Value, x: Operand, k: Any = 1, dims: Any = (0, 1)) -> Contributions:
    """rot90: turned back."""
    rest = () if plain(dims) == (0, 1) else (plain(dims),)
    return moved(g, x, lambda expr: method(expr, "rot90", -plain(k), *rest))


def repeat(call: Call, g: Value, x: Operand, *repeats: Any) -> Contributions:
    """repeat, tile: the sum over the copies."""
    times = plain(one_by_one(repeats))
    listed = (1,) * (len(x.shape) - len(times)) + times
    if g.natural == ():
        return [(x, g.times(Term(prod(listed)), x.shape))]
    sizes = (1,) * (len(listed) - len(x.shape)) + x.shape
    pairs = list(zip(listed, sizes, strict=True))
    shape: list[int] = []
    copies: list[int] = []
    for place, (count, size) in enumerate(pairs):
        if count != 1 or place < len(listed) - len(x.shape):
            copies.append(len(shape))
            shape.append(count)
        if place >= len(listed) - len(x.shape):
            shape.append(size)
    return [(x, mapped(g, lambda expr: _summed(expr, shape, copies, g.shape), x.shape))]


def _summed(expr: Expr, shape: Sequence[int], dims: Sequence[int], given: Shape = ()) -> Expr:
    """The sum over `dims` of what is reshaped to `shape` from `given`."""
    whole = expr if tuple(shape) == given else method(expr, "reshape", *shape)
    return method(whole, "sum", as_dim(dims)) if dims else whole


def repeat_interleave(
    call: Call, g: Value, x: Operand, repeats: Any, dim: Any = None, *, output_size: Any = None
) -> Contributions:
    """repeat_interleave: the sum over the copies of each element."""
    if isinstance(repeats, Operand) and repeats.position is not None:
        return [(x, _gathered(g, x, repeats, plain(dim)))]
    count = plain(repeats)
    if g.natural == ():
        return [(x, g.times(Term(count), x.shape))]
    if plain(dim) is None:
        return [(x, mapped(g, lambda expr: _summed(expr, (*x.shape, count), (len(x.shape),)), x.shape))]
    axis = plain(dim) % len(x.shape)
    shape = (*x.shape[: axis + 1], count, *x.shape[axis + 1 :])
    return [(x, mapped(g, lambda expr: _summed(expr, shape, (axis + 1,)), x.shape))]


def _gathered(g: Value, x: Operand, repeats: Operand, dim: int | None) -> Value:
    if dim is None and len(x.shape) != 1:
        raise NoRuleError("repeat_interleave by a tensor has a rule along a dim only")
    axis = dim or 0
    places = method(calling("arange", x.shape[axis]), "repeat_interleave", repeats.expr)
    zeros = calling("zeros_like", x.expr)
    return placed(g, lambda expr: method(zeros, "index_add", axis, places, expr), x.shape)


def _standing(shape: Shape, rank: int) -> Shape:
    """A shape of at least `rank` dims, as hstack, vstack and dstack see it."""
    if rank == 1:
        return shape or (1,)
    if rank == 2:
        return (1,) * (2 - len(shape)) + shape
    return (1, *_standing(shape, 1), 1) if len(shape) < 2 else (*shape, 1)[: max(3, len(shape))]


def _column(shape: Shape) -> Shape:
    return shape if len(shape) > 1 else (prod(shape), 1)


def joined(name: str) -> Rule:
    """hstack, vstack, dstack, column_stack: to each tensor its stretch, in its shape."""

    def rule(call: Call, g: Value, tensors: Any) -> Contributions:
        shapes = [_as_joined(name, one.shape) for one in tensors]
        axis = {"hstack": 0 if len(shapes[0]) == 1 else 1, "vstack": 0, "dstack": 2, "column_stack": 1}[name]
        found: Contributions = []
        start = 0
        for piece, shape in zip(tensors, shapes, strict=True):
            found.append((piece, _stretch(g, axis, start, shape, piece)))
            start += shape[axis]
        return found

    return rule


def _as_joined(name: str, shape: Shape) -> Shape:
    if name == "column_stack":
        return _column(shape)
    return _standing(shape, {"hstack": 1, "vstack": 2, "dstack": 3}[name])


def _stretch(g: Value, axis: int, start: int, shape: Shape, piece: Operand) -> Value:
    if g.natural == ():
        return g.to(piece.shape)

    def cut(expr: Expr) -> Expr:
        taken = method(expr, "narrow", axis, start, shape[axis])
        return taken if shape == piece.shape else method(taken, "reshape", *(piece.shape or ((),)))

    return mapped(g, cut, piece.shape)


def block_diag(call: Call, g: Value, *tensors: Any) -> Contributions:
    """block_diag: to each tensor its block."""
    found: Contributions = []
    row = column = 0
    for piece in tensors:
        rows, columns = _standing(piece.shape, 2)
        found.append((piece, _block(g, (row, rows), (column, columns), piece)))
        row, column = row + rows, column + columns
    return found


def _block(g: Value, rows: tuple[int, int], columns: tuple[int, int], piece: Operand) -> Value:
    if g.natural == ():
        return g.to(piece.shape)

    def cut(expr: Expr) -> Expr:
        taken = method(method(expr, "narrow", 0, *rows), "narrow", 1, *columns)
        return taken if len(piece.shape) == 2 else method(taken, "reshape", *(piece.shape or ((),)))

    return mapped(g, cut, piece.shape)


def cartesian_prod(call: Call, g: Value, *tensors: Any) -> Contributions:
    """cartesian_prod: to each tensor its column, summed over the others."""
    if len(tensors) == 1:
        return [(tensors[0], g)]
    sizes = [one.shape[0] for one in tensors]
    return [(one, _column_of(g, place, sizes, one)) for place, one in enumerate(tensors)]


def _column_of(g: Value, place: int, sizes: Sequence[int], piece: Operand) -> Value:
    if g.natural == ():
        return g.times(Term(prod(sizes[:place]) * prod(sizes[place + 1 :])), piece.shape)
    others = [d for d in range(len(sizes)) if d != place]
    return mapped(g, lambda e: _summed(method(e, "select", 1, place), sizes, others), piece.shape)


def combinations(call: Call, g: Value, x: Operand, *given: Any, **named: Any) -> Contributions:
    """combinations: added up where the elements came from."""
    places = calling(
        "combinations",
        calling("arange", *x.shape),
        *map(plain, given),
        **{k: plain(v) for k, v in named.items()},
    )
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda e: method(zeros, "index_put", (places,), e, accumulate=True), x.shape))]


def unfold(call: Call, g: Value, x: Operand, dimension: Any, size: Any, step: Any) -> Contributions:
    """unfold: each window added where it was taken."""
    if not x.shape:
        raise NoRuleError("unfold of a single number has no derivative rule")
    axis = plain(dimension) % len(x.shape)
    places = method(
        method(calling("arange", x.shape[axis]), "unfold", 0, plain(size), plain(step)), "flatten"
    )
    zeros = calling("zeros_like", x.expr)

    def add(expr: Expr) -> Expr:
        windows = expr if axis == len(x.shape) - 1 else method(expr, "movedim", -1, axis + 1)
        return method(zeros, "index_add", axis, places, method(windows, "flatten", axis, axis + 1))

    return [(x, placed(g, add, x.shape))]


def diag(call: Call, g: Value, x: Operand, diagonal: Any = 0) -> Contributions:
    """diag: of a vector the diagonal of the cotangent; of a matrix the cotangent on its diagonal."""
    rest = (plain(diagonal),) if plain(diagonal) else ()
    if len(x.shape) == 1:
        return moved(g, x, lambda expr: method(expr, "diag", *rest))
    if not rest and x.shape[0] == x.shape[1]:
        return [(x, placed(g, lambda expr: method(expr, "diag"), x.shape))]
    zeros = calling("zeros_like", x.expr)
    return [(x, placed(g, lambda expr: method(zeros, "diagonal_scatter", expr, *rest), x.shape))]


def diag_embed(
    call: Call, g: Value, x: Operand, offset: Any = 0, dim1: Any = -2, dim2: Any = -1
) -> Contributions:
    """diag_embed: the diagonal of the cotangent."""
    return moved(g, x, lambda expr: method(expr, "diagonal", *map(plain, (offset, dim1, dim2))))


def diagflat(call: Call, g: Value, x: Operand, offset: Any = 0) -> Contributions:
    """diagflat: the diagonal of the cotangent, in the operand's shape."""
    rest = (plain(offset),) if plain(offset) else ()

    def back(expr: Expr) -> Expr:
        taken = method(expr, "diagonal", *rest)
        return taken if len(x.shape) == 1 else method(taken, "reshape", *(x.shape or ((),)))

    return moved(g, x, back)


def slice_copy(
    call: Call, g: Value, x: Operand, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1
) -> Contributions:
    """slice_copy: the slice put into zeros."""
    cut = slice(*map(plain, (start, end, step)))
    return [(x, put_back(g, x, [Pick(plain(dim) % len(x.shape), cut, x.shape)]))]


def stretched_to(call: Call, g: Value, x: Operand, *size: Any) -> Contributions:
    """sum_to_size: the cotangent, stretched."""
    return [(x, g.to(x.shape))]


def pad(
    call: Call, g: Value, x: Operand, pad: Any, mode: Any = "constant", value: Any = None
) -> Contributions:
    """pad by a constant: the border cut off, and zeros where it was negative."""
    if plain(mode) != "constant":
        raise NoRuleError(f"{call.name} with mode {plain(mode)!r} has no derivative rule")
    back = tuple(-n for n in plain(pad))

    def cut(expr: Expr) -> Expr:
        return calling("F.pad", expr, back)

    crops = any(n > 0 for n in back)
    return [(x, placed(g, cut, x.shape))] if crops else moved(g, x, cut)


def constant_pad(call: Call, g: Value, x: Operand, size: Any, value: Any = 0) -> Contributions:
    """constant_pad_nd: as pad."""
    return pad(call, g, x, size)


def undone_by(path: str) -> Rule:
    """What is undone by the function `path` of the same arguments."""

    def rule(call: Call, g: Value, x: Operand, *given: Any, **named: Any) -> Contributions:
        kept = {name: plain(value) for name, value in named.items()}
        return moved(g, x, lambda expr: calling(path, expr, *map(plain, given), **kept))

    return rule


def dropout(
    call: Call, g: Value, x: Operand, p: Any = 0.5, training: Any = True, *, inplace: Any = False
) -> Contributions:
    """dropout: the cotangent itself where nothing is dropped."""
    drops = plain(training) and plain(p) > 0
    if drops:
        raise NoRuleError(f"{call.name} draws at random what it drops")
    return [(x, g)]


def glu(call: Call, g: Value, x: Operand, dim: Any = -1) -> Contributions:
    """glu, a*sigmoid(b) of the two halves a and b: sigmoid(b) and a*sigmoid(b)*sigmoid(-b)."""
    axis = plain(dim) % len(x.shape)
    half = (*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :])
    first, second = (
        Operand(expr, half, factor_term(expr, half))
        for expr in (method(x.expr, "narrow", axis, start, half[axis]) for start in (0, half[axis]))
    )
    env = {"a": first, "b": second}
    texts = ("sigmoid(b)", "a*sigmoid(b)*sigmoid(-b)")
    by = {place: multiplied(g, parsed(text), env, half) for place, text in enumerate(texts)}
    return [(x, put_together("cat", x, axis, by))]


def added_up(call: Call, g: Value, iterable: Any, start: Any = 0) -> Contributions:
    """Python's sum of tensors: the cotangent to each; of one tensor, stretched over its first dim."""
    if isinstance(iterable, Operand):
        return [(iterable, g.to(iterable.shape)), *_if_tensor(start, g)]
    return [*((one, g) for one in iterable if isinstance(one, Operand)), *_if_tensor(start, g)]


def _if_tensor(start: Any, g: Value) -> Contributions:
    return [(start, g)] if isinstance(start, Operand) else []


RULES: dict[str, Rule] = {
    "fliplr": flipped("fliplr"),
    "flipud": flipped("flipud"),
    "rot90": rot90,
    "repeat": repeat,
    "tile": repeat,
    "repeat_interleave": repeat_interleave,
    **{name: joined(name) for name in ("hstack", "vstack", "dstack", "column_stack")},
    "block_diag": block_diag,
    "cartesian_prod": cartesian_prod,
    "combinations": combinations,
    **dict.fromkeys(("unfold", "unfold_copy"), unfold),
    "diag": diag,
    "diag_embed": diag_embed,
    "diagflat": diagflat,
    "slice_copy": slice_copy,
    "sum_to_size": stretched_to,
    "pad": pad,
    "constant_pad_nd": constant_pad,
    "fftshift": undone_by("fft.ifftshift"),
    "ifftshift": undone_by("fft.fftshift"),
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"), dropout),
    "feature_alpha_dropout": dropout,
    "glu": glu,
    "python_sum": added_up,
}
