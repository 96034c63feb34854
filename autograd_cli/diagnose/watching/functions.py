"""Where a person's own Function is applied: the text has to tell, since those calls are not looked at."""

import ast
from typing import Any

from autograd_cli.diagnose.watching.places import Place, parsed


def applied(own: Any) -> Place | None:
    """The one place of its file that applies a Function; its class where there are several, or none."""
    code = getattr(getattr(own, "forward", None), "__code__", None)
    if code is None:
        return None
    file, tree = code.co_filename, parsed(code.co_filename)
    names = _names(tree, own)
    every = [] if tree is None else [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    calls = [call for call in every if ast.unparse(call.func) in names]
    if len({call.lineno for call in calls}) == 1:
        call = calls[0]
        return Place(file, call.lineno, "", call.col_offset, None, _statement(tree, call))
    classes = (each for each in (ast.walk(tree) if tree else ()) if isinstance(each, ast.ClassDef))
    line = next((each.lineno for each in classes if each.name == own.__name__), code.co_firstlineno)
    return Place(file, line, code.co_name)


def _names(tree: ast.Module | None, own: Any) -> set[str]:
    """What the apply of a Function is called: with its class, and as the name that it is given."""
    whole = f"{own.__name__}.apply"
    gives = (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.Assign))
    own_names = (each for node in gives if ast.unparse(node.value) == whole for each in node.targets)
    return {whole, *map(ast.unparse, own_names)}


def _statement(tree: ast.Module | None, call: ast.AST) -> ast.stmt | None:
    """The innermost statement that a call stands in."""
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.stmt) and any(each is call for each in ast.walk(node)):
            found = node  # those inside come later
    return found
