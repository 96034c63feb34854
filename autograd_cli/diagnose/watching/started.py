"""Where torch starts its engine and steps its optimizers, what watches the thread is asked to look."""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.here import Here
from autograd_cli.diagnose.watching.mode import PLAIN, apart, is_profiled, is_transformed
from autograd_cli.diagnose.watching.stack import Stack
from autograd_cli.diagnose.watching.steps import Steps


class Started:
    """What stands in for the start of torch's engine, and hooks around every optimizer's step.

    While a step runs its own calls are not looked at, unless it calls a closure.
    """

    def __init__(self, common: Common, here: Here, stack: Stack) -> None:
        self._common = common
        self._here = here
        self._stack = stack
        self._handles: list[Any] = []

    def engine(self, before: Callable[..., Any]) -> Callable[..., Any]:
        """The engine's start with what is looked at around it."""

        def _engine_run_backward(roots: Any, *args: Any, **kwargs: Any) -> Any:
            if self._common.is_over or is_profiled() or is_transformed() or not all(map(_is_plain, roots)):
                return before(roots, *args, **kwargs)

            def start() -> Any:
                with self._stack.on():
                    return before(roots, *args, **kwargs)

            keeps = len(args) > 1 and bool(args[1])
            return self._here.backwards.run(start, roots, keeps, bool(kwargs.get("accumulate_grad")))

        return _engine_run_backward

    def add(self) -> None:
        """Hook the steps of all optimizers."""
        self._handles = [
            register_optimizer_step_pre_hook(self._before),
            register_optimizer_step_post_hook(self._after),
        ]

    def remove(self) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()

    def _before(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._common.is_over:
            return
        steps = self._here.steps
        try:
            self._resume(steps)
            if is_profiled():
                steps.forget()
                return
            with apart():
                steps.before(optimizer)
            if len(args) < 2 and not kwargs:
                steps.is_aside = self._stack.is_top()  # first, for it may be interrupted in between
                self._stack.step_aside()
        except Exception as error:
            self._common.failed(error)

    def _after(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._common.is_over:
            return
        steps = self._here.steps
        try:
            self._resume(steps)
            if not is_profiled():
                with apart():
                    steps.after(optimizer)
        except Exception as error:
            self._common.failed(error)

    def _resume(self, steps: Steps) -> None:
        """Look at calls again, also where the step before ended with an error."""
        if steps.is_aside:
            self._stack.push()
            steps.is_aside = False


def _is_plain(root: Any) -> bool:
    """Whether a root is an edge, or a tensor of torch's own class: what others do is theirs."""
    return type(root) in PLAIN or not isinstance(root, torch.Tensor)
