"""view and reshape: memory that is not in order, and counts that do not come out."""

from math import prod

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.broadcasting import whole_numbers
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.source import several
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text


def noncontiguous(case: Case) -> Finding | None:
    """AGX306 where a view is asked of a tensor whose elements are not in that order in memory."""
    if case.name not in {"view", "view_as"} or not case.tensors:
        return None
    operand = case.tensors[0]
    if operand.value.is_contiguous() or not case.says("view size is not compatible", "not contiguous"):
        return None
    tensor = operand.value
    return case.finding(
        "AGX306",
        f"{drawing.quoted(operand.text)} {shape_text(tensor.shape)} is not laid out in order in memory, so "
        "`view`, which never copies, cannot give it another shape.",
        cause=drawing.columns(
            [
                (
                    drawing.label(operand.text),
                    "shape",
                    shape_text(tensor.shape),
                    "strides",
                    shape_text(tensor.stride()),
                ),
                (
                    "in order",
                    "shape",
                    shape_text(tensor.shape),
                    "strides",
                    shape_text(_in_order(tensor.shape)),
                ),
            ]
        ),
        fix=_reordered(case),
        stride=tuple(tensor.stride()),
    )


def _in_order(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor of that shape."""
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def _reordered(case: Case) -> tuple[Fix, ...]:
    source, expr = case.run.program.source, case.failure.expr
    program = repair.renamed(source, expr, case.name.replace("view", "reshape"))
    if program is None or not isinstance(expr, nodes.Call) or not isinstance(expr.function, nodes.Attribute):
        return ()
    end = expr.function.span.end - len(expr.function.name)
    copied = repair.edited(source, {Span(end, end): "contiguous()."})
    return Fix("`reshape` copies where it must", program), Fix("or a copy in order, then the view", copied)


def wrong_count(case: Case) -> Finding | None:
    """AGX308 where the sizes asked of view, reshape or unflatten do not give the tensor's count."""
    if case.name not in {"view", "reshape", "unflatten"} or not case.tensors:
        return None
    operand = case.tensors[0]
    skipped = 2 if case.name == "unflatten" else 1
    if not all(isinstance(o.value, int | tuple | list) for o in case.operands[skipped:]):
        return None
    sizes = whole_numbers([o.value for o in case.operands[skipped:]])
    count = operand.value.numel()
    if case.name == "unflatten":
        count = _size(operand.value.shape, case.operands[1].value)
    if not sizes or _fits(sizes, count):
        return None
    if sizes.count(-1) > 1:
        return case.finding(
            "AGX308",
            f"`{case.name}` is given {sizes.count(-1)} sizes of -1, and only one size can be worked out from "
            "the others.",
            asked=tuple(sizes),
            count=count,
        )
    return case.finding(
        "AGX308",
        f"{_product(sizes)}, but {sized(operand)} has "
        f"{several(count, 'element')}{' there' if skipped == 2 else ''}.",
        fix=_inferred(case, count),
        asked=tuple(sizes),
        count=count,
    )


def _size(shape: tuple[int, ...], dim: object) -> int:
    known = isinstance(dim, int) and -len(shape) <= dim < len(shape)
    return shape[dim] if known and isinstance(dim, int) else prod(shape)


def _fits(sizes: list[int], count: int) -> bool:
    known = prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1:
        return known != 0 and count % known == 0
    return -1 not in sizes and known == count


def _product(sizes: list[int]) -> str:
    """ "3 × 5 = 15 elements are asked for", with a question mark for -1."""
    known = prod(size for size in sizes if size != -1)
    if -1 in sizes:
        return f"A multiple of {known} elements is asked for"
    product = f"{' × '.join(map(str, sizes))} = {known}" if len(sizes) > 1 else str(known)
    return f"{product} element{' is' if known == 1 else 's are'} asked for"


def _inferred(case: Case, count: int) -> tuple[Fix, ...]:
    """The source with one size left to torch, where the others divide the count."""
    skipped = 2 if case.name == "unflatten" else 1
    given = case.operands[skipped:]
    if len(given) == 1 and isinstance(given[0].expr, nodes.Sequence):
        numbers = [(expr, value) for expr, value in zip(given[0].expr.items, given[0].value, strict=False)]
    else:
        numbers = [(o.expr, o.value) for o in given]
    sizes = [value for _, value in numbers]
    if not all(isinstance(size, int) and size > 0 for size in sizes) or len(sizes) < 2:
        return ()
    for i in reversed(range(len(sizes))):
        rest = prod(sizes[:i] + sizes[i + 1 :])
        if count % rest == 0:
            program = repair.edited(case.run.program.source, {numbers[i][0].span: "-1"})
            return (Fix(f"-1 stands for {count // rest} here", program),)
    return ()
