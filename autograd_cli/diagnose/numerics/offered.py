"""What is said of a rewrite that was run: what it makes of the value, and of the gradients."""

from typing import NamedTuple

import torch

from autograd_cli.diagnose.numerics.played import Played, number_of
from autograd_cli.diagnose.numerics.proving import Proof
from autograd_cli.diagnose.numerics.telling import number

ALIKE = 1e-4
"""How far other elements may move, by the size of the largest, in a rewrite that is not exact."""
_TINY = 1e-12
"""How far a value of 0 may move in one."""


class Found(NamedTuple):
    """A rewrite that holds, with its proof."""

    words: str
    program: str
    proof: Proof
    depth: int
    exact: bool


def as_exact(found: list[Found]) -> list[Found]:
    """Those that give the value that one which is the same number gives, if there is one."""
    right = next((each.proof.played.output for each in found if each.exact), None)
    if right is None:
        return found
    return [each for each in found if _alike(each.proof.played.output, right)]


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and bool(_close(one, other).all())


def _close(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.isclose(one, other.to(one.dtype), rtol=ALIKE, atol=_TINY)


def _changed(before: torch.Tensor, after: torch.Tensor) -> str:
    """What becomes of the value, where that was finite and is another one."""
    if before.shape != after.shape or not bool(before.isfinite().all()) or _alike(before, after):
        return ""
    if before.numel() == 1:
        return f"the value is then {number(number_of(after))}, not {number(number_of(before))}, "
    others = int((~_close(before, after)).sum())
    return f"the value is another at {others} of {before.numel()} elements, "


def told(found: Found, before: Played) -> str:
    """The words of a rewrite with what it makes of the value and of the gradients."""
    proved = found.proof
    same = "the same value, " if proved.same else _changed(before.output, proved.played.output)
    words = f"{found.words}: {same}every element of the gradient is finite"
    if not proved.others:
        return words
    rest = f"the other {proved.others} are" if proved.others > 1 else "the other one is"
    equal = "as before" if not proved.worst else f"within {proved.worst:.1g} of before"
    return f"{words}, {rest} {equal}"
