"""Values as they were at a moment of the run, by what is known of the writes since."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from typing import Any

import torch

from autograd_cli.run.mutations import Mutations, Write
from autograd_cli.run.traced import Traced


class Moments:
    """Asks for old values only where something was written: in most runs nothing was.

    `replayed` are the numbers of the in-place calls that are made again in a replay.
    """

    def __init__(self, mutations: Mutations, replayed: Collection[int] = ()) -> None:
        self.mutations = mutations
        self.replayed = replayed
        self.writes: dict[int, list[Write]] = defaultdict(list)
        for write in mutations.writes:
            self.writes[write.storage].append(write)
        self.numbers = {place: [write.number for write in known] for place, known in self.writes.items()}
        self.others: dict[int, list[int]] = {}

    def version(self, tensor: torch.Tensor, moment: int) -> int:
        """A number that is the same for two moments between which nothing was written; -1 for now."""
        moved = self._moved(tensor, moment)
        known = self._numbers(tensor)
        place = bisect_right(known, moment)
        return min([*moved, *known[place : place + 1]], default=-1)

    def missed(self, traced: Traced, moment: int) -> bool:
        """Whether the memory of a value was written by `moment` by another call than those replayed."""
        value = traced.value
        if not isinstance(value, torch.Tensor) or value.is_meta:
            return False
        moved = self.mutations.moves(value)
        moved += [number for number in self.mutations.reshapes(value) if number not in self.replayed]
        if any(traced.number < number <= moment for number in moved):
            return True
        known = self._numbers(value)
        if not known:
            return False
        key = value.untyped_storage().data_ptr()
        if key not in self.others:
            self.others[key] = [number for number in known if number not in self.replayed]
        others = self.others[key]
        place = bisect_right(others, traced.number)
        return place < len(others) and others[place] <= moment

    def _numbers(self, tensor: torch.Tensor) -> list[int]:
        """The numbers of the writes into the memory of a tensor."""
        if not self.numbers or tensor.is_meta:
            return []
        return self.numbers.get(tensor.untyped_storage().data_ptr(), [])

    def _moved(self, tensor: torch.Tensor, moment: int) -> list[int]:
        """The numbers of the steps after `moment` that gave a tensor other memory, or another shape."""
        known = (*self.mutations.moves(tensor), *self.mutations.reshapes(tensor))
        return [number for number in known if number > moment]

    def _old(self, tensor: torch.Tensor, moment: int) -> torch.Tensor | None:
        """A tensor as it was at `moment`, what was written since being known; None where it is forgotten."""
        known = self._numbers(tensor)
        place = bisect_right(known, moment)
        if self._moved(tensor, moment) or place == len(known):
            return self.mutations.value_at(tensor, moment)
        storage = tensor.untyped_storage().data_ptr()
        if self.mutations.forgotten.get(storage, -1) > moment:
            return None
        old = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        before = self.writes[storage][place].before
        return old.set_(before, tensor.storage_offset(), tensor.shape, tensor.stride())

    def at(self, value: torch.Tensor, moment: int, grad: bool) -> torch.Tensor:
        """A tensor as it was at `moment`; itself where nothing has changed since.

        A stand-in requires grad where `grad` says that the tensor did.
        """
        if not isinstance(value, torch.Tensor):
            return value
        changed = self.version(value, moment) >= 0
        if not changed and value.requires_grad == grad:
            return value
        old = self._old(value, moment) if changed else value.detach()
        old = value.detach() if old is None else old
        return old.detach().requires_grad_(grad and (old.is_floating_point() or old.is_complex()))

    def value(self, traced: Traced) -> Any:
        """The value that a call gave, as it was then."""
        if not isinstance(traced.value, torch.Tensor):
            return traced.value
        return self.at(traced.value, traced.number, grad=bool(traced.grad_fns))
