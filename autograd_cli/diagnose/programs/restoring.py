"""Programs in which the gradient of a leaf arrives: without what ends its way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from autograd_cli.diagnose.programs.cutting import Cut
from autograd_cli.diagnose.programs.ends import cuts_in, holds, ways_to
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.uncut import all_edits, without
from autograd_cli.diagnose.programs.upstream import Source, mode_around
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import around, called, parts, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Fix


def restored(whole: Whole, expr: Expr, how: str, leaf: str) -> Iterator[Fix]:
    """The program without the expression that ends the way of a leaf."""
    function = expr.function if isinstance(expr, nodes.Call) else None
    is_math = isinstance(function, nodes.Attribute) and function.value == nodes.Name("math")
    if how == "mode":
        yield from _out_of_mode(whole, expr)
    elif (
        called(expr) == "detach_" and whole.source[whole.statement(expr.span).span] == whole.source[expr.span]
    ):
        yield Fix(f"without {whole.where(expr.span)}", edited(whole.source, {expr.span: "pass"}))
    elif is_math and isinstance(function, nodes.Attribute) and hasattr(torch, function.name):
        new = f"torch.{function.name}{whole.source[expr.span][len(whole.source[function.span]) :]}"
        yield Fix(f"{whole.where(expr.span)}:  {new}", edited(whole.source, {expr.span: new}))
    else:
        own = Source(whole.statement(expr.span), whole_value(whole, expr), None)
        cuts = [(expr, how), *(cut for cut in cuts_in(whole, own, leaf) if cut[0] is not expr)]
        yield from (_unflagged(whole, own.statement, fix) for fix in without(whole, expr, how, cuts))
        yield from _there_and_back(whole, expr, leaf)
        if mode_around(whole, own.statement) is not None:
            yield from _out_of_mode(whole, expr, all_edits(whole, cuts))


def _unflagged(whole: Whole, made: Statement, fix: Fix) -> Fix:
    """A repair without the lines that set the flag of what is made there: torch refuses that of a result."""
    names = targets(made)
    flags = {
        whole.source[each.span]
        for each in whole.all_statements
        if isinstance(each, nodes.Assign) and any(_is_flag_of(target, names) for target in each.targets)
    }
    if not flags:
        return fix
    lines = [line for line in fix.program.splitlines(keepends=True) if line.strip() not in flags]
    return replace(fix, program="".join(lines))


def _is_flag_of(target: Expr, names: Sequence[str]) -> bool:
    is_flag = isinstance(target, nodes.Attribute) and target.name == "requires_grad"
    return is_flag and isinstance(target, nodes.Attribute) and getattr(target.value, "id", "") in names


def _there_and_back(whole: Whole, expr: Expr, leaf: str) -> Iterator[Fix]:
    """A way that leaves torch and comes back, without both, and with torch's functions for those of NumPy."""
    ways = ways_to(whole, leaf)
    way = next((way for way in ways if any(holds(s.value.span, expr.span) for s in way)), [])
    found: list[Cut] = [cut for source in way for cut in cuts_in(whole, source, leaf)]
    if len({whole.statement(cut[0].span).span for cut in found}) > 1:
        edits = all_edits(whole, found)
        for source in way:
            edits.update(_of_torch(whole, source.value))
        yield Fix("", edited(whole.source, edits))


def _of_torch(whole: Whole, value: Expr) -> Iterator[tuple[Span, str]]:
    """`np.exp` as `torch.exp`."""
    for node in nodes.walk(value):
        is_numpys = isinstance(node, nodes.Attribute) and node.value == nodes.Name("np")
        if is_numpys and isinstance(node, nodes.Attribute) and hasattr(torch, node.name):
            yield node.span, f"torch.{node.name}"


def whole_value(whole: Whole, expr: Expr) -> Expr:
    """The expression of the statement that `expr` stands in."""
    return next(part for part in parts(whole.statement(expr.span)) if holds(part.span, expr.span))


_NO_EDITS: Mapping[Span, str] = {}


def _out_of_mode(whole: Whole, expr: Expr, edits: Mapping[Span, str] = _NO_EDITS) -> Iterator[Fix]:
    """The statement, with `edits` in it, out of its no_grad; or what it stands in told to record."""
    statement, source = whole.statement(expr.span), whole.source
    outer = [s for s in around(whole.program, expr.span) if isinstance(s, nodes.With)]
    if outer and outer[-1].body == (statement,):
        start, end = statement.span
        mended = edited(source, dict(edits))
        text = mended[start : end + len(mended) - len(source.text)]
        yield Fix(f"{whole.where(outer[-1].span)}:  {text}", edited(source, {outer[-1].span: text}))
        return
    mode = mode_around(whole, statement)
    if mode is None:
        return
    old = source[mode.span]
    prefix = old.partition("(")[0].rpartition(".")[0]
    on = "set_grad_enabled(True)" if called(mode) == "set_grad_enabled" else "enable_grad()"
    new = f"{prefix}.{on}" if prefix else on
    yield Fix(f"{whole.where(mode.span)}:  {new}", edited(source, {mode.span: new, **edits}))
