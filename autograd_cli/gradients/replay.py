"""The tape under the root evaluated again, in float64 on the CPU.

What a run drew at random, cut from the graph or decided by a branch is held as
recorded; all else is computed anew from given values of the leaves.
"""

import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.mirrored import is_mirrored, mirrored
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.same import once
from autograd_cli.report import Ref, below, refs
from autograd_cli.run.modes import Grad
from autograd_cli.run.tape import LiveStep, Run, filled
from autograd_cli.run.unsaid import said
from autograd_cli.run.values import tensors_in

_DEVICE = re.compile(r"(cpu|cuda|mps|xpu|meta)(:\d+)?")
_CASTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    **dict.fromkeys(("float", "double", "half", "bfloat16"), lambda tensor: tensor.to(torch.float64)),
    **dict.fromkeys(("cfloat", "cdouble", "chalf"), lambda tensor: tensor.to(torch.complex128)),
}
_MOVES = frozenset({"cuda", "cpu", "xpu"})
DIMENSIONS = 64
"""torch reduces, and compares, tensors of no more dimensions."""


CALL = 1000
"""The elements that torch computes in about the time that any one call takes."""

_KEPT = 1_000_000
"""The work of one replay up to which its values are kept."""


class ReplayError(Exception):
    """The tape cannot be replayed; the message says why, as the end of a sentence."""


@dataclass(slots=True)
class Planned:
    """One call of a replay. `slots` are the places of its arguments when all are plain."""

    index: int
    call: Callable[..., Any]
    slots: tuple[int, ...] | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    state: torch.Tensor | None
    dtype: torch.dtype | None


