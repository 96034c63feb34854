"""A backward that needs a value which was changed in place: who changed it, who needed it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.through import Hop, call_at, hops, root_name
from autograd_cli.diagnose.programs.ways import arguments, kept_by, memory
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report.values import shape_text
from autograd_cli.run.mutations import Write
from autograd_cli.run.traced import Traced, memory_of
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
    return victims_among(whole, _behind(root), untracked)


def _behind(root: Traced) -> list[Traced]:
    """The values that a backward from `root` goes through, and what wrote into them before they were read."""
    found: dict[int, Traced] = {}
    stack = [root]
    while stack:
        fresh = [traced for traced in reachable(stack) if id(traced) not in found]
        found.update((id(traced), traced) for traced in fresh)
        stack = [written for traced in fresh for written in _written_before(traced)]
    return list(found.values())


def _written_before(reader: Traced) -> Iterator[Traced]:
    """The calls in place on the memory of what `reader` was made of, where they came before it."""
    for argument in arguments(reader):
        for write in memory_of(argument) or ():
            if write.number < reader.number:
                yield write


def victims_among(whole: Whole, values: Iterable[Traced], untracked: bool = False) -> list[Victim]:
    """The calls among `values` that keep memory which was written after them."""
    written = {w.storage for w in whole.ran.mutations.writes if w.untracked or not untracked}
    found = []
    for traced in sorted(values, key=lambda t: t.number):
        if traced.grad_fns and written:
            found += list(_victims_of(whole, traced, written, untracked))
    return found


def _victims_of(whole: Whole, traced: Traced, written: set[int], untracked: bool) -> Iterator[Victim]:
    """What a call kept and was written since, each memory once: by an argument that has it, or the result."""
    kept: frozenset[int] | None = None
    said: set[int] = set()
    for value in (*arguments(traced), traced):
        for tensor in tensors_in(value.value):
            place = 0 if tensor.is_meta else memory(tensor)
            if place not in written or place in said:
                continue
            writes = whole.ran.mutations.since(tensor, traced.number)
            writes = [w for w in writes if w.untracked == untracked]
            if not writes:
                continue
            kept = kept_by(traced) if kept is None else kept
            if place in kept:
                said.add(place)
                yield Victim(traced, value, value is traced, tuple(writes))


def told(whole: Whole, found: Sequence[Victim], others: Sequence[Victim] = ()) -> tuple[str, ...]:
    """The lines of a finding: what changed, by which name, and every statement that needed it.

    `others` needed it too, but not for the backward in question.
    """
    tensor = tensors_in(found[0].value.value)[0]
    what = f"{shape_text(tensor.shape)} {dtype_name(tensor.dtype)}"
    changes = list({whole.statement(s).span: s for s in reversed(spans_of(found))}.values())[::-1]
    rows = [
        ("changed", f"line {whole.line(span)}", drawing.label(text_of(whole, span), 32), what)
        for span in changes[:_MOST]
    ]
    rows += [("through", f"line {whole.line(hop.span)}", hop.text, hop.how) for hop in ways_of(whole, found)]
    needed = Counter(_needed(whole, victim) for victim in found)
    rows += [(*row[:3], f"{row[3]}{_rounds(count)}") for row, count in needed.items()][:_MOST_NEEDED]
    also = list(dict.fromkeys(row for victim in others if (row := _needed(whole, victim)) not in needed))
    rows += [("also", *row[1:3], f"{row[3]}, for another backward") for row in also[:_MOST]]
    return drawing.columns(rows)


_MOST, _MOST_NEEDED = 3, 12


def spans_of(found: Sequence[Victim]) -> list[Span]:
    """Where the writes stand, each once, in the order of the victims."""
    return list(dict.fromkeys(write.span for victim in found for write in victim.writes))


def ways_of(whole: Whole, found: Sequence[Victim]) -> tuple[Hop, ...]:
    """The names and views by which the first write came to what was kept."""
    kept = name_of(whole, found[0])
    return hops(whole, spans_of(found)[0], kept)


def _rounds(count: int) -> str:
    return f", in {count} rounds" if count > 1 else ""


def _needed(whole: Whole, victim: Victim) -> tuple[str, str, str, str]:
    span, node = victim.call.expr.span, type(victim.call.grad_fns[0]).__name__
    is_in_place = victim.value.value is victim.call.value
    kept = "its result" if victim.is_result or is_in_place else "its input"
    return "needed", f"line {whole.line(span)}", drawing.label(whole.source[span]), f"{node} kept {kept}"


def text_of(whole: Whole, span: Span) -> str:
    """What writes: the call, where it stands inside of a statement, else the statement."""
    statement = whole.statement(span)
    call = call_at(statement, span)
    return whole.source[statement.span if call is None else span]


def name_of(whole: Whole, victim: Victim) -> str:
    """What the program calls the value that was kept, of a view what it is a view of."""
    expr = victim.value.expr if victim.is_result else read_as(victim)
    name = "" if expr is None else root_name(expr) if _is_view(expr) else ""
    return name or victim.value.name or whole.source[(expr or victim.value.expr).span]


def _is_view(expr: Expr) -> bool:
    return isinstance(expr, nodes.Name | nodes.Subscript | nodes.Attribute)


def read_as(victim: Victim) -> Expr | None:
    """The expression by which a call reads the value that it kept."""
    places = zip(victim.call.exprs, (*victim.call.args, *victim.call.kwargs.values()), strict=False)
    return next((expr for expr, argument in places if argument is victim.value), None)
