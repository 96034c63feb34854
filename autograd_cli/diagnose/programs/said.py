"""What torch warned of, as findings: each warning once, with the place that gave it."""

import re
from collections.abc import Iterator
from math import prod

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.ways import is_trained, value_named
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import calls, inserted, parts, targets
from autograd_cli.errors import Span
from autograd_cli.gradients.backward import accumulated
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.traced import Traced, now

_NONLEAF = re.compile(r"\.grad attribute of a Tensor that is not a leaf")
_COPY = re.compile(r"To copy construct from a tensor")
_PAIRS = re.compile(r"target size .*different to the input size")
_SIZES = re.compile(r"torch\.Size\(\[([\d, ]*)\]\)")
_HARMLESS = re.compile(
    r"requires_grad=True to a scalar|CUDA is not available|Failed to initialize NumPy"
    r"|not available\. +Disabling|create_graph=True will create|__array|lr_scheduler"
    r"|given NumPy array is not writable"
)
_MOVES = {"to", "cuda", "cpu", "half", "double", "float", "bfloat16", "type", "xpu", "mps"}


def _once(whole: Whole, pattern: re.Pattern[str]) -> Iterator[tuple[str, Span]]:
    """The warnings that a pattern fits, each place once."""
    found = {span: words for words, span in reversed(whole.ran.warned) if pattern.search(words)}
    yield from ((words, span) for span, words in sorted(found.items()))


# .grad of what is no leaf


def nonleaf_grad(whole: Whole) -> Iterator[Finding]:
    """AGX416 where the .grad of a computed tensor is read, which backward does not fill."""
    said: set[str] = set()
    for words, span in _once(whole, _NONLEAF):
        if whole.ran.failed is not None and whole.line(span) == whole.line(whole.ran.failed.span):
            continue
        expr = _read(whole, span)
        text = whole.source[expr.span] if expr else whole.source[span]
        if text in said:
            continue
        said.add(text)
        traced = value_named(whole, expr)
        yield whole.finding(
            "AGX416",
            f"`{drawing.label(text, 40)}.grad` is None: {_why(text, traced)}.",
            name="leaf-moved" if _is_moved(traced) else "",
            span=span,
            torch=words,
            fix=tuple(kept(whole, text, traced, span)),
        )


def moved_leaf(whole: Whole) -> Iterator[Finding]:
    """AGX416 where a leaf was moved as it was made, and backward filled a .grad that no name leads to."""
    if reads_nonleaf(whole):  # it was read, and is told of there
        return
    held = {id(now(each).value) for each in whole.ran.names.values() if isinstance(each, Traced)}
    for name, each in whole.ran.names.items():
        traced = now(each) if isinstance(each, Traced) else None
        leaf = traced.args[0] if traced is not None and _is_moved(traced) and traced.args else None
        if traced is None or not isinstance(leaf, Traced) or not is_trained(leaf.value):
            continue
        if leaf.value.grad is None or id(leaf.value) in held or _keeps(traced.value):
            continue
        span = traced.expr.span
        yield whole.finding(
            "AGX416",
            f"`{name}.grad` stays None: {_why(name, traced)}.",
            name="leaf-moved",
            span=span,
            fix=tuple(kept(whole, name, traced, Span(len(whole.source.text), len(whole.source.text)))),
        )


def reads_nonleaf(whole: Whole) -> bool:
    """Whether the .grad of a computed tensor was read, which is None."""
    return any(_NONLEAF.search(words) for words, _ in whole.ran.warned)


def _keeps(value: object) -> bool:
    """Whether a computed tensor was told to keep its gradient."""
    return isinstance(value, torch.Tensor) and value.retains_grad


def _read(whole: Whole, span: Span) -> Expr | None:
    """What stands before `.grad` at a place."""
    for statement in reversed(whole.all_statements):
        if statement.span.start <= span.start and span.end <= statement.span.end:
            for node in _nodes(statement):
                inside = span.start <= node.span.start and node.span.end <= span.end
                if isinstance(node, nodes.Attribute) and node.name == "grad" and inside:
                    return node.value
            return None
    return None


def _nodes(statement: nodes.Statement) -> Iterator[Expr]:
    for part in parts(statement):
        yield from nodes.walk(part)


def _is_moved(traced: Traced | None) -> bool:
    """Whether a tensor is a leaf's copy on another device or in another dtype."""
    return traced is not None and traced.function is not None and traced.function.name in _MOVES


def _why(text: str, traced: Traced | None) -> str:
    if _is_moved(traced) and traced is not None and traced.function is not None:
        return (
            f"`{traced.function.name}` made a copy that is no leaf, and backward fills the .grad of the leaf "
            "it was copied from, which has no name any more"
        )
    made = f", by {type(traced.grad_fns[0]).__name__}" if traced and traced.grad_fns else ""
    return f"`{drawing.label(text, 40)}` is computed{made}, and backward fills the .grad of leaves only"


