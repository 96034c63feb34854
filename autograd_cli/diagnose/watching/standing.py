"""What stands in for a function of torch, and is taken for it where it is pickled or looked at."""

from collections.abc import Callable
from typing import Any

import torch


class FromArray:
    """Stands in for `torch.from_numpy`; `share` is told of each tensor that it makes."""

    def __init__(self, before: Callable[[Any], torch.Tensor], share: Callable[[torch.Tensor], None]) -> None:
        self._before = before
        self._share = share
        self.__doc__, self.__module__ = before.__doc__, before.__module__

    def __call__(self, array: Any) -> torch.Tensor:
        """The tensor that has the memory of an array."""
        made = self._before(array)
        self._share(made)
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_before"], name)

    def __reduce__(self) -> Any:
        return self._before.__reduce__()

    def __repr__(self) -> str:
        return repr(self._before)
