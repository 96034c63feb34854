"""A backward that adds to a `.grad` which had been looked at."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.diagnose.programs.optimizers import optimizer_of
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import calls, expressions, inserted, root_of
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.source import named
from autograd_cli.report import Change, Finding, Fix, Values
from autograd_cli.run.traced import Accumulated, Site
from autograd_cli.run.values import plain

_FEW = 4
_SEEN = {"step": "used by the step"}


def missing_clear(whole: Whole) -> Iterator[Finding]:
    """AGX410, once for each backward that adds to a `.grad` which was read, printed or used by a step."""
    found: dict[Span, list[Accumulated]] = {}
    for each in filter(lambda each: each.leaf, whole.ran.accumulated):
        found.setdefault(each.span, []).append(each)
    for span, at in found.items():
        leaves = list(dict.fromkeys(each.leaf for each in at))
        yield whole.finding(
            "AGX410",
            _sentence(whole, at[0], leaves),
            span=span,
            cause=(_sum(whole, at[0]),),
            fix=(_cleared(whole, span, leaves),),
            leaves=leaves,
            since=at[0].since,
            seen=at[0].seen,
        )


def _sentence(whole: Whole, first: Accumulated, leaves: Sequence[str]) -> str:
    held = _written(_plain(first.held))
    holds = f"`{first.leaf}.grad` still held{' ' + held if held else ' a gradient'} from line {first.since}"
    line = whole.line(first.span)
    again = first.since == line
    if again and not whole.loops(first.span):
        holds = (
            f"`{first.leaf}.grad` still held{' ' + held if held else ' the gradient'} of the backward before"
        )
    elif again:
        holds = f"`{first.leaf}.grad` still held{' ' + held if held else ' the gradient'} of the round before"
    seen = (
        ""
        if first.seen in (line, 0) and again
        else f", already {_SEEN.get(first.how, first.how)} on line {first.seen}"
    )
    others = f" So did the .grad of {named(leaves[1:])}." if len(leaves) > 1 else ""
    return f"{holds}{seen}.{others}"


def _sum(whole: Whole, first: Accumulated) -> str:
    """The addition spelt out where the numbers are few: "4 + 12 = 16"."""
    rule = "backward adds to .grad, it does not replace it"
    change = _change(whole, first)
    parts = [] if change is None else [_written(v) for v in (change.before, change.added, change.after)]
    if len(parts) < 3 or not all(parts):
        return f"{rule}."
    root = started_from(whole, first.span)
    return f"{rule}: {parts[0]} + {parts[1]} = {parts[2]}. Of {root} alone it is {parts[1]}."


def _change(whole: Whole, first: Accumulated) -> Change | None:
    """What that backward did to the leaf's .grad, where it is among what the run kept."""
    site = whole.sites.get(whole.statement(first.span).span)
    for did in (site.first, site.last) if site else ():
        for change in did.changed if did else ():
            if change.name == f"{first.leaf}.grad" and change.before not in (None, 0.0) and change.added:
                return change
    return None


def _plain(value: Any) -> Any:
    return plain(value)


def _written(value: Any) -> str:
    """Plain values as they are typed, while they are few: "4", "[4, 4, 4]"."""
    if isinstance(value, bool | int | float):
        return f"{value:.7g}"
    if isinstance(value, tuple) and 0 < len(value) <= _FEW:
        items = [_written(item) for item in value]
        return f"[{', '.join(items)}]" if all(items) else ""
    return ""


def started_from(whole: Whole, span: Span) -> str:
    """What the backward starts from, as it is written."""
    found = next((root_of(call) for call in calls(whole.program, "backward") if call.span == span), None)
    return "this backward" if found is None else f"`{whole.source[found.span]}`"


# What adds up unseen