def _is_nameless(whole: Whole, traced: Traced | None) -> bool:
    """Whether a tensor is computed from leaves none of which has a name: it is the one that was meant."""
    value = traced.value if traced is not None else None
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return False
    leaves = accumulated(value)
    held = {id(now(each).value) for each in whole.ran.names.values() if isinstance(each, Traced)}
    return bool(leaves) and leaves.isdisjoint(held)


def kept(whole: Whole, text: str, traced: Traced | None, read: Span) -> Iterator[Fix]:
    """The tensor called `text` with a gradient at the place where that is read: as a leaf, or kept."""
    assigned = [s for s in whole.all_statements if text in targets(s) and s.span.start < read.start]
    if not assigned:
        return
    statement = assigned[-1]
    is_leaf = _is_moved(traced) or _is_nameless(whole, traced)
    if is_leaf and isinstance(statement, nodes.Assign):
        line = whole.line(statement.span)
        new = repair.followed(whole.source, statement.value, ".detach().requires_grad_()")
        program = edited(whole.source, {statement.value.span: new})
        yield Fix(f"line {line}:  {text} = {new}", program)
        return
    after = [c for c in calls(whole.program, "backward") if c.span.start > statement.span.end]
    if after:
        first = whole.statement(after[0].span)
        program = inserted(whole.source, first, [f"{text}.retain_grad()"])
        yield Fix(f"before line {whole.line(first.span)}:  {text}.retain_grad()", program)


# Others


def copied(whole: Whole) -> Iterator[Finding]:
    """AGX322 where torch.tensor copies a tensor, without its graph."""
    if whole.ran.failure is not None:
        return
    for words, span in _once(whole, _COPY):
        call = next((c for c in calls(whole.program, "tensor") if _holds(span, c.span)), None)
        inner = call.args[0] if call and call.args else None
        given = f"`{drawing.label(whole.source[inner.span], 40)}`" if inner else "a tensor"
        fix = tuple(_graphed(whole, call, inner)) if call is not None and inner is not None else ()
        yield whole.finding(
            "AGX322",
            f"`tensor(…)` of {given} makes a copy outside the graph: it is a new leaf, without the way back.",
            span=span,
            torch=words,
            fix=fix,
        )


def _graphed(whole: Whole, call: nodes.Call, inner: Expr) -> Iterator[Fix]:
    """The tensor itself, or its copy said in torch's words."""
    line = whole.line(call.span)
    text = repair.followed(whole.source, inner, "")
    yield Fix(f"line {line}:  {text}, with its graph", edited(whole.source, {call.span: text}))
    new = repair.followed(whole.source, inner, ".detach().clone()")
    yield Fix(f"or line {line}:  {new}, without", edited(whole.source, {call.span: new}))


def _holds(span: Span, inner: Span) -> bool:
    return span.start <= inner.start and inner.end <= span.end


def pairs(whole: Whole) -> Iterator[Finding]:
    """AGX407 where a loss was given a target of another shape and compared all pairs."""
    for words, span in _once(whole, _PAIRS):
        call = next((n for n in _calls_at(whole, span)), None)
        shapes = _wide(words)
        if call is None or len(call.args) < 2 or shapes is None:
            continue
        given, target = (whole.source[a.span] for a in call.args[:2])
        first, second, wide = (shape_text(shape) for shape in shapes)
        program = edited(whole.source, {call.args[1].span: f"{_tight(target)}.view_as({given})"})
        yield whole.finding(
            "AGX407",
            f"`{drawing.label(given)}` {first} and its target `{drawing.label(target)}` {second} have "
            f"different shapes: they give {wide}, where each element meets every one of the other, and the "
            f"loss is taken over all these {prod(shapes[2])} pairs.",
            span=span,
            torch=words,
            fix=(Fix(f"line {whole.line(span)}:  the target in the shape of `{given}`", program),),
            shapes=shapes[:2],
        )


def _wide(words: str) -> tuple[tuple[int, ...], ...] | None:
    """The shapes of input and target in torch's words, and the wider one that they make; else None."""
    target, given = (tuple(map(int, re.findall(r"\d+", size))) for size in _SIZES.findall(words)[:2])
    wide = drawing.broadcast((given, target))
    if wide is None or prod(given) != prod(target) or prod(wide) == prod(given):
        return None
    return given, target, wide


def _calls_at(whole: Whole, span: Span) -> Iterator[nodes.Call]:
    for statement in whole.all_statements:
        for node in _nodes(statement):
            if isinstance(node, nodes.Call) and node.span == span:
                yield node


def _tight(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def other(whole: Whole) -> Iterator[Finding]:
    """AGX323 for each other warning of torch, in its own words."""
    known = (_NONLEAF, _COPY, _HARMLESS)
    said: set[str] = set()
    for words, span in whole.ran.warned:
        if words in said or any(pattern.search(words) for pattern in known):
            continue
        if _PAIRS.search(words) and _wide(words):
            continue
        said.add(words)
        yield whole.finding("AGX323", f"torch warns at line {whole.line(span)}.", span=span, torch=words)
