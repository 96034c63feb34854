"""The rules for a program, each listed once."""

from collections.abc import Sequence

from autograd_cli.report import Finding, Gradient, Graph
from autograd_cli.run.tape import Run
from autograd_cli.run.traced import Ran


def inspect_program(ran: Ran) -> tuple[Finding, ...]:
    """What is worth saying of a program beside its failure: warnings first, then notes."""
    return ()


def inspect_root(run: Run, graph: Graph | None, gradients: Sequence[Gradient]) -> tuple[Finding, ...]:
    """What is worth saying of one backward of a program: its slice, its graph, its gradients.

    Spans count in the program's source.
    """
    return ()
