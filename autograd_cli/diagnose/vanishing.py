"""A gradient that is 0 in every element: too small for its dtype, or a flat place on its way.

What is flat at most of its elements is told too, as a note.
"""

from collections.abc import Iterator
from typing import Any

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.diagnose.scene import Scene, way
from autograd_cli.errors import Span
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Gradient, Node, Summary
from autograd_cli.run.tape import LiveStep

_SATURATES = ("Sigmoid", "Tanh", "Relu", "Clamp", "Hardtanh", "Threshold", "LogSigmoid", "Erf")
_SHARES = ("Softmax",)
"""Nodes whose numbers sum to 1 along a dimension."""


def vanished(scene: Scene) -> Iterator[Finding]:
    """AGX505 where a gradient is 0 in every element, or half of one in half precision."""
    found = [each for each in scene.gradients if is_zero(each) and not _ends_flat(scene, each.name)]
    finding = _underflow(scene, found) or (_saturated(scene, found) if found else None)
    if finding is not None:
        yield finding
    elif not found and any(_may_saturate(step) for step in scene.run.steps):
        from autograd_cli.diagnose.numerics.saturating import findings  # few runs have what saturates

        yield from findings(scene)


def _may_saturate(step: LiveStep) -> bool:
    return step.function is not None and step.function.name in ("sigmoid", "tanh", "softmax")


def is_zero(each: Gradient) -> bool:
    """Whether every element of a gradient is 0."""
    return _all_zero(each.autograd)


def _largest(values: Any) -> float:
    """The largest size among plain values, 0 where none is known."""
    return max((abs(number) for number in flat(values) if number == number), default=0.0)


def _ends_flat(scene: Scene, name: str) -> bool:
    leaf = scene.leaves.get(name)
    return leaf is not None and bool(way(scene, leaf).flat)


def _all_zero(values: Any) -> bool:
    numbers = list(flat(values))
    return bool(numbers) and not any(numbers)


# Too small for the dtype


def _may_underflow(scene: Scene, found: list[Gradient]) -> bool:
    """Whether it is worth a run in float64: some gradient is 0, or half of one in half precision."""
    if any(_seen_otherwise(each) for each in found):
        return True
    if not any(_is_half(step.value) for step in scene.run.steps):
        return False
    return bool(found) or any(_has_zeros(each.autograd) for each in scene.gradients)


def _seen_otherwise(each: Gradient) -> bool:
    """Whether another witness has a number where autograd has 0; a remainder of rounding counts too."""
    return max(_largest(each.symbolic), _largest(each.numeric)) > 0


def _is_half(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16)


def _has_zeros(values: Any) -> bool:
    """Whether half of the elements are 0, or that is not known."""
    if isinstance(values, Summary):
        return values.min is not None
    numbers = list(flat(values))
    return bool(numbers) and 2 * numbers.count(0) >= len(numbers)


def _underflow(scene: Scene, found: list[Gradient]) -> Finding | None:
    """What is 0 only since the dtype holds no smaller numbers: a gradient, or something on its way."""
    if not _may_underflow(scene, found):
        return None
    from autograd_cli.diagnose.numerics import scales, underflow  # few gradients are 0

    known = underflow.underflow(scene)
    return None if known is None else scales.finding(scene, known)


# A flat place


def _saturated(scene: Scene, found: list[Gradient]) -> Finding | None:
    """The node that lets nothing pass, where the float64 references are 0 as well."""
    edge = _where_saturated(scene)
    if edge is None:
        return None
    node, below, shares = edge
    text = drawing.quoted(node.text)
    if shares:
        why = f"the numbers of {text} sum to 1 whatever it is given, and the loss counts them all alike."
    else:
        where = "at each of its elements" if all(flat(node.gradient)) else "wherever a gradient arrives"
        why = f"{text} is flat there, {where}."
    return scene.finding(
        "AGX505",
        f"Every element of the gradient of {named([each.name for each in found])} is 0: {why}",
        name="constant-sum" if shares else "saturated-activation",
        span=Span(*node.span),
        cause=() if shares else tuple(_given(node, below)),
        leaves=[each.name for each in found],
    )


def _given(node: Node, below: Node) -> Iterator[str]:
    """What a flat function is given, and what arrives there."""
    numbers = [number for number in flat(below.value) if isinstance(number, int | float)]
    if numbers:
        low, high = min(numbers), max(numbers)
        span = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        largest = _largest(node.gradient)
        yield f"its operand {drawing.quoted(below.text)} is {span}; up to {largest:.3g} arrives, 0 leaves"


def _is_loss(scene: Scene, node: Node) -> bool:
    """Whether a node is made by a loss, whose gradient is 0 where there is nothing left to mend."""
    span = Span(*node.span)
    kinds = (step.function.kind for step in scene.run.steps if step.function and step.expr.span == span)
    return any(kind is Kind.LOSS for kind in kinds)


def _is_zero_itself(below: Node) -> bool:
    """Whether what a flat function is given is 0 throughout: at a kink, not beyond it."""
    return _all_zero(below.value)


def _counts_alike(scene: Scene, node: Node) -> bool:
    """Whether it is the source itself that counts all numbers of a softmax alike."""
    chosen = scene.ran is not None or scene.cotangent_given or scene.run.output.numel() == 1
    return chosen and len(set(flat(node.gradient))) == 1


def _where_saturated(scene: Scene) -> tuple[Node, Node, bool] | None:
    """The first node, from the root down, that is given something and passes on nothing.

    With the node below it, and whether it is one whose numbers sum to 1. What several nodes send to
    one may be 0 since they cancel: that tells nothing.
    """
    graph = scene.graph
    by_id = {node.id: node for node in graph.nodes} if graph else {}
    edges = graph.edges if graph else ()
    for edge in edges:
        node, below = by_id[edge.from_], by_id[edge.to]
        alone = sum(other.to == edge.to for other in edges) == 1
        if not alone or not _largest(node.gradient) or not _all_zero(below.gradient):
            continue
        if _is_loss(scene, node) or _is_zero_itself(below):
            continue
        if node.op.startswith(_SATURATES) or (node.op.startswith(_SHARES) and _decided(node)):
            return node, below, False
        if node.op.startswith(_SHARES) and _counts_alike(scene, node):
            return node, below, True
    return None


def _decided(node: Node) -> bool:
    """Whether the numbers of a softmax are all 0 or 1, where its slope is 0."""
    return set(flat(node.value)) <= {0, 1}
