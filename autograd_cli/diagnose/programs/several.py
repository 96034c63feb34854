"""One of the views that a call gave together, changed in place: as a slice of its own it may be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from autograd_cli.diagnose import writes
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.mending import Meant, as_meant, root_text, started
from autograd_cli.diagnose.programs.rewriting import copied_before, together
from autograd_cli.diagnose.statements import indent_of, parts, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Traced, now

_MOST_VIEWS = 6
"""So many slices are written out."""


def one_of_several(case: Ended) -> Finding | None:
    """AGX432 where a view that `chunk`, `split`, `unbind` or a loop gave is changed in place."""
    found = writes.one_of_several(case)
    if found is None:
        return None
    sliced, meant = list(_sliced(case)), _meant(case)
    fixes = [*sliced, *found.fix] if _is_read_again(case) else [*found.fix, *sliced]
    return replace(found, fix=tuple(fixes if meant is None else as_meant(case.whole, fixes, meant)))


def _meant(case: Ended) -> Meant | None:
    """What the first backward is to start from: what it starts from where nothing is recorded."""
    whole = case.whole
    if whole.ran.backwards:
        return None
    start = started(whole.ran, whole.source.text, 1, torch.no_grad())
    if start.roots is None or start.span is None:
        return None
    several, names = _several(case), {}
    if several is not None and isinstance(several.exprs[0], nodes.Name):
        names[several.exprs[0].id] = now(several.args[0]).value
    return Meant(start, root_text(whole, start.span), names)


def _several(case: Ended) -> Traced | None:
    """What gave the views together, of a tensor that has a name."""
    view = case.operands[0].argument if case.operands else None
    several = view.args[0] if isinstance(view, Traced) and view.args else None
    if not isinstance(several, Traced) or not several.args or not several.exprs:
        return None
    known = isinstance(several.exprs[0], nodes.Name) and isinstance(several.args[0], Traced)
    return several if known else None


def _is_read_again(case: Ended) -> bool:
    """Whether the program reads the tensor itself beside where its views are taken."""
    several = _several(case)
    if several is None:
        return False
    taken = case.whole.statement(several.expr.span)
    others = (each for each in case.whole.all_statements if each is not taken)
    return any(
        node == several.exprs[0] and node.id not in targets(each) for each in others for node in _names(each)
    )


def _sliced(case: Ended) -> Iterator[Fix]:
    """The views as slices of the tensor or of a copy of it; then with copies of those not written."""
    several = _several(case)
    name = None if several is None else several.exprs[0]
    if several is None or not isinstance(name, nodes.Name):
        return
    copied = copied_before(case.whole, case.whole.statement(several.expr.span), name.id)
    for apart in (False, True):
        edits = _edits(case, several, name.id, apart)
        yield from together(case.whole, [edits])
        yield from together(case.whole, [copied, edits])


def _edits(case: Ended, several: Traced, name: str, apart: bool) -> Mapping[Span, str]:
    """The call that gives several views as slices; `apart` copies all but the one that is written."""
    whole, expr, base = case.whole, several.expr, now(several.args[0]).value
    statement = whole.statement(expr.span)
    texts = [_slice(base, view, list(several.value)) for view in several.value]
    if isinstance(statement, nodes.For) and texts[0] == "0":
        return _counted(case, statement, name)
    if len(texts) > _MOST_VIEWS or not all(texts) or expr == nodes.Name(name):
        return {}
    written = next((n for n, view in enumerate(several.value) if view is case.operands[0].value), None)
    own = [".clone()" if apart and n != written else "" for n in range(len(texts))]
    text = ", ".join(f"{name}[{each}]{after}" for each, after in zip(texts, own, strict=True))
    bare = isinstance(statement, nodes.Assign) and statement.value is expr
    return {expr.span: text if bare else f"({text})"}


def _counted(case: Ended, loop: nodes.For, name: str) -> Mapping[Span, str]:
    """`for row in h:` as `for i in range(len(h)):` with `row = h[i]` in it."""
    source, first = case.source, loop.body[0].span.start
    used = {node.id for each in case.whole.all_statements for node in _names(each)}
    index = next(each for each in ("i", "j", "k", "row_number", "index_of_row") if each not in used)
    shares = source.line_of(first) == source.line_of(loop.span.start)
    ending = "; " if shares else f"\n{indent_of(source, first)}"
    return {
        Span(loop.target.span.start, loop.iterable.span.end): f"{index} in range(len({name}))",
        Span(first, first): f"{source[loop.target.span]} = {name}[{index}]{ending}",
    }


def _names(statement: nodes.Statement) -> Iterator[nodes.Name]:
    for part in parts(statement):
        yield from (node for node in nodes.walk(part) if isinstance(node, nodes.Name))


def _slice(base: torch.Tensor, view: torch.Tensor, views: Sequence[torch.Tensor]) -> str:
    """The index by which `base` gives one of several views of it; empty where none is known."""
    if view.ndim == base.ndim - 1:
        return _place(base, view)
    dim = next((d for d in range(base.ndim) if base.shape[d] != view.shape[d]), 0)
    if view.ndim != base.ndim or sum(each.shape[dim] for each in views) != base.shape[dim]:
        return ""
    at = next(n for n, each in enumerate(views) if each is view)
    start = sum(each.shape[dim] for each in views[:at])
    end = start + view.shape[dim]
    return ":, " * dim + f"{start or ''}:{'' if end == base.shape[dim] else end}"


def _place(base: torch.Tensor, view: torch.Tensor) -> str:
    """The index by which `base` gives a view that has one dimension less."""
    for dim in range(base.ndim):
        others = [d for d in range(base.ndim) if d != dim]
        sizes = [(base.shape[d], base.stride(d)) for d in others]
        if sizes == list(zip(view.shape, view.stride(), strict=True)) and base.stride(dim):
            at = (view.storage_offset() - base.storage_offset()) // base.stride(dim)
            if 0 <= at < base.shape[dim]:
                return ":, " * dim + str(at)
    return ""
