"""The node that adds most of the rounding error of a run: its own values against float64.

A node hands on the error of its operands; what it adds is by how much larger, for its size, the
error of its result is. A difference of two large numbers adds most.
"""

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.report import below
from autograd_cli.report.checks import Loss
from autograd_cli.run.tape import Run

_WORTH = 4
"""How many times the precision of its dtype a node has to add to be named."""


def most_lossy(bench: Bench) -> Loss | None:
    """The node whose result is off furthest beyond what arrives at it; None where none stands out."""
    replay, run = bench.replay, bench.run
    if replay is None:
        return None
    try:
        with replay.session():
            exact = replay.recorded()
    except ReplayError:
        return None
    errors = {index: _error(run, index, exact[index]) for index in replay.under if exact[index] is not None}
    best: Loss | None = None
    for index in (planned.index for planned in replay.plan if planned.index in errors):
        arrives = max((errors.get(operand, 0.0) for operand in below(run.steps[index])), default=0.0)
        added = errors[index] - arrives
        if added > max(_WORTH * _eps(run, index), 0.0 if best is None else best.leaves - best.arrives):
            best = _loss(run, index, arrives, errors[index])
    return best


def _error(run: Run, index: int, exact: object) -> float:
    """How far the value of a step is off at most, relative to it; 0 of what is no floating tensor."""
    value = run.steps[index].value
    if not isinstance(value, torch.Tensor) or not isinstance(exact, torch.Tensor) or not value.numel():
        return 0.0
    if not (value.is_floating_point() or value.is_complex()) or value.shape != exact.shape:
        return 0.0
    off = (value.detach().to("cpu", exact.dtype) - exact).abs()
    share = (off / exact.abs()).nan_to_num(nan=0.0, posinf=1.0)
    return float(torch.where(off.isfinite(), share, 1.0 * exact.isfinite()).max())


def _eps(run: Run, index: int) -> float:
    value = run.steps[index].value
    return torch.finfo(value.dtype).eps if isinstance(value, torch.Tensor) else 0.0


def _loss(run: Run, index: int, arrives: float, leaves: float) -> Loss:
    source, span = run.program.source, run.steps[index].expr.span
    return Loss(source[span], arrives, leaves, (span.start, span.end), source.line_of(span.start))
