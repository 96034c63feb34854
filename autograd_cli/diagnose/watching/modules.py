"""What a script's modules and parameters are called, looked up when a finding is told."""

import gc
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch

from autograd_cli.diagnose.watching.frames import is_theirs
from autograd_cli.diagnose.watching.mode import PLAIN, storage_of


def paths() -> "Paths":
    """The modules that there are, by the paths from those that are in no other; and global variables."""
    modules: list[Any] = [each for each in gc.get_objects() if issubclass(type(each), torch.nn.Module)]
    inside = {id(child) for module in modules for child in _children(module)}
    return Paths([module for module in modules if id(module) not in inside], _variables())


def _variables() -> dict[int, str]:
    """The tensors that are global variables of the files whose code is running, by their memory."""
    found: dict[int, str] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_theirs(frame):
            for name, value in list(frame.f_globals.items()):
                storage = storage_of(value) if type(value) in PLAIN else None
                if storage is not None:
                    found.setdefault(storage, name)
        frame = frame.f_back
    return found


def _children(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    return (child for child in module._modules.values() if child is not None)


class Paths:
    """The paths of modules and parameters below `roots`, as `state_dict` writes them; and `variables`."""

    def __init__(self, roots: list[torch.nn.Module], variables: dict[int, str]) -> None:
        self._modules: dict[int, str] = {}
        self._parameters: dict[int, str] = {}
        self._variables = variables
        for root in roots:
            for name, module in root.named_modules():
                self._modules.setdefault(id(module), name)
            for name, parameter in (*root.named_parameters(), *root.named_buffers()):
                storage = storage_of(parameter)
                if storage is not None:
                    self._parameters.setdefault(storage, name)

    def module(self, reference: Any) -> str:
        """The path of a module that is referred to weakly; "" of one that is gone, or is in no other."""
        module = None if reference is None else reference()
        return "" if module is None else self._modules.get(id(module), "")

    def leaf(self, tensor: torch.Tensor) -> str:
        """What a leaf is called: the path of a parameter, else the name of a global variable; "" else."""
        storage = storage_of(tensor)
        return "" if storage is None else self.parameter(storage) or self._variables.get(storage, "")

    def parameter(self, storage: int) -> str:
        """The path of the parameter or buffer with that memory; "" where there is none."""
        return self._parameters.get(storage, "")
