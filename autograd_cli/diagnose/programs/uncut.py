"""Programs without what ends the way of a gradient: `.item()`, `.detach()`, a copy made by torch.tensor."""

from collections.abc import Iterable, Iterator, Sequence

from autograd_cli.diagnose.programs.cutting import CASTS, Cut
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.repair import TIGHT, edited, followed, spelled
from autograd_cli.diagnose.statements import called, parts
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Fix


def without(whole: Whole, expr: Expr, kind: str, others: Iterable[Cut] = ()) -> Iterator[Fix]:
    """The program without a cut, and without `others` too, where that can be written."""
    edits = dict(_edits(whole, expr, kind))
    if edits:
        yield Fix(_words(whole, expr, edits), edited(whole.source, edits))
    elif kind in _SMOOTH:
        smooth = _smooth(whole, expr)
        if smooth:
            soft = _around(whole, expr, smooth)
            said = soft.get(expr.span, next(iter(soft.values())))
            yield Fix(f"{whole.where(expr.span)}:  {said}, smooth in its place", edited(whole.source, soft))
        else:
            yield Fix(f"put something smooth in its place: {_SMOOTH[kind]}")
    every = all_edits(whole, others)
    if edits and len(every) > len(edits):
        yield Fix("", edited(whole.source, every))


def all_edits(whole: Whole, cuts: Iterable[Cut]) -> dict[Span, str]:
    """What is left out where all these cuts are."""
    return {span: text for cut in cuts for span, text in _edits(whole, *cut)}


_SMOOTH = {
    "whole": "softmax, or the values themselves",
    "truth": "sigmoid of the difference",
    "indices": "the values that it gives besides",
}


def _smooth(whole: Whole, expr: Expr) -> str:
    """A comparison as a sigmoid, an argmax as the mean of the places by softmax; "" for all else."""
    if isinstance(expr, nodes.Compare) and len(expr.ops) == 1 and expr.ops[0][0] in "<>":
        sides = [followed(whole.source, side, "") for side in expr.operands]
        left, right = sides if expr.ops[0][0] == ">" else sides[::-1]
        return f"{spelled(whole.program, 'torch.sigmoid')}({left} - {_bare(right)})"
    return _mean_place(whole, expr) if called(expr) in ("argmax", "argmin") else ""


def _around(whole: Whole, expr: Expr, smooth: str) -> dict[Span, str]:
    """The edits that put a smooth value in the place of a truth value, and of what asks for one around it."""
    statement = whole.statement(expr.span)
    outer = [node for part in parts(statement) for node in nodes.walk(part) if _is_inside(expr, node)]
    for node in sorted(outer, key=lambda node: node.span.end - node.span.start):
        if called(node) == "where" and isinstance(node, nodes.Call) and node.args[0] is expr:
            return {node.span: _mixed(whole, smooth, node.args[1:])} if len(node.args) == 3 else {}
        if isinstance(node, nodes.Compare) and node.ops in (("==",), ("!=",)):
            return {expr.span: smooth, **_apart(whole, node)}
    return {expr.span: smooth}


def _is_inside(expr: Expr, node: Expr) -> bool:
    return node is not expr and node.span.start <= expr.span.start and expr.span.end <= node.span.end


def _mixed(whole: Whole, smooth: str, chosen: Sequence[Expr]) -> str:
    """What `where` chooses from, weighed: `b + (a - b) * smooth`, for 1 and 0 the weight itself."""
    if [isinstance(each, nodes.Number) and each.value for each in chosen] == [1, 0]:
        return smooth
    one, other = (_bare(followed(whole.source, each, "")) for each in chosen)
    return f"({other} + ({one} - {other}) * {smooth})"


def _apart(whole: Whole, node: nodes.Compare) -> dict[Span, str]:
    """`a == b` as `1 - (a - b).abs()`, which is the same for what is 0 or 1; `a != b` as `(a - b).abs()`."""
    left, right = node.operands
    operator = whole.source.text.index(node.ops[0], left.span.end, right.span.start)
    start, end = node.span
    opening = "1 - (" if node.ops[0] == "==" else "("
    return {Span(start, start): opening, Span(operator, operator + 2): "-", Span(end, end): ").abs()"}


def _bare(text: str) -> str:
    """A number without the brackets that a name would not need either."""
    return text[1:-1] if text[1:-1].replace(".", "", 1).isdigit() else text


def _mean_place(whole: Whole, expr: Expr) -> str:
    """`x.argmax()` as the places weighed by softmax."""
    assert isinstance(expr, nodes.Call)
    function, args = expr.function, [*expr.args, *expr.keywords]
    is_method = isinstance(function, nodes.Attribute) and not _is_module(function.value)
    scores = function.value if is_method and isinstance(function, nodes.Attribute) else args.pop(0)
    given = args[0].value if args and isinstance(args[0], nodes.Keyword) else args[0] if args else None
    inner, dim = followed(whole.source, scores, ""), "0" if given is None else whole.source[given.span]
    flat = f"{inner}.flatten()" if given is None else inner
    sign = "-" if called(expr) == "argmin" else ""
    softmax, arange = (spelled(whole.program, f"torch.{name}") for name in ("softmax", "arange"))
    return f"({softmax}({sign}{flat}, {dim}) * {arange}({flat}.shape[{dim}])).sum({dim})"


def _is_module(expr: Expr) -> bool:
    return isinstance(expr, nodes.Name) and expr.id in ("torch", "F", "np", "math")


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
    if inner is not None and _is_module(inner):
        return None
    return inner if kind in ("detach", "number", "copy") or called(expr) in CASTS | {"to"} else None


def _words(whole: Whole, expr: Expr, edits: dict[Span, str]) -> str:
    """The place and what stands there then: "line 3:  w * 2"."""
    start, end = expr.span
    before, after = (text for _, text in sorted(edits.items()))
    inner = whole.source.text[min(span.end for span in edits) : max(span.start for span in edits)]
    return f"{whole.where(Span(start, end))}:  {before}{inner}{after}"
