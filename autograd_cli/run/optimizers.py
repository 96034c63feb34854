"""Optimizers of a program: which tensors a step writes, whose gradients it reads and clears."""

from collections.abc import Iterator
from typing import Any

import torch

from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.calls import Apply, applier
from autograd_cli.run.events import Given, Wrote
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.operations import callable_for
from autograd_cli.run.state import Frame, Get, State, plain


def parameters(optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
    """The tensors that an optimizer changes."""
    for group in optimizer.param_groups:
        yield from group["params"]


def step(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Apply:
    """`optimizer.step()`: writes into each tensor that has a gradient, which counts as looked at."""
    state, line = compiler.state, compiler.state.line_of(node.span.start)
    call = _method(state, node, function, exprs)

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        written = [tensor for tensor in parameters(plain(args[0])) if tensor.grad is not None]
        for tensor in written:
            state.mutations.about_to_write(tensor, state.number, node.span)
            state.leaves.looked(tensor, line, "step")
        made, number = call(args, kwargs), state.moment()
        state.events += [Wrote(None, tensor, number) for tensor in written]
        return made

    return run


def zero_grad(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Apply:
    """`optimizer.zero_grad()`: removes gradients, or makes them 0 where that is asked for."""
    state = compiler.state
    call = _method(state, node, function, exprs)

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        had = [(tensor, tensor.grad) for tensor in parameters(plain(args[0])) if tensor.grad is not None]
        for _, gradient in had:
            state.mutations.about_to_write(gradient, state.number, node.span)
        made, number = call(args, kwargs), state.moment()
        for tensor, gradient in had:
            _cleared(state, tensor, gradient, number)
        return made

    return run


def _cleared(state: State, tensor: torch.Tensor, gradient: torch.Tensor, number: int) -> None:
    leaf = state.leaves.of(tensor)
    if leaf is not None:
        leaf.clear()
    state.events.append(Given(None, tensor, "grad", gradient, tensor.grad, number))


def _method(state: State, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Apply:
    """The call of a method of an optimizer; nothing of it is a value of the run."""
    name = function.name

    def call(own: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(own, name)(*args, **kwargs)

    return applier(state, node, function, call, exprs)


def clipping(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`nn.utils.clip_grad_norm_(parameters, max_norm)`: writes into the gradients."""
    state, gets = compiler.state, compiler.all(node.args)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]
    apply = applier(state, node, function._replace(writes=False), callable_for(function), exprs)

    def run(frame: Frame) -> Any:
        args, kwargs = tuple([get(frame) for get in gets]), {name: get(frame) for name, get in named}
        given = plain(args[0]) if args else []
        tensors = given if isinstance(given, list | tuple) else [given]
        written = [t.grad for t in tensors if isinstance(t, torch.Tensor) and t.grad is not None]
        for gradient in written:
            state.mutations.about_to_write(gradient, state.number, node.span)
        made = apply(args, kwargs)
        state.events += [Wrote(None, gradient, state.number - 1) for gradient in written]
        return made

    return run
