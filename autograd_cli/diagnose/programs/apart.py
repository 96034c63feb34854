"""The repair that leaves all that a program computes as it is: who keeps a value keeps a copy of it."""

from collections.abc import Iterable, Iterator

import torch

from autograd_cli.diagnose.programs.mutated import Victim, readings
from autograd_cli.diagnose.programs.rewriting import together
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.repair import TIGHT
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Fix


def kept_apart(whole: Whole, found: Iterable[Victim]) -> Iterator[Fix]:
    """`h = x.exp().clone()` and `h.clone() ** 2`, where `h` is written later.

    Nothing for a parameter, whose gradient would be that of a value which it has no more, nor where
    what keeps the value is itself a write.
    """
    copied: dict[Span, Expr] = {}
    for victim in found:
        own = _copied(whole, victim)
        if not own:
            return
        copied.update((expr.span, expr) for expr in own)
    edits: dict[Span, str] = {}
    for (start, end), expr in sorted(copied.items()):
        loose = not isinstance(expr, TIGHT)
        if loose and not _is_bracketed(whole, expr):
            edits[Span(start, start)] = edits.get(Span(start, start), "") + "("
            edits[Span(end, end)] = ").clone()" + edits.get(Span(end, end), "")
        else:
            end += 1 if loose else 0
            edits[Span(end, end)] = ".clone()" + edits.get(Span(end, end), "")
    yield from together(whole, [edits] if edits else [])


def _is_bracketed(whole: Whole, expr: Expr) -> bool:
    """Whether an expression stands in brackets of its own, and not in those of a call."""
    text, (start, end) = whole.source.text, expr.span
    before = text[:start]
    own = before.endswith("(") and not (before[:-1].rstrip()[-1:].isidentifier() or before[:-1].endswith(")"))
    return own and text[end : end + 1] == ")"


def _copied(whole: Whole, victim: Victim) -> list[Expr]:
    """The expressions whose values are to be copies: the call itself, or what it reads."""
    call = victim.call
    if call.value is victim.tensor and not victim.is_result:
        return []
    if not victim.is_result:
        return [] if is_trained(victim.tensor) else readings(victim)
    statement, start = whole.statement(call.expr.span), call.expr.span.start
    is_write = isinstance(statement, nodes.Augment) and start < statement.value.span.start
    writes = is_write or call.function is None or call.function.writes
    return [call.expr] if isinstance(call.value, torch.Tensor) and not writes else []
