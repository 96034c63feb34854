"""The components of a leaf that meets matrices: each moves a product along one of its columns.

The product with a moved leaf is the recorded one and so many times a column, which takes a
small part of the time that another product takes.
"""

from collections.abc import Callable

import numpy as np
import torch

from autograd_cli.gradients.lane_rules import PRODUCTS, NoLanesError
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.points import InTurn
from autograd_cli.gradients.replay import Planned, evaluated

_WORTH = 1 << 18
"""Numbers in all columns from which on they are worth looking for."""
_TOGETHER = 1 << 17
_TRIED = 64
_ALIKE = 1e-11

Column = Callable[[torch.Tensor], torch.Tensor]
"""The columns of some components of the leaf: (m,) -> (m, …), what one more of it adds to the product."""


def by_columns(line: Line) -> "Columns | None":
    """The components of a leaf that goes into products with constants; None of any other."""
    if line.lanes is None or line.leaf.is_complex():
        return None
    start = line.replay.inputs[line.name]
    calls = [planned for planned, _, _ in line.lanes.calls if start in (planned.slots or ())]
    found = {planned.index: column for planned in calls if (column := _column(line, planned, start))}
    count = sum(line.values[index].numel() for index in found) * line.components.numel()
    if count < _WORTH:
        return None
    others = [] if len(found) == len(calls) and not _is_nested(line, start) else [start]
    if not all(_is_right(line, planned, found[planned.index]) for planned in calls if planned.index in found):
        return None
    try:
        return Columns(line, found, Lanes(line.replay, line.values, (*others, *found)))
    except NoLanesError:
        return None


def _is_right(line: Line, planned: Planned, column: Column) -> bool:
    """Whether the product with some components moved is the recorded one and what their columns add."""
    chosen = torch.arange(0, line.components.numel(), 1 + line.components.numel() // _TRIED)
    steps = torch.linspace(1, 2, len(chosen), dtype=torch.float64)
    moved = line.components.index_add(0, chosen, steps)
    values = line.values.copy()
    values[line.replay.inputs[line.name]] = moved
    made = evaluated(planned, values)
    here, columns = line.values[planned.index], column(chosen)
    added = torch.tensordot(steps, columns, 1)
    room = _ALIKE * (here.abs() + torch.tensordot(steps, columns.abs(), 1))
    return bool(((made - here - added).abs() <= room).all())


def _is_nested(line: Line, start: int) -> bool:
    """Whether the leaf stands among the arguments of a call in another way than as one of them."""
    assert line.lanes is not None
    return line.replay.root == start or any(planned.slots is None for planned, _, _ in line.lanes.calls)


def _column(line: Line, planned: Planned, start: int) -> Column | None:
    """The columns of a call, if it is a product of the leaf and a constant vector or matrix."""
    function, slots = line.replay.steps[planned.index].function, planned.slots or ()
    if function is None or function.path.removeprefix("torch.") not in PRODUCTS:
        return None
    if len(slots) != 2 or slots.count(start) != 1:
        return None
    is_left = slots[0] == start
    place = slots[1] if is_left else slots[0]
    other = line.values[place]
    assert line.lanes is not None
    if place in line.lanes.live or line.leaf.ndim != 1 or other.ndim > 2 or other.is_complex():
        return None
    rows = other if is_left or other.ndim == 1 else other.mT
    return lambda places: rows[places]


class Columns(InTurn):
    """The components of a leaf, moved one at a time along columns of the products that it goes into."""

    def __init__(self, line: Line, columns: dict[int, Column], lanes: Lanes) -> None:
        super().__init__(line, line.components.numpy())
        self.columns = columns
        self.lanes = lanes
        self.start = line.replay.inputs[line.name]
        self.width = max(1, _TOGETHER // max(1, lanes.size()))

    def changes(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        parts = [slice(start, start + self.width) for start in range(0, len(places), self.width)]
        return np.concatenate([self._changes(places[part], steps[None, part]) for part in parts])

    def grid(self, places: Places, steps: Array) -> Array:
        """As `Points` has it."""
        made, width = np.empty_like(steps), max(1, self.width // len(steps))
        for start in range(0, len(places), width):
            part = slice(start, start + width)
            made[:, part] = self._changes(places[part], steps[:, part]).reshape(len(steps), -1)
        return made

    def _changes(self, places: Places, steps: Array) -> Array:
        """The changes for steps (k, m) at places (m,), as (k * m,). Raises NoLanesError."""
        chosen, taken = torch.from_numpy(places), torch.from_numpy(np.ascontiguousarray(steps))
        given, count = {}, 1 + taken.numel()
        for index, column in self.columns.items():
            given[index] = self._moved(self.line.values[index], column(chosen), taken)
        if self.start in self.lanes.live:
            moved = self.line.components.repeat(count, 1)
            rows = torch.arange(1, count)
            moved[rows, chosen.repeat(len(taken))] += taken.reshape(-1)
            given[self.start] = moved
        found = self.line.in_lanes(self.lanes, given, count)
        if found is None:
            raise NoLanesError
        return found

    def _moved(self, here: torch.Tensor, column: torch.Tensor, taken: torch.Tensor) -> torch.Tensor:
        """A product as recorded, and behind it at each step along each column."""
        shape = (*taken.shape, *(1,) * here.ndim)
        made = torch.empty(1 + taken.numel(), *here.shape, dtype=here.dtype)
        made[0] = here
        behind = made[1:].view(*taken.shape, *here.shape)
        torch.addcmul(here, taken.reshape(shape), column, out=behind)
        return made
