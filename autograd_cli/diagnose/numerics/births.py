"""Where NaN and infinity begin: in a value, or in a product of the backward, with its numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.numerics.elements import Focus, at_focus, marks, pick, reaches
from autograd_cli.diagnose.numerics.played import (
    Index,
    Number,
    Played,
    factor,
    handed,
    number_of,
    reached_from,
)
from autograd_cli.diagnose.scene import is_floating
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import below
from autograd_cli.run.tape import LiveStep

IsWrong = Callable[[torch.Tensor], torch.Tensor]

_MOST = 4096
"""Elements of a step that are asked one by one which of them makes a product that is no number."""


@dataclass(frozen=True)
class Born:
    """A product of the backward that is not finite: what `step` hands to its operand, a step's index.

    `index` is the element of the operand, `value` its number; `out` the element of the step's
    value that `arriving` comes to; `factor` the slope of that by the operand's element; `made`
    what is handed on. None where a number is not known.
    """

    step: LiveStep
    operand: int
    index: Index
    value: Number
    out: Index | None
    arriving: Number | None
    factor: Number | None
    made: Number


@dataclass(frozen=True)
class Spoilt:
    """The first step whose value is not finite at `index` though nothing that is so goes into it."""

    step: LiveStep
    index: Index
    value: Number


def first(one: Played, focus: Focus | None = None, out: Spoilt | None = None) -> Born | None:
    """The first product, from the output down, that is not finite though what arrives is.

    An operand of 0 is preferred: of several that arise at once it is the one to mend. Of its elements
    that of `focus` is, and of those of the step itself that of `out`.
    """
    found = list(_finite_given(one, focus, out))
    found.sort(key=lambda born: (not _leads(one, born, focus), _plain(one, born)))
    return found[0] if found else None


def _leads(one: Played, born: Born, focus: Focus | None) -> bool:
    return focus is None or marks(one, born.operand, born.index, focus) > 0


def _plain(one: Played, born: Born) -> int:
    """0 for an operand of 0 where there is no slope, 1 for another without a slope, 2 else."""
    if born.factor is None or _is_number(born.factor):
        return 2
    return int(born.value != 0)


def _finite_given(one: Played, focus: Focus | None, out: Spoilt | None) -> Iterator[Born]:
    for step in _downwards(one):
        arriving = one.slopes[step.index]
        if bool(arriving.isfinite().all()):
            near = out.index if out is not None and out.step is step else None
            yield from _products(one, step, arriving, focus, near)


def follows(one: Played, born: Born, focus: Focus | None = None) -> Born | None:
    """Where an infinite product becomes NaN further down, by a factor of 0."""
    if born.made != born.made:
        return None
    for step in _downwards(one):
        arriving = one.slopes[step.index]
        if step.index > born.operand or bool(arriving.isfinite().all()) or bool(arriving.isnan().any()):
            continue
        for each in _products(one, step, arriving, focus):
            if each.made != each.made and _leads(one, each, focus):
                return each
    return None


def first_nan(one: Played, focus: Focus) -> Born | None:
    """The first product, from the output down, that is NaN while what arrives is not, and leads to `focus`.

    One of 0 and infinity is preferred to one whose factor is NaN itself.
    """
    found = None
    for step in _downwards(one):
        for made in _nan_products(one, step, focus):
            if made.factor is None or made.factor == made.factor:
                return made
            found = found or made
    return found


def _nan_products(one: Played, step: LiveStep, focus: Focus) -> Iterator[Born]:
    arriving = one.slopes[step.index]
    for operand, slope in handed(one, step, arriving).items():
        index = _nan_at(one, operand, slope.isnan(), focus) if bool(slope.isnan().any()) else None
        if index is None:
            continue
        made = _product(one, step, operand, index, arriving, slope, None, is_wrong=_is_nan)
        came = made.arriving
        if (came == came) if came is not None else not bool(arriving.isnan().any()):
            yield made


def _nan_at(one: Played, operand: int, nan: torch.Tensor, focus: Focus) -> Index | None:
    """The element of an operand that leads to `focus`; a single one does by a slope of 0 too, as 0 × nan."""
    single: Index = (0,) * nan.ndim
    if nan.numel() == 1 and reaches(one, operand, single, focus):
        return single
    return at_focus(one, operand, nan, focus)


def _is_nan(value: Number) -> bool:
    return value != value


@dataclass(frozen=True)
class Meeting:
    """An element of a step's value to which infinite parts of both signs come: their sum is no number."""

    step: LiveStep
    index: Index
    parts: tuple[Number, ...]


def meeting(one: Played, focus: Focus | None = None) -> Meeting | None:
    """The first value, from the output down, to which inf and -inf come from different calls."""
    for step in reversed(one.run.steps):
        slope = one.slopes.get(step.index)
        if slope is None or not bool(slope.isnan().any()):
            continue
        index = pick(one, step.index, slope.isnan(), focus)
        parts = tuple(_parts(one, step, index))
        if len(parts) > 1 and all(part == part for part in parts):
            return Meeting(step, index, parts)
    return None