def summed(whole: Whole, leaf: str, before: int) -> str:
    """What the .grad of a leaf is the sum of at a place, in words; "" where one backward made it alone."""
    parts: list[tuple[int, Values]] = []
    after: Values = None
    for line, change in _changes(whole, leaf, before):
        if change.kind != "backward":
            parts = []
        elif change.before is None or not any(flat(change.before)):
            parts, after = [(line, change.after)], change.after
        else:
            parts, after = [*parts, (line, change.added)], change.after
    numbers = [_written(value) for _, value in parts]
    if len(parts) < 2 or not all(numbers) or not _written(after):
        return ""
    each = ", ".join(f"line {line} added {number}" for (line, _), number in zip(parts, numbers, strict=True))
    return (
        f"`{leaf}.grad` is {' + '.join(numbers)} = {_written(after)}: {each}; backward adds to .grad, "
        "it does not replace it"
    )


def _changes(whole: Whole, leaf: str, before: int) -> Iterator[tuple[int, Change]]:
    """What statements that were run once did to the .grad of a leaf, in the order of the text."""
    for site in whole.ran.sites:
        if site.count == 1 and site.first is not None and site.statement.span.end <= before:
            for change in site.first.changed:
                if change.name == f"{leaf}.grad":
                    yield whole.line(site.statement.span), change


def forgotten(whole: Whole) -> Iterator[Finding]:
    """AGX410 for a backward that adds to the .grad of a leaf, where that of another was cleared before it.

    And the sum is read after it. What was looked at before is told by `missing_clear`.
    """
    known = {each.leaf for each in whole.ran.accumulated}
    for site in whole.ran.sites:
        changes = site.first.changed if site.count == 1 and site.first is not None else ()
        grads = {c.name.removesuffix(".grad"): c for c in changes if c.kind == "backward"}
        cleared = [leaf for leaf, change in grads.items() if _was_cleared(whole, leaf, change, site)]
        kept = [leaf for leaf, c in grads.items() if any(flat(c.before)) and leaf not in known]
        read = [leaf for leaf in kept if _read_after(whole, leaf, site.statement.span.end)]
        if cleared and read:
            yield _forgotten(whole, site.statement.span, cleared, read)


def _was_cleared(whole: Whole, leaf: str, change: Change, site: Site) -> bool:
    """Whether a .grad that held something was empty again when the backward came."""
    held = any(c.kind == "backward" for _, c in _changes(whole, leaf, site.statement.span.start))
    return held and not any(flat(change.before))


def _read_after(whole: Whole, leaf: str, after: int) -> bool:
    """Whether the text reads the .grad of a leaf behind a place, to print it or to compute with it."""
    for node in expressions(whole.program):
        is_grad = isinstance(node, nodes.Attribute) and whole.source[node.span] == f"{leaf}.grad"
        if is_grad and node.span.start > after:
            return not whole.source.text[node.span.end :].lstrip().startswith((".zero_", "= None"))
    return False


def _forgotten(whole: Whole, span: Span, cleared: list[str], read: list[str]) -> Finding:
    one = len(read) == 1
    grads = named([f"{leaf}.grad" for leaf in read])
    total = summed(whole, read[0], span.end)
    return whole.finding(
        "AGX410",
        f"{grads} still held {'a gradient' if one else 'gradients'} when the backward of line "
        f"{whole.line(span)} came: {named([f'{leaf}.grad' for leaf in cleared])} was cleared before it, "
        f"{grads} {'was' if one else 'were'} not.",
        span=span,
        cause=(f"{total}.",) if total else (),
        fix=(_cleared(whole, span, read),),
        leaves=read,
    )


# The repair


def _cleared(whole: Whole, span: Span, leaves: Sequence[str]) -> Fix:
    """The gradients cleared before the backward: by the optimizer where there is one."""
    statement, line = whole.statement(span), whole.line(span)
    optimizer = optimizer_of(whole, leaves)
    lines = [f"{optimizer}.zero_grad()"] if optimizer else [f"{leaf}.grad = None" for leaf in leaves]
    if not all(map(_can_be_written, leaves)) and not optimizer:
        return Fix(f"clear the gradients before line {line}")
    return Fix(f"before line {line}:  {'; '.join(lines)}", inserted(whole.source, statement, lines))


def _can_be_written(leaf: str) -> bool:
    return leaf.isidentifier()
