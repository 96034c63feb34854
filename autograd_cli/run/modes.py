"""Grad modes, autocast and the random state of NumPy: all as they were once a run is over."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import numpy
import torch

from autograd_cli.lang import lookup, nodes
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.operations import callable_for
from autograd_cli.run.settings import Settings
from autograd_cli.run.state import Frame, Get, State, plain

_NUMPY: list[Any] = []
"""NumPy's random state before the run that draws with it."""


def keep_numpy(state: State) -> None:
    """Keep NumPy's random state before the first draw of a run, and start from the run's seed."""
    if not _NUMPY:
        _NUMPY.append(numpy.random.get_state())
        numpy.random.seed(state.settings.seed % 2**32)


class Grad:
    """Whether graphs are recorded inside: as torch.no_grad and enable_grad, in a fifth of their time."""

    __slots__ = ("before", "on")

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(self.on)

    def __exit__(self, *_: object) -> None:
        torch._C._set_grad_enabled(self.before)


@contextmanager
def kept(settings: Settings) -> Iterator[None]:
    """The grad mode and autocast of `settings`, and what was there before, after it."""
    enabled = torch.is_grad_enabled()
    with _entered(settings) if settings.autocast or settings.mode else nullcontext():
        try:
            yield
        finally:
            if torch.is_grad_enabled() != enabled:
                torch.set_grad_enabled(enabled)
            while _NUMPY:
                numpy.random.set_state(_NUMPY.pop())


@contextmanager
def _entered(settings: Settings) -> Iterator[None]:
    """Autocast and the grad mode of `settings` inside."""
    with ExitStack() as stack:
        if settings.autocast:
            kind = torch.device(settings.device).type
            stack.enter_context(torch.autocast(kind, dtype=getattr(torch, settings.autocast)))
        if settings.mode:
            stack.enter_context(getattr(torch, settings.mode)())
        yield


def mode(compiler: Compiler, node: nodes.Expr) -> Get:
    """The closure that makes the context manager which stands after `with`."""
    state = compiler.state
    if not isinstance(node, nodes.Call):
        return compiler.compile(node)
    function = lookup.function(node.function, compiler.hidden)
    if function is None:
        return compiler.compile(node)
    call, gets = callable_for(function), compiler.all(node.args)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]

    def make(frame: Frame) -> Any:
        args = tuple([plain(get(frame)) for get in gets])
        kwargs = {name: plain(get(frame)) for name, get in named}
        try:
            return call(*args, **kwargs)
        except Exception as error:
            state.failed(error, node, function)
            raise

    return make
