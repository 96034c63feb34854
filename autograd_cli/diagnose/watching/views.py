"""Which assignments made the view that a statement writes through, and what to write in their place."""

import ast
from collections.abc import Iterable, Iterator

from autograd_cli.diagnose.watching import scopes
from autograd_cli.diagnose.watching.places import Place, base
from autograd_cli.diagnose.watching.targets import VIEWS, Written, is_tensor, looked_at

_MOST = 4


def repairs(at: Place, what: Written, needed: Iterable[Place]) -> list[str]:
    """Repairs of a write through a view that a name was given to: what it looks at is cloned before.

    `needed` are the places that need the old value. Nothing where the text does not tell what the name
    looks at.
    """
    chain = list(_chain(at, what))
    if not chain:
        return []
    first, of = chain[0], base(chain[0].value)
    if not _is_tensor(at, first, of, what):
        return []
    clone, off = f"{of} = {of}.clone()", scopes.without_graph(at)
    is_inside = off is not None and off.lineno < first.lineno
    if all(_is_before(each, at, first) for each in needed) or is_inside:
        return [f"{_name(at, off if off and is_inside else first)}  {clone}  before it"]
    return [
        f"{_name(at, off) if off else at.name}  {'; '.join([clone, *map(ast.unparse, chain)])}  before it"
    ]


def _is_tensor(at: Place, first: ast.Assign, of: str, what: Written) -> bool:
    """Whether what the first assignment looks at is known to be a tensor, and none of a loop's."""
    if scopes.loop(at, of) is not None:
        return False
    own, value = scopes.assigned(at, of, first.lineno), first.value
    while (inner := looked_at(value)) is not None:
        if ast.unparse(inner) == of:
            return True
        value = inner
    return of in what.known or (what.is_view and own is not None and is_tensor(own.value))


def _is_before(needed: Place, at: Place, made: ast.Assign) -> bool:
    """Whether a call of the same function stands before a view is made, so that it keeps what was before."""
    return (needed.file, needed.function) == (at.file, at.function) and needed.line < made.lineno


def _name(at: Place, statement: ast.stmt) -> str:
    return at.name.rpartition(":")[0] + f":{statement.lineno}"


def _chain(at: Place, what: Written) -> Iterator[ast.Assign]:
    """The assignments by which a written name looks at memory of another name, the first made first."""
    is_view = what.is_view and isinstance(what.target, ast.Name)
    name, line = base(what.target), at.line
    found: list[ast.Assign] = []
    while len(found) < _MOST:
        made = scopes.assigned(at, name, line)
        if made is None or not _looks(made.value, is_view or bool(found)):
            break
        found.append(made)
        name, line = base(made.value), made.lineno
    return reversed(found)


def _looks(value: ast.expr, is_view: bool) -> bool:
    """Whether an expression looks at the memory of a name; `is_view` says that it does if it may."""
    steps = 0
    while not isinstance(value, ast.Name):
        if isinstance(value, ast.Subscript):
            if not is_view and not all(map(_is_plain, _indices(value.slice))):
                return False
            value = value.value
        elif isinstance(value, ast.Attribute):
            if value.attr not in VIEWS:
                return steps > 0 and isinstance(value.value, ast.Name)  # self.h
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr not in VIEWS:
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
