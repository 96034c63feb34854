"""Values as they were at a moment of the run, by what is known of the writes since."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from typing import Any

import torch

from autograd_cli.run.mutations import Mutations
from autograd_cli.run.traced import Traced


class Moments:
    """Asks for old values only where something was written: in most runs nothing was."""

    def __init__(self, mutations: Mutations) -> None:
        self.mutations = mutations
        self.numbers: dict[int, list[int]] = defaultdict(list)
        for write in mutations.writes:
            self.numbers[write.storage].append(write.number)

    def _since(self, tensor: torch.Tensor, moment: int) -> list[int]:
        """The numbers of the writes into a tensor's memory after `moment`, and of its changes of memory."""
        if tensor.is_meta:
            return []
        moved = [r.number for r in self.mutations.rebased if r.tensor is tensor and r.number > moment]
        known = self.numbers.get(tensor.untyped_storage().data_ptr()) if self.numbers else None
        later = known[bisect_right(known, moment) :] if known else []
        return sorted(moved + later) if moved else later

    def version(self, tensor: torch.Tensor, moment: int) -> int:
        """A number that is the same for two moments between which nothing was written; -1 for now."""
        later = self._since(tensor, moment)
        return later[0] if later else -1

    def missed(self, traced: Traced, moment: int, replayed: Collection[int]) -> bool:
        """Whether the memory of a value was written by `moment` by another call than those of `replayed`."""
        value = traced.value
        if not self.numbers or not isinstance(value, torch.Tensor):
            return False
        later = self._since(value, traced.number)
        return any(number <= moment and number not in replayed for number in later)

    def at(self, value: torch.Tensor, moment: int, grad: bool) -> torch.Tensor:
        """A tensor as it was at `moment`; itself where nothing has changed since.

        A stand-in requires grad where `grad` says that the tensor did.
        """
        if not isinstance(value, torch.Tensor):
            return value
        changed = bool(self._since(value, moment))
        if not changed and value.requires_grad == grad:
            return value
        old = self.mutations.value_at(value, moment) if changed else value.detach()
        old = value.detach() if old is None else old
        return old.detach().requires_grad_(grad and (old.is_floating_point() or old.is_complex()))

    def value(self, traced: Traced) -> Any:
        """The value that a call gave, as it was then."""
        if not isinstance(traced.value, torch.Tensor):
            return traced.value
        return self.at(traced.value, traced.number, grad=bool(traced.grad_fns))
