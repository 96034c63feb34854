"""What is said of a node, and what it is tried with."""

import torch

from autograd_cli.report.checks import Guilty
from autograd_cli.report.kinds import Witness
from autograd_cli.run.tape import LiveStep, Run


def node_name(step: LiveStep) -> str:
    """The node's class as torch calls it, else the function's name."""
    if step.grad_fns:
        return type(step.grad_fns[-1]).__name__
    return step.function.name if step.function else "call"


def text_of(run: Run, step: LiveStep) -> str:
    """The node's sub-expression as the source has it."""
    return run.program.source[step.expr.span]


def guilty(
    run: Run,
    step: LiveStep,
    given: float | None,
    reference: float | None,
    operand: str = "",
    odd: Witness = Witness.AUTOGRAD,
    sentence: str = "",
) -> Guilty:
    """A node that is wrong by itself: `given` for what is right, where both are known."""
    span, relative = step.expr.span, None
    if given is not None and reference is not None:
        relative = abs(given - reference) / max(abs(given), abs(reference), 1e-300)
    return Guilty(
        text=text_of(run, step),
        node=node_name(step),
        operand=operand,
        odd=odd,
        given=given,
        reference=reference,
        relative=relative,
        sentence=sentence,
        span=(span.start, span.end),
        line=run.program.source.line_of(span.start),
    )


def drawn(like: torch.Tensor, seed: int) -> torch.Tensor:
    """Seeded normal numbers in the shape and dtype of a tensor, on the CPU."""
    return torch.randn(like.shape, generator=torch.Generator().manual_seed(seed), dtype=like.dtype)
