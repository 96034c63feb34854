"""gradcheck without a source: every differentiable function of the language on its example, and near it."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import isfinite

import torch

from autograd_cli.errors import AgxError, first_line
from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.check import Options, check, worst
from autograd_cli.lang.check import check as names_of
from autograd_cli.lang.functions import FUNCTIONS
from autograd_cli.lang.functions.rows import Example, Function
from autograd_cli.lang.nodes import Name
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Gradient, Values, Verdict
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.record import run as record, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run

Point = tuple[int, float]
"""A random point near an example: the seed, and by how much of it an element is moved at most."""

_COTANGENT = "cotangent"
_SUREST = ("float64", "cpu")


@dataclass(frozen=True)
class Examined:
    """A function with its judged gradients, or what kept its example from being run.

    `missing` says that the example runs in float64 on the CPU, and torch does not have it
    in the dtype or on the device asked for: that is no failure of the function. `nearby` are the
    gradients at as many random `points` of its domain.
    """

    function: Function
    gradients: tuple[Gradient, ...] = ()
    failure: str = ""
    missing: bool = False
    nearby: tuple[Gradient, ...] = ()
    points: int = 0

    @property
    def verdict(self) -> Verdict | None:
        """The worst verdict of its gradients, at its example and at the points; None where none has one."""
        return worst((*self.gradients, *self.nearby))

    @property
    def unchecked(self) -> str:
        """Why not every gradient of it could be judged; empty where each was, or one failed."""
        if self.failure or self.failed:
            return ""
        if not self.gradients:
            return "its example has no gradient"
        reasons = (one.sentence or "no witness knows it" for one in self.gradients if one.verdict is None)
        return next(reasons, "")

    @property
    def failed(self) -> bool:
        """Whether the function's example failed, or a verdict on it counts as failure."""
        if self.failure:
            return not self.missing
        return self.verdict is not None and not self.verdict.passes


def suite(
    device: str = "cpu",
    dtype: str = "float64",
    seed: int = 0,
    only: str | None = None,
    progress: Callable[[int, int, Function], None] | None = None,
    points: int = 0,
) -> tuple[Examined, ...]:
    """Every differentiable function that `only` matches, examined, in the table's order.

    `only` is a pattern with `*` on the name or the path, `points` the number of random points at
    which each is looked at besides its example. `progress` is called before
    each function with its number, how many there are, and its row.
    """
    rows = list(chosen(only))
    settings = Settings(device=device, dtype=dtype, seed=seed)
    found = []
    for number, function in enumerate(rows):
        if progress is not None:
            progress(number, len(rows), function)
        found.append(examine(function, settings, points))
    return tuple(found)


def chosen(only: str | None = None) -> Iterator[Function]:
    """The rows of the table that have a gradient and an expression for an example, and match the pattern."""
    for function in FUNCTIONS:
        names = (function.path, function.name, function.spelling)
        matches = only is None or any(fnmatchcase(name, only) for name in names)
        example = function.example
        if matches and function.differentiable and example is not None and example.is_expression:
            yield function


def examine(function: Function, settings: Settings, points: int = 0) -> Examined:
    """The judged gradients of a function's example, under a random cotangent, and at points near it."""
    found = _tried(function, settings)
    if points and found.gradients:
        made = [near for number in range(points) if (near := _near(function, settings, number, found))]
        nearby = tuple(gradient for near in made for gradient in near.gradients)
        return replace(found, nearby=nearby, points=len(made))
    if not found.failure or (settings.dtype, settings.device) == _SUREST:
        return found
    dtype, device = _SUREST
    elsewhere = _tried(function, replace(settings, dtype=dtype, device=device))
    return replace(found, missing=not elsewhere.failure)


_SPREADS = (0.4, 0.4, 0.2, 0.1, 0.05, 0.02)
"""By how much of it an element of an example is moved, tried in turn until the point is in the domain."""


def _near(function: Function, settings: Settings, number: int, found: Examined) -> Examined | None:
    """The function at a random point; None where all that were tried lie outside of its domain.

    A function's domain is where it has values and slopes: no point counts that fails, whose gradient
    is not finite where the example's is, or which is at an edge.
    """
    for attempt, spread in enumerate(_SPREADS):
        near = _tried(function, settings, (number * len(_SPREADS) + attempt + 1, spread))
        edge = any(one.verdict is Verdict.DOMAIN_EDGE for one in near.gradients)
        if near.gradients and not near.failure and not edge and _finite(near) >= _finite(found):
            return near
    return None


def _finite(found: Examined) -> bool:
    return all(isfinite(v) for one in found.gradients for v in _numbers(one.autograd))


def _numbers(values: Values) -> Iterator[float]:
    """The real numbers of nested values; a summary by its ends, of a complex number its size."""
    if isinstance(values, tuple):
        for value in values:
            yield from _numbers(value)
    elif isinstance(values, int | float | complex):
        yield abs(values)


def _tried(function: Function, settings: Settings, point: Point | None = None) -> Examined:
    assert function.example is not None
    try:
        with warnings.catch_warnings():  # what torch says of its own functions is no news here
            warnings.simplefilter("ignore")
            return _examined(function, _run(function.example, settings, point))
    except AgxError as error:
        return Examined(function, failure=error.sentence)
    except Exception as error:  # one row must not keep the others from being looked at
        return Examined(function, failure=f"{type(error).__name__}: {first_line(error)}")


def _examined(function: Function, run: Run) -> Examined:
    if run.failure is not None:
        return Examined(function, failure=first_line(run.failure.error))
    if not isinstance(run.output, torch.Tensor):
        return Examined(function, failure=f"the example gives a {type(run.output).__name__}, not a tensor")
    run = _with_cotangent(run)
    cotangent = run.bindings[-1].value
    made = backward(run, cotangent)
    if made.error is not None:
        return Examined(function, failure=first_line(made.error))
    return Examined(function, check(run, made, cotangent, Options(cotangent=Name(_COTANGENT))))


def _run(example: Example, settings: Settings, point: Point | None) -> Run:
    """The example evaluated as a person would run it, its leaves moved to the point."""
    program = parse(Source(example.source))
    usage = names_of(program, tuple(example.bindings))
    with torch_state(settings):
        pairs = tuple(example.bindings.items())
        bindings = bind(pairs, Roles(usage.names), settings, settings.dtype)
        if point is not None:
            bindings = _moved(bindings, *point)
        return record(program, bindings, settings)


def _moved(bindings: Sequence[BoundValue], seed: int, spread: float) -> tuple[BoundValue, ...]:
    """The bindings with every element of a leaf times a random number around 1."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        replace(bound, value=_times(bound.value, spread, generator)) if bound.role == "leaf" else bound
        for bound in bindings
    )


def _times(leaf: torch.Tensor, spread: float, generator: torch.Generator) -> torch.Tensor:
    drawn = torch.rand(leaf.shape, generator=generator, dtype=torch.float64)
    factors = (1 + spread * (2 * drawn - 1)).to(leaf.device, leaf.dtype)
    return (leaf.detach() * factors).requires_grad_()


def _with_cotangent(run: Run) -> Run:
    """The run with a binding more: a random cotangent, since a sum hides what cancels in it."""
    output = run.output
    generator = torch.Generator().manual_seed(run.seed)
    dtype = torch.complex128 if output.is_complex() else torch.float64
    drawn = torch.randn(output.shape, generator=generator, dtype=dtype).to(output.device, output.dtype)
    return replace(run, bindings=(*run.bindings, BoundValue(_COTANGENT, "", drawn, "constant")))
