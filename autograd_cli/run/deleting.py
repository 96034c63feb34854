"""`del name`: the name is gone, as in Python, and what it stood for with it."""

from typing import TYPE_CHECKING

from autograd_cli.lang import nodes
from autograd_cli.run import facts
from autograd_cli.run.naming import unbound, undefined
from autograd_cli.run.state import Frame

if TYPE_CHECKING:
    from autograd_cli.run.handling import Step
    from autograd_cli.run.statements import Statements
    from autograd_cli.run.traced import Site


def delete(statements: "Statements", node: nodes.Delete, site: "Site") -> "Step":
    """The closure of `del a, b`."""
    state, is_local = statements.state, statements.compiler.local is not None

    def forget(frame: Frame, name: nodes.Name) -> None:
        had = frame.pop(name.id, None) is not None
        if not is_local:
            had = had or (name.id in state.bindings and name.id not in state.gone)
            state.gone.add(name.id)
        if not had:
            error = unbound(name.id) if is_local else undefined(name.id)
            state.failed(error, name, None)
            raise error

    def run(frame: Frame) -> None:
        site.count += 1
        state.site = site
        for name in node.names:
            forget(frame, name)
        if site.count == 1 or state.events:
            facts.told(state, site, (), frame)

    return run
