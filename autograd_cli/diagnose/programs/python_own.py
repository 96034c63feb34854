"""Python's own sum, max and min reached by a tensor."""

from collections.abc import Iterator

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import calls, statements, targets
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix, Made

_OWN = ("sum", "max", "min", "any", "all")


def reached(whole: Whole) -> Iterator[Finding]:
    """AGX321 where Python's own function, in a source that imports, walks through a tensor."""
    if not _imports(whole):
        return
    for call in calls(whole.program, *_OWN):
        if not isinstance(call.function, nodes.Name) or len(call.args) != 1 or call.keywords:
            continue
        argument, name = call.args[0], call.function.id
        made = _made(whole, argument)
        if made is None or not made.shape or _is_own(whole, name):
            continue
        text = whole.source[argument.span]
        yield whole.finding(
            "AGX321",
            f"`{name}` is Python's here, which goes through `{text}` row by row: slow, and a graph of one "
            f"node for each; `{text}.{name}()` is torch's.",
            span=call.span,
            fix=(Fix(f"{text}.{name}()", edited(whole.source, {call.span: f"{text}.{name}()"})),),
        )


def _imports(whole: Whole) -> bool:
    return any(isinstance(statement, nodes.Import) for statement in whole.all_statements)


def _is_own(whole: Whole, name: str) -> bool:
    """Whether the program gives the name a meaning of its own, by import or assignment."""
    for statement in statements(whole.program.statements):
        if isinstance(statement, nodes.Import) and any(i.name in (name, "*") for i in statement.names):
            return True
        if (isinstance(statement, nodes.Define) and statement.name == name) or name in targets(statement):
            return True
    return False


def _made(whole: Whole, expr: nodes.Expr) -> Made | None:
    """What the name was when it was last assigned."""
    if not isinstance(expr, nodes.Name):
        return None
    for site in reversed(whole.ran.sites):
        for did in (site.last, site.first):
            for made in did.made if did else ():
                if made.name == expr.id:
                    return made
    return None
