"""The repairs of a value that was changed in place, the one that a person would write first.

What was meant is told by the number that the backward was to start from: a repair that keeps the
write away from it mends the error and not the program.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from autograd_cli.diagnose.programs.rewriting import (
    alias_copies,
    anew,
    copied_before,
    not_in_place,
    reading_copies,
    reads_copied,
    together,
)
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.through import Hop, call_at, root_name, written
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, calls, parts, root_of, targets
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Fix
from autograd_cli.run.traced import BackwardCall, Observer, Ran, Traced, now

_MOST = 2
"""Repairs with which a program computes the same."""

_MOST_OTHERS = 2
"""Repairs with which it computes something else, beside one that keeps it."""


def mended(
    whole: Whole, spans: Sequence[Span], through: Sequence[Hop], read: Sequence[Expr] = ()
) -> list[Fix]:
    """The repairs of the writes at `spans`, which came by the names of `through` to what is needed.

    `read` are the expressions that need the old value in the statements that write.
    """
    own, copies = list(anew(whole, *spans)), list(alias_copies(whole, spans[0]))
    before = list(base_copies(whole, through, read))
    if any(hop.is_outside for hop in through):
        inside = [*_on_base(whole, spans, through), *_within_graph(whole, through)]
        every = [*copies, *own, *inside] if is_alone(whole, spans, through) else [*inside, *copies, *own]
    elif any(hop.is_view for hop in through):
        every = [*before, *own, *copies]
    else:
        every = [
            *_element_within_graph(whole, spans),
            *own,
            *_on_base(whole, spans, through),
            *copies,
            *before,
        ]
    return [*every, *reading_copies(whole, read)]


def is_alone(whole: Whole, spans: Sequence[Span], through: Sequence[Hop]) -> bool:
    """Whether an alias outside the graph is read by more than what writes through it.

    What is written was then meant for it alone.
    """
    name = through[0].name if through and through[0].is_outside else ""
    writing = {whole.statement(span).span for span in spans}
    return name.isidentifier() and any(
        node == nodes.Name(name)
        for statement in whole.all_statements
        if statement.span not in writing
        for part in (parts(statement) if name not in targets(statement) else ())
        for node in nodes.walk(part)
    )


# The tensor that an alias looks at, on memory of its own before the alias is made


def base_copies(whole: Whole, through: Sequence[Hop], read: Sequence[Expr] = ()) -> Iterator[Fix]:
    """`h = h.clone()` before `v = h[0]`, so that what is written through `v` is still written into `h`."""
    hop = through[-1] if through else None
    if hop is None or not hop.base or _is_leaf(whole, hop.base):
        return
    for statement in _places(whole, hop):
        edits = copied_before(whole, statement, hop.base)
        yield from together(whole, [edits])
        if read:
            yield from together(whole, [edits, reads_copied(whole, read)])


def _is_leaf(whole: Whole, name: str) -> bool:
    """Whether a name holds a leaf: a copy under its name would be trained no more."""
    held = whole.ran.names.get(name)
    return isinstance(held, Traced) and is_trained(now(held).value)


def _places(whole: Whole, hop: Hop) -> Iterator[Statement]:
    """Before the loop that the alias is made in, where the tensor is there by then; before the alias."""
    own = whole.statement(hop.span)
    outer = next((loop for loop in whole.loops(hop.span) if not _assigns(whole, loop, hop.base)), own)
    yield from (outer, own) if outer is not own else (own,)


def _assigns(whole: Whole, loop: nodes.For, name: str) -> bool:
    inside = (s for s in whole.all_statements if loop.span.start <= s.span.start < loop.span.end)
    return any(name in targets(statement) for statement in inside)


# The write where the graph knows of it


def _on_base(whole: Whole, spans: Sequence[Span], through: Sequence[Hop]) -> Iterator[Fix]:
    """`h = h.mul(2)` for `h.data.mul_(2)`, and for `d.mul_(2)` where `d` is all of `h`."""
    statements = {whole.statement(span).span for span in spans}
    base = through[-1].base if through else ""
    if len(statements) != 1 or not base or _is_leaf(whole, base):
        return
    if not all(_is_all(_looked_at(whole, hop)) for hop in through):
        return
    statement, target = whole.statement(spans[0]), written(whole, spans[0])
    value = "" if target is None else _new_value(whole, statement, spans[0], target)
    if value and target is not None:
        alias = re.escape(whole.source[target.span])
        value = re.sub(rf"(?<![\w.]){alias}(?![\w(])(?!\s*=[^=])", base, value)
        code = f"{base} = {value}"
        yield Fix(f"{whole.where(statement.span)}:  {code}", edited(whole.source, {statement.span: code}))


def _new_value(whole: Whole, statement: Statement, span: Span, target: Expr) -> str:
    """The text of what is written into all of `target`, empty where it is not known."""
    if isinstance(statement, nodes.Augment) and statement.target == target and _is_all(target):
        right = whole.source[statement.value.span]
        tight = isinstance(statement.value, nodes.Name | nodes.Call | nodes.Number | nodes.Attribute)
        return f"{whole.source[target.span]} {statement.op} {right if tight else f'({right})'}"
    call = call_at(statement, span)
    alone = isinstance(statement, nodes.Evaluate) and statement.value is call
    return not_in_place(whole, call) if call is not None and alone and _is_all(target) else ""


def _looked_at(whole: Whole, hop: Hop) -> Expr | None:
    """The expression by which a name or a view on the way looks at its tensor."""
    statement = whole.statement(hop.span)
    if statement.span == hop.span:
        return statement.value if isinstance(statement, nodes.Assign) else None
    every = (node for part in parts(statement) for node in nodes.walk(part))
    return next((node for node in every if node.span == hop.span), None)


def _is_all(expr: Expr | None) -> bool:
    """Whether an expression is a name, or all of its tensor outside the graph."""
    while expr is not None and _cut(expr) is not None:
        expr = _cut(expr)
    return isinstance(expr, nodes.Name)


def _cut(expr: Expr) -> Expr | None:
    """What `.data` or `.detach()` stands behind."""
    if isinstance(expr, nodes.Attribute) and expr.name == "data":
        return expr.value
    function = expr.function if isinstance(expr, nodes.Call) and called(expr) == "detach" else None
    return function.value if isinstance(function, nodes.Attribute) else None


def _within_graph(whole: Whole, through: Sequence[Hop]) -> Iterator[Fix]:
    """An alias that is made without its cut, of a tensor with memory of its own."""
    edits = {}
    for hop in through:
        expr = _looked_at(whole, hop)
        for node in nodes.walk(expr) if expr is not None else ():
            inner = _cut(node)
            if inner is not None:
                edits[Span(inner.span.end, node.span.end)] = ""
    base = through[-1].base
    if edits and base and not _is_leaf(whole, base):
        yield from together(whole, [copied_before(whole, next(_places(whole, through[-1])), base), edits])


def _element_within_graph(whole: Whole, spans: Sequence[Span]) -> Iterator[Fix]:
    """`h = h.clone()` and `h[0] = 1` for `h.data[0] = 1`."""
    target, base = written(whole, spans[0]), root_name(written(whole, spans[0]))
    edits = {}
    for node in nodes.walk(target) if isinstance(target, nodes.Subscript) else ():
        inner = _cut(node)
        if inner is not None:
            edits[Span(inner.span.end, node.span.end)] = ""
    if edits and base and not _is_leaf(whole, base):
        yield from together(whole, [copied_before(whole, whole.statement(spans[0]), base), edits])


# What was meant


@dataclass
class Start(Observer):
    """Looks at where the backward `number` of a run starts, counted from 1.

    `values` are those of variables by then, `leaves` the names of leaves that require grad; `works` says
    that the run came to its end.
    """

    number: int
    roots: list[torch.Tensor] | None = None
    span: Span | None = None
    values: dict[str, torch.Tensor] = field(default_factory=dict)
    leaves: set[str] = field(default_factory=set)
    works: bool = False

    def before(self, call: BackwardCall) -> None:
        """Keep the values that it starts from."""
        if call.number != self.number:
            return
        self.span = call.span
        self.roots = [root.value.detach().clone() for root in call.roots]
        for name, held in call.names.items():
            value = now(held).value if isinstance(held, Traced) else None
            if isinstance(value, torch.Tensor):
                self.values[name] = value.detach().clone()
            if is_trained(value):
                self.leaves.add(name)


def started(ran: Ran, text: str, number: int, around: AbstractContextManager[Any] | None = None) -> Start:
    """What the backward of this number starts from in another program; nothing where there is none."""
    seen = Start(number)
    try:
        again = rerun(ran, text, seen, around)
    except LimitError:  # it takes too long to be tried
        return seen
    seen.works = again is not None and again.failure is None
    return seen


@dataclass(frozen=True)
class Meant:
    """What a backward of a run was to start from, what that is called, and what was changed by then.

    `names` are the variables that were, with the values before; `moved` are the repairs that put the
    change behind the backward: by then it is still to come.
    """

    start: Start
    text: str
    names: Mapping[str, torch.Tensor]
    moved: Sequence[Fix] = ()


def as_meant(whole: Whole, fixes: Iterable[Fix], meant: Meant, spare: Iterable[Fix] = ()) -> Iterator[Fix]:
    """Those first with which the backward starts from what it was to start from; of the others, from what.

    Without those that fail where one works, and those that put another tensor in the place of a leaf.
    `spare` are looked at where none of the others computes the same.
    """
    good, others, failing = _sorted(whole, fixes, meant)
    if not good:
        good, more, _ = _sorted(whole, spare, meant)
        others += more
    yield from good[:_MOST]
    yield from others[:_MOST_OTHERS] if good else others
    yield from [] if good or others else failing


def _sorted(whole: Whole, fixes: Iterable[Fix], meant: Meant) -> tuple[list[Fix], list[Fix], list[Fix]]:
    """The repairs that compute the same, those that compute something else, and those that fail."""
    good: list[Fix] = []
    others: list[Fix] = []
    failing: list[Fix] = []
    moved = {fix.program for fix in meant.moved}
    for fix in _distinct(fixes):
        start = started(whole.ran, fix.program, meant.start.number)
        if (meant.start.leaves - start.leaves) & start.values.keys():
            continue
        said = _otherwise(start, meant, fix.program in moved)
        held = failing if not start.works else others if said else good
        held.append(replace(fix, text=f"{fix.text}{said}"))
    return good, others, failing


def _distinct(fixes: Iterable[Fix]) -> list[Fix]:
    """The repairs of different programs, the first of each."""
    found: dict[str, Fix] = {}
    for fix in fixes:
        found.setdefault(fix.program, fix)
    return list(found.values())


def _otherwise(start: Start, meant: Meant, is_moved: bool) -> str:
    """What a repaired program computes otherwise: ", h.sum() is then 1.61, not 2.61"; "" where nothing."""
    roots, were = start.roots, meant.start.roots
    if roots is None or were is None or not alike(roots, were):
        return _instead(roots, were, meant.text) or f", {meant.text} is then another"
    for name, before in () if is_moved else meant.names.items():
        one, other = start.values.get(name), meant.start.values.get(name)
        if one is not None and other is not None and not alike([one], [other]):
            return f", `{name}` is then {'not changed' if alike([one], [before]) else 'another'}"
    return ""


def _instead(roots: Sequence[torch.Tensor] | None, were: Sequence[torch.Tensor] | None, text: str) -> str:
    """From which number a backward then starts: ", h.sum() is then 1.61, not 2.61"; "" for several."""
    pair = [each[0] for each in (roots, were) if each is not None and len(each) == 1]
    if len(pair) < 2 or any(each.numel() != 1 for each in pair):
        return ""
    return f", {text} is then {pair[0].item():.4g}, not {pair[1].item():.4g}"


def alike(some: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> bool:
    """Whether two rows of tensors have the same values, up to rounding."""
    return len(some) == len(others) and all(
        one.shape == other.shape
        and one.dtype == other.dtype
        and torch.allclose(one, other, rtol=1e-4, equal_nan=True)
        for one, other in zip(some, others, strict=True)
    )


def root_text(whole: Whole, span: Span) -> str:
    """What the backward at `span` starts from, as it is written."""
    found = next((root_of(call) for call in calls(whole.program, "backward") if call.span == span), None)
    return "the root" if found is None else whole.source[found.span]
