"""A backward that adds to a `.grad` which had been looked at."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograd_cli.diagnose.programs.optimizers import optimizer_of
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import inserted
from autograd_cli.errors import Span
from autograd_cli.lang.source import named
from autograd_cli.report import Change, Finding, Fix
from autograd_cli.run.traced import Accumulated
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
    root = root_of(whole, first.span)
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


def root_of(whole: Whole, span: Span) -> str:
    """What the backward starts from, as it is written."""
    text = whole.source[span]
    return f"`{text.rpartition('.backward')[0]}`" if ".backward" in text else "this backward"


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
