"""What was written in place: the memory as it was before each write.

A report, a slice and a finding ask for a value as it was at some moment of the run. Every
write of a program goes through `about_to_write`, which keeps the whole storage as it was.
Old entries go first where they would take more than `MOST_BYTES`.
"""

from collections import deque
from dataclasses import dataclass

import torch

from autograd_cli.errors import Span

MOST_BYTES = 64 << 20
MOST_ENTRIES = 10_000


@dataclass(frozen=True)
class Write:
    """A write: when (the number of the Traced it makes), where, into which storage, what was there before.

    `untracked` marks a write that torch's version counter does not see: through .data or NumPy.
    """

    number: int
    span: Span
    storage: int
    before: torch.UntypedStorage
    untracked: bool = False


class Mutations:
    """The writes of a run, oldest first."""

    def __init__(self) -> None:
        self.writes: deque[Write] = deque()
        self.bytes = 0
        self.forgotten: set[int] = set()

    def about_to_write(self, tensor: torch.Tensor, number: int, span: Span, untracked: bool = False) -> None:
        """Keep the memory of `tensor`, which the step `number` at `span` is about to write."""
        if tensor.is_meta:
            return
        storage = tensor.untyped_storage()
        self.writes.append(Write(number, span, storage._cdata, _copy(storage), untracked))
        self.bytes += storage.nbytes()
        while self.writes and (self.bytes > MOST_BYTES or len(self.writes) > MOST_ENTRIES):
            gone = self.writes.popleft()
            self.bytes -= gone.before.nbytes()
            self.forgotten.add(gone.storage)

    def value_at(self, tensor: torch.Tensor, number: int) -> torch.Tensor | None:
        """`tensor` as it was when the Traced `number` was made; None where that was forgotten.

        The tensor itself, detached, where nothing was written since.
        """
        storage = tensor.untyped_storage()._cdata
        for write in self.writes:
            if write.storage == storage and write.number > number:
                old = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
                return old.set_(write.before, tensor.storage_offset(), tensor.shape, tensor.stride())
        return tensor.detach()

    def since(self, tensor: torch.Tensor, number: int) -> list[Write]:
        """The writes into the memory of `tensor` after the Traced `number` was made, oldest first."""
        storage = tensor.untyped_storage()._cdata
        return [write for write in self.writes if write.storage == storage and write.number > number]


def _copy(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    made: torch.UntypedStorage = storage.clone()  # type: ignore[no-untyped-call]
    return made
