"""A backward that needs a value which was changed in place: who changed it, who needed it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

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
    """A call that kept memory for its backward, and the writes into it since.

    `value` is the argument, or the call itself, that has the memory: in its `tensor`. `node` is the kind
    of what keeps it.
    """

    call: Traced
    value: Traced
    tensor: torch.Tensor
    node: str
    writes: tuple[Write, ...]

    @property
    def is_result(self) -> bool:
        """Whether the call kept its result."""
        return self.value is self.call


@dataclass(frozen=True)
class Changed:
    """A tensor that was changed, as the program calls it, and who had kept it."""

    name: str
    victims: tuple[Victim, ...]

    @property
    def spans(self) -> list[Span]:
        """Where the writes stand, each once, in their order."""
        return spans_of(self.victims)


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
    kept: Mapping[int, str] | None = None
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
                yield Victim(traced, value, tensor, kept[place], tuple(writes))


def changes(whole: Whole, found: Iterable[Victim]) -> list[Changed]:
    """The victims by the tensor that was changed, in the order of the first writes into each.

    A tensor that is made anew in each round, and changed at one place, is told as one.
    """
    places: dict[int, list[Victim]] = {}
    for victim in found:
        places.setdefault(victim.writes[0].storage or id(victim.tensor), []).append(victim)
    together: dict[tuple[str, tuple[Span, ...]], list[Victim]] = {}
    for held in sorted(places.values(), key=lambda each: min(v.writes[0].number for v in each)):
        name, spans = name_of(whole, held[0]), spans_of(held)
        together.setdefault((name, tuple(spans)), []).extend(held)
    return [Changed(name, tuple(held)) for (name, _), held in together.items()]


def told(whole: Whole, found: Sequence[Victim], others: Sequence[Victim] = ()) -> tuple[str, ...]:
    """The lines of a finding: each tensor that changed, by which name, and every statement that needed it.

    `others` needed it too, but not for the backward in question.
    """
    rows, needed, every = [], set(), changes(whole, found)
    for changed in every[:_MOST_CHANGED]:
        own = Counter(_needed(whole, victim) for victim in changed.victims)
        needed |= set(own)
        rows += _writes(whole, changed, changed.name if len(every) > 1 else "")
        rows += [("through", f"line {whole.line(h.span)}", h.text, h.how) for h in ways_of(whole, changed)]
        rows += [(*row[:3], f"{row[3]}{_rounds(count)}") for row, count in own.items()][:_MOST_NEEDED]
    also = list(dict.fromkeys(row for victim in others if (row := _needed(whole, victim)) not in needed))
    rows += [("also", *row[1:3], f"{row[3]}, for another backward") for row in also[:_MOST]]
    return drawing.columns(rows)


_MOST, _MOST_NEEDED, _MOST_CHANGED = 3, 12, 6


def before(whole: Whole, every: Iterable[Changed]) -> dict[str, torch.Tensor]:
    """The tensors as they were when they were kept, by their names."""
    return {changed.name: _before(whole, changed.victims[0]).clone() for changed in every}


def _before(whole: Whole, victim: Victim) -> torch.Tensor:
    old = whole.ran.mutations.value_at(victim.tensor, victim.call.number)
    return victim.tensor.detach() if old is None else old


def _writes(whole: Whole, changed: Changed, name: str) -> list[tuple[str, str, str, str]]:
    """The rows of what writes into a tensor, one for each statement; with its name where that is given."""
    tensor = _before(whole, changed.victims[0])
    what = f"{name} {shape_text(tensor.shape)} {dtype_name(tensor.dtype)}".strip()
    first = {whole.statement(span).span: span for span in reversed(changed.spans)}
    return [
        ("changed", f"line {whole.line(span)}", drawing.label(text_of(whole, span), 32), what)
        for span in list(first.values())[::-1][:_MOST]
    ]


def spans_of(found: Iterable[Victim]) -> list[Span]:
    """Where the writes stand, each once, in the order of the victims."""
    return list(dict.fromkeys(write.span for victim in found for write in victim.writes))


def ways_of(whole: Whole, changed: Changed) -> tuple[Hop, ...]:
    """The names and views by which the first write came to what was kept."""
    return hops(whole, changed.spans[0], changed.name)


def _rounds(count: int) -> str:
    return f", in {count} rounds" if count > 1 else ""


def _needed(whole: Whole, victim: Victim) -> tuple[str, str, str, str]:
    span = victim.call.expr.span
    is_in_place = victim.value.value is victim.call.value
    kept = "its result" if victim.is_result or is_in_place else "its input"
    return (
        "needed",
        f"line {whole.line(span)}",
        drawing.label(whole.source[span]),
        f"{victim.node} kept {kept}",
    )


def text_of(whole: Whole, span: Span) -> str:
    """What writes: the call, where it stands inside of a statement, else the statement."""
    statement = whole.statement(span)
    call = call_at(statement, span)
    return whole.source[statement.span if call is None else span]


def name_of(whole: Whole, victim: Victim) -> str:
    """What the program calls the value that was kept, of a view what it is a view of."""
    expr = victim.value.expr if victim.is_result else read_as(victim)
    name = "" if expr is None else root_name(expr) if _is_view(expr) else ""
    name = name or victim.value.name or _held(whole, victim.tensor)
    return name or whole.source[(expr or victim.value.expr).span]


def _held(whole: Whole, tensor: torch.Tensor) -> str:
    """The variable that holds a tensor now, or the place in a list; "" where there is none."""
    for name, held in whole.ran.names.items():
        if isinstance(held, Traced) and held.value is tensor:
            return name
        items = held if isinstance(held, list | tuple) else ()
        place = next((n for n, each in enumerate(items) if _is(each, tensor)), None)
        if place is not None:
            return f"{name}[{place}]"
    return ""


def _is(item: object, tensor: torch.Tensor) -> bool:
    return isinstance(item, Traced) and item.value is tensor


def _is_view(expr: Expr) -> bool:
    return isinstance(expr, nodes.Name | nodes.Subscript | nodes.Attribute)


def read_as(victim: Victim) -> Expr | None:
    """The expression by which a call reads the value that it kept."""
    return next(iter(readings(victim)), None)


def readings(victim: Victim) -> list[Expr]:
    """The expressions by which a call reads the value that it kept: two in `h * h`."""
    places = zip(victim.call.exprs, (*victim.call.args, *victim.call.kwargs.values()), strict=False)
    return [expr for expr, argument in places if argument is victim.value]
