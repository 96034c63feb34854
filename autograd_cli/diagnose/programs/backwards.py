"""Backward calls that torch refused: values changed in place, no one number to start from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import sized
from autograd_cli.diagnose.outputs import NOT_SCALAR
from autograd_cli.diagnose.programs.apart import kept_apart
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.mending import Meant, as_meant, is_alone, mended, started
from autograd_cli.diagnose.programs.moving import moved_behind
from autograd_cli.diagnose.programs.mutated import (
    Changed,
    Victim,
    before,
    changes,
    read_as,
    spans_of,
    text_of,
    told,
    victims,
    victims_among,
    ways_of,
)
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.through import call_at
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, with_keyword
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import in_words
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.values import dtype_name

_DETACHED = "has been detached in-place"
_MODIFIED = "modified by an inplace operation", _DETACHED
_WRITER = re.compile(r"(output \d+ of )(?:\w+::)*(\w+)")


def mutated(case: Ended) -> Finding | None:
    """AGX409 where a value that the backward needs was changed in place: by whom, and who needed it."""
    if not case.says(*_MODIFIED):
        return None
    found = _victims(case)
    if not found:
        return case.finding(
            "AGX409", "A value that this backward needs was changed in place after it was kept."
        )
    return None if _is_step(case, found[0]) else _changed(case, found, "AGX409")


def stepped(case: Ended) -> Finding | None:
    """AGX451 where it was an optimizer's step that changed a weight which the backward needs."""
    found = _victims(case) if case.says(*_MODIFIED) else []
    return _changed(case, found, "AGX451") if found and _is_step(case, found[0]) else None


def _victims(case: Ended) -> list[Victim]:
    found = [] if case.root is None else victims(case.whole, case.root)
    return [victim for each in found for victim in _troubled(case.whole, each)]


def _troubled(whole: Whole, victim: Victim) -> Iterator[Victim]:
    """A victim of more than `detach_`, where it kept its result: that is kept without a way to itself."""
    writes = tuple(write for write in victim.writes if not _detaches(whole, write.span))
    if not victim.is_result:
        yield victim
    elif writes:
        yield replace(victim, writes=writes)


def _detaches(whole: Whole, span: Span) -> bool:
    call = call_at(whole.statement(span), span)
    return call is not None and called(call) == "detach_"


def _changed(case: Ended, found: list[Victim], code: str) -> Finding:
    whole, every = case.whole, changes(case.whole, found)
    through = [hop for changed in every for hop in ways_of(whole, changed)]
    several = [_as_data(whole, changed) for changed in every]
    return case.finding(
        code,
        _sentence(whole, every),
        cause=(*told(whole, found, _others(case, found)), *_not_the_victim(case)),
        fix=_mended(case, every, code),
        changed=whole.line(every[0].spans[0]),
        needed=list(dict.fromkeys(whole.line(victim.call.expr.span) for victim in found)),
        through=[
            {"line": whole.line(hop.span), "text": hop.text, "how": hop.how} for hop in dict.fromkeys(through)
        ],
        tensors=several,
    )


def _as_data(whole: Whole, changed: Changed) -> dict[str, object]:
    """A tensor that was changed, where, and the lines that needed it, as JSON takes it."""
    return {
        "name": changed.name,
        "changed": list(dict.fromkeys(map(whole.line, changed.spans))),
        "needed": list(dict.fromkeys(whole.line(victim.call.expr.span) for victim in changed.victims)),
    }


def _mended(case: Ended, every: Sequence[Changed], code: str) -> tuple[Fix, ...]:
    """The repairs, those first that leave what the program computes."""
    whole, found = case.whole, [victim for changed in every for victim in changed.victims]
    spans, through = spans_of(found), ways_of(whole, every[0])
    moved = list(moved_behind(whole, spans[0], case.expr.span))
    fixes = [*mended(whole, spans, through, _read_where_written(case, found)), *moved]
    start = started(whole.ran, whole.source.text, _number(case))
    if start.roots is None or not case.roots or (len(every) == 1 and is_alone(whole, spans, through)):
        return tuple(fixes)
    spare = () if code == "AGX451" else kept_apart(whole, found)
    meant = Meant(start, case.roots[0].text, before(whole, every), moved)
    return tuple(as_meant(whole, fixes, meant, spare))


def _number(case: Ended) -> int:
    """The number of the backward that failed."""
    return len(case.whole.ran.backwards) + 1


def _read_where_written(case: Ended, found: list[Victim]) -> list[Expr]:
    """What is read in a statement that writes the same memory, as in `h[i] = h[i] ** 2`."""
    writing = {case.whole.statement(span).span for span in spans_of(found)}
    reads = [expr for victim in found if not victim.is_result and (expr := read_as(victim)) is not None]
    return [expr for expr in reads if case.whole.statement(expr.span).span in writing]


def _others(case: Ended, found: list[Victim]) -> list[Victim]:
    """Those that kept the same memory for a backward from elsewhere."""
    own = {id(victim.call) for victim in found}
    spans = set(spans_of(found))
    every = victims_among(case.whole, case.whole.values)
    alike = (victim for each in every for victim in _troubled(case.whole, each))
    return [v for v in alike if id(v.call) not in own and spans & {write.span for write in v.writes}]


