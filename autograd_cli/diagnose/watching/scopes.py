"""The names of a function's text: what gives them, which loops go through them, which are imported."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from autograd_cli.diagnose.watching.places import Place, base, parsed, written

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor

_FILES = 64


def scope(at: Place) -> ast.Module | Function | None:
    """The innermost function that a place is in, the module outside of all; None without a source."""
    tree = parsed(at.file)
    every = [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, Function) and _holds(n, at)]
    return max(every, key=lambda each: each.lineno, default=tree)


def inside(at: Place) -> Iterator[ast.AST]:
    """What stands in the function of a place, without the functions and classes inside of it."""
    own = scope(at)
    return iter(()) if own is None else _walk(own)


def assignments(at: Place) -> list[ast.Assign]:
    """The assignments of the function that a place is in, in the order of the text."""
    found = [node for node in inside(at) if isinstance(node, ast.Assign)]
    return sorted(found, key=lambda statement: statement.lineno)


def assigned(at: Place, name: str, line: int) -> ast.Assign | None:
    """The last assignment above a line that gives a name, or an attribute of an object."""
    return next((a for a in reversed(assignments(at)) if a.lineno < line and name in given(a)), None)


def given(statement: ast.Assign) -> set[str]:
    """The names, and the attributes of an object, that an assignment gives."""
    every = [item for t in statement.targets for item in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return {ast.unparse(each) for each in every if isinstance(each, ast.Name | ast.Attribute)}


def loop(at: Place, name: str) -> Loop | None:
    """The innermost loop around a place that goes through what the name stands for."""
    loops = [node for node in inside(at) if isinstance(node, Loop) and _holds(node, at)]
    own = [each for each in loops if name in _names(each.target)]
    return max(own, key=lambda each: each.lineno, default=None)


def is_parameter(at: Place, name: str) -> bool:
    """Whether the function of a place is handed the name."""
    own = scope(at)
    if own is None or isinstance(own, ast.Module):
        return False
    return any(isinstance(each, ast.arg) and each.arg == name for each in ast.walk(own.args))


def is_read_later(at: Place, name: str) -> bool:
    """Whether the name is read below the statement of a place, or anywhere in a loop around that.

    What only changes it in place again hands it on to nobody.
    """
    loops = [n for n in inside(at) if isinstance(n, Loop | ast.While) and _holds(n, at)]
    first = min((each.lineno for each in loops), default=at.line + 1)
    every = (n for n in inside(at) if isinstance(n, ast.stmt) and n.lineno >= first)
    return any(_reads(each, name) for each in every if base(written(each)) != name)


def _reads(statement: ast.stmt, name: str) -> bool:
    """Whether a statement reads a name, by itself and not by those in it."""
    inner = {
        id(each) for n in ast.iter_child_nodes(statement) if isinstance(n, ast.stmt) for each in ast.walk(n)
    }
    names = (each for each in ast.walk(statement) if isinstance(each, ast.Name) and id(each) not in inner)
    return any(each.id == name and isinstance(each.ctx, ast.Load) for each in names)


def without_graph(at: Place) -> ast.With | None:
    """The outermost `with` around a place, in its function, under which torch makes no graph."""
    found = (node for node in inside(at) if isinstance(node, ast.With) and _holds(node, at))
    off = [each for each in found if any(_is_off(item.context_expr) for item in each.items)]
    return min(off, key=lambda each: each.lineno, default=None)


def is_without_graph(at: Place) -> bool:
    """Whether the function of a place is decorated so that torch makes no graph in it."""
    own = scope(at)
    return isinstance(own, Function) and any(map(_is_off, own.decorator_list))


def is_given_inside(block: ast.With, holder: ast.expr, own: ast.stmt | None) -> bool:
    """Whether a block gives a name that an expression has, other than by a statement of its `own`."""
    names = {node.id for node in ast.walk(holder) if isinstance(node, ast.Name)}
    apart = set() if own is None else set(ast.walk(own))
    stored = (each for each in ast.walk(block) if isinstance(each, ast.Name) and each not in apart)
    return any(each.id in names and isinstance(each.ctx, ast.Store) for each in stored)


def _is_off(context: ast.expr) -> bool:
    text = ast.unparse(context)
    return any(word in text for word in ("no_grad", "inference_mode", "set_grad_enabled"))


@lru_cache(_FILES)
def modules_of(file: str) -> frozenset[str]:
    """The names that stand for modules: those of `import`, and what is imported from torch."""
    found: set[str] = set()
    tree = parsed(file)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
            found |= {each.asname or each.name for each in node.names}
    return frozenset(found)


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield child
            yield from _walk(child)


def _holds(node: Function | Loop | ast.While | ast.With, at: Place) -> bool:
    return node.lineno <= at.line <= (node.end_lineno or 0)
