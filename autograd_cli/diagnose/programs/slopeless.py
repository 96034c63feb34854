"""A backward that comes through a function which torch has no derivative of, as a step is."""

import re
from dataclasses import replace

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.scene import reachable
from autograd_cli.diagnose.repair import edited
from autograd_cli.report import Finding, Fix, Severity

_WORDS = re.compile(r"derivative for (?:aten::)?(\w+?)_? is not implemented")
_STEPS = ("heaviside",)
"""Functions that do not change when their operands change a little, and that torch cannot go back through."""


def undifferentiated(case: Ended) -> Finding | None:
    """AGX403 where a backward comes through such a function, at its place."""
    found = _WORDS.search(str(case.failure.error))
    if found is None or found[1] not in _STEPS:
        return None
    every = reachable([operand.argument for operand in case.roots])
    spans = {each.expr.span for each in every if each.function and each.function.name == found[1]}
    if not spans:
        return None
    first, source = min(spans), case.source
    told = case.finding(
        "AGX403",
        f"{drawing.quoted(source[first])} has no slope to pass on: torch has no derivative of `{found[1]}`, "
        "and a backward that comes through it fails.",
        fix=[Fix("as a constant", edited(source, {each: f"{source[each]}.detach()" for each in spans}))],
    )
    place = (first.start, first.end)
    return replace(told, span=place, line=source.line_of(first.start), severity=Severity.ERROR)
