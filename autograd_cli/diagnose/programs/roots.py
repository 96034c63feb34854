"""What the graph and the gradients of one backward of a program show."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from autograd_cli.diagnose import cuts, nonfinite, pairs, verdicts
from autograd_cli.diagnose.overflow import all_finite
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import statements, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Name
from autograd_cli.lang.source import named
from autograd_cli.report import Finding
from autograd_cli.run.tape import LiveStep


def disagree(scene: Scene) -> Iterator[Finding]:
    """AGX501 for each gradient on which the witnesses do not agree, at what the backward starts from."""
    span = scene.root.expr.span
    for finding in verdicts.disagree(scene):
        yield replace(finding, span=(span.start, span.end), line=scene.source.line_of(span.start))


def not_finite(scene: Scene) -> Iterator[Finding]:
    """AGX502 for each leaf whose gradient holds NaN or infinity."""
    broken = [name for name, leaf in scene.leaves.items() if not all_finite(leaf.value)]
    if broken:
        yield from _begun(scene, broken)
        return
    yield from nonfinite.gradient(scene)


def _begun(scene: Scene, names: list[str]) -> Iterator[Finding]:
    """The backward in which it began, where that is another than the first of its place and the last."""
    if not any(nonfinite.bad(each.autograd) for each in scene.gradients):
        return
    from autograd_cli.diagnose.programs import born  # few programs run away

    found = born.first(scene)
    yield found or _diverged(scene, names)


def _diverged(scene: Scene, names: list[str]) -> Finding:
    """A leaf that is not finite itself, before this backward."""
    return scene.finding(
        "AGX502",
        f"{named(names)} held NaN or infinity already when this backward came: what was done to "
        f"{'it' if len(names) == 1 else 'them'} before left it so.",
        name="gradient-diverged",
        span=scene.root.expr.span,
        cause=("steps that grow from round to round end so: take a smaller learning rate",),
        leaves=names,
    )


def kink(scene: Scene) -> Iterator[Finding]:
    """AGX503 where elements of a leaf stand exactly at a kink, at what the backward starts from."""
    span = scene.root.expr.span
    for finding in verdicts.kink(scene):
        yield replace(finding, span=(span.start, span.end), line=scene.source.line_of(span.start))


def all_pairs(scene: Scene) -> Iterator[Finding]:
    """AGX407 where a column meets a row in the loss, unless the column was made for that purpose.

    A column of data that a prediction is taken from, all squared or so and summed, is a target.
    """
    for finding in pairs.silent_broadcast(scene):
        made = [step for step in _columns(scene, finding) if _made_a_column(scene, step)]
        if not made or all(_is_target(scene, finding, step) for step in made):
            yield finding


_OF_ERRORS = {"pow", "square", "abs", "mul", "div", "true_divide", "neg", "sum", "mean"}


def _is_target(scene: Scene, finding: Finding, column: LiveStep) -> bool:
    """Whether a column without a gradient is taken from what has one, for a loss made as of errors."""
    place = next(s for s in scene.run.steps if tuple(s.expr.span) == finding.span and s.kind == "call")
    sides = [side for side in scene.arguments(place) if isinstance(side.value, torch.Tensor)]
    trained = [side for side in sides if side.value.requires_grad]
    is_error = place.function is not None and place.function.name == "sub"
    if not is_error or column.value.requires_grad or len(trained) != 1:
        return False
    made_of = {place.index}
    for step in scene.run.steps[place.index + 1 :]:
        if made_of.isdisjoint(side.index for side in scene.arguments(step)):
            continue
        if step.function is None or step.function.name not in _OF_ERRORS:
            return False
        if isinstance(step.value, torch.Tensor) and step.value.numel() == 1:
            return True
        made_of.add(step.index)
    return False


def _columns(scene: Scene, finding: Finding) -> Iterator[LiveStep]:
    """The operands of the call at a finding that are bindings, read by a name."""
    for step in scene.run.steps:
        if finding.span is not None and tuple(step.expr.span) == finding.span:
            yield from (side for side in scene.arguments(step) if isinstance(side.expr, Name))


def _made_a_column(scene: Scene, step: LiveStep) -> bool:
    """Whether the assignments of a name put in a dimension of size 1."""
    name = step.expr.id if isinstance(step.expr, Name) else ""
    is_column = isinstance(step.value, torch.Tensor) and step.value.ndim > 1
    own = [s for s in statements(scene.run.program.statements) if name in targets(s)]
    return is_column and any(isinstance(s, nodes.Assign) and pairs.puts_in_a_one(s.value) for s in own)


def staircase(scene: Scene) -> Iterator[Finding]:
    """AGX403 for each rounding that ends the only way from a leaf to the loss."""
    for step, names in cuts.endings(scene):
        if cuts.is_flat(step):
            found = cuts.staircase(scene, step, names)
            yield cuts.weighed(scene, step, found) if scene.call is None else found
