"""A gradient that is 0 in every element: too small for its dtype, or a flat place on its way."""

from collections.abc import Iterator
from typing import Any

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.diagnose.programs import underflow
from autograd_cli.diagnose.scene import Scene, way
from autograd_cli.errors import Span
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix, Gradient, Node
from autograd_cli.run.values import dtype_name

_SATURATES = ("Sigmoid", "Tanh", "Relu", "Clamp", "Hardtanh", "Threshold", "LogSigmoid", "Erf")
_SHARES = ("Softmax",)
"""Nodes whose numbers sum to 1 along a dimension."""


def vanished(scene: Scene) -> Iterator[Finding]:
    """AGX505 where a gradient is 0 in every element: too small for its dtype, or saturated."""
    found = [each for each in scene.gradients if is_zero(each) and not _ends_flat(scene, each.name)]
    if not found:
        return
    finding = _underflow(scene, found) or _saturated(scene, found)
    if finding is not None:
        yield finding


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


def _underflow(scene: Scene, found: list[Gradient]) -> Finding | None:
    """What is 0 only since the dtype holds no smaller numbers: a gradient, or something on its way.

    That the float64 gradient is another one proves nothing: rounding alone leaves a remainder.
    """
    sizes = {each.name: max(_largest(each.symbolic), _largest(each.numeric)) for each in found}
    under = [each.name for each in found if sizes[each.name]]
    lost = underflow.lost(scene) if under else None
    if lost is None:
        return None
    smallest = torch.finfo(lost.dtype).smallest_normal
    dtype, text = dtype_name(lost.dtype), drawing.quoted(scene.text(lost.step))
    held = f"{dtype} holds numbers down to {smallest:.2g} with all their digits"
    return scene.finding(
        "AGX505",
        f"Every element of the gradient of {named(under)} is 0 in {dtype}; in "
        f"float64 the largest is {sizes[under[0]]:.3g}.",
        name="gradient-underflow",
        span=scene.root.expr.span,
        cause=(
            f"{held}, and none below {underflow.least(lost.dtype):.2g}",
            f"lost at {text}: {lost.what} is {lost.size:.3g} there in float64",
        ),
        fix=tuple(_held(scene, lost)),
        leaves=under,
        reference=sizes[under[0]],
        lost=scene.text(lost.step),
    )


def _held(scene: Scene, lost: underflow.Lost) -> Iterator[Fix]:
    """What keeps the numbers: a scale that was tried, and a dtype that reaches further down."""
    wider = "float32" if lost.dtype == torch.float16 else "float64"
    scale = underflow.scale(scene)
    if scale:
        yield Fix(
            f"scale the loss by {scale} before backward (tried: no element is 0), and divide the gradient "
            f"by it in {wider}"
        )
    yield Fix(f"{'or ' if scale else ''}compute in {wider}")


# A flat place


def _saturated(scene: Scene, found: list[Gradient]) -> Finding | None:
    """The node that lets nothing pass, where the float64 references are 0 as well."""
    edge = _where_saturated(scene)
    if edge is None:
        return None
    node, shares = edge
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
        leaves=[each.name for each in found],
    )


def _where_saturated(scene: Scene) -> tuple[Node, bool] | None:
    """The first node, from the root down, that is given something and passes on nothing.

    With whether it is one whose numbers sum to 1. What several nodes send to one may be 0
    since they cancel: that tells nothing.
    """
    graph = scene.graph
    by_id = {node.id: node for node in graph.nodes} if graph else {}
    edges = graph.edges if graph else ()
    for edge in edges:
        node, below = by_id[edge.from_], by_id[edge.to]
        alone = sum(other.to == edge.to for other in edges) == 1
        if not alone or not _largest(node.gradient) or not _all_zero(below.gradient):
            continue
        if node.op.startswith(_SATURATES) or (node.op.startswith(_SHARES) and _decided(node)):
            return node, False
        if node.op.startswith(_SHARES) and len(set(flat(node.gradient))) == 1:
            return node, True
    return None


def _decided(node: Node) -> bool:
    """Whether the numbers of a softmax are all 0 or 1, where its slope is 0."""
    return set(flat(node.value)) <= {0, 1}
