"""A value that is infinite because a dtype holds no larger numbers, not because the function is."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.numerics.edges import plain_name
from autograd_cli.diagnose.scene import Scene, is_floating
from autograd_cli.gradients.replay import raised
from autograd_cli.report import Fix
from autograd_cli.run.tape import LiveStep, filled
from autograd_cli.run.values import dtype_name

_STEEP = {"pow", "rsqrt", "reciprocal", "float_power", "xlogy", "tan", "atanh", "logit", "erfinv"}
"""Functions that are infinite somewhere, beside those whose row says where they are defined."""

_POLES = {"atanh", "logit", "erfinv", "lgamma", "digamma"}
"""Functions that are infinite at a number other than 0, and grow too slowly to overflow."""


@dataclass(frozen=True)
class Overflow:
    """The step and the index of the element; `fits` says that float64 holds its number."""

    step: LiveStep
    index: tuple[int, ...]
    dtype: torch.dtype
    fits: bool


def overflow(scene: Scene) -> Overflow | None:
    """The first value that is not finite, where that is an overflow of finite operands."""
    step = first_not_finite(scene)
    if step is None or not isinstance(step.value, torch.Tensor) or step.call is None:
        return None
    operands = [each.value for each in scene.arguments(step) if isinstance(each.value, torch.Tensor)]
    given = [*step.args, *step.kwargs.values(), *(each.value for each in scene.arguments(step))]
    if not operands or not torch.isinf(step.value).any() or not all(map(_is_finite, given)):
        return None
    if step.function is not None and plain_name(step.function.name) in _POLES:
        return None
    zeros = [each for each in given if type(each) in (int, float) and each == 0]
    if _may_be_infinite(step) and (zeros or any(bool((value == 0).any()) for value in operands)):
        return None
    index = tuple(torch.isinf(step.value.detach()).nonzero()[0].tolist())
    return Overflow(step, index, step.value.dtype, fits(scene, step))


def first_not_finite(scene: Scene) -> LiveStep | None:
    """The first call under the output whose value is not finite."""
    calls = (step for step in scene.run.steps if step.kind == "call" and step.index in scene.needed)
    return next((step for step in calls if not all_finite(step.value)), None)


def all_finite(value: Any) -> bool:
    """Whether a value is no floating or complex tensor, or holds only finite numbers."""
    if not is_floating(value) or value.is_meta:
        return True
    return bool(torch.isfinite(value.detach()).all())


def _is_finite(value: Any) -> bool:
    return isfinite(value) if isinstance(value, float) else all_finite(value)


def _may_be_infinite(step: LiveStep) -> bool:
    function = step.function
    return function is not None and (bool(function.domain) or function.name in _STEEP)


def fits(scene: Scene, step: LiveStep) -> bool:
    """Whether the same call is finite in float64."""
    if step.value.dtype == torch.float64 or step.call is None:
        return False
    try:
        with torch.no_grad():
            values = [raised(each.value) for each in scene.run.steps[: step.index]]
            return all_finite(step.call(*filled(step.args, values), **filled(step.kwargs, values)))
    except Exception:  # what torch does not compute so is not offered
        return False


def told(scene: Scene, found: Overflow) -> Iterator[str]:
    """The lines of a finding: what overflows, by which number."""
    text = drawing.quoted(scene.text(found.step))
    most = torch.finfo(found.dtype).max
    place = f" at [{', '.join(map(str, found.index))}]" if found.index else ""
    ends = f"{dtype_name(found.dtype)} ends at {most:.2g}"
    yield f"the value of {text} is {_number(found)}{place}{_given(scene, found)}: {ends}"


def _number(found: Overflow) -> str:
    return f"{found.step.value[found.index].item():.7g}"


def _given(scene: Scene, found: Overflow) -> str:
    """The numbers that it is computed from there: ", where `x` is 10"."""
    shape = found.step.value.shape
    said = dict(_numbers(scene, found.step, shape, found.index))
    return f", where {' and '.join(f'{name} is {number}' for name, number in said.items())}" if said else ""


def _numbers(
    scene: Scene, step: LiveStep, shape: torch.Size, index: tuple[int, ...]
) -> Iterator[tuple[str, str]]:
    for each in scene.arguments(step):
        value = each.value
        if is_floating(value) and value.shape == shape:
            text = scene.source[scene.operand(step, each).span]
            yield drawing.quoted(text), f"{value.detach()[index].item():.7g}"


def fixes(scene: Scene, found: Overflow) -> Iterator[Fix]:
    """What keeps the number within the dtype."""
    text = drawing.quoted(scene.text(found.step))
    wider = ", or compute in float64, which holds it" if found.fits else ""
    yield Fix(f"keep what goes into {text} small, or divide by its largest before{wider}")
