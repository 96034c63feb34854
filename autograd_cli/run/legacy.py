"""`torch.Tensor(2, 3)` and `torch.FloatTensor([1, 2])`: sizes or numbers, by what is given."""

from collections.abc import Callable
from typing import Any

import torch

_DTYPES = {
    "FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
    "LongTensor": torch.int64, "IntTensor": torch.int32, "ShortTensor": torch.int16,
    "ByteTensor": torch.uint8, "BoolTensor": torch.bool,
}  # fmt: skip

PATHS = frozenset({"torch.Tensor", *(f"torch.{name}" for name in _DTYPES)})
"""Where such constructors stand."""


def are_sizes(given: tuple[Any, ...]) -> bool:
    """Whether the arguments are the sizes of a tensor, whose memory is not set then."""
    return bool(given) and (type(given[0]) is torch.Size or all(type(each) is int for each in given))


def constructor(name: str) -> Callable[..., torch.Tensor]:
    """As torch's own; sizes go to `empty`, which makes the same and can be asked what it would make."""
    own: Callable[..., torch.Tensor] = getattr(torch, name)

    def make(*given: Any, device: Any = None) -> torch.Tensor:
        if are_sizes(given):
            return torch.empty(*given, dtype=_DTYPES.get(name), device=device)
        return own(*given)

    return make
