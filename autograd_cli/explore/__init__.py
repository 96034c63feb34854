"""The one way through: source and bindings in, report out.

Every room is called here, in the order of the drawing: the source is parsed and checked,
bound and run; each graph is read before anything touches it; the witnesses; the findings;
and all of it packed as plain data. `through` has the door, `single` what is one expression,
`programs` what is several statements, `watching` looks at the backwards of a run.
"""

from autograd_cli.explore.options import Options, Pairs, settings_of, status_of
from autograd_cli.explore.packing import versions
from autograd_cli.explore.through import explore

__all__ = ["Options", "Pairs", "explore", "settings_of", "status_of", "versions"]
