"""Values changed behind torch's back, through .data or NumPy, between forward and backward."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.apart import kept_apart
from autograd_cli.diagnose.programs.both_ways import compared, first_of
from autograd_cli.diagnose.programs.mending import Meant, as_meant, is_alone, mended, root_text, started
from autograd_cli.diagnose.programs.moving import moved_behind
from autograd_cli.diagnose.programs.mutated import (
    Victim,
    before,
    changes,
    spans_of,
    told,
    victims_among,
    ways_of,
)
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.through import hops, root_name, written
from autograd_cli.diagnose.programs.upstream import mode_around
from autograd_cli.diagnose.programs.ways import arguments, kept_by, memory
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import around
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.source import in_words
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.mutations import Write, place_of
from autograd_cli.run.tape import grad_fn_of
from autograd_cli.run.traced import Passed, Traced
from autograd_cli.run.values import tensors_in


def unseen_change(whole: Whole) -> Iterator[Finding]:
    """AGX415 for a value that backward needed and that .data or NumPy changed before it came."""
    said: set[Span] = set()
    every = [*_overwritten(whole), *_rebased(whole)]
    for victim in every:
        passed, span = _backward_after(whole, victim), victim.writes[0].span
        if passed is not None and span not in said:
            said.add(span)
            yield from _finding(whole, [each for each in every if each.writes[0].span == span], passed)


def any_change(whole: Whole) -> Iterator[Finding]:
    """AGX415 for each place of a change outside the graph, whether it was kept for backward or not."""
    said: set[tuple[int, int] | None] = set()
    for finding in (*unseen_change(whole), *changed_result(whole)):
        if finding.span not in said:
            said.add(finding.span)
            yield finding


def _overwritten(whole: Whole) -> list[Victim]:
    """The calls whose kept memory was written where torch does not count it."""
    if not any(write.untracked for write in whole.ran.mutations.writes):
        return []
    return victims_among(whole, whole.values, untracked=True)


def _rebased(whole: Whole) -> Iterator[Victim]:
    """The calls that kept a tensor which `x.data = …` has put on other memory since."""
    for rebase in whole.ran.mutations.rebased:
        write = Write(rebase.number, rebase.span, 0, b"", untracked=True)
        for traced in whole.values:
            if traced.grad_fns and traced.number < rebase.number:
                held = (*arguments(traced), traced)
                value = next((one for one in held if one.value is rebase.tensor), None)
                node = kept_by(traced).get(memory(rebase.tensor)) if value is not None else None
                if value is not None and node is not None:
                    yield Victim(traced, value, rebase.tensor, node, (write,))


def _differs(whole: Whole, victim: Victim, passed: Passed) -> bool:
    """Whether the backward found other numbers than those that the call kept."""
    old = whole.ran.mutations.value_at(victim.tensor, victim.call.number)
    new = whole.ran.mutations.value_at(victim.tensor, passed.at)
    if old is None or new is None or old.dtype != new.dtype:
        return True
    return not torch.equal(old, new)


def changed_result(whole: Whole) -> Iterator[Finding]:
    """AGX415 for a computed value that was changed outside the graph, which goes on as if it had not been.

    Through .data or NumPy, under no_grad, or through an alias that is detached; where what is
    made of the value since goes into a backward. As no call kept it, a write that torch does not
    count is a note: the gradient is right for the value as it was computed.
    """
    said: set[Span] = set()
    readers = _Readers(whole)
    for traced in whole.values:
        tensor = traced.value
        if not traced.grad_fns or not isinstance(tensor, torch.Tensor) or tensor.is_meta:
            continue
        for write in whole.ran.mutations.since(tensor, traced.number):
            if write.span not in said and not readers.recorded(write, traced) and readers.read(write):
                said.add(write.span)
                yield _unknown_to_graph(whole, traced, write)


class _Readers:
    """What the backwards of a run read of each memory, and when the last of it was made."""

    def __init__(self, whole: Whole) -> None:
        self.whole, self.passed = whole, whole.ran.backwards
        self._values = {traced.number: traced for traced in whole.values}
        self._makers: dict[GradFn, int] = {}
        for traced in whole.values:
            for node in traced.grad_fns:
                self._makers.setdefault(node, traced.number)
        self._known: dict[tuple[int, ...], dict[int, float] | None] = {}

    def recorded(self, write: Write, traced: Traced) -> bool:
        """Whether the graph of a value knows of a write into it."""
        made = self._values.get(write.number)
        if made is not None and made.expr.span == write.span:
            return not write.untracked and any(self._makers[n] == made.number for n in made.grad_fns)
        return not write.untracked and grad_fn_of(traced.value) not in traced.grad_fns

    def read(self, write: Write) -> bool:
        """Whether a backward starts from, or leads to, what was made of a memory after a write into it."""
        after = [each for each in self.passed if _is_after(each, write)]
        return not self.passed or any(self._reads(each.roots, write) for each in after)

    def _reads(self, roots: tuple[int, ...], write: Write) -> bool:
        if roots not in self._known:
            self._known[roots] = self._latest(roots)
        latest = self._known[roots]
        return _tells(self.whole, write) if latest is None else latest.get(write.storage, -1) >= write.number

    def _latest(self, roots: tuple[int, ...]) -> dict[int, float] | None:
        """The number of the last reader of each memory; None where a root has no name any more."""
        starts = [self._values[number] for number in roots if number in self._values]
        if len(starts) < len(roots):
            return None
        latest: dict[int, float] = dict.fromkeys(_places(starts), float("inf"))
        for reader in reachable(starts):
            for place in _places(arguments(reader)) if reader.grad_fns else ():
                latest[place] = max(latest.get(place, -1), reader.number)
        return latest


def _tells(whole: Whole, write: Write) -> bool:
    """Whether a backward starts from another number, or gives another gradient, than without a write."""
    backwards = compared(whole, _without(whole, write))
    return not backwards or any(
        each.gradients or each.root is None or each.root[0] != each.root[1] for each in backwards
    )


def _without(whole: Whole, write: Write) -> str:
    return edited(whole.source, {whole.statement(write.span).span: "pass"})


def _places(values: Sequence[Traced]) -> Iterator[int]:
    return (place_of(tensor) for each in values for tensor in tensors_in(each.value))


def _unknown_to_graph(whole: Whole, traced: Traced, write: Write) -> Finding:
    name = traced.name or whole.source[traced.expr.span]
    made = whole.source[traced.expr.span]
    alias = root_name(written(whole, write.span))
    if write.untracked:
        how = "where torch does not see it"
    elif alias and alias != name:
        how = f"through `{alias}`, which shares its memory and is outside the graph"
    else:
        how = "outside the graph"
    is_note = write.untracked and memory(traced.value) not in kept_by(traced)
    fixes = () if is_note else tuple(_within_graph(whole, write.span, name))
    found = whole.finding(
        "AGX415",
        f"{drawing.quoted(name)} is changed on {whole.where(write.span)} {how}: the "
        f"gradient is that of {drawing.quoted(made)}, without the change.",
        name="" if write.untracked else "result-changed-outside-graph",
        span=write.span,
        fix=fixes or (Fix("compute a new tensor from it instead, so that the change is part of the graph"),),
        changed=whole.line(write.span),
    )
    return replace(found, severity=Severity.NOTE) if is_note else found


def _within_graph(whole: Whole, span: Span, name: str) -> Iterator[Fix]:
    """The write where the graph knows of it: out of a no_grad, or on memory of its own."""
    statement = whole.statement(span)
    mode = mode_around(whole, statement)
    if mode is None:
        yield from _meant(whole, span, name)
        return
    outer = [s for s in around(whole.program, span) if isinstance(s, nodes.With)]
    text = whole.source[statement.span]
    if outer and outer[-1].body == (statement,):
        yield Fix(f"line {whole.line(outer[-1].span)}:  {text}", edited(whole.source, {outer[-1].span: text}))
    else:
        yield Fix(f"move {drawing.quoted(text)} out of `{whole.source[mode.span]}`")


def _meant(whole: Whole, span: Span, name: str) -> Iterator[Fix]:
    """The write through an alias where the graph knows of it, first what leaves the root as it is."""
    through = hops(whole, span, name)
    fixes = mended(whole, [span], through)
    start = started(whole.ran, whole.source.text, 1)
    if start.roots is None or start.span is None or is_alone(whole, [span], through):
        yield from fixes
    else:
        yield from as_meant(whole, fixes, Meant(start, root_text(whole, start.span), {}))


def _backward_after(whole: Whole, victim: Victim) -> Passed | None:
    """The first backward that read the value after it was written; None where none is known to have.

    A node that has been freed was passed by some backward: by the first after the write, if
    there was none between. Else the root must still be there, and lead to the call.
    """
    made = victim.call.number
    after = [passed for passed in whole.ran.backwards if _is_after(passed, victim.writes[0])]
    between = any(made < passed.at and passed not in after for passed in whole.ran.backwards)
    if after and not between and _is_freed(victim.call):
        return after[0]
    return next((passed for passed in after if _leads_to(whole, passed, victim.call)), None)


def _is_after(passed: Passed, write: Write) -> bool:
    """Whether a backward came after a write; a write that makes no value has the number of what is next."""
    in_order = write.span.start < passed.span.start
    return passed.at > write.number or (passed.at == write.number and in_order)


def _is_freed(call: Traced) -> bool:
    """Whether a backward let go of what the call's node kept."""
    for node in call.grad_fns:
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    getattr(node, name)
                except RuntimeError as error:
                    return "freed" in str(error)
    return False


