"""Programs in which a write leaves the old memory alone: out of place, or on a copy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import torch

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.through import call_at, root_name, under, written
from autograd_cli.diagnose.programs.upstream import mode_around
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.repair import edited, followed, spelled
from autograd_cli.diagnose.statements import called, indent_of, statements
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Fix
from autograd_cli.run.traced import Traced, now

Edits = Mapping[Span, str]

_TIGHT = (nodes.Name, nodes.Attribute, nodes.Call, nodes.Subscript, nodes.Number)


def anew(whole: Whole, *spans: Span) -> Iterator[Fix]:
    """The writes at `spans` out of place or on a copy: those of the first statement, then all."""
    if _is_update(whole, spans[0]):
        return
    every = by_statement(whole, spans)
    for chosen in (every[:1], every)[: len(every)]:
        writes = [span for held in chosen for span in held]
        yield from together(whole, [_out_of_place(whole, s) or _on_a_copy(whole, s) for s in writes])
        yield from together(whole, [_named_as_well(whole, s) for s in writes])


def reading_copies(whole: Whole, read: Iterable[Expr]) -> Iterator[Fix]:
    """The values that calls keep, copied where these read them."""
    edits = reads_copied(whole, read)
    yield from together(whole, [edits] if edits else [])


def reads_copied(whole: Whole, read: Iterable[Expr]) -> Edits:
    """What is read, read from copies."""
    return {expr.span: followed(whole.source, expr, ".clone()") for expr in read}


def by_statement(whole: Whole, spans: Sequence[Span]) -> list[list[Span]]:
    """The writes of each statement, of a chain of them the whole chain."""
    found: dict[Span, list[Span]] = {}
    for span in spans:
        held = found.setdefault(whole.statement(span).span, [])
        if not any(other != span and _holds(other, span) for other in spans):
            held.append(span)
    return [list(dict.fromkeys(held)) for held in found.values() if held]


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


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
    yield Fix("; ".join(_said(whole, merged)), edited(whole.source, merged))


def _said(whole: Whole, edits: Edits) -> list[str]:
    """Each statement as the edits make it, and before it what is put before it."""
    said: list[tuple[int, str]] = []
    inside: dict[Span, dict[Span, str]] = {}
    for span, text in edits.items():
        if _is_line(span, text):
            before = text.rstrip().removesuffix(";")
            said.append((span.start - 1, f"line {whole.line(span)}:  {before}  before it"))
        else:
            inside.setdefault(whole.statement(span).span, {})[span] = text
    for (start, end), own in inside.items():
        made = edited(whole.source, own)
        text = made[start : end + len(made) - len(whole.source.text)].split("\n", 1)[0]
        said.append((start, f"line {whole.source.line_of(start)}:  {text}"))
    return [text for _, text in sorted(said)]


def _is_line(span: Span, text: str) -> bool:
    return span.start == span.end and text.rstrip(" \t;\n") != text


# Out of place


def _out_of_place(whole: Whole, span: Span) -> Edits:
    """`h += x` as `h = h + x`, `h.mul_(2)` as `h = h.mul(2)`; empty where it cannot be written so."""
    statement, source = whole.statement(span), whole.source
    if isinstance(statement, nodes.Augment):
        name = holder(whole, statement.target)
        right = source[statement.value.span]
        right = right if isinstance(statement.value, _TIGHT) else f"({right})"
        return {statement.span: f"{name} = {name} {statement.op} {right}"} if name else {}
    call = call_at(statement, span)
    plain = "" if call is None else not_in_place(whole, call)
    if call is None or not plain:
        return {}
    if not _is_alone(statement, span):
        return {span: plain}
    name = holder(whole, _beginning(whole, call))
    return {statement.span: f"{name} = {plain}"} if name else {}


def _named_as_well(whole: Whole, span: Span) -> Edits:
    """`y = h.mul_(2)` as `y = h = h.mul(2)`, for a program that reads `h` as well."""
    statement = whole.statement(span)
    call = call_at(statement, span) if isinstance(statement, nodes.Assign) else None
    if call is None or not isinstance(statement, nodes.Assign) or statement.value.span != span:
        return {}
    name, plain = holder(whole, _beginning(whole, call)), not_in_place(whole, call)
    known = name and plain and nodes.Name(name) not in statement.targets
    return {span: f"{name} = {plain}"} if known else {}


def _is_alone(statement: Statement, span: Span) -> bool:
    return isinstance(statement, nodes.Evaluate) and statement.value.span == span


def _beginning(whole: Whole, call: nodes.Call) -> Expr | None:
    """What a chain of calls in place, as `h.mul_(2).add_(1)`, writes into."""
    target = written(whole, call.span)
    while isinstance(target, nodes.Call) and _writes(target):
        target = written(whole, target.span)
    return target


def _writes(call: nodes.Call) -> bool:
    name = called(call)
    return name.endswith("_") and not name.endswith("__")


def holder(whole: Whole, target: Expr | None) -> str:
    """The text of a variable, or of a place in a list, to which a new tensor can be assigned; else ""."""
    if isinstance(target, nodes.Attribute) and not hasattr(torch.Tensor, target.name):
        return whole.source[target.span]
    held = None if target is None else held_at(whole, target)
    if target is None or is_trained(held):
        return ""
    is_place = isinstance(target, nodes.Subscript) and held is not None
    return whole.source[target.span] if isinstance(target, nodes.Name) or is_place else ""


def held_at(whole: Whole, expr: Expr) -> torch.Tensor | None:
    """The tensor that a variable holds, or a list at a place that is written out; None for others."""
    places = []
    while isinstance(expr, nodes.Subscript):
        places.append(_place(expr.index))
        expr = expr.value
    held = whole.ran.names.get(expr.id) if isinstance(expr, nodes.Name) else None
    for place in reversed(places):
        known = isinstance(held, list | tuple) and place is not None and -len(held) <= place < len(held)
        held = held[place] if known else None  # type: ignore[index]
    value = now(held).value if isinstance(held, Traced) else None
    return value if isinstance(value, torch.Tensor) else None


def not_in_place(whole: Whole, call: nodes.Call) -> str:
    """The text of a call that writes, as one that does not; empty where there is none."""
    source, start = whole.source, call.span.start
    for at, keyword in enumerate(call.keywords):
        if keyword.name in ("out", "inplace"):
            before = [*call.args, *call.keywords][len(call.args) + at - 1 : len(call.args) + at]
            cut = before[0].span.end if before else keyword.span.start
            return source.text[start:cut] + source.text[keyword.span.end : call.span.end]
    return _renamed(whole, call) if _writes(call) else ""


_MADE_ANEW = {"zero_": "zeros_like", "fill_": "full_like"}


def _renamed(whole: Whole, call: nodes.Call) -> str:
    """`h.mul_(2)` as `h.mul(2)`, `h.zero_()` as `torch.zeros_like(h)`, and so in a chain."""
    source, target, name = whole.source, written(whole, call.span), called(call)
    end = call.function.span.end
    if name in _MADE_ANEW and target is not None:
        rest = [source[each.span] for each in (*call.args, *call.keywords) if each is not target]
        made = spelled(whole.program, f"torch.{_MADE_ANEW[name]}")
        return f"{made}({', '.join([source[target.span], *rest])})"
    is_chain = isinstance(target, nodes.Call) and target.span.start == call.span.start and _writes(target)
    before = not_in_place(whole, target) if is_chain and isinstance(target, nodes.Call) else ""
    if (is_chain and not before) or not any(hasattr(place, name[:-1]) for place in _PLACES):
        return ""
    start = target.span.end if is_chain and target is not None else call.span.start
    return before + source.text[start : end - 1] + source.text[end : call.span.end]


_PLACES = (torch.Tensor, torch, torch.nn.functional)
"""Where a function that does not write may stand."""


# On memory of its own


def _place(index: Expr) -> int | None:
    """A place that is written out, `-1` too."""
    sign = -1 if isinstance(index, nodes.Unary) and index.op == "-" else 1
    number = index.operand if isinstance(index, nodes.Unary) else index
    known = isinstance(number, nodes.Number) and isinstance(number.value, int)
    return sign * number.value if known else None  # type: ignore[attr-defined]


def _on_a_copy(whole: Whole, span: Span) -> Edits:
    """What is written through given a copy before the statement: a name, or a place in a list."""
    target = written(whole, span)
    while target is not None and not isinstance(target, nodes.Name) and held_at(whole, target) is None:
        target = under(target)
    if target is None or is_trained(held_at(whole, target)):
        return {}
    return copied_before(whole, whole.statement(span), whole.source[target.span])


def copied_before(whole: Whole, statement: Statement, name: str) -> Edits:
    """A name, or a place in a list, given a copy before a statement.

    On the same line where that is not the first of it.
    """
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
