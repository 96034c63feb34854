"""An optimizer's step as one write into its parameters."""

import sys
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from autograd_cli.diagnose.watching.accumulated import Accumulation
from autograd_cli.diagnose.watching.arrays import Arrays
from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.mode import PLAIN, apart, is_profiled, storage_of
from autograd_cli.diagnose.watching.nonfinite import NonFinite
from autograd_cli.diagnose.watching.records import Log, Spot, Write
from autograd_cli.diagnose.watching.stack import Stack


class Steps:
    """Hooks around every optimizer's step: the versions of what it has, before and after.

    While it runs its own calls are not looked at, unless it calls a closure.
    """

    def __init__(
        self,
        log: Log,
        stack: Stack,
        accumulation: Accumulation,
        nonfinite: NonFinite,
        arrays: Arrays,
        failed: Callable[[BaseException], None],
    ) -> None:
        self.is_over = False
        self._log = log
        self._stack = stack
        self._accumulation = accumulation
        self._nonfinite = nonfinite
        self._arrays = arrays
        self._failed = failed
        self._open = threading.local()
        self._handles: list[Any] = []
        self.add()

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
        if self.is_over:
            return
        try:
            self._resume()
            if is_profiled():
                self._open.__dict__.pop("versions", None)
                return
            with apart():
                parameters = _parameters(optimizer)
                self._accumulation.step(parameters, locate(sys._getframe(1))[0])
                self._unseen(None)
                self._open.versions = [(ref(each), each._version) for each in parameters]
            if len(args) < 2 and not kwargs:
                self._open.is_aside = self._stack.step_aside()
        except Exception as error:
            self._failed(error)

    def _after(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self.is_over:
            return
        try:
            self._resume()
            if is_profiled():
                return
            with apart():
                self._note(self._open.__dict__.pop("versions", []))
                parameters = _parameters(optimizer)
                self._accumulation.stepped(parameters)
                self._nonfinite.used(parameters)
                self._unseen(locate(sys._getframe(1))[0])
        except Exception as error:
            self._failed(error)

    def _unseen(self, step: Spot | None) -> None:
        """Note what changed in memory that arrays share: before a step others did it, after it the step."""
        for write in self._arrays.changed(step):
            self._log.wrote(write)

    def _resume(self) -> None:
        """Look at calls again, also where the step before ended with an error."""
        if self._open.__dict__.pop("is_aside", False):
            self._stack.push()

    def _note(self, before: list[Any]) -> None:
        versions = {}
        for reference, version in before:
            tensor = reference()
            storage = None if tensor is None or tensor._version == version else storage_of(tensor)
            if storage is not None:
                versions[storage] = (version, tensor._version)
        if versions:
            spot, module = locate(sys._getframe(2))
            first = torch._C._autograd._get_sequence_nr()
            self._log.wrote(Write(self._log.next(), first, versions, "step", spot, module, is_step=True))


def _parameters(optimizer: Optimizer) -> list[torch.Tensor]:
    return [each for group in optimizer.param_groups for each in group["params"] if type(each) in PLAIN]
