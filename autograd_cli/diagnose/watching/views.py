"""Which assignments made the view that a statement writes through, and what to write in their place."""

import ast
from collections.abc import Iterator

from autograd_cli.diagnose.watching.places import Place, base, parsed, written

_VIEWS = {
    "view", "view_as", "reshape", "flatten", "ravel", "t", "T", "mT", "H", "transpose", "permute", "squeeze",
    "unsqueeze", "narrow", "select", "diagonal", "swapaxes", "swapdims", "movedim", "moveaxis", "unfold",
    "expand", "real", "imag", "chunk", "split", "unbind", "contiguous", "unflatten",
}  # fmt: skip

_MOST = 4

Function = ast.FunctionDef | ast.AsyncFunctionDef


def repairs(at: Place, is_view: bool, needed: list[Place | None]) -> list[str]:
    """Repairs of a write through a view that a name was given to: what it looks at is cloned before.

    `needed` are the places that need the old value. Nothing where the text does not tell what the name
    looks at; `is_view` says that what is written is a view, whatever the text.
    """
    target = written(at.statement)
    chain = list(_chain(at, is_view and isinstance(target, ast.Name)))
    if not chain:
        return []
    first, of = chain[0], base(chain[0].value)
    clone = f"{of} = {of}.clone()"
    before = all(p is not None and _is_before(p, at, first) for p in needed)
    if before:
        return [f"{_name(at, first)}  {clone}  before it"]
    return [f"{at.name}  {'; '.join([clone, *map(ast.unparse, chain)])}  before it"]


def _is_before(needed: Place, at: Place, made: ast.Assign) -> bool:
    """Whether a call of the same function stands before a view is made, so that it keeps what was before."""
    return (needed.file, needed.function) == (at.file, at.function) and needed.line < made.lineno


def _name(at: Place, statement: ast.stmt) -> str:
    return at.name.rpartition(":")[0] + f":{statement.lineno}"


def _chain(at: Place, is_view: bool) -> Iterator[ast.Assign]:
    """The assignments by which a written name looks at memory of another name, the first made first."""
    own = _assignments(at)
    name, line = base(written(at.statement)), at.line
    found: list[ast.Assign] = []
    while len(found) < _MOST:
        made = next((a for a in reversed(own) if a.lineno < line and name in _given(a)), None)
        if made is None or not _looks(made.value, is_view or bool(found)):
            break
        found.append(made)
        name, line = base(made.value), made.lineno
    return reversed(found)


def _assignments(at: Place) -> list[ast.Assign]:
    """The assignments of the function that a place is in, in the order of the text."""
    tree = parsed(at.file)
    scopes = (
        [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, Function) and _holds(n, at.line)]
    )
    inner = max(scopes, key=lambda scope: scope.lineno, default=tree)
    found = [] if inner is None else [n for n in _walk(inner) if isinstance(n, ast.Assign)]
    return sorted(found, key=lambda statement: statement.lineno)


def _walk(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope, without the functions and classes inside of it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield child
            yield from _walk(child)


def _holds(node: Function, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _given(statement: ast.Assign) -> set[str]:
    """The names, and the attributes of an object, that an assignment gives."""
    every = [item for t in statement.targets for item in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return {ast.unparse(each) for each in every if isinstance(each, ast.Name | ast.Attribute)}


def _looks(value: ast.expr, is_view: bool) -> bool:
    """Whether an expression looks at the memory of a name; `is_view` says that it does if it may."""
    steps = 0
    while not isinstance(value, ast.Name):
        if isinstance(value, ast.Subscript):
            if not is_view and not all(map(_is_plain, _indices(value.slice))):
                return False
            value = value.value
        elif isinstance(value, ast.Attribute):
            if value.attr not in _VIEWS:
                return steps > 0 and isinstance(value.value, ast.Name)  # self.h
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr not in _VIEWS:
                return False
            value = value.func.value
        else:
            return False
        steps += 1
    return steps > 0 and value.id not in ("torch", "F", "np")


def _indices(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _is_plain(index: ast.expr) -> bool:
    """Whether an index takes a view, whatever its names stand for: a slice, a number, None."""
    inner = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(inner, ast.Slice) or (
        isinstance(inner, ast.Constant) and not isinstance(inner.value, bool)
    )
