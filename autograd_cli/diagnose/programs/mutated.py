"""A backward that needs a value which was changed in place: who changed it, who needed it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.ways import arguments, kept_by, memory
from autograd_cli.diagnose.statements import inserted, replaced, statements
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Statement
from autograd_cli.report import Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.mutations import Write
from autograd_cli.run.traced import Traced
from autograd_cli.run.values import dtype_name, tensors_in


@dataclass(frozen=True)
class Victim:
    """A call that kept memory for its backward, and the writes into it since."""

    call: Traced
    value: Traced
    is_result: bool
    writes: tuple[Write, ...]


def victims(whole: Whole, root: Traced, untracked: bool = False) -> list[Victim]:
    """Every call under `root` that keeps memory which was written after it, in the order of the run."""
    return victims_among(whole, reachable([root]), untracked)


def victims_among(whole: Whole, values: Iterable[Traced], untracked: bool = False) -> list[Victim]:
    """The calls among `values` that keep memory which was written after them."""
    written = {w.storage for w in whole.ran.mutations.writes if w.untracked or not untracked}
    found = []
    for traced in sorted(values, key=lambda t: t.number):
        if traced.grad_fns and written:
            found += list(_victims_of(whole, traced, written, untracked))
    return found


def _victims_of(whole: Whole, traced: Traced, written: set[int], untracked: bool) -> Iterator[Victim]:
    kept: frozenset[int] | None = None
    for value in (*arguments(traced), traced):
        for tensor in tensors_in(value.value):
            if tensor.is_meta or memory(tensor) not in written:
                continue
            writes = whole.ran.mutations.since(tensor, traced.number)
            writes = [w for w in writes if w.untracked == untracked]
            if not writes:
                continue
            kept = kept_by(traced) if kept is None else kept
            if memory(tensor) in kept:
                yield Victim(traced, value, value is traced, tuple(writes))
                return


def told(whole: Whole, found: Sequence[Victim]) -> tuple[str, ...]:
    """The lines of a finding: what changed, and every statement that needed it."""
    writes = dict.fromkeys(write.span for victim in found for write in victim.writes)
    tensor = tensors_in(found[0].value.value)[0]
    what = f"{shape_text(tensor.shape)} {dtype_name(tensor.dtype)}"
    rows = [("changed", f"line {whole.line(span)}", _text(whole, span), what) for span in list(writes)[:3]]
    rows += dict.fromkeys(_needed(whole, victim) for victim in found)
    return drawing.columns(rows[:9])


def _needed(whole: Whole, victim: Victim) -> tuple[str, str, str, str]:
    span, node = victim.call.expr.span, type(victim.call.grad_fns[0]).__name__
    kept = "its result" if victim.is_result else "its input"
    return "needed", f"line {whole.line(span)}", drawing.label(whole.source[span]), f"{node} kept {kept}"


def _text(whole: Whole, span: Span) -> str:
    return drawing.label(whole.source[whole.statement(span).span])


def name_of(whole: Whole, victim: Victim) -> str:
    """What the program calls the value that was kept."""
    if victim.is_result:
        return victim.value.name or whole.source[victim.value.expr.span]
    places = zip(victim.call.exprs, (*victim.call.args, *victim.call.kwargs.values()), strict=False)
    return next(
        (whole.source[expr.span] for expr, argument in places if argument is victim.value),
        victim.value.name or whole.source[victim.value.expr.span],
    )


# Repairs


def repairs(whole: Whole, span: Span) -> Iterator[Fix]:
    """The write at `span` made into one that leaves the old memory alone."""
    statement = whole.statement(span)
    line = whole.line(span)
    for words, text in _rewritten(whole, statement):
        yield Fix(f"line {line}:  {words}", text)
    yield from _copies(whole, statement)


def _rewritten(whole: Whole, statement: Statement) -> Iterator[tuple[str, str]]:
    source = whole.source
    if isinstance(statement, nodes.Augment) and isinstance(statement.target, nodes.Name):
        name, right = statement.target.id, source[statement.value.span]
        right = right if isinstance(statement.value, _TIGHT) else f"({right})"
        new = f"{name} = {name} {statement.op} {right}"
        yield new, replaced(source, {statement.span: new})
    target = _element(statement)
    if target is not None:
        new = f"{target} = {target}.clone()"
        yield f"{new}  before it", inserted(source, statement, [new])
    if isinstance(statement, nodes.Evaluate | nodes.Assign):
        yield from _out_of_place(whole, statement)


_TIGHT = (nodes.Name, nodes.Attribute, nodes.Call, nodes.Subscript, nodes.Number)


def _element(statement: Statement) -> str | None:
    """The name of the tensor that a statement writes an element of."""
    targets: tuple[nodes.Expr, ...] = ()
    if isinstance(statement, nodes.Assign):
        targets = statement.targets
    elif isinstance(statement, nodes.Augment):
        targets = (statement.target,)
    for target in targets:
        while isinstance(target, nodes.Subscript):
            target = target.value
            if isinstance(target, nodes.Name):
                return target.id
    return None


def _out_of_place(whole: Whole, statement: nodes.Evaluate | nodes.Assign) -> Iterator[tuple[str, str]]:
    """`h.mul_(2)` as `h = h.mul(2)`; inside an assignment the method without its underscore."""
    call = statement.value
    if not isinstance(call, nodes.Call) or not isinstance(call.function, nodes.Attribute):
        return
    function = call.function
    if not function.name.endswith("_") or not isinstance(function.value, nodes.Name):
        return
    end = function.span.end
    new = replaced(whole.source, {Span(end - 1, end): ""})
    text = whole.source[call.span]
    at = end - call.span.start
    plain = text[: at - 1] + text[at:]
    if isinstance(statement, nodes.Evaluate):
        plain = f"{function.value.id} = {plain}"
        new = replaced(whole.source, {statement.span: plain})
    else:
        plain = replaced(whole.source, {call.span: plain})[statement.span.start : statement.span.end - 1]
    yield plain, new


def _copies(whole: Whole, statement: Statement) -> Iterator[Fix]:
    """An alias that is written through, made a copy where it is made."""
    name = written_name(statement)
    for other in statements(whole.program.statements):
        if not isinstance(other, nodes.Assign) or other.span.start >= statement.span.start:
            continue
        if any(isinstance(t, nodes.Name) and t.id == name for t in other.targets):
            edit = _copied_alias(whole, other)
            if edit is not None:
                line = whole.line(other.span)
                yield Fix(f"line {line}:  {edit[0]}", edit[1])


def written_name(statement: Statement) -> str | None:
    """The name of the tensor that a statement writes into, None where it has none."""
    element = _element(statement)
    if element is not None:
        return element
    value = statement.value if isinstance(statement, nodes.Evaluate) else None
    function = value.function if isinstance(value, nodes.Call) else None
    inner = function.value if isinstance(function, nodes.Attribute) else None
    if isinstance(statement, nodes.Augment):
        inner = statement.target
    return inner.id if isinstance(inner, nodes.Name) else None


def _copied_alias(whole: Whole, statement: nodes.Assign) -> tuple[str, str] | None:
    """`z = y.detach()` with `.clone()` put in: behind detach and data, before numpy."""
    value, source = statement.value, whole.source
    function = value.function if isinstance(value, nodes.Call) else value
    if not isinstance(function, nodes.Attribute) or function.name not in {"detach", "data", "numpy", "view"}:
        return None
    place = function.value.span.end if function.name == "numpy" else value.span.end
    text = source.text[:place] + ".clone()" + source.text[place:]
    start, end = statement.span
    return text[start : end + len(".clone()")], text