def _sentence(whole: Whole, every: Sequence[Changed]) -> str:
    first = every[0]
    is_line = len(whole.source.line_starts) == 1
    kept = f"after {_needed(whole, first)} kept it for backward"
    told = [f"{drawing.quoted(first.name)} is changed in place{_by(whole, first, is_line)}, {kept}"]
    for changed in every[1:_MOST_TOLD]:
        place = f"{drawing.quoted(changed.name)}{_by(whole, changed, is_line)}"
        told.append(f"and {place}, after {_needed(whole, changed)} did")
    rest = [drawing.quoted(changed.name) for changed in every[_MOST_TOLD:]]
    told += [f"and so {'is' if len(rest) == 1 else 'are'} {in_words(rest)}"] if rest else []
    return f"{'; '.join(told)}."


_MOST_TOLD = 3
"""Changed tensors of which the sentence says who changed them."""


def _by(whole: Whole, changed: Changed, is_line: bool) -> str:
    """Where and by what a tensor is changed: " on line 7 through `v`, by `v.add_(1)`"."""
    span, through = changed.spans[0], ways_of(whole, changed)
    name = through[0].name if through else changed.name
    by = f" through {drawing.quoted(name)}" if name != changed.name else ""
    text = drawing.quoted(text_of(whole, span))
    return f"{by} by {text}" if is_line else f" on line {whole.line(span)}{by}, by {text}"


def _needed(whole: Whole, changed: Changed) -> str:
    """Who kept it: "lines 3 and 4", or the calls where all stand on one line."""
    spans = [victim.call.expr.span for victim in changed.victims]
    if len(whole.source.line_starts) == 1:
        return in_words(list(dict.fromkeys(drawing.quoted(whole.source[span]) for span in spans)))
    lines = dict.fromkeys(map(whole.line, spans))
    return f"line{'s' if len(lines) > 1 else ''} {in_words(map(str, lines))}"


def _is_step(case: Ended, victim: Victim) -> bool:
    return case.source[case.whole.statement(victim.writes[0].span).span].rstrip().endswith(".step()")


def _not_the_victim(case: Ended) -> tuple[str, ...]:
    writer = _WRITER.search(str(case.failure.error))
    words = "".join(writer.groups()) if writer else ""
    return (f'"{words}", in torch\'s words, is the change itself, not who needed it',) if writer else ()


def nonscalar(case: Ended) -> Finding | None:
    """AGX401 where a backward starts from several numbers without being told what each counts."""
    if not case.says(NOT_SCALAR) or not case.roots:
        return None
    root = next((o for o in case.roots if isinstance(o.value, torch.Tensor) and o.value.numel() != 1), None)
    if root is None:
        return None
    return case.finding(
        "AGX401",
        f"{sized(root)} has {root.value.numel()} elements: a gradient is of one number, and backward is not "
        "told what each of them counts.",
        fix=tuple(_reduced(case, root.expr)),
        shape=tuple(root.value.shape),
    )


def _reduced(case: Ended, root: nodes.Expr) -> list[Fix]:
    line, source = case.line, case.source
    fixes = []
    for call, words in ((".sum()", "their sum"), (".mean()", "or their mean")):
        text = repair.followed(source, root, call)
        fixes.append(Fix(f"line {line}:  {words}, {text}", edited(source, {_bare(case, root): text})))
    if isinstance(case.expr, nodes.Call) and case.name == "backward" and len(case.roots) == 1:
        keyword = f"gradient={_ones_like(case)}({source[root.span]})"
        if not any(k.name == "gradient" for k in case.expr.keywords):
            fixes.append(Fix(f"or line {line}:  {keyword}", with_keyword(source, case.expr, keyword)))
    return fixes


def _ones_like(case: Ended) -> str:
    return repair.spelled(case.run.program, "torch.ones_like")


def _bare(case: Ended, root: nodes.Expr) -> Span:
    """The place of the root with the brackets that a method call puts around it."""
    if isinstance(case.expr, nodes.Call) and isinstance(case.expr.function, nodes.Attribute):
        function = case.expr.function
        if function.value is root:
            text = case.source.text
            end = text.rfind(".", function.span.start, function.span.end)
            return Span(function.span.start, end)
    return root.span


def complex_root(case: Ended) -> Finding | None:
    """AGX405 where a backward starts from a complex number."""
    root = next((o for o in case.roots if isinstance(o.value, torch.Tensor) and o.value.is_complex()), None)
    if root is None or not case.says("real scalar outputs"):
        return None
    text = repair.followed(case.source, root.expr, ".abs()")
    return case.finding(
        "AGX405",
        f"{drawing.quoted(root.text)} is {dtype_name(root.value.dtype)}: complex numbers have no order, so "
        "there is no one gradient.",
        fix=(Fix(f"line {case.line}:  {text}", edited(case.source, {_bare(case, root.expr): text})),),
    )


def gradient_shape(case: Ended) -> Finding | None:
    """AGX423 where the gradient given to a backward has another shape than what it starts from."""
    if not case.says("mismatch in shape: grad_output") or len(case.operands) < 2 or not case.roots:
        return None
    root, given = case.roots[0], case.operands[1]
    if not isinstance(root.value, torch.Tensor) or not isinstance(given.value, torch.Tensor):
        return None
    new = f"{_ones_like(case)}({root.text})"
    return case.finding(
        "AGX423",
        f"{sized(root)} is given the gradient {sized(given)}: it needs one number for each element, so the "
        f"shape {shape_text(root.value.shape)}.",
        fix=(Fix(f"line {case.line}:  {new}", edited(case.source, {given.expr.span: new})),),
    )
