"""Calls that stand in a slice for what no call of the source did, as a write behind torch's back."""

import torch


class Alias:
    """Gives the part of a value's memory that another tensor stood for, as `detach` does."""

    def __init__(self, like: torch.Tensor, owner: torch.Tensor) -> None:
        self.shape, self.stride = like.shape, like.stride()
        self.offset = like.storage_offset() - owner.storage_offset()

    def __call__(self, value: torch.Tensor) -> torch.Tensor:
        """That part of another value."""
        return value.detach().as_strided(self.shape, self.stride, value.storage_offset() + self.offset)


class Written:
    """Gives a value with the elements that were written held as they were then."""

    def __init__(self, before: torch.Tensor, after: torch.Tensor) -> None:
        self.after = after.detach().clone()
        self.written = self.after != before.detach()

    def __call__(self, value: torch.Tensor) -> torch.Tensor:
        """Another value with these elements."""
        held = self.after.to(value.device, value.dtype)
        return torch.where(self.written.to(value.device), held, value)


class Moved:
    """Adds what was written into a value between two uses."""

    def __init__(self, by: torch.Tensor) -> None:
        self.by = by

    def __call__(self, value: torch.Tensor) -> torch.Tensor:
        """Another value moved as far."""
        return value + self.by.to(value.device, value.dtype)
