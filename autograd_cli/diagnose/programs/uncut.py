"""Programs without what ends the way of a gradient: `.item()`, `.detach()`, a copy made by torch.tensor."""

from collections.abc import Iterable, Iterator, Sequence

from autograd_cli.diagnose.programs.cutting import CASTS, Cut
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.repair import TIGHT, spelled
from autograd_cli.diagnose.statements import called, parts, replaced
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Fix


def without(whole: Whole, expr: Expr, kind: str, others: Iterable[Cut] = ()) -> Iterator[Fix]:
    """The program without a cut, and without `others` too, where that can be written."""
    edits = dict(_edits(whole, expr, kind))
    if edits:
        yield Fix(_words(whole, expr, edits), replaced(whole.source, edits))
    elif kind == "whole" or kind == "truth":
        smooth = "sigmoid of the difference" if kind == "truth" else "softmax, or the values themselves"
        yield Fix(f"put something smooth in its place: {smooth}")
    every = {span: text for cut in others for span, text in _edits(whole, *cut)}
    if edits and len(every) > len(edits):
        yield Fix("", replaced(whole.source, every))


def _edits(whole: Whole, expr: Expr, kind: str) -> Iterator[tuple[Span, str]]:
    """What is left out around the operand of a cut; nothing where it cannot be left out."""
    inner = _operand(expr, kind)
    if inner is None:
        return
    before, after = Span(expr.span.start, inner.span.start), Span(inner.span.end, expr.span.end)
    if kind == "copy" and _is_list(whole, inner):
        yield before, f"{spelled(whole.program, 'torch.stack')}("
        yield after, ")"
        return
    alone = isinstance(inner, TIGHT) or expr in parts(whole.statement(expr.span))
    open_, close = ("", "") if alone else ("(", ")")
    yield before, open_
    yield after, close


def _is_list(whole: Whole, expr: Expr) -> bool:
    """Whether an expression is a list of tensors, written out or by its name."""
    held = whole.ran.names.get(expr.id) if isinstance(expr, nodes.Name) else None
    return isinstance(expr, nodes.Sequence) or isinstance(held, list | tuple)


def _operand(expr: Expr, kind: str) -> Expr | None:
    """What a cut is made of: the tensor before the dot, or the argument."""
    function = expr.function if isinstance(expr, nodes.Call) else expr
    inner = function.value if isinstance(function, nodes.Attribute) else None
    is_named = isinstance(function, nodes.Name)
    args: Sequence[Expr] = expr.args if isinstance(expr, nodes.Call) else ()
    if args and (kind == "copy" or (kind == "number" and is_named)):
        return args[0]
    if isinstance(inner, nodes.Name) and inner.id in ("torch", "F", "np", "math"):
        return None
    return inner if kind in ("detach", "number", "copy") or called(expr) in CASTS | {"to"} else None


def _words(whole: Whole, expr: Expr, edits: dict[Span, str]) -> str:
    """The place and what stands there then: "line 3:  w * 2"."""
    start, end = expr.span
    before, after = (text for _, text in sorted(edits.items()))
    inner = whole.source.text[min(span.end for span in edits) : max(span.start for span in edits)]
    return f"{whole.where(Span(start, end))}:  {before}{inner}{after}"
