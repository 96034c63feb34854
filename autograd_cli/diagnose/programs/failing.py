"""Why a program ended where it did."""

from autograd_cli.diagnose.failures import failure
from autograd_cli.report import Finding
from autograd_cli.run.tape import Run
from autograd_cli.run.traced import Ran


def failure_of(ran: Ran) -> tuple[Finding, ...]:
    """Why the program failed: one finding, in whose `also` stand the names of others that fit."""
    return failure(Run(ran.program, ran.bindings, [], None, ran.failure, ran.settings))
