"""An output of several numbers: the rows of its Jacobian, or random projections of many.

A gradient of ones alone would not see what cancels in the sum of the output.
"""

from collections.abc import Iterator
from itertools import product

import torch

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.compare import judged
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.nodes import drawn
from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.known import Outcome
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.report import Verdict
from autograd_cli.report.values import index_of, index_text

_ROWS = 24
"""Elements of an output up to which each is differentiated by itself."""
_WORK = 3_000_000
"""Rows times the work of a replay, up to which that is done."""
_PROJECTIONS, _SEED = 3, 2

Weighing = tuple[str, torch.Tensor]
"""What a cotangent is called in a sentence, and the cotangent."""


def over_outputs(seen: Seen) -> tuple[str, Outcome | None]:
    """How the output was covered, and the worst outcome with its place in the sentence; none of a number."""
    bench, output = seen.bench, seen.bench.run.output
    numbers = output.numel() * (2 if output.is_complex() else 1)
    if bench.given is not None or bench.replay is None or numbers < 2:
        return "", None
    is_full = numbers <= _ROWS and numbers * bench.replay.work() <= _WORK
    ways = list(_rows(output) if is_full else _projections(output))
    worst: Outcome | None = None
    for name, cotangent in ways:
        outcome = _outcome(seen, cotangent, name)
        if outcome is not None and (worst is None or outcome.verdict.rank > worst.verdict.rank):
            worst = outcome
    return _covered(output, is_full), worst


def _covered(output: torch.Tensor, is_full: bool) -> str:
    """How the output was covered, in words."""
    if output.numel() == 1:
        return "the real and the imaginary part of the output each by itself"
    parts = ", real and imaginary part," if output.is_complex() and is_full else ""
    count = f"{output.numel():,} elements of the output"
    if is_full:
        return f"each of the {count}{parts} by itself"
    return f"{_PROJECTIONS} random projections of the {count}"


def _rows(output: torch.Tensor) -> Iterator[Weighing]:
    """One element after the other, of a complex one its real part and then the imaginary one."""
    parts = (("", 1), (", imaginary part", 1j)) if output.is_complex() else (("", 1),)
    for place, (part, weight) in product(range(output.numel()), parts):
        row = torch.zeros(output.numel(), dtype=output.dtype)
        row[place] = torch.tensor(weight, dtype=output.dtype)
        index = f" {index_text(index_of(place, output.shape))}" if output.ndim else ""
        yield f"output{index}{part}", row.reshape(output.shape)


def _projections(output: torch.Tensor) -> Iterator[Weighing]:
    """Random weights, complex ones of a complex output."""
    for number in range(_PROJECTIONS):
        yield f"random projection {number}", drawn(output, _SEED + number)


def _outcome(seen: Seen, cotangent: torch.Tensor, name: str) -> Outcome | None:
    """What the gradient of one weighed sum of the output comes to; None where it cannot be had."""
    bench = seen.bench.with_cotangent(cotangent)
    try:
        given = _given(bench, seen.name)
    except (ReplayError, RuntimeError):
        return None
    found = [judged(one) for one in bench.evidence(seen.name, given, None, bench.numeric(seen.name))]
    worst = max(found, key=lambda one: one.verdict.rank, default=None)
    if worst is None or worst.verdict is Verdict.OK:
        return worst
    return Outcome(
        worst.verdict, worst.worst, worst.difference, worst.tolerance, worst.odd, f"{name}: {worst.sentence}",
        worst.kinks, worst.widened,
    )  # fmt: skip


def _given(bench: Bench, name: str) -> torch.Tensor:
    """Autograd's gradient in the run's own precision."""
    own = bench.own
    leaf = own.leaves[name].detach().requires_grad_()
    with own.session(), torch.enable_grad():
        (made,) = slopes(own({name: leaf}), [leaf], bench.cotangent)
    return torch.zeros_like(leaf) if made is None else made
