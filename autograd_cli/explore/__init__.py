"""The one way through, in the order of the drawing: every room below is called here.

Takes: a source, bindings and Options; `through` has the door.
Gives: a Report; `single` makes that of one expression, `programs` that of several statements.
May import every room but views and cli. Must not import those, rich, typer or graphviz.
"""

from autograd_cli.explore.options import Options, Pairs, settings_of, status_of
from autograd_cli.explore.packing import versions
from autograd_cli.explore.through import explore

__all__ = ["Options", "Pairs", "explore", "settings_of", "status_of", "versions"]
