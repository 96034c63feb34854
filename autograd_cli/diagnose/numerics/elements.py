"""Which element of a leaf and which of a value on its way belong together, so that one alone is spoken of."""

from dataclasses import dataclass

import torch

from autograd_cli.diagnose.numerics.played import Index, Played

_MOST = 24
"""Elements of a value that are asked one by one what goes into them."""


@dataclass(frozen=True)
class Focus:
    """The element of a leaf that a finding speaks of."""

    leaf: str
    index: Index


def pick(one: Played, step: int, wrong: torch.Tensor, focus: Focus | None) -> Index:
    """The element that is told of, of those marked in a step's value: one that has to do with `focus`."""
    found = None if focus is None else at_focus(one, step, wrong, focus)
    return tuple(wrong.nonzero()[0].tolist()) if found is None else found


def at_focus(one: Played, step: int, wrong: torch.Tensor, focus: Focus) -> Index | None:
    """The first element, of those marked in a step's value, that `focus` goes into; None where none is."""
    if focus.leaf not in one.leaves:
        return None
    every = [tuple(each) for each in wrong.nonzero().tolist()]
    shape = tuple(one.values[one.leaves[focus.leaf]].shape)
    aligned = [each for each in every if _is_aligned(tuple(wrong.shape), each, shape, focus.index)]
    likely = [*aligned[:_MOST], *every[:_MOST]]
    surely = (each for each in likely if marks(one, step, each, focus) == _SURELY)
    maybe = (each for each in aligned[:_MOST] if marks(one, step, each, focus))
    found = next(surely, None)
    return next(maybe, None) if found is None else found


def belonging(one: Played, step: int, index: Index, leaf: str, wrong: torch.Tensor) -> Index | None:
    """The element of a leaf, of those marked, that goes into an element of a step's value; None for none.

    The first of those marked where it does, else the one at the same place.
    """
    slope = _slope(one, step, index, leaf)
    if slope is None or slope.shape != wrong.shape:
        return None
    shape = tuple(one.values[step].shape)
    first = tuple(wrong.nonzero()[0].tolist())
    if bool(_surely(slope)[first]):
        return first
    for mask in (_surely(slope) & wrong, slope.isnan() & wrong):
        every = [tuple(each) for each in mask.nonzero().tolist()]
        if every:
            aligned = (each for each in every if _is_aligned(shape, index, tuple(slope.shape), each))
            return next(aligned, every[0])
    return None


_SURELY = 2


def marks(one: Played, step: int, index: Index, focus: Focus) -> int:
    """2 where the element of the leaf surely goes into one of a value, 1 where that is not known, else 0.

    NaN is no news where an infinite factor of other elements gives it too, as 0 × inf.
    """
    slope = _slope(one, step, index, focus.leaf) if focus.leaf in one.leaves else None
    if slope is None:
        return 0
    is_nan = bool(slope.isnan()[focus.index])
    alone = is_nan and int((slope != 0).sum()) == 1
    return _SURELY if alone or bool(_surely(slope)[focus.index]) else int(is_nan)


def reaches(one: Played, step: int, index: Index, focus: Focus) -> bool:
    """Whether an element of a step's value has a gradient by the leaf at all, be it 0."""
    return focus.leaf in one.leaves and _slope(one, step, index, focus.leaf) is not None


def _surely(slope: torch.Tensor) -> torch.Tensor:
    return (slope != 0) & ~slope.isnan()


def _slope(one: Played, step: int, index: Index, leaf: str) -> torch.Tensor | None:
    """The gradient of one element of a value by a leaf; NaN where an infinite factor meets other elements."""
    value, given = one.values[step], one.values[one.leaves[leaf]]
    chosen = torch.zeros_like(value)
    chosen[index] = 1
    if value is given:
        return chosen
    if not value.requires_grad:
        return None
    (found,) = torch.autograd.grad(value, given, chosen, retain_graph=True, allow_unused=True)
    return found if isinstance(found, torch.Tensor) else None


def _is_aligned(shape: Index, index: Index, other: Index, element: Index) -> bool:
    """Whether two elements stand at the same place where both shapes are aligned at the right."""
    pairs = zip(shape[::-1], index[::-1], other[::-1], element[::-1], strict=False)
    return all(i == j or 1 in (n, m) for n, i, m, j in pairs)