def _parts(one: Played, step: LiveStep, index: Index) -> Iterator[Number]:
    """What the calls that read a value send to an element of it."""
    for reader in one.run.steps[step.index + 1 : one.root + 1]:
        if reader.index in one.slopes and step.index in below(reader):
            sent = handed(one, reader, one.slopes[reader.index]).get(step.index)
            if sent is not None:
                yield number_of(sent[index])


def _downwards(one: Played) -> Iterator[LiveStep]:
    """The calls from the root to the leaves that something arrives at."""
    for step in reversed(one.run.steps):
        if step.index in one.slopes and step.index in one.calls and one.values[step.index].requires_grad:
            yield step


def _products(
    one: Played,
    step: LiveStep,
    arriving: torch.Tensor,
    focus: Focus | None = None,
    near: Index | None = None,
) -> Iterator[Born]:
    for operand, slope in handed(one, step, arriving).items():
        wrong = ~slope.isfinite()
        if not bool(wrong.any()):
            continue
        at = None if focus is None else at_focus(one, operand, wrong, focus)
        if bool(slope.isnan().any()) and not bool(arriving.isnan().any()):
            wrong = slope.isnan()
        index: Index = tuple(wrong.nonzero()[0].tolist()) if at is None else at
        yield _product(one, step, operand, index, arriving, slope, near)


def _product(
    one: Played,
    step: LiveStep,
    operand: int,
    index: Index,
    arriving: torch.Tensor,
    slope: torch.Tensor,
    near: Index | None,
    is_wrong: Callable[[Number], bool] = lambda product: not _is_number(product),
) -> Born:
    value, made = number_of(one.operand(step, operand)[index]), number_of(slope[index])
    outs = sorted(_outs(one, step, operand, index), key=lambda out: out != near)
    parts = [(out, number_of(arriving[out]), _slope(one, step, operand, index, out)) for out in outs]
    for out, came, by in parts:
        if by is not None and is_wrong(came * by):
            return Born(step, operand, index, value, out, came, by, made)
    if arriving.numel() == 1:
        return Born(step, operand, index, value, (), number_of(arriving), None, made)
    if len(parts) == 1:
        return Born(step, operand, index, value, *parts[0], made)
    return Born(step, operand, index, value, None, None, None, made)


def _outs(one: Played, step: LiveStep, operand: int, index: Index) -> Sequence[Index]:
    """The elements of a step's value to which the element of an operand counts one by one."""
    made = one.values[step.index]
    if step.function is not None and step.function.kind is Kind.ELEMENTWISE and made.numel() <= _MOST:
        return list(reached_from(one, step, operand, index))
    return [index] if made.shape == one.values[operand].shape and _is_activation(step) else []


def _is_activation(step: LiveStep) -> bool:
    return step.function is not None and step.function.name in ("where", "masked_fill", "clamp")


def _slope(one: Played, step: LiveStep, operand: int, index: Index, out: Index) -> Number | None:
    is_elementwise = step.function is not None and step.function.kind is Kind.ELEMENTWISE
    return factor(one, step, operand, index, out) if is_elementwise else None


def _is_number(value: Number) -> bool:
    return value - value == 0


# Values


def spoilt(one: Played, focus: Focus | None = None, near: Index = ()) -> Spoilt | None:
    """The first value that is no number or infinite while nothing that goes into it is.

    Of the elements that `focus` goes into, where it is given; else at the place `near` if it is so there.
    """
    for step in one.run.steps[: one.root + 1]:
        value = one.made(step)
        if step.kind != "call" or not _is_looked_at(value):
            continue
        for is_wrong in (torch.isnan, torch.isinf):
            wrong = is_wrong(value)
            if bool(wrong.any()) and not _is_given(one, step, is_wrong):
                if focus is None:
                    every = [tuple(each) for each in wrong.nonzero().tolist()]
                    index = near if near in every else every[0]
                    return Spoilt(step, index, number_of(value[index]))
                at = at_focus(one, step.index, ~value.isfinite(), focus)
                if at is not None:
                    return Spoilt(step, at, number_of(value[at]))
    return None


def _is_given(one: Played, step: LiveStep, is_wrong: IsWrong) -> bool:
    """Whether what a step is given is so already."""
    given = [*step.args, *step.kwargs.values(), *(one.operand(step, index) for index in below(step))]
    numbers = [
        torch.tensor(each, dtype=torch.complex128) for each in given if isinstance(each, float | complex)
    ]
    tensors = [each.detach() for each in given if _is_looked_at(each)]
    return any(bool(is_wrong(each).any()) for each in (*numbers, *tensors))


def _is_looked_at(value: Any) -> bool:
    return is_floating(value) and not value.is_meta
