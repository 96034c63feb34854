"""An optimizer's step as one write into its parameters."""

import sys
from typing import Any
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.mode import PLAIN, storage_of
from autograd_cli.diagnose.watching.parts import Parts
from autograd_cli.diagnose.watching.records import Spot, Write


class Steps:
    """What is looked at before and after the steps of optimizers: the versions of what they have.

    `is_aside` says that the calls of the step that runs are not looked at.
    """

    def __init__(self, parts: Parts) -> None:
        self._log = parts.log
        self._accumulation = parts.accumulation
        self._nonfinite = parts.nonfinite
        self._arrays = parts.arrays
        self._versions: list[Any] = []
        self.is_aside = False

    def before(self, optimizer: Optimizer) -> None:
        """A step begins."""
        parameters = _parameters(optimizer)
        self._accumulation.step(parameters, locate(sys._getframe(1))[0])
        self._unseen(None)
        self._versions = [(ref(each), each._version) for each in parameters]

    def after(self, optimizer: Optimizer) -> None:
        """A step has ended."""
        self._note()
        parameters = _parameters(optimizer)
        self._accumulation.stepped(parameters)
        self._nonfinite.used(parameters)
        self._unseen(locate(sys._getframe(1))[0])

    def forget(self) -> None:
        """A step begins that is not looked at."""
        self._versions = []

    def _unseen(self, step: Spot | None) -> None:
        """Note what changed in memory that arrays share: before a step others did it, after it the step."""
        for write in self._arrays.changed(step):
            self._log.writes.add(write)

    def _note(self) -> None:
        versions = {}
        before, self._versions = self._versions, []
        for reference, version in before:
            tensor = reference()
            storage = None if tensor is None or tensor._version == version else storage_of(tensor)
            if storage is not None:
                versions[storage] = (version, tensor._version)
        if versions:
            spot, module = locate(sys._getframe(2))
            first = torch._C._autograd._get_sequence_nr()
            step = Write(self._log.next(), first, versions, "step", spot, module, is_step=True)
            self._log.writes.add(step)


def _parameters(optimizer: Optimizer) -> list[torch.Tensor]:
    return [each for group in optimizer.param_groups for each in group["params"] if type(each) in PLAIN]
