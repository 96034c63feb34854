"""What is said of an underflow: where zeros first appear, what a scale of the loss mends and what not."""

from collections.abc import Iterator, Sequence

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.numerics.proving import run_again
from autograd_cli.diagnose.numerics.underflow import (
    Leaf,
    Lost,
    Scaled,
    Underflow,
    forward_error,
    least,
    played_again,
    sweep,
)
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import expressions
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix
from autograd_cli.run.values import dtype_name

_NEAR = 1.5
"""A scale is as good as the best while it is off by no more than so many times as much."""

_NO_END = 1000

_FINE = 0.005
"""An error that is as good as none."""

_ROUNDS = 0.01
"""An error from which on what rounds in the forward is pointed out."""


def finding(scene: Scene, found: Underflow) -> Finding:
    """The finding with its numbers."""
    scaled, first = sweep(found), found.leaves[0]
    good = _good(scaled)
    lost = found.value if found.value is not None and not good else found.lost
    return scene.finding(
        "AGX505",
        _sentence(found, first) + ".",
        name="gradient-underflow",
        span=scene.root.expr.span,
        cause=(
            _where(scene, lost),
            *_others(found),
            *_swept(scaled, good),
            _so(scene, found, scaled, good),
        ),
        fix=tuple(_fixes(scene, found, good)),
        leaves=[leaf.name for leaf in found.leaves],
        zeros=first.zeros,
        reference=first.largest,
        lost=scene.text(lost.step),
        scales=[[each.power, each.lost, each.finite, each.off] for each in scaled],
    )


def _sentence(found: Underflow, leaf: Leaf) -> str:
    dtype = dtype_name(found.lost.dtype)
    all_of = "Every element" if leaf.zeros == leaf.count else f"{leaf.zeros} of {leaf.count} elements"
    verb = "is" if leaf.zeros == leaf.count else "are"
    none = "none is 0" if leaf.held == leaf.count else f"{leaf.held} of {leaf.count} are not"
    end = f"in float64 {none} and the largest is {leaf.largest:.3g}" if leaf.count > 1 else _single(leaf)
    return f"{all_of} of the gradient of `{leaf.name}` {verb} 0 in {dtype}; {end}"


def _single(leaf: Leaf) -> str:
    return f"in float64 it is {leaf.largest:.3g}"


def _others(found: Underflow) -> Iterator[str]:
    for leaf in found.leaves[1:]:
        largest = f"the largest in float64 is {leaf.largest:.3g}"
        yield f"`{leaf.name}` likewise: {leaf.zeros} of {leaf.count} are 0, {largest}"


def _where(scene: Scene, lost: Lost) -> str:
    text, dtype = drawing.quoted(scene.text(lost.step)), dtype_name(lost.dtype)
    least_of = f"{dtype} holds nothing between 0 and {least(lost.dtype):.2g}"
    became = f"{lost.zeros} of {lost.count} became 0" if lost.count > 1 else "it became 0"
    if lost.operand is None:
        return f"lost at {text}: its value is {lost.leaves:.3g} in float64; {least_of}: {became}"
    passed = f"{lost.arrives:.3g} arrives, {lost.leaves:.3g} leaves (float64)"
    return f"lost at {text}: {passed}; {least_of}: {became}"


# The sweep


def _good(scaled: Sequence[Scaled]) -> list[Scaled]:
    """The scales by which nothing is lost that can be kept, and the error is about the least there is."""
    whole = [each for each in scaled if each.finite and not each.lost]
    best = min((each.off for each in whole), default=0.0)
    return [each for each in whole if each.off <= max(_NEAR * best, _FINE)]


def _swept(scaled: Sequence[Scaled], good: Sequence[Scaled]) -> Iterator[str]:
    """The scales where something changes, on one line."""
    shown = []
    whole = [each for each in scaled if each.finite and not each.lost]
    first = whole[0].power if whole else _NO_END
    lost = [each for each in scaled if each.finite and each.lost and each.power < first]
    over = [each for each in scaled if not each.finite]
    if lost:
        shown.append(f"×2^{lost[-1].power}: {lost[-1].lost} are 0")
    if whole:
        shown.append(f"×2^{whole[0].power}: none is 0, {_percent(whole[0].off)} off")
    if good and good[0] is not whole[0]:
        shown.append(f"×2^{good[0].power}: {_percent(good[0].off)} off")
    if over:
        shown.append(f"×2^{over[0].power}: not finite")
    if shown:
        yield "the loss scaled  " + "  ".join(shown)


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _so(scene: Scene, found: Underflow, scaled: Sequence[Scaled], good: Sequence[Scaled]) -> str:
    dtype = dtype_name(found.lost.dtype)
    if not good and found.value is not None:
        text = drawing.quoted(scene.text(found.value.step))
        return f"no scale mends it: {text} is 0 itself, before any gradient is"
    if not good:
        best = min((each for each in scaled if each.finite), key=lambda each: each.lost, default=None)
        at_best = f": at best, ×2^{best.power}, {best.lost} are still 0" if best is not None else ""
        return f"no scale keeps them all{at_best}"
    low, high, off = good[0].power, good[-1].power, min(each.off for each in good)
    words = f"so scale by 2^{low}" if low == high else f"so scale by 2^{low} to 2^{high}"
    if off < _ROUNDS:
        return words
    forward = forward_error(scene, found)
    if forward < off / 2:
        return f"{words}; {_percent(off)} off is the least: {dtype} has few digits for numbers so small"
    rest = f"what {dtype} rounds in the forward makes the gradient {_percent(forward)} off"
    return f"{words}; {rest}: no scale mends that"


# Repairs


def _fixes(scene: Scene, found: Underflow, good: Sequence[Scaled]) -> Iterator[Fix]:
    """A scale that was tried, and a dtype that reaches further down, run where the source names one."""
    dtype = found.lost.dtype
    wider = "float32" if dtype == torch.float16 else "float64"
    if good:
        scale = 2 ** good[0].power
        yield Fix(
            f"scale the loss by {scale} before backward (tried: no element is 0), and divide the gradient by "
            f"it in {wider}"
        )
    if dtype == torch.float16:
        yield from _bfloat16(scene, found)
    yield Fix(f"{'or ' if good else ''}compute in {wider}")


def _bfloat16(scene: Scene, found: Underflow) -> Iterator[Fix]:
    """The source with bfloat16 wherever it says float16, where that leaves no zeros."""
    edits = in_bfloat16(scene)
    if not edits:
        return
    program = edited(scene.source, edits)
    made = run_again(scene, program)
    if made is not None and played_again(scene, made, found):
        yield Fix("or compute in bfloat16, which reaches as far down as float32: no element is 0", program)


def in_bfloat16(scene: Scene) -> dict[Span, str]:
    """The edits that write bfloat16 wherever the source says float16."""
    edits: dict[Span, str] = {}
    for node in expressions(scene.run.program):
        if isinstance(node, nodes.Attribute) and node.name in ("half", "float16"):
            end = node.span.end
            edits[Span(end - len(node.name), end)] = "bfloat16"
        elif isinstance(node, nodes.Name) and node.id in ("half", "float16"):
            edits[node.span] = repair.spelled(scene.run.program, "bfloat16")
    return edits
