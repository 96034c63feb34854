"""What is worth saying of a program: the doors of the rules in this folder.

`inspect_program` looks at a whole run and at the backwards whose graph and gradients are known,
`failure_of` at the statement that ended it, and `claims` at the comments.
"""

from autograd_cli.diagnose.programs.comments import claims
from autograd_cli.diagnose.programs.failing import failure_of
from autograd_cli.diagnose.programs.table import inspect_program

__all__ = ["claims", "failure_of", "inspect_program"]
