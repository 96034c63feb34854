"""A sigmoid, tanh or softmax that is flat at most of its elements, where others still pass something on."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.numerics.played import Played, handed, played
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding, Severity, below
from autograd_cli.run.tape import LiveStep

Factor = Callable[[torch.Tensor], torch.Tensor]

FLAT: dict[str, Factor] = {
    "sigmoid": lambda made: made * (1 - made),
    "tanh": lambda made: 1 - made * made,
    "softmax": lambda made: made * (1 - made),
}
"""The slope of what saturates, by its own result, by name; of a softmax that of each number by its own."""


def findings(scene: Scene) -> Iterator[Finding]:
    """A note on the first value at most of whose elements a gradient arrives and nothing passes."""
    likely = [step for step in _saturating(scene) if _share(step, torch.ones_like(step.value)) is not None]
    one = played(scene.run, scene.cotangent) if likely and not _is_content(scene) else None
    for step in likely if one is not None else ():
        assert one is not None
        found = _stopped(one, step)
        if found is not None:
            yield _finding(scene, step, *found)
            return


def _saturating(scene: Scene) -> Iterator[LiveStep]:
    for index in sorted(scene.needed):
        step = scene.run.steps[index]
        value = step.value
        if step.function is None or step.function.name not in FLAT or not isinstance(value, torch.Tensor):
            continue
        if value.requires_grad and not value.is_meta and value.dtype in (torch.float32, torch.float64):
            yield step


def _share(step: LiveStep, counts: torch.Tensor) -> torch.Tensor | None:
    """Where a value is flat, of the elements that count; None where these are not most of them."""
    assert step.function is not None
    value = step.value.detach()
    flat = (FLAT[step.function.name](value) <= torch.finfo(value.dtype).eps) & (counts != 0)
    count = int((counts != 0).sum())
    return flat if value.numel() > 1 and count and 2 * int(flat.sum()) > count else None


def _is_content(scene: Scene) -> bool:
    """Whether the output is 0 in all but rounding: a loss that has nothing left to mend."""
    value = scene.run.output.detach()
    return value.numel() == 1 and bool(value.abs() <= torch.finfo(value.dtype).eps)


def _stopped(one: Played, step: LiveStep) -> tuple[torch.Tensor, int] | None:
    """The elements at which a gradient arrives and next to none leaves, and at how many one arrives."""
    arriving = one.slopes.get(step.index)
    if arriving is None or not bool(arriving.isfinite().all()):
        return None
    eps = torch.finfo(arriving.dtype).eps
    arrives = (arriving.abs() > eps * arriving.abs().max()).to(arriving.dtype)
    flat, left = _share(step, arrives), next(iter(handed(one, step, arriving).values()), None)
    if flat is None or left is None or left.shape != arriving.shape:
        return None
    stopped = flat & (left.abs() <= eps / arriving.numel())
    count = int(arrives.sum())
    return (stopped, count) if 2 * int(stopped.sum()) > count else None


def _finding(scene: Scene, step: LiveStep, stopped: torch.Tensor, count: int) -> Finding:
    text, number = drawing.quoted(scene.text(step)), int(stopped.sum())
    eps = torch.finfo(step.value.dtype).eps
    side = scene.run.steps[below(step)[0]]
    given = side.value.detach()[stopped]
    low, high = float(given.min()), float(given.max())
    which = f"all {count}" if number == count else f"{number} of the {count}"
    operand = drawing.quoted(scene.source[scene.operand(step, side).span])
    found = scene.finding(
        "AGX505",
        f"{text} is flat at {which} elements at which a gradient arrives: its slope is below {eps:.2g} "
        "there, and next to nothing passes.",
        name="saturated-activation",
        span=step.expr.span,
        cause=(f"its operand {operand} is {low:.4g} to {high:.4g} there",),
        flat=number,
        count=count,
    )
    return replace(found, severity=Severity.NOTE)
