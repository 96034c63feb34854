"""The gradients of a program and of its repair, side by side: what a mistake makes of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_cli.diagnose.both import Both, Tensors, both
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.errors import LimitError
from autograd_cli.run.traced import BackwardCall, Observer, Traced

MOST_BACKWARDS = 20
"""Backwards that are compared, from the first on."""


def compared(whole: Whole, other: str) -> list[Both]:
    """The backwards that both programs make, one each; empty where nothing is known of them."""
    pairs = zip(_watched(whole, whole.source.text), _watched(whole, other), strict=False)
    return [both((one.root, two.root), one.gradients, two.gradients) for one, two in pairs]


def reached(whole: Whole) -> set[str] | None:
    """The leaves that some backward gives a gradient to, by name; None where there are too many to see."""
    seen = _watched(whole, whole.source.text)
    return {name for each in seen for name in each.gradients} if 0 < len(seen) < MOST_BACKWARDS else None


def first_of(backwards: Sequence[Both]) -> Both | None:
    """The first backward whose gradients are others; None where all are the same."""
    return next((each for each in backwards if each.gradients), None)


def furthest(backwards: Sequence[Both]) -> Both | None:
    """The backward that starts from another number than the repair's by most; None without one."""
    known = [each for each in backwards if each.root is not None]
    return max(known, key=lambda each: abs(each.root[0] - each.root[1]) if each.root else 0.0, default=None)


# A run, watched


@dataclass(frozen=True)
class _Seen:
    root: float | None
    gradients: Tensors


@dataclass
class _Watcher(Observer):
    """Asks for the gradients of all named leaves before each backward of a run."""

    seen: list[_Seen] = field(default_factory=list)

    def before(self, call: BackwardCall) -> None:
        """Ask for the gradients while the graph stands."""
        if len(self.seen) < MOST_BACKWARDS:
            self.seen.append(_Seen(_number(call), _gradients(call)))


def _watched(whole: Whole, text: str) -> Sequence[_Seen]:
    watcher = _Watcher()
    try:
        ran = rerun(whole.ran, text, watcher)
    except LimitError:  # it takes too long to be tried
        return ()
    return () if ran is None else watcher.seen


def _number(call: BackwardCall) -> float | None:
    value = call.roots[0].value if len(call.roots) == 1 else None
    is_one = isinstance(value, torch.Tensor) and value.numel() == 1 and value.is_floating_point()
    return float(value.detach()) if is_one and value is not None else None


def _gradients(call: BackwardCall) -> Tensors:
    leaves = dict(_leaves(call))
    if not leaves or not call.roots:
        return {}
    roots = [root.value for root in call.roots]
    try:
        found = torch.autograd.grad(
            roots, list(leaves.values()), list(call.cotangents), retain_graph=True, allow_unused=True
        )
    except RuntimeError:  # there is no graph, or it was freed: the backward itself will say so
        return {}
    return {name: grad.detach() for name, grad in zip(leaves, found, strict=True) if _is_plain(grad)}


def _is_plain(grad: Any) -> bool:
    return isinstance(grad, torch.Tensor) and grad.layout is torch.strided and not grad.is_complex()


def _leaves(call: BackwardCall) -> Iterator[tuple[str, torch.Tensor]]:
    for name, held in call.names.items():
        value = held.value if isinstance(held, Traced) else None
        if is_trained(value):
            yield name, value
