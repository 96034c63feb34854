"""Rewrites that are run before they are offered: is all finite, and the rest as it was?"""

from dataclasses import dataclass

import torch

from autograd_cli.diagnose.numerics.births import spoilt
from autograd_cli.diagnose.numerics.played import Played, played
from autograd_cli.diagnose.scene import Scene
from autograd_cli.errors import AgxError
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.slices import sliced
from autograd_cli.run.tape import Run
from autograd_cli.run.traced import BackwardCall, Observer, Ran, Traced, now


@dataclass(frozen=True)
class Proof:
    """A rewrite that ran: how many elements of the gradients are not finite, and how the others compare.

    `others` are the elements that were finite before, `worst` the largest difference among them, by
    the size of the largest; `same` that the output is the one it was.
    """

    scene: Scene
    played: Played
    bad: int
    others: int
    worst: float
    same: bool


def proof(scene: Scene, before: Played, program: str) -> Proof | None:
    """The rewritten program run on the same bindings; None where it does not come to its end."""
    made = run_again(scene, program)
    if made is None:
        return None
    after = played(made, scene.cotangent)
    if after is None or set(after.leaves) != set(before.leaves):
        return None
    other = Scene(made, None, (), cotangent=scene.cotangent, ran=scene.ran, call=scene.call)
    bad, others, worst = _compared(before, after)
    bad += int((~after.output.isfinite()).sum())
    same = (
        bool(torch.equal(before.output, after.output)) if before.output.shape == after.output.shape else False
    )
    return Proof(other, after, bad, others, worst, same)


def _compared(before: Played, after: Played) -> tuple[int, int, float]:
    bad = others = 0
    worst = 0.0
    sick, gradients = spoils(before), before.gradients
    for name, new in after.gradients.items():
        bad += int((~new.isfinite()).sum())
        old = gradients.get(name)
        if old is None or old.shape != new.shape:
            continue
        well = old.isfinite() & ~sick.get(name, torch.zeros_like(old, dtype=torch.bool))
        known = well & new.isfinite()
        others += int(well.sum())
        if bool(known.any()):
            apart, size = (old - new)[known].abs().max().double(), old[known].abs().max().double()
            worst = max(worst, float(apart / size) if float(apart) else 0.0)
    return bad, others, worst


def spoils(one: Played) -> dict[str, torch.Tensor]:
    """The elements of each leaf that a value which is not finite is computed from, where there is one."""
    found = spoilt(one)
    if found is None or not one.values[found.step.index].requires_grad:
        return {}
    value = one.values[found.step.index]
    wrong = (~value.detach().isfinite()).to(value.dtype)
    leaves = {name: one.values[index] for name, index in one.leaves.items()}
    slopes = torch.autograd.grad(value, list(leaves.values()), wrong, retain_graph=True, allow_unused=True)
    return {name: slope != 0 for name, slope in zip(leaves, slopes, strict=True) if slope is not None}


def run_again(scene: Scene, program: str) -> Run | None:
    """The run of another program on the same bindings: of an expression, or down from the same backward."""
    if scene.ran is not None:
        return _of_program(scene, scene.ran, program)
    try:
        known = parse(Source(program, scene.source.name), scene.run.settings.text)
        with torch_state(scene.run.settings):
            made = run(known, scene.run.bindings, scene.run.settings)
    except AgxError:
        return None
    return made if made.failure is None else None


class _Seen(Observer):
    """The backward of one number, in another run."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.call: BackwardCall | None = None

    def before(self, call: BackwardCall) -> None:
        """Keep the call where it is the one."""
        if call.number == self.number:
            self.call = call


def _of_program(scene: Scene, ran: Ran, program: str) -> Run | None:
    from autograd_cli.diagnose.programs.trial import rerun  # an expression needs none of them
    from autograd_cli.diagnose.programs.ways import slice_of

    seen = _Seen(scene.call.number if scene.call is not None else 0)
    try:
        again = rerun(ran, program, seen)
    except AgxError:
        return None
    if again is None or again.failure is not None:
        return None
    if scene.call is None:
        held = again.names.get(scene.root.variable, again.last)
        return sliced(again, now(held)) if isinstance(held, Traced) else None
    if seen.call is None or not seen.call.roots:
        return None
    return slice_of(again, seen.call)
