"""What is worth saying of a program: the doors of the rules in this folder.

`inspect_program` looks at a whole run, `failure_of` at the statement that ended it,
`inspect_root` at one backward with its graph and gradients, and `claims` at the comments.
"""

from autograd_cli.diagnose.programs.claims import claims
from autograd_cli.diagnose.programs.failing import failure_of
from autograd_cli.diagnose.programs.table import inspect_program, inspect_root

__all__ = ["claims", "failure_of", "inspect_program", "inspect_root"]
