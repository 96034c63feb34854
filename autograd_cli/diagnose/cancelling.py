"""Digits that are lost where nearly equal numbers are subtracted, and an equal expression that keeps them."""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding

_LOSING = {"sub", "log", "log1p", "add", "subtract"}
"""Functions that the patterns of what loses digits begin with."""


def cancelled(scene: Scene) -> Iterator[Finding]:
    """AGX506 where an equal expression keeps digits that this one loses, measured against float64."""
    value = scene.run.output
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not scene.gradients:
        return
    steps = (scene.run.steps[index].function for index in scene.needed)
    if not any(function is not None and function.name in _LOSING for function in steps):
        return
    from autograd_cli.diagnose.numerics.losing import findings  # most runs subtract nothing

    yield from findings(scene)
