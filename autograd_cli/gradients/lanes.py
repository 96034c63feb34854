"""A replay at several points in one evaluation, each in a lane of its own."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from autograd_cli.gradients.lane_rules import Call, NoLanesError, Site, with_lanes
from autograd_cli.gradients.replay import Planned, Replay
from autograd_cli.report import refs
from autograd_cli.run.tape import filled

Laned = tuple[Planned, Call, tuple[int, ...] | None]


class Lanes:
    """The calls of a replay that depend on some of its values, made on lanes of these.

    `values` are those of all steps at the recorded point, `live` the places that have lanes,
    the `sources` themselves among them: these are given. Raises
    NoLanesError where a call has to be made point by point.
    """

    def __init__(self, replay: Replay, values: Sequence[Any], sources: Iterable[int]) -> None:
        if replay.graded or replay.renewals:
            raise NoLanesError
        self.replay = replay
        self.values = list(values)
        given = frozenset(sources)
        self.live = set(given)
        asked = (planned for planned in replay.plan if planned.index not in given)
        self.calls = [self._laned(planned) for planned in asked if self._depends(planned)]

    def __call__(self, lanes: dict[int, Any]) -> Any:
        """The root's value on lanes; that of the recorded point where the root depends on none of these."""
        return self.every(lanes)[self.replay.root]

    def every(self, lanes: dict[int, Any]) -> list[Any]:
        """The values of all steps on lanes; of those that depend on none, at the recorded point."""
        values = self.values.copy()
        for index, value in lanes.items():
            values[index] = value
        for planned, call, slots in self.calls:
            if slots is None:
                made = call(*filled(planned.args, values), **filled(planned.kwargs, values))
            else:
                made = call(*[values[slot] for slot in slots])
            values[planned.index] = made
        return values

    def _depends(self, planned: Planned) -> bool:
        if planned.slots is not None:
            return not self.live.isdisjoint(planned.slots)
        return any(ref.index in self.live for ref in refs((planned.args, planned.kwargs)))

    def _laned(self, planned: Planned) -> Laned:
        if planned.state is not None:
            raise NoLanesError
        function = self.replay.steps[planned.index].function
        site = Site(
            planned.call, function, planned.args, planned.kwargs, planned.slots, self.values, self.live
        )
        call, slots = with_lanes(site)
        self.live.add(planned.index)
        return planned, call, slots

    @property
    def moves_root(self) -> bool:
        """Whether the root differs from lane to lane."""
        return self.replay.root in self.live

    def size(self) -> int:
        """The elements of one lane."""
        values = (self.values[index] for index in self.live)
        return sum(value.numel() for value in values if isinstance(value, torch.Tensor))
