"""An output of several numbers: the rows of its Jacobian, or random projections of many.

A gradient of ones alone would not see what cancels in the sum of the output.
"""

from collections.abc import Iterator

import torch

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.compare import judged
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.known import Outcome
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.report import Verdict
from autograd_cli.report.values import index_of, index_text

_ROWS = 24
"""Elements of an output up to which each is differentiated by itself."""
_WORK = 3_000_000
"""Rows times the work of a replay, up to which that is done."""
_PROJECTIONS = 3

Weighing = tuple[str, torch.Tensor]
"""What a cotangent is called in a sentence, and the cotangent."""


def over_outputs(seen: Seen) -> tuple[str, Outcome | None]:
    """How the output was covered, and the worst outcome with its place in the sentence; none of a number."""
    bench, output = seen.bench, seen.bench.run.output
    if bench.given is not None or bench.replay is None or output.numel() < 2:
        return "", None
    is_full = output.numel() <= _ROWS and output.numel() * bench.replay.work() <= _WORK
    ways = list(_rows(output) if is_full else _projections(output))
    count = f"{output.numel():,} elements of the output"
    said = f"each of the {count} by itself" if is_full else f"{len(ways)} random projections of the {count}"
    worst: Outcome | None = None
    for name, cotangent in ways:
        outcome = _outcome(seen, cotangent, name)
        if outcome is not None and (worst is None or outcome.verdict.rank > worst.verdict.rank):
            worst = outcome
    return said, worst


def _rows(output: torch.Tensor) -> Iterator[Weighing]:
    for number in range(output.numel()):
        row = torch.zeros(output.numel(), dtype=output.dtype)
        row[number] = 1
        yield f"output {index_text(index_of(number, output.shape))}", row.reshape(output.shape)


def _projections(output: torch.Tensor) -> Iterator[Weighing]:
    generator = torch.Generator().manual_seed(2)
    for number in range(_PROJECTIONS):
        drawn = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        yield f"random projection {number}", drawn.to(output.dtype)


def _outcome(seen: Seen, cotangent: torch.Tensor, name: str) -> Outcome | None:
    """What the gradient of one weighed sum of the output comes to; None where it cannot be had."""
    bench = Bench(seen.bench.run, cotangent, seen.bench.rtol, seen.bench.atol, seen.bench.elements)
    bench.__dict__["replay"] = seen.bench.replay
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
