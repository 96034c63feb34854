"""Backward calls of a program: watched from outside, and what they leave in each .grad."""

from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.events import Reached
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.leaves import Leaf
from autograd_cli.run.operations import callable_for
from autograd_cli.run.recording import kept_arguments, recorder
from autograd_cli.run.state import TENSORS, Frame, Get, State, plain, shallow
from autograd_cli.run.traced import Accumulated, BackwardCall, Passed, Traced
from autograd_cli.run.values import plain as as_data

Held = list[tuple[torch.Tensor, Leaf, torch.Tensor | None, int]]
"""Each leaf, what is known of it, its gradient before a backward and the version of that."""


def of_tensor(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`x.backward(gradient=, retain_graph=, create_graph=, inputs=)`."""
    names = ("tensors", "gradient", "retain_graph", "create_graph", "inputs")
    return _backward(compiler, node, function, exprs, names, method=True)


def of_tensors(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`torch.autograd.backward(tensors, grad_tensors)`."""
    names = ("tensors", "gradient", "retain_graph", "create_graph", "grad_variables", "inputs")
    return _backward(compiler, node, function, exprs, names)


def gradients(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`torch.autograd.grad(outputs, inputs)`, which leaves every .grad as it is."""
    names = ("tensors", "inputs", "gradient", "retain_graph", "create_graph")
    return _backward(compiler, node, function, exprs, names, accumulates=False)


_ALIASES = {"outputs": "tensors", "grad_outputs": "gradient", "grad_tensors": "gradient"}


def _backward(
    compiler: Compiler,
    node: nodes.Call,
    function: Function,
    exprs: tuple[Expr, ...],
    names: tuple[str, ...],
    method: bool = False,
    accumulates: bool = True,
) -> Get:
    """The closure of a backward whose positional arguments are called `names`."""
    state = compiler.state
    parts = exprs[: len(exprs) - len(node.keywords)]
    gets = compiler.all(parts)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]
    call = callable_for(function, method=method)
    made = _Backward(state, node, function, call, exprs, accumulates)

    def run(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        kwargs = {name: get(frame) for name, get in named}
        given = dict(zip(names, args, strict=False))
        given.update({_ALIASES.get(name, name): value for name, value in kwargs.items()})
        if method and type(shallow(args[0])) not in TENSORS:
            error = AttributeError(f"'{type(shallow(args[0])).__name__}' object has no attribute 'backward'")
            state.failed(error, node, None, args, exprs)
            raise error
        return made.run(frame, args, kwargs, given)

    return run


class _Backward:
    """One place of a program where a backward is made."""

    def __init__(
        self,
        state: State,
        node: nodes.Call,
        function: Function,
        call: Callable[..., Any],
        exprs: tuple[Expr, ...],
        accumulates: bool,
    ) -> None:
        self.state = state
        self.node = node
        self.function = function
        self.function_call = call
        self.exprs = exprs
        self.accumulates = accumulates
        self.line = state.line_of(node.span.start)
        self.record = recorder(state, node, function, call, exprs)
        self.rounds = 0
        self.warned: set[str] = set()

    def run(self, frame: Frame, args: tuple[Any, ...], kwargs: dict[str, Any], given: dict[str, Any]) -> Any:
        """Make the backward; its value is None, or the gradients asked for."""
        state, observer = self.state, self.state.observer
        state.backwards += 1
        self.rounds += 1
        call = self._described(frame, given)
        if observer is not None:
            observer.before(call)
        held = self._held() if self.accumulates else []
        values, named = (
            tuple([plain(arg) for arg in args]),
            {name: plain(arg) for name, arg in kwargs.items()},
        )
        try:
            found = self.function_call(*values, **named)
        except Exception as error:
            if self.accumulates:
                state.moment()
            if observer is not None:
                observer.after(call, error)
            state.failed(error, self.node, self.function, (*args, *kwargs.values()), self.exprs)
            raise
        state.ran.backwards.append(Passed.of(call))
        if self.accumulates:
            self._left(held, call.at)
            state.moment()
        if observer is not None:
            observer.after(call, None)
        if self.accumulates:
            return state.constant(self.node, None)
        return self.record(found, kept_arguments(args), kwargs, (*values, tuple(named.values())))

    def _described(self, frame: Frame, given: dict[str, Any]) -> BackwardCall:
        state, create = self.state, bool(plain(given.get("create_graph")))
        retain = plain(given.get("retain_graph"))
        inputs = given.get("inputs")
        return BackwardCall(
            span=self.node.span,
            roots=_several(given.get("tensors")),
            cotangents=_cotangents(given.get("gradient"), len(_several(given.get("tensors")))),
            inputs=None if inputs is None else _several(inputs),
            accumulates=self.accumulates,
            retain_graph=create if retain is None else bool(retain),
            number=state.backwards,
            round=self.rounds,
            names=frame if frame is state.names else {**state.names, **frame},
            at=state.number,
        )

    def _held(self) -> Held:
        """What each .grad is now, its memory kept: a backward adds to it in place."""
        state, found = self.state, []
        for tensor, leaf in state.leaves:
            gradient = tensor.grad
            if gradient is not None:
                state.mutations.about_to_write(gradient, state.number, self.node.span)
            found.append((tensor, leaf, gradient, -1 if gradient is None else _version(gradient)))
        return found

    def _left(self, held: Held, at: int) -> None:
        """Note the gradients that the backward left, and those that it added to though they were read."""
        reached = []
        for tensor, leaf, before, version in held:
            after = tensor.grad
            if after is None or (after is before and _version(after) == version):
                continue
            reached.append((tensor, before, after))
            if before is not None and leaf.seen:
                self._accumulated(tensor, leaf, before, at)
            self.state.leaves.left(leaf, self.line)
        if reached:
            self.state.events.append(Reached(tuple(reached), at))

    def _accumulated(self, tensor: torch.Tensor, leaf: Leaf, before: torch.Tensor, at: int) -> None:
        state = self.state
        name = name_of(state.names, tensor)
        was = None if name in self.warned else state.mutations.value_at(before, at - 1)
        if was is None or not bool(was.any()):
            return
        self.warned.add(name)
        held = as_data(was)
        found = Accumulated(name, self.node.span, held, leaf.since, leaf.seen, leaf.how)
        state.ran.accumulated.append(found)
        leaf.doubtful.append(lambda: self._never_seen(found))

    def _never_seen(self, found: Accumulated) -> None:
        """Take back what was noted of a sum that was cleared before anybody looked at it.

        It stays among `warned`: a program that clears it in one round does so in the others.
        """
        known = self.state.ran.accumulated
        known[:] = [each for each in known if each is not found]


def _version(tensor: torch.Tensor) -> int:
    """How often a tensor was written; inference tensors do not count that."""
    return -1 if tensor.is_inference() else tensor._version


def name_of(names: Frame, tensor: torch.Tensor) -> str:
    """The variable that holds `tensor`, the empty string where none does."""
    for name, value in names.items():
        if type(value) is Traced and value.value is tensor:
            return name
    return ""


def _several(argument: Any) -> tuple[Traced, ...]:
    """The tensors of an argument: one, or those of a list."""
    if type(argument) is Traced:
        if type(argument.value) in TENSORS:
            return (argument,)
        return ()
    return (
        tuple([item for item in argument if type(item) is Traced]) if type(argument) in (list, tuple) else ()
    )


def _cotangents(argument: Any, count: int) -> tuple[torch.Tensor | None, ...]:
    """What is sent into each of `count` roots, None for ones; torch refuses all but a tensor for each."""
    given = plain(argument)
    each = list(given) if isinstance(given, list | tuple) else [given]
    sent = [item if isinstance(item, torch.Tensor) else None for item in each]
    return tuple(sent) if len(sent) == count else (None,) * count