class Replay:
    """The program as a function of its leaves, float64 in and float64 out.

    What a later step writes into is made anew in every replay. Where the program asks for a
    gradient on its way, the replay builds a graph to take it from.

    With `double` False the run's own precision and device are kept.
    `leaves` are the recorded values of the leaves that the root depends on, `inputs`
    their places on the tape, `fixed` the calls that depend on no leaf (made once),
    `literals` the places of Python floats among the arguments. Raises ReplayError
    where there is nothing to replay.
    """

    def __init__(self, run: Run, double: bool = True) -> None:
        if run.root is None or run.device == "meta":
            raise ReplayError("meta tensors have no values" if run.device == "meta" else "the run failed")
        if run.no_replay:
            raise ReplayError(run.no_replay)
        self.dtype = torch.float64 if double else getattr(torch, run.dtype)
        self.double = double
        self.steps = run.steps
        self.root = run.root
        self.under = run.needed()
        self.inputs: dict[str, int] = {}
        self.leaves: dict[str, torch.Tensor] = {}
        self.plan: list[Planned] = []
        self.fixed: list[Planned] = []
        self.literals: list[int] = []
        self.renewals: set[int] = set()
        called = [run.steps[index] for index in self.under if run.steps[index].kind == "call"]
        self.graded = any(map(_is_grad, called))
        self.base: list[Any] = [None] * len(run.steps)
        self._recorded: list[Any] | None = None
        self.draws = any(map(_may_draw, called))
        with self.session():
            self._prepare(run)

    def __call__(self, leaves: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """The root's value with the named leaves at `leaves` and the others as recorded.

        Must run inside `session`. Raises ReplayError where torch raises.
        """
        output: torch.Tensor = self.every(leaves)[self.root]
        return output

    def recorded(self) -> list[Any]:
        """The values of all steps at the recorded point, as `every`; of a small program made once."""
        if self._recorded is None or self.graded:
            made = self.every({})
            if self._work > _KEPT:
                return made
            self._recorded = made
        return self._recorded

    def every(self, leaves: Mapping[str, torch.Tensor]) -> list[Any]:
        """The values of all steps that are needed, and of literals behind them; as `__call__`."""
        values = self.base.copy()
        for name, value in leaves.items():
            values[self.inputs[name]] = value
        try:
            if self.graded:
                self._with_graph(values)
            else:
                self._evaluate(values)
        except Exception as error:  # whatever torch raises is the reason
            raise ReplayError(first_line(error)) from error
        return values

    def _with_graph(self, values: list[Any]) -> None:
        """The values where calls on the way ask for gradients."""
        for index in self.inputs.values():
            if not values[index].requires_grad:
                values[index] = values[index].detach().requires_grad_()
        is_recorded = torch.is_grad_enabled()
        with Grad(True):
            self._evaluate(values)
        if not is_recorded:
            values[self.root] = values[self.root].detach()

    def _evaluate(self, values: list[Any]) -> None:
        """Make every call of the plan on the values so far."""
        for planned in self.plan:
            slots = planned.slots
            if slots is None or planned.state is not None:
                values[planned.index] = evaluated(planned, values)
            else:
                values[planned.index] = planned.call(*[values[slot] for slot in slots])

    def session(self) -> AbstractContextManager[None]:
        """Replays without gradients, warnings or a mark on the process's random state."""
        if self.draws or not _is_quiet() or torch.get_default_dtype() != self.dtype:
            return self._session()
        return Grad(False)

    @contextmanager
    def _session(self) -> Iterator[None]:
        state = torch.random.get_rng_state() if self.draws else None
        with quiet(), Grad(False), default_dtype(self.dtype):
            try:
                yield
            finally:
                if state is not None:
                    torch.random.set_rng_state(state)

    def work(self) -> int:
        """How dear one replay is: the elements that it reads or computes, and as many as a call is worth."""
        return self._work

    @once
    def _work(self) -> int:
        found = (self.steps[index].value for index in self.under)
        elements = sum(value.numel() for value in found if isinstance(value, torch.Tensor))
        return elements + CALL * len(self.plan)

    def _prepare(self, run: Run) -> None:
        live, leaves = set[int](), run.leaves
        for index in self.under:
            step = run.steps[index]
            _refuse_dimensions(step)
            depends = not live.isdisjoint(below(step))
            if step.kind == "binding" and step.name in leaves:
                live.add(index)
                self.inputs[step.name] = index
                self.leaves[step.name] = self.base[index] = self._taken(step.value)
            elif step.kind != "call" or (step.held if step.renewed else _is_held(step, depends)):
                self.base[index] = self._taken(step.value)
                self._note_literal(index)
                if step.renewed:
                    live.add(index)
                    self._renew(index)
            elif depends or step.renewed:
                live.add(index)
                self.plan.append(self._planned(step))
            else:
                self._fix(self._planned(step), step)

    def _renew(self, index: int) -> None:
        """Have a value held as recorded copied for every replay, since a call writes into it."""
        self.base.append(self.base[index])
        self.plan.append(Planned(index, torch.clone, (len(self.base) - 1,), (), {}, None, None))
        self.renewals.add(index)

    def _taken(self, value: Any) -> Any:
        return raised(value, self.double)

    def _fix(self, planned: Planned, step: LiveStep) -> None:
        """Makes a call that depends on no leaf, once; as recorded where it cannot be made."""
        try:
            self.base[step.index] = self._taken(evaluated(planned, self.base))
        except Exception:  # a kernel that float64 lacks: the recorded value is as good
            self.base[step.index] = self._taken(step.value)
        self.fixed.append(planned)

    def _planned(self, step: LiveStep) -> Planned:
        args, kwargs = said(step.function, step.args, step.kwargs, step.value)
        args, kwargs = self._taken(args), self._taken(kwargs) if kwargs else {}
        is_plain = not kwargs and all(type(a) in _AS_THEY_ARE or not refs(a) for a in args)
        dtype = step.value.dtype if isinstance(step.value, torch.Tensor) else None
        slots = tuple([self._slot(a) for a in args]) if is_plain else None
        call = mirrored(step, self.steps) if is_mirrored(step) else self._call(step)
        return Planned(step.index, call, slots, args, kwargs, _state(step), dtype)

    def _call(self, step: LiveStep) -> Callable[..., Any]:
        """What a replay calls in the place of what the step called."""
        call = _call(step, self.double)
        if call is operator.pow and _is_of_tensor(step, self.steps):
            return torch.pow  # the same without Python's way to it
        return call

    def _slot(self, argument: Any) -> int:
        """The place of an argument: its step's, or a new one for a literal."""
        if isinstance(argument, Ref):
            return argument.index
        self.base.append(argument)
        self._note_literal(len(self.base) - 1)
        return len(self.base) - 1

    def _note_literal(self, index: int) -> None:
        if isinstance(self.base[index], float):
            self.literals.append(index)


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """New floating tensors are of that dtype inside."""
    before = torch.get_default_dtype()
    if before == dtype:
        yield
        return
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


_SILENT = ("ignore", None, Warning, None, 0)


def in_double() -> AbstractContextManager[None]:
    """No warnings, and new floating tensors in double precision, inside; nothing is done where it is so."""
    if _is_quiet() and torch.get_default_dtype() == torch.float64:
        return nullcontext()
    return _in_double()


@contextmanager
def _in_double() -> Iterator[None]:
    with quiet(), default_dtype(torch.float64):
        yield


def _is_quiet() -> bool:
    """Whether no warnings are told already."""
    return bool(warnings.filters) and warnings.filters[0] == _SILENT


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings inside. Only the outermost of several takes the time to see to it."""
    if _is_quiet():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def evaluated(planned: Planned, values: Sequence[Any]) -> Any:
    """The value of one call on the values so far."""
    if planned.state is not None:
        torch.random.set_rng_state(planned.state)
    if planned.slots is not None:
        return planned.call(*[values[slot] for slot in planned.slots])
    return planned.call(*filled(planned.args, values), **filled(planned.kwargs, values))


_AS_THEY_ARE = frozenset({Ref, float, int, bool, type(None)})
_DOUBLE = torch.float64


def raised(value: Any, double: bool = True) -> Any:
    """`value` on the CPU, its floating tensors and dtypes in double precision; else just detached."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, torch.Tensor):
        if value.is_meta:
            raise ReplayError("meta tensors have no values")
        if not double or (value.dtype is _DOUBLE and value.is_cpu):
            return value.detach()
        return value.detach().to("cpu", _raised_dtype(value.dtype))
    if not double:
        return _raised_items(value, double)
    if isinstance(value, torch.dtype):
        return _raised_dtype(value)
    if isinstance(value, torch.device):
        return torch.device("cpu")
    if isinstance(value, str):
        return "cpu" if _DEVICE.fullmatch(value) else value
    return _raised_items(value, double)


def _raised_items(value: Any, double: bool) -> Any:
    if isinstance(value, dict):
        return {name: raised(item, double) for name, item in value.items()}
    if isinstance(value, list) or type(value) is tuple or (isinstance(value, tuple) and tensors_in(value)):
        return type(value)([raised(item, double) for item in value])  # max(x, 0) gives a tuple of its own
    return value


def _raised_dtype(dtype: torch.dtype) -> torch.dtype:
    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if dtype.is_floating_point else dtype


def _is_held(step: LiveStep, depends: bool) -> bool:
    """Whether the recorded value stands: drawn, cut, or made where memory held anything.

    What draws beside what lets gradients pass, as dropout, draws again from the same state; what is
    itself drawn lets none pass, even where torch has a grad_fn for it, as for bernoulli's.
    """
    drawn = step.function is not None and step.function.kind is Kind.RANDOM
    if drawn or not any(t.requires_grad for t in tensors_in(step.value)):
        return step.held or drawn or depends or _is_empty(step)
    return False


def _refuse_dimensions(step: LiveStep) -> None:
    if isinstance(step.value, torch.Tensor) and step.value.ndim > DIMENSIONS:
        raise ReplayError(
            f"there are more than {DIMENSIONS} dimensions ({step.value.ndim} of them), "
            "and torch compares no tensors with so many"
        )


def _is_grad(step: LiveStep) -> bool:
    """Whether the step is a gradient that the program asked torch for."""
    return step.function is not None and step.function.path == "torch.autograd.grad"


def _may_draw(step: LiveStep) -> bool:
    """Whether a call draws random numbers, as far as is known of it."""
    return step.function is None or step.function.draws or step.function.kind is Kind.RANDOM


def _is_empty(step: LiveStep) -> bool:
    return step.function is not None and step.function.name.startswith(("empty", "new_empty"))


def _is_of_tensor(step: LiveStep, steps: Sequence[LiveStep]) -> bool:
    """Whether the first argument is the tensor that a step gave."""
    first = step.args[0]
    return type(first) is Ref and type(steps[first.index].value) is torch.Tensor


def _call(step: LiveStep, double: bool) -> Callable[..., Any]:
    """What the step called; with `double` a cast or a move becomes the one that a replay makes."""
    assert step.call is not None
    name = step.function.name if step.function and double else ""
    return _stay if name in _MOVES else _CASTS.get(name, step.call)


def _stay(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _state(step: LiveStep) -> torch.Tensor | None:
    """The random state to draw from; ReplayError for a draw whose state is not known.

    Another device's generator draws other numbers than the CPU's.
    """
    if step.function is None or not step.function.draws:
        return None
    elsewhere = any(t.device.type != "cpu" for t in tensors_in(step.value))
    if step.random_state is None or elsewhere:
        raise ReplayError(f"what {step.function.name} drew here cannot be drawn again")
    return step.random_state
