"""The watch in torch: the function mode, the engine and the optimizers, each put back as it was."""

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.diagnose.watching.accumulated import Accumulation
from autograd_cli.diagnose.watching.arrays import Arrays, from_array
from autograd_cli.diagnose.watching.backwards import Backwards
from autograd_cli.diagnose.watching.broadcasts import Broadcasts
from autograd_cli.diagnose.watching.excepting import printed, shown
from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.importing import OnImport
from autograd_cli.diagnose.watching.mode import Mode, apart
from autograd_cli.diagnose.watching.nonfinite import NonFinite
from autograd_cli.diagnose.watching.records import Log, Write
from autograd_cli.diagnose.watching.stack import Stack
from autograd_cli.diagnose.watching.steps import Steps
from autograd_cli.diagnose.watching.tracebacks import Warnings, forward_lines
from autograd_cli.report.diagnosis import Placed


class Installed:
    """A watch at work. `failed` is told of each fault of its own."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        log, self._found = Log(), Found()
        self.is_script_failed = False
        self._failed = failed
        mode = Mode(log, failed)
        self._stack = Stack(mode)
        self._accumulation = accumulation = Accumulation(self._found)
        self._nonfinite = NonFinite(log, self._found, failed)
        broadcasts = Broadcasts(self._found)
        self._arrays = Arrays(log)
        parts = (accumulation, self._nonfinite, broadcasts, self._arrays)
        self._backwards = Backwards(log, self._stack, self._found, *parts, failed)
        self._steps = Steps(log, self._stack, accumulation, self._nonfinite, self._arrays, failed)
        accumulation.used = self._nonfinite.used
        mode.read, mode.wrote = accumulation.read, self._wrote
        mode.extras += [self._nonfinite.listen, broadcasts.listen, self._arrays.listen, forward_lines]
        mode.shared = self._arrays.share
        self._warnings = Warnings()
        self._patches, self._compiler = Patches(), Patches()
        self._patch()
        self._stack.leaves, self._stack.returns = self._leave, self._return
        self._stack.push()

    def findings(self) -> list[Placed]:
        """What was found, the script being over."""
        with apart():
            self._nonfinite.end(self.is_script_failed)
        return self._found.findings()

    def stop(self) -> None:
        """Look at nothing more; what is in torch stays there, and does nothing, until `remove`."""
        self._backwards.is_over = self._steps.is_over = self._nonfinite.births.is_over = True
        self._stack.stop()

    def remove(self) -> None:
        """Put torch back as it was."""
        self._leave()
        self._compiler.undo()
        self._warnings.remove()
        self.stop()

    def _wrote(self, tensor: torch.Tensor, write: Write) -> None:
        self._accumulation.wrote(tensor, write)
        self._nonfinite.wrote(tensor, write)

    def _share(self, tensor: torch.Tensor) -> None:
        try:
            with torch._C.DisableTorchFunction():
                self._arrays.share(tensor, locate(sys._getframe(2))[0], None)
        except Exception as error:
            self._failed(error)

    def _leave(self) -> None:
        self._steps.remove()
        self._patches.undo()

    def _return(self) -> None:
        self._steps.add()
        self._patches.redo()

    def _patch(self) -> None:
        stack, patches = self._stack, self._patches
        patches.replace(torch.autograd, "_engine_run_backward", self._backwards.around)
        patches.replace(torch.overrides, "has_torch_function", stack.unseen)
        patches.replace(threading.Thread, "_bootstrap_inner", stack.in_thread)
        patches.replace(threading, "excepthook", shown)
        patches.replace(traceback, "_walk_tb_with_full_positions", printed)
        patches.replace(torch, "from_numpy", from_array(self._share))
        self._compiler.later("torch._dynamo.eval_frame", "_maybe_set_eval_frame", stack.compiled)


class Patches:
    """Attributes that were replaced, with what they were."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any, Any]] = []
        self._imports: list[OnImport] = []

    def replace(self, owner: Any, name: str, around: Callable[[Any], Any]) -> None:
        """Put `around(what it was)` in the place of an attribute; nothing where there is none."""
        before = getattr(owner, name, None)
        if before is not None:
            made = around(before)
            setattr(owner, name, made)
            self._before.append((owner, name, before, made))

    def later(self, module: str, name: str, around: Callable[[Any], Any]) -> None:
        """The same in a module that may not be imported yet."""
        if module in sys.modules:
            self.replace(sys.modules[module], name, around)
        else:
            act = lambda: self.replace(sys.modules[module], name, around)  # noqa: E731
            self._imports.append(OnImport(module, act))

    def undo(self) -> None:
        """Put back what was there, except where somebody else replaced it since."""
        for pending in self._imports:
            pending.remove()
        for owner, name, before, made in reversed(self._before):
            if getattr(owner, name, None) is made:
                setattr(owner, name, before)

    def redo(self) -> None:
        """Replace again what was put back."""
        for owner, name, before, made in self._before:
            if getattr(owner, name, None) is before:
                setattr(owner, name, made)
