"""What a run leaves: live steps in the order of evaluation, the root, the failure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr, Program
from autograd_cli.lang.same import once
from autograd_cli.lang.swift import swift
from autograd_cli.report import Ref, Step, under
from autograd_cli.run.settings import Settings
from autograd_cli.run.unsaid import said
from autograd_cli.run.values import dtype_name, tensors_in


@dataclass(slots=True)
class LiveStep:
    """One expression evaluated, with its value.

    `kind`, `args` and `kwargs` are as in the plain `Step`; `call` is what was called,
    None for bindings and constants. `grad_fns` are the grad_fn of each tensor in the
    value, read right after the call. `held` says that a replay must keep the recorded
    value: it was drawn at random, or gradients do not pass (detach, an integer or
    boolean result) though an argument required them. `random_state` is the generator's
    state before a call that draws besides, as dropout does, so that it can draw the same again.
    `variable` is the program's name for it. `renewed` says that a later step writes into the
    memory of the value, so that a replay has to make it anew each time.
    """

    index: int
    expr: Expr
    kind: str
    value: Any
    function: Function | None = None
    call: Callable[..., Any] | None = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    grad_fns: tuple[torch.autograd.graph.Node, ...] = ()
    held: bool = False
    name: str = ""
    random_state: torch.Tensor | None = None
    variable: str = ""
    renewed: bool = False

    def plain(self, expr: Expr | None = None) -> Step:
        """The step without its tensors, for the rooms that do not know torch; `expr` is another for it."""
        is_tensor = isinstance(self.value, torch.Tensor)
        args, kwargs = said(self.function, self.args, self.kwargs, self.value)
        return Step(
            index=self.index,
            expr=expr or self.expr,
            kind=self.kind,
            path=self.function.path if self.function else "",
            key=self.function.key if self.function else "",
            args=args,
            kwargs=tuple(kwargs.items()),
            shape=tuple(self.value.shape) if is_tensor else None,
            dtype=dtype_name(self.value.dtype) if is_tensor else None,
            requires_grad=is_tensor and self.value.requires_grad,
            name=self.name,
            value=None if is_tensor or self.kind == "call" else self.value,
            results=0 if is_tensor or not isinstance(self.value, tuple | list) else len(self.value),
        )


def filled(args: Any, values: Sequence[Any]) -> Any:
    """`args` with every Ref replaced by `values[ref.index]`; lists stay lists."""
    if isinstance(args, Ref):
        return values[args.index]
    if isinstance(args, tuple):
        return tuple(filled(item, values) for item in args)
    if isinstance(args, list):
        return [filled(item, values) for item in args]
    if isinstance(args, dict):
        return {name: filled(item, values) for name, item in args.items()}
    if isinstance(args, slice):
        return slice(*(filled(part, values) for part in (args.start, args.stop, args.step)))
    return args


def grad_fns_of(value: Any) -> tuple[torch.autograd.graph.Node, ...]:
    """The grad_fn of each tensor in a value that has one."""
    return tuple(made_by for t in tensors_in(value) if (made_by := grad_fn_of(t)) is not None)


def grad_fn_of(tensor: torch.Tensor) -> torch.autograd.graph.Node | None:
    """The grad_fn of a tensor; None too where torch refuses to say.

    It does so for a view that was made under no_grad and written into outside of it.
    """
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


@swift
@dataclass(frozen=True)
class BoundValue:
    """A binding made into a value: what was typed, the value, and its role.

    `role` is "leaf", "constant" or "index"; `converted` says that ints became floating.
    `used` is False for a name that the source does not mention.
    """

    name: str
    text: str
    value: Any
    role: str
    converted: bool = False
    used: bool = True


@dataclass(frozen=True)
class Operand:
    """An argument of the call that failed: its text in the source and its value.

    `argument` is the Traced that the value came with, where there is one, so that a finding
    can follow how it was made.
    """

    text: str
    expr: Expr
    value: Any
    argument: Any = None


@dataclass(frozen=True)
class Failure:
    """The smallest expression that could not be evaluated, and why.

    `error` is what torch or Python raised; for operands on two devices, found before
    the call, it is a `run.devices.DeviceMismatch`. `calls` are the calls of the program's own
    functions that it happened in, the innermost first.
    """

    expr: Expr
    function: Function | None
    operands: tuple[Operand, ...]
    error: Exception
    calls: tuple[Expr, ...] = ()


@dataclass
class Run:
    """A program evaluated: the tape, the bindings, the root's index or the failure.

    `no_formula` says why its gradients cannot have a formula, `no_replay` why it cannot be
    evaluated again; both are empty where nothing stands in the way.
    """

    program: Program
    bindings: tuple[BoundValue, ...]
    steps: list[LiveStep]
    root: int | None
    failure: Failure | None
    settings: Settings
    warnings: tuple[str, ...] = ()
    no_formula: str = ""
    no_replay: str = ""

    @once
    def tape(self) -> tuple[Step, ...]:
        """The steps without their tensors, each in terms of the bindings, as formulas are written."""
        return tuple(step.plain() for step in self.steps)

    def needed(self) -> list[int]:
        """The places of the steps that the root was computed from, itself included, in order."""
        assert self.root is not None
        return under(self.steps, self.root)

    def unwritten(self) -> str:
        """Why no formula can be written; empty where nothing is known to stand in the way."""
        return self.no_formula

    def beyond(self) -> "Run":
        """The run with what values that are cut from the graph were made of: an expression's has all."""
        return self

    @property
    def near(self) -> tuple[Step, ...]:
        """The steps without their tensors, in terms of the nearest names, as local factors are written."""
        return self.tape

    @property
    def device(self) -> str:
        """Where it was run."""
        return self.settings.device

    @property
    def dtype(self) -> str:
        """The default dtype that it was run with."""
        return self.settings.dtype

    @property
    def seed(self) -> int:
        """The seed that its random numbers came from."""
        return self.settings.seed

    @property
    def output(self) -> Any:
        """The value of the source; only after a run that did not fail."""
        assert self.root is not None
        return self.steps[self.root].value

    @once
    def leaves(self) -> Mapping[str, torch.Tensor]:
        """The bindings that require grad, by name."""
        return {b.name: b.value for b in self.bindings if b.role == "leaf"}
