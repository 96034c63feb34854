"""The numeric witness: a gradient from values of the program alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from operator import itemgetter
from typing import Literal

import numpy as np
import torch

from autograd_cli.gradients.columns import by_columns
from autograd_cli.gradients.line import Array, Line, Places
from autograd_cli.gradients.many import PART, Many
from autograd_cli.gradients.openings import LEVELS, Opened
from autograd_cli.gradients.points import Directions, Elements, Points
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.slope import TOGETHER, Behaviour, Place, Search, Slope, search
from autograd_cli.gradients.structure import Structured, structured
from autograd_cli.lang.swift import swift

ELEMENTS = 1000
"""A leaf of more components than this is probed along random directions."""
DIRECTIONS = 16
_WORK = 300_000_000
"""Components times the work of one replay, above which a smaller leaf is probed as well."""
_BEARABLE = 30_000_000_000
"""The same, above which not all components are looked at even where that is asked for."""
_SEARCHED = 1000
"""Components whose slopes are searched for one by one, where most were found all at once."""
_FEW = 6
"""Components that are sooner looked at one by one than as arrays."""
_SHORT = 1e-13
"""The shortest step along a direction, of a typical component."""
_SMALL = 40
"""Components up to which each is moved alone: to find out whether they touch each other takes longer."""

Chosen = int | Literal["all"]
"""How many components of a leaf are looked at."""


@swift
@dataclass(frozen=True)
class Numeric:
    """Slopes by component of the leaf, or by direction where `probes` is given.

    `values` and `errors` are float64 of shape (n,); a value is NaN at a jump and at an
    edge of the domain. `slopes` holds the places where the function is not smooth. `remark`
    says which were not looked at: their values are NaN.
    """

    values: torch.Tensor
    errors: torch.Tensor
    slopes: dict[int, Slope] = field(default_factory=dict)
    probes: "Probes | None" = None
    remark: str = ""

    @property
    def widest(self) -> float | None:
        """The largest error bar of a smooth place; None where there is none."""
        if self.errors.numel() <= _FEW:
            errors = enumerate(self.errors.tolist())
            return max((e for i, e in errors if e == e and i not in self.slopes), default=None)
        known = self.errors.numpy()
        if self.slopes:
            known = known.copy()
            known[list(self.slopes)] = nan
        widest = float(np.fmax.reduce(known))
        return None if widest != widest else widest


@dataclass(frozen=True)
class Probes:
    """Seeded random directions of +1 and -1 in the components of a leaf."""

    components: int
    count: int = DIRECTIONS

    def direction(self, number: int) -> torch.Tensor:
        """The direction of that number, float64 of shape (components,)."""
        generator = torch.Generator().manual_seed(number)
        signs = torch.randint(0, 2, (self.components,), generator=generator)
        return signs.to(torch.float64).mul_(2).sub_(1)

    def along(self, gradients: torch.Tensor) -> torch.Tensor:
        """The slopes of gradients along each direction: (m, components) -> (m, count)."""
        return torch.stack([gradients @ self.direction(number) for number in range(self.count)], -1)


def numeric(
    replay: Replay,
    name: str,
    cotangent: torch.Tensor,
    noise: float = 0.0,
    elements: Chosen | None = None,
    opened: Sequence[Opened] = (),
    known: Structured | None = None,
) -> Numeric:
    """The slopes of the leaf `name`, by Ridders' extrapolation.

    `noise` is the measured rounding error of the sum in float64, where it is more than
    the size of the sum makes one expect. `elements` is how many components are looked at: of
    all, those that can be had in bearable time; by default, of a large leaf or a dear program,
    some directions. `opened` is what is known of the first steps of each component, `known` the components
    as they move at once, where that was found out. Raises ReplayError.
    """
    with replay.session():
        if known is not None:
            known.measure(noise)
        line = known.line if known else Line(replay, name, cotangent, noise)
        count = line.components.numel()
        if elements is None and not (count <= ELEMENTS and count * replay.work() <= _WORK):
            return _by_direction(line)
        places = _places(count, elements)
        found = _found_sooner(line, places, known) if count > _SMALL else None
        if found is None and elements == "all" and count * replay.work() > _BEARABLE:
            return _by_direction(line)
        return _clouded(line, found or _found(line, Elements(line), places, opened))


def _places(count: int, elements: Chosen | None) -> Places:
    """The components that are looked at, all or as many as are chosen at random."""
    if elements is None or elements == "all" or elements >= count:
        return np.arange(count)
    drawn = torch.randperm(count, generator=torch.Generator().manual_seed(0))[:elements]
    places: Places = drawn.sort().values.numpy()
    return places


def _found_sooner(line: Line, places: Places, known: Structured | None) -> Numeric | None:
    """The slopes by what takes less time than each component alone; None where that cannot be had."""
    try:
        points = known or structured(line) or by_columns(line)
        return None if points is None else _found(line, points, places)
    except Exception:  # one component after the other says what is wrong
        return None


def _clouded(line: Line, found: Numeric) -> Numeric:
    """What was found, without a slope where a component reaches what is not finite.

    One that is itself not finite, and reaches only what is, stays what it is by any step: it moves nothing.
    """
    for i in line.infinite():
        found.slopes.pop(i, None)
        found.values[i] = found.errors[i] = 0.0
    for i in line.clouded():
        found.slopes[i] = Slope(nan, nan, Behaviour.EDGE)
        found.values[i] = found.errors[i] = nan
    return found


def _by_direction(line: Line) -> Numeric:
    probes = Probes(line.components.numel())
    points = Directions(line, probes.direction, probes.count)
    found = _found(line, points, np.arange(probes.count))
    return Numeric(found.values, found.errors, found.slopes, probes)


def _found(line: Line, points: Points, places: Places, opened: Sequence[Opened] = ()) -> Numeric:
    """The slopes at the places."""
    searches = _Searches(line, points, places, opened)
    if len(places) <= (_SEARCHED if line.stepped else _FEW):
        searches.run(np.arange(len(places)))
        return searches.given(np.empty(len(places)), np.empty(len(places)))
    values, errors, left = np.empty(len(places)), np.empty(len(places)), 0
    for start in range(0, len(places), PART):
        part = slice(start, start + PART)
        many = Many(line, points, places[part])
        values[part], errors[part] = many.values, many.errors
        rest = np.flatnonzero(~many.stand)
        room = max(0, _SEARCHED - len(searches.found))
        if len(rest):
            searches.run(rest[:room], start, many.known)
        values[start + rest[room:]] = errors[start + rest[room:]] = nan
        left += len(rest[room:])
    return searches.given(values, errors, left)


class _Searches:
    """Searches for the slopes at several places, side by side: their points are evaluated together."""

    def __init__(self, line: Line, points: Points, places: Places, opened: Sequence[Opened]) -> None:
        self.line = line
        self.opened = opened
        self.points = points
        self.places = places
        self.found: dict[int, Slope] = {}
        self.led: dict[int, Search[Slope]] = {}
        self.asked: dict[int, list[float]] = {}

    def run(self, chosen: Places, start: int = 0, changes: Array | None = None) -> None:
        """Lead the searches chosen from `start` on; changes at their first levels may be known."""
        is_cheap = changes is None and (self.opened or self.line.rows > _FEW * LEVELS)
        together = LEVELS if is_cheap else TOGETHER
        for number in (chosen + start).tolist():
            self.led[number] = search(*self._start(number), together)
            self.asked[number] = next(self.led[number])
            if changes is not None:
                self._answer(number, changes[:, number - start].reshape(2, TOGETHER).T.ravel().tolist())
            elif self.opened:
                self._open(number)
        while self.asked:
            counts = list(map(len, self.asked.values()))
            places = np.repeat(self.places[list(self.asked)], counts)
            steps = np.array([step for steps in self.asked.values() for step in steps])
            made = iter(self.points.changes(places, steps).tolist() if len(steps) else ())
            for number, count in zip(list(self.asked), counts, strict=True):
                self._answer(number, list(islice(made, count)))

    def _open(self, number: int) -> None:
        """Give a search what its first steps change, if the output without a step is the recorded one."""
        opened, line = self.opened[int(self.places[number])], self.line
        if opened.steps == self.asked[number] and line.is_recorded(opened.here):
            self._answer(number, [(output - opened.here) * line.weight for output in opened.outputs])

    def _start(self, number: int) -> tuple[Place, list[float]]:
        """Where a search begins, and the scales that it tries."""
        at, line = float(self.points.at[self.places[number]]), self.line
        scales = [abs(at) or line.typical]
        scales += [wide for wide in (line.typical, 1.0) if wide > 8 * scales[0]]
        least = _SHORT * line.typical if isinstance(self.points, Directions) else 0.0
        return Place(at, line.size, line.noise, line.stepped, least, line.largest), scales

    def _answer(self, number: int, changes: list[float]) -> None:
        """Give a search the changes that it asked for."""
        try:
            self.asked[number] = self.led[number].send(changes)
        except StopIteration as end:
            self.found[number] = end.value
            del self.asked[number]

    def given(self, values: Array, errors: Array, left: int = 0) -> Numeric:
        """What was found, in place of what the arrays hold there; so many were `left`."""
        for number, slope in self.found.items():
            values[number], errors[number] = slope.value, slope.error
        rough = [(number, one) for number, one in self.found.items() if not one.is_smooth]
        slopes = {int(self.places[number]): one for number, one in sorted(rough, key=itemgetter(0))}
        count, chosen, remark = len(self.points.at), len(self.places), ""
        if chosen < count:
            values, errors = (_spread(part, self.places, count) for part in (values, errors))
            remark = f"the numeric slopes are those of {chosen:,} elements of {count:,}, chosen at random"
        if left:
            remark += "; " if remark else ""
            remark += f"{left:,} elements whose slope does not settle at first were not looked into further"
        return Numeric(torch.from_numpy(values), torch.from_numpy(errors), slopes, remark=remark)


def _spread(some: Array, places: Places, count: int) -> Array:
    """Values at their places among as many as there are, NaN elsewhere."""
    every = np.full(count, nan)
    every[places] = some
    return every
