"""A tensor as a person looks at it, without running code of its class, and within bounds."""

from math import prod
from typing import Any

from autograd_cli.diagnose.logs.records import Frame
from autograd_cli.report.diagnosis import Seen

_MOST_AT_ONCE = 1 << 24
_MOST_COUNTED = 1 << 28
_COUNTED_ON = ("cpu", "cuda", "mps", "xpu")


class Describer:
    """Describes tensors; counts elements until it has counted _MOST_COUNTED."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._left = _MOST_COUNTED
        self._plain = (torch.Tensor, torch.nn.Parameter) if hasattr(torch, "nn") else (torch.Tensor,)

    def seen(self, name: str, tensor: Any, frame: Frame) -> Seen | None:
        """The tensor's facts; None where torch does not give them."""
        try:
            with self._torch._C.DisableTorchFunctionSubclass(), self._torch.no_grad():
                return self._seen(name, tensor, frame)
        except Exception:
            return None

    def _seen(self, name: str, tensor: Any, frame: Frame) -> Seen:
        nan, inf = self._counted(tensor)
        low, high = self._ends(tensor)
        return Seen(
            name=name,
            frame=frame,
            shape=tuple(int(size) for size in tensor.shape),
            dtype=str(tensor.dtype).removeprefix("torch."),
            device=str(tensor.device),
            requires_grad=bool(tensor.requires_grad),
            leaf=bool(tensor.is_leaf),
            grad_fn=_grad_fn(tensor),
            nan=nan,
            inf=inf,
            low=low,
            high=high,
        )

    def _counted(self, tensor: Any) -> tuple[int | None, int | None]:
        """How many elements are NaN, and infinite; None where they cannot be looked at, or are too many."""
        try:
            if not (_is_real(tensor) and self._is_countable(tensor)):
                return None, None
            counts = [(part.isnan().sum(), part.isinf().sum()) for part in self._pieces(tensor.detach())]
            return sum(int(nan) for nan, _ in counts), sum(int(inf) for _, inf in counts)
        except Exception:
            return None, None

    def _ends(self, tensor: Any) -> tuple[int | None, int | None]:
        """The least and the greatest of whole numbers; None as above, and of those that are none."""
        try:
            is_whole = not _is_real(tensor) and tensor.dtype is not self._torch.bool
            if not (is_whole and tensor.numel() and self._is_countable(tensor)):
                return None, None
            ends = [part.aminmax() for part in self._pieces(tensor.detach())]
            return min(int(one.min) for one in ends), max(int(one.max) for one in ends)
        except Exception:
            return None, None

    def _is_countable(self, tensor: Any) -> bool:
        is_here = type(tensor) in self._plain and tensor.device.type in _COUNTED_ON
        if not (is_here and tensor.layout is self._torch.strided and _has_its_memory(tensor)):
            return False
        count = tensor.numel()
        if count > self._left or (count > _MOST_AT_ONCE and not tensor.is_contiguous()):
            return False
        self._left -= count
        return True

    def _pieces(self, tensor: Any) -> Any:
        """The tensor, or where it is large its elements in pieces that share its memory."""
        return [tensor] if tensor.numel() <= _MOST_AT_ONCE else tensor.view(-1).split(_MOST_AT_ONCE)


def _is_real(tensor: Any) -> bool:
    """Whether a tensor is of numbers that may be NaN."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _has_its_memory(tensor: Any) -> bool:
    """Whether the storage reaches as far as the tensor: one that was emptied must not be read."""
    if not prod(tensor.shape):
        return True
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    needed = (tensor.storage_offset() + last + 1) * tensor.element_size()
    return bool(tensor.untyped_storage().nbytes() >= needed)


def _grad_fn(tensor: Any) -> str | None:
    """The class of the node that made the tensor; None for a leaf, and where torch refuses to say."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return None
    return None if node is None else type(node).__name__
