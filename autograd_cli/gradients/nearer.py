"""What looks like a jump or an edge, looked at again.

Where values cancel, f scatters by more than its size tells; and what rises within steps that are shorter
still is smooth in these.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite, log, ulp

from autograd_cli.gradients.levels import FACTOR, Behaviour, Level, Place, Search, Slope, judged, levels_at

_ASIDE = (-1 / 16, -1 / 32, 0.0, 1 / 32, 1 / 16)
"""By what part steps are moved to see whether f is straight there: what rises as a root is to 1 in 1000."""
_MOST = 1e-10
"""The largest part of f's terms that rounding is held to come to."""
_NEAREST = 1e-45
"""Of the scale: what float32 cannot hold apart from 0; powers up to the seventh do not underflow there."""
_FLOATS = 4
"""Floats from the place, where not that is 0, within which nothing is looked at."""
_COUNT = 12
"""Steps, about, by which all is looked over, and by which it is then looked at from where it rests."""
_RESTS = 1.5
"""How many times a slope may at most grow from one of these to the next where it rests."""
_BEFORE = 2
"""Steps before it rests that are looked at again: of those alone that are shorter nothing is said to grow."""
_CLEAR = 1e-3
"""The error bar, of a slope, that is small enough to take it for one."""


def looked_at_again(place: Place, levels: Sequence[Level], found: Slope) -> Search[Slope]:
    """What was found, if what f scatters by does not explain it and shorter steps show no slope."""
    if found.behaviour is Behaviour.JUMP and not place.stepped:
        again = judged((yield from scattered(place, levels)))
        if again.behaviour is not Behaviour.JUMP:
            return again
    nearer = (yield from _nearer(place, levels)) if levels else None
    return found if nearer is None else nearer


def scattered(place: Place, levels: Sequence[Level]) -> Search[list[Level]]:
    """The levels, and with them what f scatters by beside their steps, if rounding of its terms may."""
    if place.terms is None:
        return list(levels)
    made = yield from levels_at(place, [level.h * (1 + part) for level in levels for part in _ASIDE])
    off = [_off_straight(made[k : k + len(_ASIDE)]) for k in range(0, len(made), len(_ASIDE))]
    around = [max(off[max(0, k - 1) : k + 2]) for k in range(len(off))]
    if not max(around, default=0.0) <= _MOST * place.terms():
        return list(levels)
    pairs = zip(levels, around, strict=True)
    return [level._replace(noise=max(level.noise, 2 * one / level.h)) for level, one in pairs]


def _off_straight(beside: Sequence[Level]) -> float:
    """How far f is off a straight line in these steps, on one side or the other."""
    sides = [[level.right * level.h for level in beside], [level.left * level.h for level in beside]]
    off = [abs(one[k] - 2 * one[2] + one[4 - k]) / 2 for one in sides for k in (0, 1)]
    return max((one for one in off if isfinite(one)), default=0.0)


def _nearer(place: Place, levels: Sequence[Level]) -> Search[Slope | None]:
    """The slope, or the two of a kink, in steps so short that none grows any more; else None."""
    least, last = _least(place, levels[0].h), levels[-1]
    count = int(log(last.h / least) / log(FACTOR)) if least < last.h else 0
    stride = max(1, count // _COUNT)
    far = yield from levels_at(place, [last.h / FACTOR**k for k in range(stride, count + 1, stride)])
    rests = next((one for one, other in pairwise([last, *far]) if _at_rest(one, other)), None)
    if rests is None:
        return None
    steps = [rests.h * FACTOR ** (_BEFORE - k) for k in range(_COUNT)]
    near = judged((yield from levels_at(place, [h for h in steps if h >= least])))
    if near.behaviour not in (Behaviour.SMOOTH, Behaviour.KINK):
        return None
    size = abs(near.value) if near.is_smooth else max(abs(near.left), abs(near.right))
    return near if near.error <= _CLEAR * size else None


def _least(place: Place, scale: float) -> float:
    """The shortest step that says anything."""
    return max(place.least, _FLOATS * ulp(place.at) if place.at else _NEAREST * scale)


def _at_rest(one: Level, other: Level) -> bool:
    """Whether both slopes are there and grow by little from one step to a shorter one, if at all."""
    if not isfinite(one.gap) or not isfinite(other.gap):
        return False
    grown = [(one.right, other.right), (one.left, other.left)]
    return all(abs(near) <= _RESTS * abs(far) + other.noise for far, near in grown)
