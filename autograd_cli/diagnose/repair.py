"""Corrected sources: edits at spans, so that everything else stays as it was typed."""

from collections.abc import Mapping

from autograd_cli.errors import Span
from autograd_cli.lang import nodes, scope
from autograd_cli.lang.nodes import Expr, Program
from autograd_cli.lang.source import Source

TIGHT = (nodes.Name, nodes.Attribute, nodes.Call, nodes.Subscript, nodes.Sequence)
"""What `.T` can follow without brackets."""


def edited(source: Source, edits: Mapping[Span, str]) -> str:
    """The source's text with each span replaced; the spans do not overlap."""
    text = source.text
    for span in sorted(edits, reverse=True):
        text = text[: span.start] + edits[span] + text[span.end :]
    return text


def grouped(source: Source, expr: Expr, parent: Expr | None = None) -> Span:
    """The span of `expr` with the brackets that are around it alone.

    Only where `parent` is an operator that reaches beyond them: the brackets of `f(a)`
    are not a's own.
    """
    start, end = expr.span
    if not isinstance(parent, nodes.Binary | nodes.Compare | nodes.Unary) or not _holds(parent, expr):
        return expr.span
    before, after = source.text[parent.span.start : start], source.text[end : parent.span.end]
    while before.rstrip().endswith("(") and after.lstrip().startswith(")"):
        before = before.rstrip()[:-1]
        after = after.lstrip()[1:]
    return Span(parent.span.start + len(before), parent.span.end - len(after))


def _holds(parent: Expr, expr: Expr) -> bool:
    return parent.span.start <= expr.span.start and expr.span.end <= parent.span.end


def followed(source: Source, expr: Expr, suffix: str) -> str:
    """The text of `expr` with `.T` or a call after it, in brackets where they are needed."""
    text = source[expr.span]
    return f"{text}{suffix}" if isinstance(expr, TIGHT) else f"({text}){suffix}"


def suffixed(source: Source, expr: Expr, suffix: str, parent: Expr | None = None) -> str:
    """The whole source with `suffix` put after `expr`."""
    return edited(source, {grouped(source, expr, parent): followed(source, expr, suffix)})


def spelled(program: Program, name: str) -> str:
    """How a program calls what is `name` without imports: "torch.float32" under `import torch`."""
    return scope.of(program, ()).spelled(name)


def renamed(source: Source, call: Expr, name: str) -> str | None:
    """The whole source with the function or method that `call` calls given another name."""
    if not isinstance(call, nodes.Call):
        return None
    function = call.function
    old = function.name if isinstance(function, nodes.Attribute) else getattr(function, "id", "")
    end = function.span.end
    if not old or not source.text[:end].endswith(old):
        return None
    return edited(source, {Span(end - len(old), end): name})
