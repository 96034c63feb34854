"""The tape: what was evaluated, in order, without the tensors.

The interpreter keeps live steps; these are the same steps as plain data, for the
rooms that must not know torch. The derivative rules work on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.swift import swift


@swift
@dataclass(frozen=True)
class Ref:
    """The value of step `index` as an argument of a later step."""

    index: int


@swift
@dataclass(frozen=True)
class Step:
    """One expression evaluated: what was called on what, and what it gave.

    `index` is its place on the tape. `expr` is the node of the source (its span is the
    place, its text what a formula prints). `kind` is "binding" (a name with a value from
    outside), "constant" (pi, a dtype, a Python number that was computed) or "call";
    literal numbers stand in `args` as they are. `path` is the row of the function table,
    "torch.mul" for the operator `*`; `key` names the derivative rule. `args` and
    `kwargs` hold Refs, Python values and sequences of them. `shape` and `dtype` are None
    unless the value is a tensor; `requires_grad` is the value's own. `name` is that of a
    binding, `value` the Python value of what is no tensor and was not made by a call.
    `results` is how many values it gave where these are several.
    """

    index: int
    expr: Expr
    kind: str
    path: str = ""
    key: str = ""
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    requires_grad: bool = False
    name: str = ""
    value: Any = None
    results: int = 0


class Evaluated(Protocol):
    """A step as far as what it was computed from is concerned, live or plain."""

    @property
    def args(self) -> tuple[Any, ...]:
        """What was given by position."""

    @property
    def kwargs(self) -> Any:
        """What was given by name."""


def refs(args: Any) -> list[Ref]:
    """Every Ref in an argument structure: tuples, lists, dicts and slices of them."""
    found: list[Ref] = []
    _gather(args, found)
    return found


def _gather(args: Any, found: list[Ref]) -> None:
    """Add every Ref in an argument structure to `found`, in order."""
    kind = type(args)
    if kind is Ref:
        found.append(args)
    elif kind is float or kind is int:
        return
    elif isinstance(args, tuple | list):
        for item in args:
            if type(item) is Ref:
                found.append(item)
            else:
                _gather(item, found)
    elif kind is dict:
        _gather(tuple(args.values()), found)
    elif kind is slice:
        _gather((args.start, args.stop, args.step), found)


def below(step: Evaluated) -> list[int]:
    """The places of the steps whose values went into `step`, in order, repeats kept."""
    places: list[int] = []
    for arg in step.args:  # most are a Ref or a number: a call for each would take longest
        kind = type(arg)
        if kind is Ref:
            places.append(arg.index)
        elif kind is not float and kind is not int:
            places += [ref.index for ref in refs(arg)]
    if step.kwargs:
        places += [ref.index for ref in refs(step.kwargs)]
    return places


def under(steps: Sequence[Evaluated], root: int) -> list[int]:
    """The places of the steps that `root` was computed from, itself included, in order."""
    found, stack = {root}, [root]
    while stack:
        for place in below(steps[stack.pop()]):
            if place not in found:
                found.add(place)
                stack.append(place)
    return sorted(found)