def _leads_to(whole: Whole, passed: Passed, call: Traced) -> bool:
    roots = [traced for traced in whole.values if traced.number in passed.roots]
    return any(traced is call for traced in reachable(roots))


def _finding(whole: Whole, victims: Sequence[Victim], passed: Passed) -> Iterator[Finding]:
    """What is changed and who needed it; nothing where the gradients are those without the change."""
    victim, write = victims[0], victims[0].writes[0]
    names = list(dict.fromkeys(drawing.quoted(each.name) for each in changes(whole, victims)))
    are, it = ("are", "them") if len(names) > 1 else ("is", "it")
    changed = whole.line(write.span)
    needed = list(dict.fromkeys(whole.line(each.call.expr.span) for each in victims))
    lines = f"line{'s' if len(needed) > 1 else ''} {in_words(list(map(str, needed)))}"
    backwards = compared(whole, _without(whole, write))
    both = first_of(backwards)
    if both is None and (backwards or not _differs(whole, victim, passed)):
        return
    yield whole.finding(
        "AGX415",
        f"{in_words(names)} {are} changed on line {changed} where torch does not see it, "
        f"after {lines} kept {it} for backward: the gradient of line {whole.line(passed.span)} is "
        "computed from the new values, and is wrong.",
        span=write.span,
        cause=told(whole, victims),
        fix=_fixes(whole, victims, passed),
        changed=changed,
        needed=needed,
        backward=whole.line(passed.span),
        **({"off": both.off, "without": both.lines(f"without line {changed}")} if both else {}),
    )


def _fixes(whole: Whole, victims: Sequence[Victim], passed: Passed) -> tuple[Fix, ...]:
    """The write behind the backward, or where the graph knows of it: first what leaves the root as it is."""
    spans, every = spans_of(victims)[:1], changes(whole, victims)
    through = ways_of(whole, every[0])
    moved = list(moved_behind(whole, spans[0], passed.span))
    fixes = [*moved, *mended(whole, spans, through)]
    # The first there: in later rounds the leaves are not those that they would have been.
    number = next(at for at, each in enumerate(whole.ran.backwards, start=1) if each.span == passed.span)
    start = started(whole.ran, whole.source.text, number)
    if start.roots is None or is_alone(whole, spans, through):
        return tuple(fixes)
    meant = Meant(start, root_text(whole, passed.span), before(whole, every), moved)
    return tuple(as_meant(whole, fixes, meant, kept_apart(whole, victims)))
