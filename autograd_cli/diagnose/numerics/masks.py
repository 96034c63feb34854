"""The `where` behind a step that does not take its value at an element."""

from autograd_cli.diagnose.numerics.births import Born
from autograd_cli.diagnose.numerics.played import Index, Played
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Ref, below
from autograd_cli.run.tape import LiveStep


def choosing(scene: Scene, one: Played, born: Born) -> tuple[str, bool] | None:
    """The condition of the `where` that passes over what a step gives, and whether that is its first branch.

    None where nothing is chosen there.
    """
    found = chooser(one, born)
    if found is None:
        return None
    step, slot = found
    test = step.args[0]
    node = scene.operand(step, one.run.steps[test.index])
    return scene.source[node.span], slot == 1


def chooser(one: Played, born: Born) -> tuple[LiveStep, int] | None:
    """The `where` that has what a step gives in a branch it does not choose at the element, and which."""
    index = born.out if born.out is not None else born.index
    carried = {born.step.index}
    for step in one.run.steps[born.step.index + 1 : one.root + 1]:
        if carried.isdisjoint(below(step)) or step.index not in one.slopes:
            continue
        if step.function is not None and step.function.name == "where" and len(step.args) == 3:
            slot = _slot(step, carried)
            if slot is not None and _is_passed_over(one, step, slot, index):
                return step, slot
        carried.add(step.index)
    return None


def _slot(step: LiveStep, carried: set[int]) -> int | None:
    slots = [i for i in (1, 2) if isinstance(step.args[i], Ref) and step.args[i].index in carried]
    return slots[0] if len(slots) == 1 else None


def _is_passed_over(one: Played, step: LiveStep, slot: int, index: Index) -> bool:
    test = step.args[0]
    if not isinstance(test, Ref):
        return False
    shape = one.values[step.index].shape
    try:
        chosen = one.values[test.index].broadcast_to(shape)
        return bool(chosen[index]) != (slot == 1) if len(index) == len(shape) else False
    except (RuntimeError, IndexError):
        return False
