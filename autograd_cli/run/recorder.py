"""The tape being written: each call is made within the run's bounds and leaves a live step."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import torch

from autograd_cli.errors import AgxError, LimitError
from autograd_cli.lang import arithmetic, lookup
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Ref, refs
from autograd_cli.run.devices import check_operands
from autograd_cli.run.limits import out_of_memory, refuse_if_too_large, refuse_if_too_many
from autograd_cli.run.operations import callable_for
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import Failure, LiveStep, Operand, cuts, filled, grad_fns_of
from autograd_cli.run.values import tensors_in

_UNSET = frozenset({"empty", "empty_like", "new_empty"})
"""Functions that give memory as it was, which would show what the process held before."""


class StoppedError(Exception):
    """An expression could not be evaluated; carries the failure to the top."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


class Recorder:
    """Makes calls and records them. An argument is a Ref to a step, or a literal's Python value."""

    def __init__(self, text: str, settings: Settings) -> None:
        self.text = text
        self.settings = settings
        self.steps: list[LiveStep] = []
        self.values: list[Any] = []

    def value(self, argument: Any) -> Any:
        """The value of an argument."""
        return filled(argument, self.values)

    def add(self, step: LiveStep) -> Ref:
        """A Ref to `step`, put at the end of the tape; LimitError AGX606 where it is full."""
        most = self.settings.max_steps
        if step.index >= most:
            raise LimitError(
                "AGX606",
                f"The source takes more than {most:,} steps, which is the limit.",
                text=self.text,
                span=step.expr.span,
                hint="Write a tensor operation in place of many steps, or raise the limit with --max-steps.",
            )
        self.steps.append(step)
        self.values.append(step.value)
        return Ref(step.index)

    def constant(self, node: Expr, value: Any) -> Ref:
        """A step for a value that no tensor went into."""
        return self.add(LiveStep(len(self.steps), node, "constant", value))

    def apply(
        self,
        node: Expr,
        function: Function,
        call: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        exprs: tuple[Expr, ...],
    ) -> Ref:
        """The step of one call, or the failure with its operands; `exprs` are the arguments' nodes."""
        positional, named = self.value(args), self.value(kwargs)
        state = torch.random.get_rng_state() if function.draws else None
        try:
            value = self._called(function, call, positional, named)
        except AgxError as error:
            raise self.placed(error, node) from None
        except Exception as error:
            raise self.stopped(node, function, (*args, *kwargs.values()), exprs, error) from None
        given = (positional, tuple(named.values()))
        if not tensors_in(given) and not tensors_in(value):
            return self.constant(node, value)
        return self.add(
            LiveStep(
                len(self.steps),
                node,
                "call",
                value,
                function=function,
                call=call,
                args=args,
                kwargs=kwargs,
                grad_fns=grad_fns_of(value),
                held=function.kind is Kind.RANDOM or cuts(given, value),
                random_state=state,
            )
        )

    def _called(
        self, function: Function, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What the call gives; what it would cost is refused before it is made."""
        if not function.moves:
            check_operands((*args, *kwargs.values()))
        refuse_if_too_large(function, call, args, kwargs, self.settings.max_memory)
        refuse_if_too_many(function, args, self.settings.max_items)
        try:
            value = call(*args, **kwargs)
        except (MemoryError, RuntimeError) as error:
            if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
                raise out_of_memory(function, self.settings.max_memory) from None
            raise
        if function.name in _UNSET:
            _blanked(value)
        arithmetic.refuse_items(f"`{function.name}` makes", value, self.settings.max_items)
        return value

    def read(self, node: Expr, name: str, receiver: Any, receiver_expr: Expr) -> Ref:
        """An attribute that is no differentiable function: shape, dtype, grad, values."""
        value = self.value(receiver)
        try:
            found = getattr(value, name)
        except Exception as error:
            raise self.stopped(node, None, (receiver,), (receiver_expr,), error) from None
        if not isinstance(found, torch.Tensor):
            return self.constant(node, found)
        return self.taken(node, attrgetter(name), (receiver,), found, held=cuts((value,), found))

    def item(self, node: Expr, value: Any, index: Any, exprs: tuple[Expr, ...] = ()) -> Ref:
        """One of several results: `max(x, 0)[0]`, `[x, y][1]`."""
        call = callable_for(lookup.operator("[]"))
        try:
            found = call(*self.value((value, index)))
        except Exception as error:
            raise self.stopped(node, None, (value, index), exprs, error) from None
        return self.taken(node, call, (value, index), found)

    def taken(
        self, node: Expr, call: Callable[..., Any], args: tuple[Any, ...], found: Any, held: bool = False
    ) -> Ref:
        """The step of a value taken out of another, by no function of the table."""
        return self.add(
            LiveStep(
                len(self.steps),
                node,
                "call",
                found,
                call=call,
                args=args,
                grad_fns=grad_fns_of(found),
                held=held,
            )
        )

    def python(self, node: Expr, function: Callable[..., Any], *values: Any) -> Any:
        """Python's own arithmetic, bounded; a refusal gets the place of `node`."""
        try:
            return function(*values)
        except AgxError as error:
            raise self.placed(error, node) from None

    def truth(self, node: Expr, argument: Any) -> bool:
        """Whether a value counts as true; a tensor of several elements does not say."""
        try:
            return bool(self.value(argument))
        except Exception as error:
            raise self.stopped(node, None, (argument,), (node,), error) from None

    def has_tensor(self, argument: Any) -> bool:
        """Whether a tensor stands anywhere in an argument."""
        return any(isinstance(self.values[ref.index], torch.Tensor) for ref in refs(argument))

    def is_tensor(self, argument: Any) -> bool:
        """Whether an argument is one tensor."""
        return isinstance(argument, Ref) and isinstance(self.values[argument.index], torch.Tensor)

    def stopped(
        self,
        node: Expr,
        function: Function | None,
        args: tuple[Any, ...],
        exprs: tuple[Expr, ...],
        error: Exception,
    ) -> StoppedError:
        """The failure of `node` with its operands, ready to be raised."""
        operands = tuple(
            Operand(self.text[expr.span.start : expr.span.end], expr, self.value(arg))
            for arg, expr in zip(args, exprs, strict=False)
        )
        return StoppedError(Failure(node, function, operands, error))

    def placed(self, error: AgxError, node: Expr) -> AgxError:
        """The refusal with its place in the source, which is that of `node` unless it has one."""
        if error.span is None:
            error.text, error.span = self.text, node.span
        return error


def _blanked(made: torch.Tensor) -> None:
    """Fill what was not set as torch's deterministic mode does: NaN, or the largest number."""
    if made.is_floating_point() or made.is_complex():
        made.detach().fill_(torch.nan)
    else:
        made.fill_(True if made.dtype == torch.bool else torch.iinfo(made.dtype).max)
