"""The first backward of a program whose gradients are not finite while its leaves are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from autograd_cli.diagnose import nonfinite
from autograd_cli.diagnose.numerics.played import played
from autograd_cli.diagnose.overflow import all_finite
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.ways import slice_of
from autograd_cli.diagnose.scene import Scene
from autograd_cli.errors import LimitError
from autograd_cli.report import Finding, Gradient
from autograd_cli.run.traced import BackwardCall, Observer, Traced, now
from autograd_cli.run.values import plain


@dataclass
class _First(Observer):
    """An observer: the first backward after which some leaf's `.grad` is not finite, if the leaves were."""

    call: BackwardCall | None = None
    over: bool = False

    def before(self, call: BackwardCall) -> None:
        """A leaf that is no number ends the search: it was made so elsewhere."""
        self.over = self.over or not all(all_finite(leaf) for leaf in _leaves(call))

    def after(self, call: BackwardCall, error: Exception | None) -> None:
        """Keep the first backward that leaves something that is not finite."""
        if self.over or error is not None:
            return
        if any(leaf.grad is not None and not all_finite(leaf.grad) for leaf in _leaves(call)):
            self.call, self.over = call, True


def _leaves(call: BackwardCall) -> Iterator[torch.Tensor]:
    for held in call.names.values():
        value = now(held).value if isinstance(held, Traced) else None
        if isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad:
            yield value


def first(scene: Scene) -> Finding | None:
    """What is said of the first backward whose gradients are not finite; None where none is told apart."""
    if scene.ran is None:
        return None
    seen = _First()
    try:
        again = rerun(scene.ran, scene.source.text, seen)
    except LimitError:
        return None
    call = seen.call
    if again is None or call is None or not call.roots:
        return None
    run = slice_of(again, call)
    sent = call.cotangents[0] if len(call.roots) == 1 else None
    one = played(run, sent)
    if one is None:
        return None
    rows = [_row(name, value) for name, value in one.gradients.items()]
    found = list(nonfinite.gradient(Scene(run, None, rows, cotangent=sent, ran=scene.ran, call=call)))
    return _dated(found[0], call) if found and found[0].name != "value-overflow" else None


def _row(name: str, value: torch.Tensor) -> Gradient:
    """A gradient known by one witness."""
    shape = tuple(value.shape)
    return Gradient(name, shape, None, "", "", None, plain(value), None, None, None, None, None, None)


def _dated(finding: Finding, call: BackwardCall) -> Finding:
    words = f"in round {call.round}: every gradient before it is finite"
    return replace(finding, cause=(*finding.cause, words)) if call.round > 1 else finding
