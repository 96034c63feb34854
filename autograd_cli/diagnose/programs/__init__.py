"""What is worth saying of a program: the doors of the rules in this folder.

`inspect_program` looks at a whole run and at the backwards whose graph and gradients are known,
`failure_of` at the statement that ended it, and `claims` at the comments.
`needs_graph` tells of gradients whether the graph of their backward is asked for.
"""

from autograd_cli.diagnose.programs.comments import claims
from autograd_cli.diagnose.programs.table import inspect_program, needs_graph
from autograd_cli.report import Finding
from autograd_cli.run.traced import Ran

__all__ = ["claims", "failure_of", "inspect_program", "needs_graph"]


def failure_of(ran: Ran) -> tuple[Finding, ...]:
    """Why the program failed. The rules are loaded when they are needed: most programs do not fail."""
    from autograd_cli.diagnose.programs import failing

    return failing.failure_of(ran)
