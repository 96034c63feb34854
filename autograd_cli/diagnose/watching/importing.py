"""What is done as soon as a module has been imported."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class OnImport:
    """Calls `act` once, right after the module `name` was loaded by whoever imports it first."""

    def __init__(self, name: str, act: Callable[[], None]) -> None:
        self.name = name
        self.act = act
        self._is_looking = False
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Let later imports be."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the others find, with a loader that tells when it has loaded."""
        if name != self.name or self._is_looking:
            return None
        self._is_looking = True
        try:
            spec = find_spec(name)
        finally:
            self._is_looking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Telling(spec.loader, self)
        return spec


class _Telling(Loader):
    """A loader that calls back when the module was loaded, and is asked for all else that the other has."""

    def __init__(self, loader: Any, owner: OnImport) -> None:
        self._loader = loader
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """What the other loader makes."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Load, put the other loader back in its place, and call."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._owner.remove()
        self._owner.act()
