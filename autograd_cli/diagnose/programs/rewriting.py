"""Programs in which a write leaves the old memory alone: out of place, on a copy, or later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import torch

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.through import call_at, root_name, written
from autograd_cli.diagnose.programs.upstream import mode_around
from autograd_cli.diagnose.repair import followed, spelled
from autograd_cli.diagnose.statements import indent_of, replaced, statements
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Fix

Edits = Mapping[Span, str]

_TIGHT = (nodes.Name, nodes.Attribute, nodes.Call, nodes.Subscript, nodes.Number)


def anew(whole: Whole, *spans: Span) -> Iterator[Fix]:
    """The writes at `spans` out of place or on a copy: the first of them, then all."""
    every = _by_statement(whole, spans)
    if _is_update(whole, spans[0]):
        return
    for chosen in (every[:1], every)[: len(every)]:
        made = list(together(whole, [_out_of_place(whole, span) for span in chosen]))
        yield from made or together(whole, [_on_a_copy(whole, span) for span in chosen])


def reading_copies(whole: Whole, read: Iterable[Expr]) -> Iterator[Fix]:
    """The values that calls keep, copied where these read them."""
    edits = reads_copied(whole, read)
    yield from together(whole, [edits] if edits else [])


def reads_copied(whole: Whole, read: Iterable[Expr]) -> Edits:
    """What is read, read from copies."""
    return {expr.span: followed(whole.source, expr, ".clone()") for expr in read}


def _by_statement(whole: Whole, spans: Sequence[Span]) -> list[Span]:
    """One write for each statement that writes."""
    return list({whole.statement(span).span: span for span in reversed(spans)}.values())[::-1]


def _is_update(whole: Whole, span: Span) -> bool:
    """Whether a write is that of a parameter: a new tensor in its place would be no leaf any more."""
    return mode_around(whole, whole.statement(span)) is not None and isinstance(
        whole.statement(span), nodes.Augment | nodes.Evaluate
    )


def together(whole: Whole, edits: Sequence[Edits]) -> Iterator[Fix]:
    """One repair of several edits; none where one of the writes cannot be written so."""
    if not edits or not all(edits):
        return
    merged = {span: text for each in edits for span, text in each.items()}
    said = "; ".join(
        f"line {whole.line(span)}:  {_words(whole, span, text)}" for span, text in sorted(merged.items())
    )
    yield Fix(said, replaced(whole.source, merged))


def _words(whole: Whole, span: Span, text: str) -> str:
    """The statement as an edit makes it; a statement that is put before another says so."""
    if span.start == span.end and text.rstrip(" \t;\n") != text:
        return f"{text.rstrip().removesuffix(';')}  before it"
    start, end = whole.statement(span).span
    before, after = whole.source.text[start : span.start], whole.source.text[span.end : end]
    return f"{before}{text}{after}".split("\n", 1)[0]


# Out of place


def _out_of_place(whole: Whole, span: Span) -> Edits:
    """`h += x` as `h = h + x`, `h.mul_(2)` as `h = h.mul(2)`; empty where it cannot be written so."""
    statement, source = whole.statement(span), whole.source
    if isinstance(statement, nodes.Augment) and isinstance(statement.target, nodes.Name):
        name, right = statement.target.id, source[statement.value.span]
        right = right if isinstance(statement.value, _TIGHT) else f"({right})"
        return {statement.span: f"{name} = {name} {statement.op} {right}"}
    call = call_at(statement, span)
    plain = "" if call is None else not_in_place(whole, call)
    if call is None or not plain:
        return {}
    target = written(whole, span)
    alone = isinstance(statement, nodes.Evaluate) and statement.value.span == span
    if not alone:
        return {span: plain}
    return {statement.span: f"{target.id} = {plain}"} if isinstance(target, nodes.Name) else {}


def not_in_place(whole: Whole, call: nodes.Call) -> str:
    """The text of a call that writes, as one that does not; empty where there is none."""
    source, start = whole.source, call.span.start
    for at, keyword in enumerate(call.keywords):
        if keyword.name in ("out", "inplace"):
            before = [*call.args, *call.keywords][len(call.args) + at - 1 : len(call.args) + at]
            cut = before[0].span.end if before else keyword.span.start
            return source.text[start:cut] + source.text[keyword.span.end : call.span.end]
    function = call.function
    name = function.name if isinstance(function, nodes.Attribute) else root_name(function)
    if not name.endswith("_") or name.endswith("__"):
        return ""
    return _renamed(whole, call, name)


_MADE_ANEW = {"zero_": "zeros_like", "fill_": "full_like"}


def _renamed(whole: Whole, call: nodes.Call, name: str) -> str:
    """`h.mul_(2)` as `h.mul(2)`, `h.zero_()` as `torch.zeros_like(h)`."""
    source, target = whole.source, written(whole, call.span)
    end = call.function.span.end
    if name in _MADE_ANEW and target is not None:
        rest = [source[each.span] for each in (*call.args, *call.keywords) if each is not target]
        made = spelled(whole.program, f"torch.{_MADE_ANEW[name]}")
        return f"{made}({', '.join([source[target.span], *rest])})"
    known = hasattr(torch.Tensor, name[:-1]) or not isinstance(call.function, nodes.Attribute)
    return source.text[call.span.start : end - 1] + source.text[end : call.span.end] if known else ""


# On memory of its own


def _on_a_copy(whole: Whole, span: Span) -> Edits:
    """The name that is written through given a copy before the statement."""
    statement, name = whole.statement(span), root_name(written(whole, span))
    return copied_before(whole, statement, name) if name and name.isidentifier() else {}


def copied_before(whole: Whole, statement: Statement, name: str) -> Edits:
    """A name given a copy before a statement, on the same line where that is not the first of it."""
    at, text = statement.span.start, whole.source.text
    shares = bool(text[text.rfind("\n", 0, at) + 1 : at].strip())
    ending = "; " if shares else f"\n{indent_of(whole.source, at)}"
    return {Span(at, at): f"{name} = {name}.clone(){ending}"}


_ALIASES = {
    "detach", "data", "numpy", "view", "view_as", "reshape", "flatten", "T", "t", "mT", "transpose",
    "permute", "squeeze", "unsqueeze", "narrow", "select", "diagonal", "unflatten", "expand", "swapaxes",
    "movedim",
}  # fmt: skip


def alias_copies(whole: Whole, span: Span) -> Iterator[Fix]:
    """An alias that is written through, made a copy where it is made."""
    name = root_name(written(whole, span))
    for other in statements(whole.program.statements):
        if not isinstance(other, nodes.Assign) or other.span.start >= span.start:
            continue
        if any(isinstance(t, nodes.Name) and t.id == name for t in other.targets):
            place = _copied_alias(other)
            if place is not None:
                text = whole.source.text
                start, end = other.span
                made = text[:place] + ".clone()" + text[place:]
                yield Fix(f"line {whole.line(other.span)}:  {made[start : end + len('.clone()')]}", made)


def _copied_alias(statement: nodes.Assign) -> int | None:
    """Where `.clone()` is put into `z = y.detach()`: behind detach and data, before numpy."""
    value = statement.value
    if isinstance(value, nodes.Name | nodes.Subscript):
        return value.span.end
    function = value.function if isinstance(value, nodes.Call) else value
    if not isinstance(function, nodes.Attribute) or function.name not in _ALIASES:
        return None
    return function.value.span.end if function.name == "numpy" else value.span.end
