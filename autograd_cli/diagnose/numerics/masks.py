"""Why 0 arrives at a call: a `where`, a mask or an index behind it that passes over its value there."""

from dataclasses import dataclass

import torch

from autograd_cli.diagnose.numerics.births import Born
from autograd_cli.diagnose.numerics.played import Index, Played
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Ref, below
from autograd_cli.run.tape import LiveStep


@dataclass(frozen=True)
class Chosen:
    """The call that passes over a value: `test` is the step of its condition, `when` what takes the value.

    `factor` is the step of a factor that is 0 there instead, where a product is what masks.
    """

    step: LiveStep
    test: int | None
    when: bool
    factor: int | None = None


def chooser(one: Played, born: Born) -> Chosen | None:
    """The call behind a step that passes over what it gives at the element; None where nothing does."""
    index = born.out if born.out is not None else born.index
    carried = {born.step.index}
    for step in one.run.steps[born.step.index + 1 : one.root + 1]:
        if carried.isdisjoint(below(step)) or step.index not in one.slopes:
            continue
        found = _passing_over(one, step, carried, index)
        if found is not None:
            return found
        carried.add(step.index)
    return None


def condition(scene: Scene, found: Chosen) -> tuple[str, bool] | None:
    """The text of the condition that takes a value, and what it must be; None where a product masks."""
    if found.test is None:
        return None
    node = scene.operand(found.step, scene.run.steps[found.test])
    return scene.source[node.span], found.when


def _passing_over(one: Played, step: LiveStep, carried: set[int], index: Index) -> Chosen | None:
    name = step.function.name if step.function else ""
    if name in ("mul", "multiply"):
        return _by_product(one, step, carried, index)
    test = _test(one, step)
    if test is None:
        return None
    others = [each for each in step.args if not (isinstance(each, Ref) and each.index == test)]
    mine = [i for i, each in enumerate(others) if isinstance(each, Ref) and each.index in carried]
    if len(mine) != 1 or name not in ("where", "masked_fill", "__getitem__"):
        return None
    when = name == "__getitem__" or (name == "where" and mine[0] == 0)
    value = _at(one.values[test], one.values[step.index].shape, index)
    return Chosen(step, test, when) if value is not None and bool(value) != when else None


def _test(one: Played, step: LiveStep) -> int | None:
    """The operand that is a tensor of truth values."""
    values = ((index, one.values[index]) for index in below(step))
    tests = (index for index, v in values if isinstance(v, torch.Tensor) and v.dtype == torch.bool)
    return next(tests, None)


def _by_product(one: Played, step: LiveStep, carried: set[int], index: Index) -> Chosen | None:
    """Another factor that is 0 at the element."""
    for each in below(step):
        value = one.values[each]
        if each in carried or not isinstance(value, torch.Tensor):
            continue
        number = _at(value, one.values[step.index].shape, index)
        if number is not None and not bool(number):
            return Chosen(step, None, True, each)
    return None


def _at(value: torch.Tensor, shape: torch.Size, index: Index) -> torch.Tensor | None:
    """The element of a mask at `index`, which counts in the shape of what is made, or in its own."""
    for size in (shape, value.shape):
        if len(index) == len(size):
            try:
                return value.broadcast_to(size)[index]
            except (RuntimeError, IndexError):
                continue
    return None
