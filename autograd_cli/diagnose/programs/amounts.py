"""By how much a gradient is wrong, or another one: two gradients of one leaf in a line."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.report import Finding, Gradient, Values, Verdict

_FEW = 4
"""Elements that are written out."""


def with_amounts(finding: Finding, gradients: Sequence[Gradient]) -> Finding:
    """The finding with the wrong gradients, what they should be, and how far off they are.

    Where no witness says so, with the gradients that the program has without the change.
    """
    wrong = [each for each in gradients if each.verdict is Verdict.WRONG]
    lines = dict.fromkeys(map(_amount, wrong)) or finding.evidence.get("without", ())
    off = {each.name: each.difference for each in reversed(wrong) if each.difference is not None}
    evidence = {**finding.evidence, **({"off": off} if off else {})}
    return replace(finding, cause=(*finding.cause, *filter(None, lines)), evidence=evidence)


def _amount(each: Gradient) -> str:
    right = each.symbolic if each.symbolic is not None else each.numeric
    if right is None or each.difference is None:
        return each.sentence
    is_, should = written(each.autograd), written(right)
    off = f"{each.difference:.4g} off" + (f" at {list(each.worst)}" if each.worst else "")
    if is_ and should:
        return f"the gradient of {each.name} is {is_} and should be {should}: {off}"
    return f"the gradient of {each.name} is {off}: {each.sentence}"


def written(values: Values) -> str:
    """Plain values as they are typed, while they are few: "4", "[20, 20]"; else ""."""
    if isinstance(values, bool | int | float):
        return f"{values:.5g}"
    few = values is not None and 0 < sum(1 for _ in flat(values)) <= _FEW
    return _listed(values) if few else ""


def _listed(values: Any) -> str:
    if isinstance(values, list | tuple):
        return f"[{', '.join(map(_listed, values))}]"
    return f"{values:.5g}" if isinstance(values, int | float) else ""
