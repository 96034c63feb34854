"""Why two operands do not multiply, drawn with the dimensions that must meet in one column."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.diagnose.remedies import resized
from autograd_cli.lang import nodes
from autograd_cli.lang.source import several
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Product:
    """How a function multiplies: `first` is the place of its left operand.

    `ranks` are the numbers of dimensions it wants, None where any will do. `turned`
    says that the right operand is used transposed, as linear uses its weight.
    """

    ranks: tuple[int, int] | None = None
    first: int = 0
    turned: bool = False


PRODUCTS = {
    "matmul": Product(),
    "mm": Product((2, 2)),
    "bmm": Product((3, 3)),
    "mv": Product((2, 1)),
    "dot": Product((1, 1)),
    "vdot": Product((1, 1)),
    "inner": Product(turned=True),
    "linear": Product(turned=True),
    "addmm": Product((2, 2), first=1),
    "addmv": Product((2, 1), first=1),
    "baddbmm": Product((3, 3), first=1),
    "addbmm": Product((3, 3), first=1),
}

_RANKS = {1: "a vector", 2: "a matrix", 3: "a batch of matrices"}


@dataclass(frozen=True)
class Pair:
    """Two operands of a product and where their dimensions stand.

    The columns are the batch, the rows of the left, what both share, the columns of the
    right. `marked` are the columns whose sizes do not meet.
    """

    left: Operand
    right: Operand
    cells: tuple[list[int | None], list[int | None]]
    marked: tuple[int, ...]


def mismatch(case: Case) -> Finding | None:
    """AGX301 where the function multiplies and the shapes of its operands do not fit."""
    product = PRODUCTS.get(case.name)
    if product is None:
        return None
    if len(case.tensors) < product.first + 2:
        return _number(case)
    left, right = case.tensors[product.first : product.first + 2]
    shapes = tuple(left.value.shape), tuple(right.value.shape)
    wrong = _wrong_rank(case, product, left, right)
    if wrong is not None:
        return wrong
    pair = _pair(left, right, *shapes, product)
    if not pair.marked:
        return None
    return case.finding(
        "AGX301",
        _sentence(pair, product),
        cause=(*_drawn(pair, shapes), *_explained(pair, product)),
        fix=tuple(_fixes(case, pair, product)),
        left=shapes[0],
        right=shapes[1],
    )


def _pair(left: Operand, right: Operand, a: Shape, b: Shape, product: Product) -> Pair:
    """The operands with their sizes by column; see `Pair`."""
    turned = (*b[:-2], *reversed(b[-2:])) if product.turned else b
    batches = drawing.aligned((a[:-2], turned[:-2]))
    width = len(batches[0])
    cells = (
        [*batches[0], a[-2] if len(a) > 1 else None, a[-1], None],
        [*batches[1], None, *(turned[-2:] if len(b) > 1 else (b[0], None))],
    )
    strict = product.ranks == (3, 3)
    marked = [i for i in range(width) if _apart(cells[0][i], cells[1][i], strict)]
    if a[-1] != cells[1][width + 1]:
        marked.append(width + 1)
    return Pair(left, right, cells, tuple(marked))


def _apart(one: int | None, other: int | None, strict: bool) -> bool:
    """Whether two batch sizes differ and may not be stretched."""
    if one is None or other is None or one == other:
        return False
    return strict or 1 not in (one, other)


def _drawn(pair: Pair, shapes: tuple[Shape, Shape]) -> tuple[str, ...]:
    left, right = pair.cells
    rows = ((pair.left.text, shapes[0], left), (pair.right.text, shapes[1], right))
    return drawing.grid(rows, pair.marked)


def _sentence(pair: Pair, product: Product) -> str:
    left, right = drawing.label(pair.left.text), drawing.label(pair.right.text)
    shapes = shape_text(pair.left.value.shape), shape_text(pair.right.value.shape)
    return f"`{left}` {shapes[0]} and `{right}` {shapes[1]} cannot be multiplied: {_why(pair, product)}."


def _why(pair: Pair, product: Product) -> str:
    column = pair.marked[-1]
    left, right = pair.cells[0][column], pair.cells[1][column]
    if column < len(pair.cells[0]) - 2:
        return f"their batch sizes are {left} and {right}"
    place = "the last dimension of the right one" if product.turned else "the rows of the right one"
    if pair.right.value.ndim == 1:
        place = "the length of the right one"
    return f"the last dimension of the left one is {left}, {place} {right}"


def _explained(pair: Pair, product: Product) -> Iterator[str]:
    inner = len(pair.cells[0]) - 2
    if inner in pair.marked:
        yield f"{pair.cells[0][inner]} meets {pair.cells[1][inner]}: these two must be equal"
    if any(column < inner for column in pair.marked):
        yield "batch sizes must be equal" + ("" if product.ranks == (3, 3) else ", or one of them 1")
    if product.turned and pair.right.value.ndim > 1:
        yield f"{drawing.quoted(pair.right.text)} is used transposed here, and drawn so"


# Ranks


def _wrong_rank(case: Case, product: Product, left: Operand, right: Operand) -> Finding | None:
    """AGX301 for a function that wants vectors or matrices and was given something else."""
    ranks = left.value.ndim, right.value.ndim
    if product.ranks is None:
        return None if 0 not in ranks else _scalar(case, left, right)
    if ranks == product.ranks:
        return None
    wrong, wanted = next(
        (operand, rank)
        for operand, rank in zip((left, right), product.ranks, strict=True)
        if operand.value.ndim != rank
    )
    return case.finding(
        "AGX301",
        f"`{case.name}` takes {_RANKS[product.ranks[0]]} and {_RANKS[product.ranks[1]]}; "
        f"{sized(wrong)} has {several(wrong.value.ndim, 'dimension')}, "
        f"not {wanted}.",
        cause=_drawn_ranks(left, right),
        fix=(*_as_matmul(case, product, left, right), *_flattened(case, product, left, right)),
    )


def _flattened(case: Case, product: Product, left: Operand, right: Operand) -> Iterator[Fix]:
    """The product of two vectors, of all elements: where there are as many on both sides."""
    source = case.run.program.source
    if product.ranks != (1, 1) or left.value.numel() != right.value.numel() or left.expr == right.expr:
        return
    spans = (left.expr, right.expr)
    edits = {e.span: repair.followed(source, e, ".flatten()") for e in spans}
    yield Fix("one number, of all pairs of elements", repair.edited(source, edits))


def _drawn_ranks(left: Operand, right: Operand) -> tuple[str, ...]:
    return drawing.columns(
        [
            (
                drawing.label(operand.text),
                shape_text(operand.value.shape),
                several(operand.value.ndim, "dimension"),
            )
            for operand in (left, right)
        ]
    )


def _number(case: Case) -> Finding | None:
    """AGX301 for `@` between a tensor and a Python number."""
    numbers = [o for o in case.operands if isinstance(o.value, int | float | complex)]
    if not isinstance(case.failure.expr, nodes.Binary) or not numbers:
        return None
    return _scaled(case, *case.operands, number=numbers[0], cause=())


def _scalar(case: Case, left: Operand, right: Operand) -> Finding:
    """AGX301 for a product with a tensor that is a single number."""
    number = left if left.value.ndim == 0 else right
    return _scaled(case, left, right, number=number, cause=_drawn_ranks(left, right))


def _scaled(case: Case, left: Operand, right: Operand, *, number: Operand, cause: tuple[str, ...]) -> Finding:
    """What is meant by `@` with a number is `*`."""
    fixes = []
    if isinstance(case.failure.expr, nodes.Binary):
        source = case.run.program.source
        sides = [source[repair.grouped(source, o.expr, case.failure.expr)] for o in (left, right)]
        program = repair.edited(source, {case.failure.expr.span: " * ".join(sides)})
        fixes.append(Fix("a number scales with `*`", program))
    return case.finding(
        "AGX301",
        f"{drawing.quoted(number.text)} is a single number, which has no dimension to multiply along.",
        cause=cause,
        fix=fixes,
    )


def _as_matmul(case: Case, product: Product, left: Operand, right: Operand) -> Iterator[Fix]:
    """matmul takes any number of dimensions: offered where it would work."""
    if product.first or 0 in (left.value.ndim, right.value.ndim):
        return
    shapes = tuple(left.value.shape), tuple(right.value.shape)
    program = repair.renamed(case.run.program.source, case.failure.expr, "matmul")
    if program and not _pair(left, right, *shapes, PRODUCTS["matmul"]).marked:
        yield Fix("`matmul`, the same as `@`, takes any number of dimensions", program)


# Repairs by shape


def _fixes(case: Case, pair: Pair, product: Product) -> Iterator[Fix]:
    """The transposes, other sizes and the other order with which the shapes fit, the likeliest first."""
    ways = (
        ("the right operand transposed", False, False, True),
        ("the left operand transposed", False, True, False),
        ("the two in the other order", True, False, False),
    )
    turned = [(words, _rewritten(case, pair, product, *how)) for words, *how in ways]
    fits = [Fix(words, program) for words, program in turned if program is not None][:2]
    if fits and fits[0].text.startswith(ways[0][0]):
        yield from fits
    else:
        yield from _made_to_meet(case, pair)
        yield from fits


def _made_to_meet(case: Case, pair: Pair) -> Iterator[Fix]:
    """One of the two made with the size that the other has there, a weight before data."""
    inner = len(pair.cells[0]) - 2
    sizes = pair.cells[0][inner], pair.cells[1][inner]
    ways = ((pair.right, sizes[1], sizes[0]), (pair.left, *sizes))
    for operand, old, new in sorted(ways, key=lambda way: not way[0].value.requires_grad):
        if inner in pair.marked and old is not None and new is not None:
            yield from islice(resized(case, operand, old, new), 1)


def _rewritten(
    case: Case, pair: Pair, product: Product, swap: bool, turn_left: bool, turn_right: bool
) -> str | None:
    """The source with the operands turned or swapped; None where that does not fit either."""
    a = _turned(tuple(pair.left.value.shape), turn_left)
    b = _turned(tuple(pair.right.value.shape), turn_right)
    if a is None or b is None:
        return None
    first, second = (b, a) if swap else (a, b)
    if _pair(pair.left, pair.right, first, second, product).marked:
        return None
    return _written(case, pair, swap, turn_left, turn_right)


def _turned(shape: Shape, turn: bool) -> Shape | None:
    """The shape with its last two sizes exchanged; None where there are not two."""
    if not turn:
        return shape
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else None


def _written(case: Case, pair: Pair, swap: bool, turn_left: bool, turn_right: bool) -> str:
    source, parent = case.run.program.source, case.failure.expr
    spans = [repair.grouped(source, operand.expr, parent) for operand in (pair.left, pair.right)]
    texts = [
        repair.followed(source, operand.expr, ".T" if operand.value.ndim == 2 else ".mT")
        if turn
        else source[span]
        for operand, span, turn in zip((pair.left, pair.right), spans, (turn_left, turn_right), strict=True)
    ]
    if swap:
        texts.reverse()
    return repair.edited(source, dict(zip(spans, texts, strict=True)))
