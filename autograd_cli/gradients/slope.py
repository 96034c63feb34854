"""The derivative of a function of one real number, from its values alone.

Central differences at shrinking steps, extrapolated to step 0 in even powers of the
step (Richardson; the table and its error estimate are Ridders'). The difference of the
right and the left slope is extrapolated beside it: where that does not vanish, or no
value can be had on one side, the step is shrunk as far as rounding allows and what is
found there says which it is: a kink, a jump or the edge of the domain.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, isfinite, isinf, isnan, nan, nextafter, sqrt, ulp

from autograd_cli.gradients.levels import (
    COLUMN,
    FACTOR,
    Behaviour as Behaviour,
    Level,
    Place as Place,
    Search as Search,
    Slope as Slope,
    estimated,
    holds,
    judged,
    levels_at,
    next_row,
    taken,
)
from autograd_cli.gradients.nearer import looked_at_again, scattered

FIRST = 0.137  # of the scale; no power of two, so that no period is hit at every step
_LEVELS = 10
TOGETHER = 4
"""Levels that are asked for at once to begin with; after fewer no slope is accepted."""
_MORE = 2
RELATIVE = 1e-11
_DEEPEST = 1e-11
_CLEAR = 1e-4
"""The error bar, of a slope, within which nothing rough at the place itself can hide."""
_CONFIRMED = 111_737
"""How many times shorter the step is at which a staircase has to have its slope; no power of 2."""
_NEAR, _FINE = 1e-4, 1e-6
"""Of the scale, the steps that a curve counts for little in, and the least staircase that is no rounding."""
_LEAST = 1e-300  # of steps, by which a change can still be divided

_HALVED = [4.0**j - 1 for j in COLUMN]
_HALVED_GAPS = [2.0 ** (2 * j - 1) - 1 for j in COLUMN]


def slope(change: Callable[[float], float], place: Place, scales: Sequence[float]) -> Slope:
    """The derivative of f, of which `change(t)` is f(at + t) - f(at)."""
    asking = search(place, scales)
    steps = next(asking)
    while True:
        try:
            steps = asking.send([change(t) for t in steps])
        except StopIteration as end:
            found: Slope = end.value
            return found


def search(place: Place, scales: Sequence[float], together: int = TOGETHER) -> Search[Slope]:
    """The derivative, trying the `scales` in turn until one gives a small error bar.

    So many levels are asked for `together` to begin with.
    """
    best: Slope | None = None
    for scale in scales:
        levels: list[Level] = []
        found = yield from _shrinking(place, scale, together)
        if found is None:
            found, levels = yield from _deep(place, scale, max(scales))
        if best is not None and not found.is_smooth and best.error <= _CLEAR * abs(best.value):
            return best  # what is rough in wide steps alone only looks so
        if found.behaviour in (Behaviour.JUMP, Behaviour.EDGE):
            return (yield from looked_at_again(place, levels, found))
        if not found.is_smooth or _settled(place, found, scale, max(scales)):
            return found
        if best is None or found.error < best.error:
            best = found
    assert best is not None
    return best


def _settled(place: Place, found: Slope, scale: float, widest: float) -> bool:
    """Whether the error bar is small: against the slope, or, of no slope, against f."""
    if found.error <= 1e-9 * abs(found.value):
        return True
    return scale >= widest / 100 and found.error <= 1e-12 * place.size / scale


def opening(at: float, scale: float, levels: int) -> list[float]:
    """What a search asks for first, so many levels together."""
    return taken(at, [FIRST * scale / 2**j for j in range(levels)])


def _shrinking(place: Place, scale: float, together: int = TOGETHER) -> Search[Slope | None]:
    """The derivative from steps that halve; None where it does not settle or has a gap."""
    rows: list[list[float]] = []
    gaps: list[list[float]] = []
    levels: list[Level] = []
    best, row = (nan, inf), 0
    for k in range(_LEVELS):
        if k == len(levels):
            more = _MORE if k else together
            levels += yield from levels_at(place, [FIRST * scale / 2**j for j in range(k, k + more)])
        _, right, left, noise = levels[k]
        gap = right - left
        if not isfinite(gap):
            rows, gaps, best = [], [], (nan, inf)
            continue
        rows.append(next_row((right + left) / 2, rows, _HALVED))
        gaps.append(next_row(gap, gaps, _HALVED_GAPS))
        estimate = estimated(rows)
        if estimate[1] < best[1]:
            best, row = estimate, k
        if len(rows) < 4:
            continue
        sizes = [abs(row[0]) for row in rows[-4:]]
        if _accepted(best, gaps, noise, max(sizes), sizes[-1]):
            if place.stepped and not (yield from _is_confirmed(place, best, levels[row : k + 1])):
                return None
            return Slope(best[0], 2 * best[1] + noise + 4 * ulp(best[0]))
    return None


def _is_confirmed(place: Place, best: tuple[float, float], levels: Sequence[Level]) -> Search[bool]:
    """Whether a slope found at the first of the levels holds at the others, and at a much shorter step."""
    near = yield from levels_at(place, [levels[-1].h / _CONFIRMED])
    return holds(*best, [*levels, *near])


def _accepted(
    best: tuple[float, float], gaps: Sequence[Sequence[float]], noise: float, largest: float, last: float
) -> bool:
    """Whether the slope has settled and the gap between right and left goes to 0."""
    value, error = best
    # A slope that still falls steeply as steps shrink is no measure of how far rounding goes.
    rounding = 4 * noise + min(1e-12 * largest, 1e-3 * max(abs(value), last))
    if error > RELATIVE * abs(value) + rounding:
        return False
    gap, uncertain = gaps[-1][-1], abs(gaps[-1][-1] - gaps[-1][-2])
    return abs(gap) <= 8 * uncertain + 1e-9 * abs(value) + 4 * rounding


def _deep(place: Place, scale: float, widest: float) -> Search[tuple[Slope, list[Level]]]:
    """The derivative, or what stands in its way, from steps down to where rounding rules; what these say."""
    at = place.at
    least = max(min(_DEEPEST * scale, abs(at) / 1000 if at else inf), 4 * ulp(at))
    if place.stepped:  # the step of the staircase may end as near as floats are to each other
        least = min(least, max(64 * ulp(at), _DEEPEST**2 * scale, place.least))
    steps, h = [], FIRST * scale
    while h > least:
        steps.append(h)
        h /= FACTOR
    levels = yield from levels_at(place, steps)
    if place.stepped:  # of what may be a staircase it is not seen otherwise that it scatters
        levels = yield from scattered(place, levels)
    found = judged(levels)
    is_infinite = found.behaviour is Behaviour.EDGE and _are_infinite(levels[-4:])
    if is_infinite and (yield from _is_finite(place, 0.0)):
        return (yield from _closer(place, levels[-1].h)), levels
    is_clear = found.is_smooth and found.error <= _CLEAR * abs(found.value)
    if not place.stepped or is_clear or found.behaviour not in (Behaviour.SMOOTH, Behaviour.JUMP):
        return found, levels
    if (fine := (yield from _over_rounding(place, levels, scale, widest))) is not None:
        return fine, levels
    return (yield from _beside(place, levels, found)) if found.is_smooth else found, levels


def _over_rounding(
    place: Place, levels: Sequence[Level], scale: float, widest: float
) -> Search[Slope | None]:
    """The slope from afar of a staircase so fine that it is how f rounds; None where it is another.

    What such a rounding does to the changes counts in the error bar.
    """
    near = [level for level in levels if level.h <= _NEAR * widest]
    if not near or not isfinite(rise := near[0].central):
        return None
    off = max(abs(side - rise) * level.h for level in near for side in (level.right, level.left))
    if not 0 < off <= 0.1 * _FINE * widest * abs(rise):
        return None
    for wide in (scale, widest):
        found = yield from _shrinking(place._replace(stepped=False, noise=max(place.noise, off)), wide)
        if found is not None and found.error <= _CLEAR * abs(found.value):
            return found
    return None


def _beside(place: Place, levels: Sequence[Level], found: Slope) -> Search[Slope]:
    """The derivative from steps that do not leave the step of a staircase on which the place is."""
    differ = (a.h for a, b in pairwise(levels) if abs(a.central - b.central) > 2 * b.noise)
    far = min(differ, default=inf)
    on_step = [level for level in levels if level.h < far]
    is_flat = all(level.right == level.left == 0 for level in on_step)  # then no rounding is in it
    noise = max(level.noise * level.h / 2 for level in on_step)
    here = place._replace(stepped=False, noise=ulp(place.size) if is_flat else noise)
    better = yield from _shrinking(here, on_step[0].h / FIRST)
    return better if better is not None and better.error < found.error else found


def _are_infinite(levels: Sequence[Level]) -> bool:
    """Whether values are too large for floats, none of them undefined."""
    slopes = [slope for level in levels for slope in (level.right, level.left)]
    return any(map(isinf, slopes)) and not any(map(isnan, slopes))


def _is_finite(place: Place, h: float) -> Search[bool]:
    """Whether there are values a step away on both sides; the step is the least one where `h` is less."""
    at = place.at
    up, down = max(at + h, nextafter(at, inf)) - at, min(at - h, nextafter(at, -inf)) - at
    changes = yield [up, down]
    return all(map(isfinite, changes))


def _closer(place: Place, far: float) -> Search[Slope]:
    """The derivative from steps less than `far`, which overflows; NaN, and smooth, where none can tell."""
    near = max(ulp(place.at), _LEAST)
    while far > 2 * near:
        middle = sqrt(near) * sqrt(far)
        is_near = yield from _is_finite(place, middle)
        near, far = (middle, far) if is_near else (near, middle)
    found = yield from _shrinking(place, near / FIRST)
    return found if found is not None and found.error < abs(found.value) else Slope(nan, nan)
