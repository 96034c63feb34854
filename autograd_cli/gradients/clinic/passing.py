"""Which leaves of a run have gradients that pass a call of a person's Function, and by which argument."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograd_cli.report import Ref, below, under
from autograd_cli.run.brought import Applied, Called
from autograd_cli.run.tape import LiveStep, Run


def leaves(run: Run, step: LiveStep) -> tuple[str, ...]:
    """The leaves under all calls of what a step calls."""
    found = {name for each in _alike(run, step) for name in _under(run, below(each))}
    return tuple(name for name in run.leaves if name in found)


def leaves_by(run: Run, step: LiveStep, applied: Applied, position: int) -> tuple[str, ...]:
    """Those under one argument of a Function; where it is called inside of theirs, all of the call."""
    is_direct = isinstance(step.call, Called) and step.call.target.owner is applied.owner
    if not is_direct or position >= len(step.args):
        return leaves(run, step)
    found = {name for each in _alike(run, step) for name in _under(run, _places(each.args[position]))}
    return tuple(name for name in run.leaves if name in found)


def _alike(run: Run, step: LiveStep) -> Iterator[LiveStep]:
    """The steps that call what a step calls: of calls that are alike one is looked at."""
    target = step.call.target if isinstance(step.call, Called) else None
    for each in run.steps:
        if isinstance(each.call, Called) and each.call.target is target and len(each.args) == len(step.args):
            yield each


def _places(arg: Any) -> list[int]:
    return [arg.index] if isinstance(arg, Ref) else []


def _under(run: Run, places: Sequence[int]) -> set[str]:
    steps = [run.steps[index] for place in places for index in under(run.steps, place)]
    return {each.name for each in steps if each.kind == "binding" and each.name in run.leaves}
