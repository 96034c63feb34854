"""What the graph and the gradients of one backward of a program show."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from autograd_cli.diagnose import cuts, drawing, nonfinite, pairs, verdicts
from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.diagnose.scene import Scene, way
from autograd_cli.diagnose.statements import expressions, replaced, statements, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Name
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix, Gradient, Node
from autograd_cli.run.tape import LiveStep
from autograd_cli.run.values import dtype_name

_SATURATES = ("Sigmoid", "Tanh", "Relu", "Clamp", "Hardtanh", "Threshold", "Softmax", "LogSigmoid", "Erf")


def disagree(scene: Scene) -> Iterator[Finding]:
    """AGX501 for each gradient on which the witnesses do not agree, at what the backward starts from."""
    span = scene.root.expr.span
    for finding in verdicts.disagree(scene):
        yield replace(finding, span=(span.start, span.end), line=scene.source.line_of(span.start))


def not_finite(scene: Scene) -> Iterator[Finding]:
    """AGX502 for each leaf whose gradient holds NaN or infinity."""
    broken = [name for name, leaf in scene.leaves.items() if not nonfinite.all_finite(leaf.value)]
    if broken:
        yield from _diverged(scene, broken)
        return
    for finding in nonfinite.gradient(scene):
        yield finding if finding.fix else replace(finding, fix=tuple(_kept_away(scene, finding)))


def _diverged(scene: Scene, names: list[str]) -> Iterator[Finding]:
    """A leaf that is not finite itself, before this backward."""
    if any(nonfinite.bad(each.autograd) for each in scene.gradients):
        yield scene.finding(
            "AGX502",
            f"{named(names)} held NaN or infinity already when this backward came: what was done to "
            f"{'it' if len(names) == 1 else 'them'} before left it so.",
            name="gradient-diverged",
            span=scene.root.expr.span,
            cause=("steps that grow from round to round end so: take a smaller learning rate",),
            leaves=names,
        )


def _kept_away(scene: Scene, finding: Finding) -> Iterator[Fix]:
    """The operand of a root or a logarithm held away from 0."""
    if finding.name not in ("nan-grad-sqrt-at-zero", "nan-grad-log-at-zero"):
        return
    for node in expressions(scene.run.program):
        if tuple(node.span) == finding.span and isinstance(node, nodes.Call):
            operand = node.args[0] if node.args else getattr(node.function, "value", None)
            if operand is not None:
                text = f"({scene.source[operand.span]} + 1e-12)"
                inner = text[1:-1] if node.args else text
                yield Fix(
                    "away from 0, by as little as is felt", replaced(scene.source, {operand.span: inner})
                )
            return


def all_pairs(scene: Scene) -> Iterator[Finding]:
    """AGX407 where a column meets a row in the loss, unless the column was made for that purpose."""
    for finding in pairs.silent_broadcast(scene):
        if not any(_made_a_column(scene, step) for step in _columns(scene, finding)):
            yield finding


def _columns(scene: Scene, finding: Finding) -> Iterator[LiveStep]:
    """The operands of the call at a finding that are bindings, read by a name."""
    for step in scene.run.steps:
        if finding.span is not None and tuple(step.expr.span) == finding.span:
            yield from (side for side in scene.arguments(step) if isinstance(side.expr, Name))


def _made_a_column(scene: Scene, step: LiveStep) -> bool:
    """Whether the assignments of a name put in a dimension of size 1."""
    name = step.expr.id if isinstance(step.expr, Name) else ""
    is_column = isinstance(step.value, torch.Tensor) and step.value.ndim == 2
    own = [s for s in statements(scene.run.program.statements) if name in targets(s)]
    return is_column and any(isinstance(s, nodes.Assign) and pairs.puts_in_a_one(s.value) for s in own)


def staircase(scene: Scene) -> Iterator[Finding]:
    """AGX403 for each rounding that ends the only way from a leaf to the loss."""
    for step, names in cuts.endings(scene):
        if cuts.is_flat(step):
            yield cuts.staircase(scene, step, names)


def vanished(scene: Scene) -> Iterator[Finding]:
    """AGX505 where a gradient is 0 in every element: too small for its dtype, or saturated."""
    found = [each for each in scene.gradients if _is_zero(each) and not _ends_flat(scene, each.name)]
    under = [each for each in found if _largest(each.symbolic) or _largest(each.numeric)]
    if under:
        yield _underflow(scene, under)
        return
    node = _where_saturated(scene) if found else None
    if node is not None:
        yield scene.finding(
            "AGX505",
            f"Every element of the gradient of {named([each.name for each in found])} is 0: "
            f"{drawing.quoted(node.text)} is flat there, at each of its elements.",
            name="saturated-activation",
            span=Span(*node.span),
            leaves=[each.name for each in found],
        )


def _is_zero(each: Gradient) -> bool:
    return _all_zero(each.autograd)


def _largest(values: Any) -> float:
    """The largest size among plain values, 0 where none is known."""
    return max((abs(number) for number in flat(values) if number == number), default=0.0)


def _ends_flat(scene: Scene, name: str) -> bool:
    leaf = scene.leaves.get(name)
    return leaf is not None and bool(way(scene, leaf).flat)


def _underflow(scene: Scene, found: list[Gradient]) -> Finding:
    dtype = _lowest(scene)
    size = max(_largest(found[0].symbolic), _largest(found[0].numeric))
    smallest = torch.finfo(getattr(torch, dtype)).smallest_normal
    return scene.finding(
        "AGX505",
        f"Every element of the gradient of {named([each.name for each in found])} is 0 in {dtype}; in "
        f"float64 the largest is {size:.3g}.",
        name="gradient-underflow",
        span=scene.root.expr.span,
        cause=(f"{dtype} holds numbers down to {smallest:.2g} with all their digits; smaller ones become 0",),
        fix=(Fix("compute in float32, or scale the loss by 4096 and divide the gradient by it afterwards"),),
        leaves=[each.name for each in found],
        reference=size,
    )


def _lowest(scene: Scene) -> str:
    """The narrowest floating dtype among the values that the root was computed from."""
    dtypes = [
        step.value.dtype
        for step in scene.run.steps
        if isinstance(step.value, torch.Tensor) and step.value.is_floating_point()
    ]
    return dtype_name(min(dtypes, key=lambda dtype: torch.finfo(dtype).bits))


def _where_saturated(scene: Scene) -> Node | None:
    """The first node, from the root down, that is given something and passes on nothing."""
    graph = scene.graph
    by_id = {node.id: node for node in graph.nodes} if graph else {}
    for edge in graph.edges if graph else ():
        node, below = by_id[edge.from_], by_id[edge.to]
        if node.op.startswith(_SATURATES) and _largest(node.gradient) and _all_zero(below.gradient):
            return node
    return None


def _all_zero(values: Any) -> bool:
    numbers = list(flat(values))
    return bool(numbers) and not any(numbers)
