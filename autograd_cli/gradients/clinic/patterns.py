"""What a wrong gradient looks like: a sign, a factor, a transpose, a sum left out, a factor forgotten."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import torch

from autograd_cli.gradients.clinic.differences import Measured, alike, gradient, may_be, room, same
from autograd_cli.gradients.clinic.trial import Trial, Values
from autograd_cli.gradients.clinic.written import ordinal
from autograd_cli.gradients.grounds.alone import ROOM, sizes

_CLEAR = 1e-3
"""Of a gradient, how far a slope has to be known to be called none beside it."""
_HAIR = 1e-5
"""Of a value, how far it is moved to see whether the error stays."""
_TRIED = (-1, 0, 1, 2)
STRAIGHT = ": a straight-through estimate is meant to differ"
"""How a pattern ends that may be meant."""
_SHAPES = "not a sign, a constant factor, a transpose or a missing sum"


@dataclass(frozen=True)
class Wrong:
    """The wrong gradient of one slot: what backward gives for all slots and what differences give."""

    trial: Trial
    position: int
    cotangents: Sequence[torch.Tensor]
    backward: dict[int, torch.Tensor]
    numeric: dict[int, Measured]

    @property
    def given(self) -> torch.Tensor:
        """What backward gives for the slot."""
        return self.backward[self.position]

    @property
    def meant(self) -> Measured:
        """What it should give."""
        return self.numeric[self.position]

    @property
    def name(self) -> str:
        """What forward calls the slot."""
        return self.trial.names[self.position]

    @property
    def is_right(self) -> bool:
        """Whether there is no error under these cotangents."""
        zero = not bool(self.given.any()) and self.meant.is_zero
        return zero or alike(self.given, self.meant)

    def at(self, values: Values) -> tuple[torch.Tensor, Measured] | None:
        """The two gradients at other values; None where they cannot be had, or are 0 by themselves."""
        given = self._given_at(values)
        try:
            numeric = gradient(self.trial, self.position, values, self.cotangents)
        except Exception:  # their forward does not take these values
            return None
        return None if given is None or not numeric.is_known or numeric.is_zero else (given, numeric)

    def is_gone(self, values: Values) -> bool:
        """Whether there is no error at other values."""
        given = self._given_at(values)
        try:
            if given is None or not may_be(given, self.trial, self.position, values, self.cotangents):
                return False
        except Exception:  # their forward does not take these values
            return False
        made = self.at(values)
        return made is not None and alike(*made)

    def _given_at(self, values: Values) -> torch.Tensor | None:
        passed = self.trial.backward(values, self.cotangents)
        given = passed.gradients.get(self.position)
        if given is None and passed.error is None:
            given = torch.zeros_like(values[self.position])
        return given if given is not None and bool(given.isfinite().all()) else None


def patterns(wrong: Wrong) -> tuple[str, ...]:
    """What the error looks like, in sentences; the first says that it is none of the plain ones."""
    plain = next((found for look in _LOOKS if (found := look(wrong))), "")
    if plain:
        return (plain,)
    part = _one_sided(wrong)
    if part:
        return (part,)
    vanishing = list(_vanishing(wrong))
    if vanishing:
        # With one number for the lost factor, a constant factor would explain it too.
        is_plain = _factor(wrong) or vanishing[0].startswith("a transpose")
        return tuple(vanishing) if is_plain else (_SHAPES, *vanishing)
    factor = _factor(wrong)
    return (factor or _added(wrong) or _SHAPES,)


def _missing(wrong: Wrong) -> str:
    if bool(wrong.given.any()):
        return ""
    return f"backward gives nothing for {wrong.name}, whose slope is not 0"


def _unbounded(wrong: Wrong) -> str:
    """A gradient that is no finite number where there is a slope, as after a division by 0."""
    bad = ~wrong.given.isfinite() & wrong.meant.value.isfinite()
    if not bool(bad.any()):
        return ""
    size = wrong.meant.value.abs().masked_fill(~bad, torch.inf)
    place = int(size.argmin())
    given, at = (float(t.reshape(-1)[place]) for t in (wrong.given, wrong.trial.values[wrong.position]))
    what, count = "nan" if given != given else "inf", f"{int(bad.sum())} of {bad.numel()} elements"
    return (
        f"no finite number at {count}: backward gives {what} where {wrong.name} = {at:g}, as after a "
        "division by 0"
    )


def _flat(wrong: Wrong) -> str:
    """A gradient where there is no slope, as straight-through estimators have it."""
    size = float(wrong.given.abs().max())
    # Of an element at a jump nothing is known.
    clear = wrong.meant.value.isfinite() & (wrong.meant.error <= _CLEAR * size)
    if not (wrong.meant.is_zero and bool(wrong.given[clear].any())):
        return ""
    return f"forward does not change with {wrong.name} here{STRAIGHT}"


def _sign(wrong: Wrong) -> str:
    return (
        f"the sign: it is minus what it should be ({wrong.name})" if alike(-wrong.given, wrong.meant) else ""
    )


def _swapped(wrong: Wrong) -> str:
    for other in wrong.trial.slots:
        if other == wrong.position or not alike(wrong.given, wrong.numeric[other]):
            continue
        name = wrong.trial.names[other]
        both = f"the gradients of {wrong.name} and {name} are swapped"
        return both if alike(wrong.backward[other], wrong.meant) else f"it is the gradient of {name}"
    return ""


def _transposed(wrong: Wrong) -> str:
    dims = range(wrong.given.ndim)
    if not 2 <= len(dims) <= 4:
        return ""
    for order in permutations(dims):
        if order != tuple(dims) and alike(wrong.given.permute(order), wrong.meant):
            return "a transpose: it is right with its dims in another order" + (
                "" if len(dims) == 2 else f", {order}"
            )
    return ""


def _unsummed(wrong: Wrong) -> str:
    """A sum over a stretched dim that is left out: only a part of the cotangent counts, or its mean."""
    if len(wrong.trial.shapes) != 1:
        return ""
    whole, own = wrong.trial.shapes[0], tuple(wrong.given.shape)
    padded = (1,) * (len(whole) - len(own)) + own
    if len(padded) != len(whole):
        return ""
    stretched = [dim for dim, (a, b) in enumerate(zip(padded, whole, strict=True)) if a == 1 < b]
    for dim in stretched:
        if alike(wrong.given * whole[dim], wrong.meant):
            return f"{_over(wrong, dim, whole[dim])} it takes the mean"
        for row, name in ((0, "first"), (-1, "last")):
            if alike(wrong.given, _of_slice(wrong, dim, row)):
                return f"{_over(wrong, dim, whole[dim])} it takes the {name} row alone"
    return ""


def _over(wrong: Wrong, dim: int, size: int) -> str:
    return f"a missing sum: over dim {dim}, where {wrong.name} is stretched to {size},"


def _of_slice(wrong: Wrong, dim: int, row: int) -> Measured:
    """What the gradient would be if only one row of the output counted."""
    sent = torch.zeros_like(wrong.cotangents[0])
    sent.select(dim, row).copy_(wrong.cotangents[0].select(dim, row))
    return gradient(wrong.trial, wrong.position, wrong.trial.values, [sent])


def _pointwise(wrong: Wrong) -> str:
    """An error at these very values of the input, and none a hair beside."""
    value, generator = wrong.trial.values[wrong.position], torch.Generator().manual_seed(0)
    hair = torch.empty_like(value).uniform_(0.5, 1.0, generator=generator) * _HAIR  # laid out as value is
    if wrong.trial.moved(_with(wrong, wrong.position, value + hair * sizes(value))) is None:
        return ""
    if not all(_is_right(wrong, wrong.position, value + s * hair * sizes(value)) for s in (1, -1)):
        return ""
    off = (wrong.given - wrong.meant.value).abs() - wrong.meant.error
    at = float(value.reshape(-1)[int(off.reshape(-1).nan_to_num(nan=-1.0).argmax())])
    return f"it is wrong where {wrong.name} is exactly {at:.6g}, and right a hair beside"


def _unused(wrong: Wrong) -> str:
    """A backward that does not look at what it is given."""
    twice = wrong.trial.backward(wrong.trial.values, [2 * sent for sent in wrong.cotangents])
    again = twice.gradients.get(wrong.position)
    if again is None or not same(again, wrong.given):
        return ""
    return "it does not change with grad_output: that has to be a factor of it"


_LOOKS: tuple[Callable[[Wrong], str], ...] = (
    _unbounded,
    _missing,
    _flat,
    _pointwise,
    _sign,
    _swapped,
    _unsummed,
    _transposed,
    _unused,
)


def _factor(wrong: Wrong) -> str:
    factor = _times(wrong.given, wrong.meant)
    return f"a constant factor: it is {_number(factor)} times what it should be" if factor else ""


def _added(wrong: Wrong) -> str:
    """An error that is small beside the largest element, and so is no factor."""
    off = (wrong.given - wrong.meant.value).abs().nan_to_num(nan=0.0, posinf=torch.inf)
    size, largest = float(off.max()), float(wrong.given.abs().max())
    if not 0 < size <= _CLEAR * largest:
        return ""
    return f"a small term is added or lost: it is {size:.1g} off, where the largest element is {largest:.3g}"


def _times(given: torch.Tensor, meant: Measured) -> float:
    """By which number one gradient is the other; 0 where by none."""
    known = meant.value.isfinite()
    square = float((meant.value * meant.value)[known].sum())
    factor = float((given * meant.value)[known].sum()) / square if square else 0.0
    if not factor or not alike(given, meant.times(factor)):
        return 0.0
    bar = room(given, meant)[known]
    # What is hardly another number than 1 is no factor where an element cannot tell it from 1.
    is_other = ((factor - 1) * meant.value[known]).abs() > bar
    return factor if bool((is_other | (meant.value[known].abs() <= bar)).all()) else 0.0


def _number(value: float) -> str:
    for part in (1, 2, 3, 4):
        if abs(value * part - round(value * part)) < ROOM and round(value * part):
            return f"{round(value * part)}" + (f"/{part}" if part > 1 else "")
    return f"{value:.6g}"


# Experiments on the inputs


def _one_sided(wrong: Wrong) -> str:
    """An error at negative values of the input alone, or at positive ones: what it is there."""
    value = wrong.trial.values[wrong.position]
    size = torch.where(value == 0, 1.0, value.abs())
    up, down = (_tried(wrong, wrong.position, made) for made in (size, -size))
    if up is None or down is None or alike(*up) == alike(*down):
        return ""
    sign, (given, meant) = ("<", down) if alike(*up) else (">", up)
    factor = _times(given, meant)
    said = f": there it is {_number(factor)} times what it should be" if factor else ""
    return f"it is wrong where {wrong.name} {sign} 0 alone{said}"


def _vanishing(wrong: Wrong) -> Iterator[str]:
    """At which values of an input the error is gone; other inputs are tried before its own."""
    trial = wrong.trial
    others = [i for i, value in enumerate(trial.values) if _may_be_set(value)]
    for position in sorted(others, key=lambda i: i == wrong.position):
        name, value = trial.names[position], trial.values[position]
        if _is_square(value) and _is_right(wrong, position, (value + value.mT) / 2):
            yield f"a transpose: the error is 0 when {name} is symmetric; {name} stands there for {name}.T"
            return
        gone = [number for number in _TRIED if _is_right(wrong, position, _filled(value, number))]
        if gone and len(gone) < len(_TRIED):
            yield _of_values(wrong, position, gone)
            return


def _is_square(value: Any) -> bool:
    is_matrix = isinstance(value, torch.Tensor) and value.is_floating_point() and value.ndim >= 2
    return is_matrix and value.shape[-1] == value.shape[-2] > 1


def _may_be_set(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.is_floating_point()
    return isinstance(value, float) or type(value) is int


def _filled(value: Any, number: int) -> Any:
    return torch.full_like(value, number) if isinstance(value, torch.Tensor) else type(value)(number)


def _is_right(wrong: Wrong, position: int, value: Any) -> bool:
    """Whether the error is gone with another value of one input."""
    return wrong.is_gone(_with(wrong, position, value))


def _tried(wrong: Wrong, position: int, value: Any) -> tuple[torch.Tensor, Measured] | None:
    """The two gradients with another value of one input."""
    return wrong.at(_with(wrong, position, value))


def _with(wrong: Wrong, position: int, value: Any) -> Values:
    values = list(wrong.trial.values)
    values[position] = value
    return values


_LISTED = ", ".join(map(str, _TRIED))


def _of_values(wrong: Wrong, position: int, gone: list[int]) -> str:
    name = wrong.trial.names[position]
    shown = " and ".join(map(str, gone))
    head = f"the error is 0 when {name} = {shown} (tried {_LISTED})"
    if position == wrong.position:
        return f"{head}: a power of {name} is wrong"
    if gone == [1]:
        return f"{head}: a factor {name} is {_lost(wrong, position)}"
    if gone == [2]:
        return f"{head}: 2 stands there for {name}"
    return f"{head}: a term with {name} is wrong"


def _lost(wrong: Wrong, position: int) -> str:
    """Whether the whole has a factor too many; else one is lost, in the whole or in a part."""
    made = _tried(wrong, position, _filled(wrong.trial.values[position], 2))
    return "too many" if made is not None and alike(made[0], made[1].times(2)) else "lost"


def stated(owner: str, slot: int) -> str:
    """Which value of a backward is meant: "Swish.backward, its 1st return value"."""
    return f"{owner}.backward, its {ordinal(slot)} return value"
