"""Which statement writes into an array of NumPy: the text has to tell, since its calls are not looked at."""

import ast
from collections.abc import Collection, Iterator

from autograd_cli.diagnose.watching.places import Place, parsed, written

_METHODS = {"fill", "sort", "put", "partition", "itemset", "resize", "setfield", "byteswap"}
_FUNCTIONS = {"copyto", "put", "place", "putmask", "fill_diagonal", "shuffle", "put_along_axis", "at"}
"""Functions of NumPy that write into their first argument."""

_LOOKS = {"reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "diagonal"}


def writer(shared: Place | None, kept: Place | None) -> Place | None:
    """The statement that writes into an array made at a place: the first below what kept it, or the one."""
    if shared is None:
        return None
    if shared.statement and _is_made_there(shared.statement):
        return shared
    tree = parsed(shared.file)
    names = _looking(tree, _names(shared))
    every = [node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.stmt)]
    found = sorted(
        (n for n in every if _writes(n, names) or _hands(n, names, tree)), key=lambda node: node.lineno
    )
    below = [node for node in found if kept and kept.file == shared.file and node.lineno > kept.line]
    if not below and len(found) != 1:
        return None
    statement = (below or found)[0]
    return Place(shared.file, statement.lineno, shared.function, statement.col_offset, None, statement)


def _is_made_there(statement: ast.stmt) -> bool:
    """Whether a statement writes into an array that it makes itself."""
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "numpy"
        for target in _targets(statement)
        for each in ast.walk(target)
    )


def _names(shared: Place) -> set[str]:
    """What the array is called: the name that is given to it, or that it is read by."""
    statement = shared.statement
    if not isinstance(statement, ast.Assign):
        return set()
    calls = (each for each in ast.walk(statement.value) if isinstance(each, ast.Call))
    given = [call.args for call in calls if ast.unparse(call.func).endswith("from_numpy")]
    reads = {each.id for args in given for each in args if isinstance(each, ast.Name)}
    return reads or {ast.unparse(t) for t in statement.targets if isinstance(t, ast.Name | ast.Attribute)}


def _looking(tree: ast.Module | None, names: set[str]) -> set[str]:
    """The names of an array and of what looks at its memory."""
    found = set(names)
    for node in ast.walk(tree) if tree and names else ():
        if isinstance(node, ast.Assign) and _looks(node.value) and _begins(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _looks(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in _LOOKS
    return isinstance(value, ast.Name | ast.Subscript) or (
        isinstance(value, ast.Attribute) and value.attr == "T"
    )


def _begins(node: ast.expr, names: Collection[str]) -> bool:
    """Whether an expression is of what a name stands for."""
    while ast.unparse(node) not in names:
        if isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return False
    return True


def _writes(statement: ast.stmt, names: Collection[str]) -> bool:
    return any(_begins(target, names) for target in _targets(statement))


def _hands(statement: ast.stmt, names: Collection[str], tree: ast.Module | None) -> bool:
    """Whether a statement hands the array to a function of the same file that writes into it."""
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    functions = (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.FunctionDef))
    function = next((each for each in functions if each.name == call.func.id), None)
    if function is None:
        return False
    pairs = zip((each.arg for each in function.args.args), call.args, strict=False)
    own = {own for own, given in pairs if _begins(given, names)}
    return any(_writes(node, own) for node in ast.walk(function) if isinstance(node, ast.stmt))


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement writes into, if it is an array."""
    target = written(statement)
    if target is not None and not (isinstance(statement, ast.Assign) and isinstance(target, ast.Attribute)):
        yield from target.elts if isinstance(target, ast.Tuple) else [target]
    call = getattr(statement, "value", None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if call.func.attr in _METHODS:
            yield call.func.value
        if call.func.attr in _FUNCTIONS:
            yield from call.args[:1]
