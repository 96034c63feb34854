"""What a script's modules and parameters are called, looked up when a finding is told."""

import gc
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch

from autograd_cli.diagnose.watching.frames import is_theirs
from autograd_cli.diagnose.watching.mode import storage_of


def paths() -> "Paths":
    """The modules that there are, by the paths from those that are in no other; and global variables."""
    modules: list[Any] = [each for each in gc.get_objects() if issubclass(type(each), torch.nn.Module)]
    inside = {id(child) for module in modules for child in _children(module)}
    return Paths([module for module in modules if id(module) not in inside], _variables())


def _variables() -> dict[int, str]:
    """The global variables of the script and of files whose code runs: names of objects, by identity."""
    found: dict[int, str] = {}
    frame: FrameType | None = sys._getframe(1)
    spaces: list[dict[str, Any]] = []
    while frame is not None:
        if is_theirs(frame):
            spaces.append(frame.f_globals)
        frame = frame.f_back
    main = sys.modules.get("__main__")  # no code of it runs any more where the script is over
    for space in (*spaces, getattr(main, "__dict__", {})):
        for name, value in list(space.items()):
            found.setdefault(id(value), name)
    return found


def _children(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    return (child for child in module._modules.values() if child is not None)


class Paths:
    """The paths of modules and parameters below `roots`, as `state_dict` writes them; and `variables`.

    Where several roots have parameters, a path begins with the variable that its root is.
    """

    def __init__(self, roots: list[torch.nn.Module], variables: dict[int, str]) -> None:
        self._modules: dict[int, str] = {}
        self._parameters: dict[int, str] = {}
        self._buffers: set[int] = set()
        self._variables = variables
        several = sum(next(root.parameters(), None) is not None for root in roots) > 1
        for root in roots:
            start = variables.get(id(root), "") if several else ""
            for name, module in root.named_modules():
                self._modules.setdefault(id(module), _joined(start, name))
            for name, tensor in (*root.named_parameters(), *root.named_buffers()):
                storage = storage_of(tensor)
                if storage is not None:
                    self._parameters.setdefault(storage, _joined(start, name))
            self._buffers |= {each for tensor in root.buffers() if (each := storage_of(tensor)) is not None}

    def module(self, reference: Any) -> str:
        """The path of a module that is referred to weakly; "" of one that is gone, or is in no other."""
        module = None if reference is None else reference()
        return "" if module is None else self._modules.get(id(module), "")

    def leaf(self, tensor: torch.Tensor) -> str:
        """What a leaf is called: the path of a parameter, else the name of a global variable; "" else."""
        storage = storage_of(tensor)
        path = "" if storage is None else self.parameter(storage)
        return path or self._variables.get(id(tensor), "")

    def is_buffer(self, storage: int) -> bool:
        """Whether the memory is a buffer's."""
        return storage in self._buffers

    def parameter(self, storage: int) -> str:
        """The path of the parameter or buffer with that memory; "" where there is none."""
        return self._parameters.get(storage, "")


def _joined(start: str, name: str) -> str:
    return f"{start}.{name}" if start and name else start or name
