"""Steps that compute the same made one step: what has come down to both is one cotangent.

`sigmoid(z)` written twice is one value on paper, so that its derivative stands once in the formula.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.nodes import Attribute
from autograd_cli.report import Ref, Step
from autograd_cli.symbolic.exact import exact

_APART = frozenset({Kind.RANDOM, Kind.EFFECT, Kind.MODE, Kind.CREATION, Kind.PYTHON})


def merged(steps: Sequence[Step], reached: Sequence[int]) -> tuple[list[Step], list[int]]:
    """The steps with equal ones made one, and those of `reached` that are left, the last of them included.

    Nothing is merged where a step draws, writes into memory, or is of a function that is not known.
    """
    made, left = list(steps), []
    if any(_writes(steps[index]) for index in reached):
        return made, list(reached)
    places: dict[int, int] = {}
    known: dict[Any, int] = {}
    for index in reached:
        step = steps[index]
        if any(ref != places[ref] for ref in _refs(step.args, step.kwargs)):
            step = made[index] = replace(
                step,
                args=_moved(step.args, places),
                kwargs=tuple((k, _moved(v, places)) for k, v in step.kwargs),
            )
        places[index] = known.setdefault(_outline(step), index) if _is_plain(step) else index
        if places[index] == index:
            left.append(index)
    return made, left


def _writes(step: Step) -> bool:
    row = by_path.get(step.path)
    return (row is not None and row.writes) or any(name == "inplace" for name, _ in step.kwargs)


def _is_plain(step: Step) -> bool:
    """Whether a step gives the same whenever it is given the same."""
    row = by_path.get(step.path)
    if step.kind != "call" or (row is None and step.key):
        return False
    return row is None or not (row.draws or row.kind in _APART)


def _outline(step: Step) -> tuple[Any, ...]:
    """All that tells a step's value from others'."""
    name = step.expr.name if isinstance(step.expr, Attribute) and not step.key else ""
    given = exact(step.args, _itself), exact(step.kwargs, _itself)
    return step.path, step.key, name, *given, step.shape, step.dtype, step.requires_grad


def _itself(given: Any) -> Any:
    """What is equal to nothing but the very same thing."""
    return object, id(given)


def _refs(*given: Any) -> list[int]:
    """The places that an argument refers to."""
    found: list[int] = []
    for one in given:
        if isinstance(one, Ref):
            found.append(one.index)
        elif isinstance(one, tuple | list):
            found += _refs(*one)
        elif isinstance(one, slice):
            found += _refs(one.start, one.stop, one.step)
    return found


def _moved(given: Any, places: dict[int, int]) -> Any:
    """An argument that refers to the steps that are left."""
    if isinstance(given, Ref):
        return Ref(places[given.index])
    if isinstance(given, tuple):
        return tuple(_moved(one, places) for one in given)
    if isinstance(given, list):
        return [_moved(one, places) for one in given]
    if isinstance(given, slice):
        return slice(*(_moved(part, places) for part in (given.start, given.stop, given.step)))
    return given
