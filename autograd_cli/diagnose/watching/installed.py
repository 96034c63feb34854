"""The watch in torch: the function mode, the engine and the optimizers, each put back as it was."""

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.diagnose.watching.arrays import Memories
from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.excepting import printed, shown, stacked
from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.here import Here
from autograd_cli.diagnose.watching.importing import OnImport
from autograd_cli.diagnose.watching.mode import apart
from autograd_cli.diagnose.watching.stack import Stack
from autograd_cli.diagnose.watching.standing import FromArray
from autograd_cli.diagnose.watching.started import Started
from autograd_cli.diagnose.watching.tracebacks import Warnings
from autograd_cli.report.diagnosis import Placed


class Installed:
    """A watch at work. `failed` is told of each fault of its own."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self.is_script_failed = False
        self._common = common = Common(failed)
        self._memories = Memories()
        here = Here(common, self._memories)
        self._stack = Stack(common, here)
        self._started = Started(common, here, self._stack)
        self._warnings = Warnings()
        self._patches, self._compiler = Patches(), Patches()
        self._patch()
        self._started.add()
        self._stack.leaves, self._stack.returns = self._leave, self._return
        self._stack.enter()

    def findings(self) -> list[Placed]:
        """What was found, the script being over."""
        with apart():
            for end in list(self._common.waiting):
                end(self.is_script_failed)
        return self._common.found.findings()

    def stop(self) -> None:
        """Look at nothing more; what is in torch stays there, and does nothing, until `remove`."""
        self._common.is_over = True
        self._stack.take_away()

    def remove(self) -> None:
        """Put torch back as it was."""
        self.stop()  # first, so that no thread that ends compiling brings the watch back
        self._leave()
        self._compiler.undo()
        self._warnings.remove()

    def _share(self, tensor: torch.Tensor) -> None:
        try:
            with torch._C.DisableTorchFunction():
                self._memories.share(tensor, locate(sys._getframe(2))[0], None)
        except Exception as error:
            self._common.failed(error)

    def _leave(self) -> None:
        self._started.remove()
        self._patches.undo()

    def _return(self) -> None:
        self._started.add()
        self._patches.redo()

    def _patch(self) -> None:
        stack, patches = self._stack, self._patches
        patches.replace(torch.autograd, "_engine_run_backward", self._started.engine)
        patches.replace(torch.overrides, "has_torch_function", stack.unseen)
        patches.replace(threading.Thread, "_bootstrap_inner", stack.in_thread)
        patches.replace(threading, "excepthook", shown)
        patches.replace(traceback, "_walk_tb_with_full_positions", printed)
        patches.replace(traceback, "walk_stack", stacked)
        patches.replace(torch, "from_numpy", lambda before: FromArray(before, self._share))
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
