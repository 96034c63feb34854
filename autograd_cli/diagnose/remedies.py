"""Small changes that may make a failing call work, the likeliest first: to be tried before they are told."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import prod
from typing import Any

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.given import given
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind, Role
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand
from autograd_cli.run.traced import Traced
from autograd_cli.run.values import dtype_name

MOST = 48
"""So many changes of one failure are tried."""

_OF_DTYPES = re.compile(r"dtype|scalar type|\btypes?\b|Long|Half|Double|Bool|[Cc]omplex|[Ii]ntegral|floating")
_OF_SHAPES = re.compile(r"dimension|dims?\b|shapes?|sizes?|\dD\b|square|matri|expand|broadcast|batch|vector")


def remedies(case: Case) -> Iterator[Fix]:
    """The changes, of what the error's words are about first; each program once."""
    families: list[Callable[[Case], Iterator[Fix]]] = [_numbers, _shapes, _dtypes, _created, _kinds]
    if _OF_SHAPES.search(case.words):
        families.sort(key=lambda family: family not in (_shapes, _created))
    if case.says("out of bounds", "out of range", "index") and case.kind is not Kind.LOSS:
        families.sort(key=lambda family: family is not _numbers)
        families.insert(0, _indices)
    if case.says("dimension out of range"):  # with dimensions put before, another one would be meant
        families = [_numbers, _created]
    if _OF_DTYPES.search(case.words):
        families.sort(key=lambda family: family is not _dtypes)
    if case.kind is Kind.LOSS:
        families.sort(key=lambda family: family is not _created)
    seen = {case.run.program.source.text}
    for fix in islice((fix for family in families for fix in islice(family(case), MOST // 2)), 2 * MOST):
        if fix.program not in seen:
            seen.add(fix.program)
            yield fix


def _edited(case: Case, words: str, edits: dict[Span, str]) -> Fix:
    return Fix(words, repair.edited(case.run.program.source, edits))


def _suffixed(case: Case, operand: Operand, suffix: str, words: str) -> Fix:
    program = repair.suffixed(case.run.program.source, operand.expr, suffix, case.failure.expr)
    return Fix(f"{drawing.quoted(operand.text)} {words}", program)


# Dtypes


def _dtypes(case: Case) -> Iterator[Fix]:
    """Every tensor in the dtype of one of them; in float32; whole, as an index is; the real part.

    A mask between brackets stays one: as whole numbers it would choose others.
    """
    is_index = isinstance(case.failure.expr, nodes.Subscript)
    tensors = [o for o in case.tensors if not (is_index and o.value.dtype == torch.bool)]
    for operand in tensors:
        if operand.value.is_complex():
            yield _suffixed(case, operand, ".real", "by its real part")
    for keep in _distinct(tensors, key=lambda o: o.value.dtype):
        others = [o for o in tensors if o.value.dtype != keep.value.dtype]
        if others and _is_float(keep):
            yield _in_dtype(case, others, keep.value.dtype)
    for dtype in _meant(case):
        others = [o for o in tensors if o.value.dtype != dtype]
        each = [_in_dtype(case, [other], dtype) for other in others]
        every = [_in_dtype(case, others, dtype)] if len(others) > 1 else []
        yield from (*every, *each) if dtype == torch.float32 else (*each, *every)


def _meant(case: Case) -> Iterator[torch.dtype]:
    """float32, and where the words ask for them whole numbers and truth values."""
    yield torch.float32
    if case.says("long", "int", "index", "not implemented"):
        yield torch.int64
    if case.says("bool", "mask"):
        yield torch.bool
    if case.says("complex"):
        yield torch.complex64


def _distinct(operands: Iterable[Operand], key: Callable[[Operand], object]) -> list[Operand]:
    return list({key(operand): operand for operand in reversed(list(operands))}.values())[::-1]


def _is_float(operand: Operand) -> bool:
    return bool(operand.value.is_floating_point() or operand.value.is_complex())


_SHORT = {
    torch.float32: ".float()",
    torch.float64: ".double()",
    torch.int64: ".long()",
    torch.bool: ".bool()",
}


def _in_dtype(case: Case, operands: list[Operand], dtype: torch.dtype) -> Fix:
    source = case.run.program.source
    suffix = _SHORT.get(dtype) or f".to({repair.spelled(case.run.program, f'torch.{dtype_name(dtype)}')})"
    edits = {
        repair.grouped(source, o.expr, case.failure.expr): repair.followed(source, o.expr, suffix)
        for o in operands
    }
    names = ", ".join(drawing.quoted(operand.text) for operand in operands)
    return _edited(case, f"{names} as {dtype_name(dtype)}", edits)


# Shapes


def _shapes(case: Case) -> Iterator[Fix]:
    """Each tensor as another one's shape, turned, with a dimension more or less."""
    for operand in case.tensors:
        for other in case.tensors:
            if other is not operand:
                yield from _like(case, operand, other)
    for operand in case.tensors:
        yield from _turned(case, operand)
    if case.kind is Kind.ELEMENTWISE:  # a dimension more would be another question, of all pairs
        return
    for operand in case.tensors:
        yield from _ranks(case, operand)
    for suffix, words in _BATCHES:
        edits = {o.expr.span: repair.followed(case.run.program.source, o.expr, suffix) for o in case.tensors}
        if len(edits) > 1:
            yield _edited(case, f"all of them {words}", edits)


def _turned(case: Case, operand: Operand) -> Iterator[Fix]:
    rank = operand.value.ndim
    if rank == 2:
        yield _suffixed(case, operand, ".T", "transposed")
    if rank > 2:
        yield _suffixed(case, operand, ".mT", "with its last two dimensions exchanged")
    if 1 in operand.value.shape:
        yield _suffixed(case, operand, ".squeeze()", "without its sizes of 1")


_BATCHES = (("[None]", "in a batch of one"), ("[:, None]", "as columns"), (".flatten()", "in one row"))


def _like(case: Case, operand: Operand, other: Operand) -> Iterator[Fix]:
    tensor, shape = operand.value, tuple(other.value.shape)
    if tuple(tensor.shape) == shape:
        return
    name = repair.followed(case.run.program.source, other.expr, "")
    words = f"in the shape of {drawing.quoted(other.text)}"
    if tensor.numel() == prod(shape):
        yield _suffixed(case, operand, f".reshape({name}.shape)", words)
    if drawing.broadcast((tuple(tensor.shape), shape)) == shape:
        yield _suffixed(case, operand, f".expand_as({name})", f"stretched to {drawing.quoted(other.text)}")


def _ranks(case: Case, operand: Operand) -> Iterator[Fix]:
    rank, shape = operand.value.ndim, tuple(operand.value.shape)
    for count in (1, 2, 3, 4):
        if rank + count <= 5:
            index = ", ".join(["None"] * count)
            yield _suffixed(case, operand, f"[{index}]", f"as {shape_text((1,) * count + shape)}")
    if rank:
        yield _suffixed(case, operand, "[..., None]", f"as {shape_text((*shape, 1))}")
        yield _suffixed(case, operand, ".flatten()", "in one row")
    if rank > 1:
        yield _suffixed(case, operand, ".flatten(0, 1)", "with its first two dimensions as one")
        yield _suffixed(case, operand, ".flatten(1)", "in rows")
        if shape[0]:
            yield _suffixed(case, operand, "[0]", "by its first row alone")
    if rank == 0:
        yield _suffixed(case, operand, ".reshape(1)", "as (1,)")
        yield _suffixed(case, operand, ".reshape(1, 1)", "as (1,1)")


# Numbers of the call


def _numbers(case: Case) -> Iterator[Fix]:
    """The numbers written in the call as others: what the error says, what the shapes allow, small ones."""
    pool = _pool(case)
    for each in reversed(given(case)):
        for number in _written(each.operand.expr):
            old = _value(number)
            if not isinstance(old, int | float):
                continue
            is_dim = each.argument is not None and each.argument.role is Role.DIM
            for new in _dims(case, _nearest(pool, old), old) if is_dim else _nearest(pool, old):
                if new != old or isinstance(old, float):
                    text = _spell(new, old)
                    name = f"`{each.name}` " if each.name else ""
                    words = f"{name}{text} in place of {drawing.quoted(case.run.program.source[number.span])}"
                    yield _edited(case, words, {number.span: text})


def _dims(case: Case, numbers: list[float], old: float) -> list[float]:
    """The numbers without those that name a dimension which another does, counted as `old` is."""
    rank = max((operand.value.ndim for operand in case.tensors[:1]), default=0)
    same: dict[float, float] = {}
    for number in numbers:
        key = number % rank if rank and -rank <= number < rank else number
        if key not in same or (number < 0) is (old < 0):
            same[key] = number
    return [number for number in numbers if number in same.values()]


def _nearest(pool: list[float], old: float) -> list[float]:
    return sorted(pool, key=lambda new: abs(new - old))


def _pool(case: Case) -> list[float]:
    """The numbers that may be meant: in the error's words, the shapes' sizes and ranks, and the smallest."""
    said = [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", case.words)[:8]]
    sizes = [n for o in case.tensors for n in (*o.value.shape, o.value.ndim, o.value.ndim - 1)]
    limits = [n - 1 for n in (*said, *sizes)]
    return list(dict.fromkeys(float(n) for n in (*said, *sizes, *limits, 0, 1, 2, -1, 0.5) if abs(n) < 1e6))


def _spell(new: float, old: float) -> str:
    return (
        str(int(new))
        if new == int(new) and isinstance(old, int)
        else str(int(new) if new == int(new) else new)
    )


def _written(expr: Expr) -> list[Expr]:
    """The numbers that an argument is written of, where it is nothing else."""
    if isinstance(expr, nodes.Number) or (
        isinstance(expr, nodes.Unary) and isinstance(expr.operand, nodes.Number)
    ):
        return [expr]
    if isinstance(expr, nodes.Sequence):
        return [number for item in expr.items for number in _written(item)]
    return []


def _value(number: Expr) -> Any:
    if isinstance(number, nodes.Unary) and isinstance(number.operand, nodes.Number):
        return -number.operand.value if number.op == "-" else number.operand.value
    return number.value if isinstance(number, nodes.Number) else 0


def _indices(case: Case) -> Iterator[Fix]:
    """Whole numbers kept inside of what the other tensors have."""
    sizes = {n for o in case.tensors if _is_float(o) for n in o.value.shape if n > 0}
    for operand in case.tensors:
        if not operand.value.is_meta and operand.value.dtype in (torch.int64, torch.int32):
            for size in sorted(sizes, key=lambda n: (n not in _said(case), n)):
                yield _suffixed(case, operand, f".clamp(0, {size - 1})", f"kept from 0 to {size - 1}")


# Tensors that the program makes itself


def _created(case: Case) -> Iterator[Fix]:
    """The tensors that the source makes of sizes, with other sizes: those of the tensors beside them."""
    for operand in reversed(case.tensors):
        wanted = {n for o in case.tensors if o is not operand for n in o.value.shape} | _said(case)
        for number in _sizes_of(operand):
            for new in sorted(wanted, key=lambda n: (n == 1, n)):
                if new != number.value and new > 0:
                    yield _resized(case, operand, number, new)


def resized(case: Case, operand: Operand, old: int, new: int) -> Iterator[Fix]:
    """A tensor that the source makes of sizes made with `new` in the place of each `old` of them."""
    return (_resized(case, operand, each, new) for each in _sizes_of(operand) if each.value == old)


def _resized(case: Case, operand: Operand, number: nodes.Number, new: int) -> Fix:
    program = repair.edited(case.run.program.source, {number.span: str(new)})
    name = _made(operand)[1] or operand.text
    return Fix(f"{drawing.quoted(name)} made with {new} for {number.value}", program)


_KEEPS = {
    "t", "T", "mT", "transpose", "permute", "swapaxes", "squeeze", "unsqueeze", "requires_grad_", "float",
    "double", "half", "to", "contiguous", "clone", "detach", "flatten",
}  # fmt: skip
"""What gives a tensor of the same sizes, in another order or with some of 1 more or less."""


def _made(operand: Operand) -> tuple[Expr, str]:
    """The expression that made a tensor, behind what gives it the same sizes, and the name that it had."""
    made, name = operand.argument, ""
    while isinstance(made, Traced) and made.args and made.function and made.function.name in _KEEPS:
        made = made.args[0]
        name = made.name if isinstance(made, Traced) else ""
    return (made.expr, name) if isinstance(made, Traced) else (operand.expr, "")


def _sizes_of(operand: Operand) -> list[nodes.Number]:
    return _sizes(_made(operand)[0])


def _said(case: Case) -> set[int]:
    return {int(text) for text in re.findall(r"\b\d+\b", case.words)[:8] if len(text) < 6}


_MAKERS = {"ones", "zeros", "rand", "randn", "empty", "full", "arange", "randint"}


def _sizes(expr: Expr) -> list[nodes.Number]:
    """The whole numbers in a call that makes a tensor of sizes."""
    if not isinstance(expr, nodes.Call):
        return []
    function = expr.function
    name = function.name if isinstance(function, nodes.Attribute) else getattr(function, "id", "")
    if name not in _MAKERS:
        return _sizes(function.value) if isinstance(function, nodes.Attribute) else []
    found = [part for arg in expr.args for part in nodes.walk(arg) if isinstance(part, nodes.Number)]
    return [number for number in found if isinstance(number.value, int)]


# Arguments of another kind


def _kinds(case: Case) -> Iterator[Fix]:
    """A list or a number made a tensor, an optional argument left out, a write as a new value."""
    source, spelled = case.run.program.source, repair.spelled(case.run.program, "torch.tensor")
    for each in given(case):
        value, expr = each.operand.value, each.operand.expr
        role = each.argument.role if each.argument is not None else Role.TENSOR
        if (
            role is Role.TENSOR
            and isinstance(value, list | int | float | complex)
            and not isinstance(value, bool)
        ):
            yield _edited(case, f"{drawing.quoted(each.operand.text)} as a tensor", {
                expr.span: f"{spelled}({source[expr.span]})"
            })  # fmt: skip
        if isinstance(value, torch.Tensor) and value.numel() == 1 and role is not Role.TENSOR:
            yield _suffixed(case, each.operand, ".item()", "as a Python number")
    yield from _left_out(case)
    yield from _out_of_place(case)


def _left_out(case: Case) -> Iterator[Fix]:
    expr = case.failure.expr
    if not isinstance(expr, nodes.Call):
        return
    parts: list[Expr] = [*expr.args, *expr.keywords]
    if len(case.operands) < 2:  # what is left would be about nothing
        return
    for at in reversed(range(len(parts))):
        start = parts[at - 1].span.end if at else parts[at].span.start
        end = parts[at].span.end if at or len(parts) == 1 else parts[1].span.start
        text = drawing.quoted(case.run.program.source[parts[at].span])
        yield _edited(case, f"without {text}", {Span(start, end): ""})


def _out_of_place(case: Case) -> Iterator[Fix]:
    if case.name.endswith("_") and not case.name.endswith("__"):
        program = repair.renamed(case.run.program.source, case.failure.expr, case.name[:-1])
        if program is not None:
            yield Fix(f"`{case.name[:-1]}`, which makes a new tensor", program)
