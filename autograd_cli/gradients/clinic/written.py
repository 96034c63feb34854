"""Where in their file the parts of an autograd.Function stand, and what they are called there."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path
from typing import Any

from autograd_cli.gradients.clinic.trial import backward_of
from autograd_cli.run.targets import shown


def ordinal(number: int) -> str:
    """ "1st", "2nd", "3rd", "4th"."""
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


def returned(owner: Any, number: int) -> str:
    """Where the backward of a class returns its value `number`, from 1: "my_ops.py:8"."""
    function = backward_of(owner)[1]
    found = _returned(function, number)
    return backward_place(owner) if found is None else f"{_file(function)}:{found.lineno}"


def assigned(owner: Any, number: int) -> str:
    """The name that is returned there and where it got its value: "grad_x of line 7"; nothing for no name."""
    function = backward_of(owner)[1]
    found, node = _returned(function, number), _definition(function)
    if not isinstance(found, ast.Name) or node is None:
        return ""
    lines = [
        each.lineno
        for each in _own(node)
        if isinstance(each, ast.Assign | ast.AugAssign) and not _is_none(each.value)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name) and target.id == found.id and each.lineno <= found.lineno
    ]
    return f"{found.id} of line {max(lines)}" if lines else ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _returned(function: Callable[..., Any], number: int) -> ast.expr | None:
    """The expression that is returned; of one that is no tuple the whole."""
    node = _definition(function)
    values = [each.value for each in _own(node) if isinstance(each, ast.Return)] if node else []
    last = values[-1] if values else None
    return last.elts[number - 1] if isinstance(last, ast.Tuple) and number <= len(last.elts) else last


def backward_place(owner: Any) -> str:
    """Where the backward of a class is defined; where it has none but torch's, where the class is."""
    function = backward_of(owner)[1]
    is_torchs = getattr(unwrap(function), "__module__", "") == "torch.autograd.function"
    return class_place(owner) if is_torchs else place(function)


def place(function: Callable[..., Any]) -> str:
    """Where a function is defined; empty where that is not known."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return ""
    node = _definition(function)
    return f"{_file(function)}:{node.lineno if node else code.co_firstlineno}"


def class_place(owner: Any) -> str:
    """Where the class is defined, by its forward where the class is not found."""
    code = getattr(unwrap(owner.forward), "__code__", None)
    if code is None:
        return ""
    found = [each for each in _classes(code.co_filename) if each.name == owner.__name__]
    around = [each for each in found if each.lineno <= code.co_firstlineno <= (each.end_lineno or 0)]
    return f"{_file(owner.forward)}:{around[0].lineno}" if around else place(owner.forward)


def saved(owner: Any, number: int) -> tuple[str, str]:
    """What the call of save_for_backward calls its argument `number`, from 0, and where it stands."""
    for function in (owner.forward, owner.setup_context):
        node = _definition(function)
        for call in _own(node) if node else ():
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr == "save_for_backward":
                args = [each for each in call.args if not isinstance(each, ast.Starred)]
                name = ast.unparse(args[number]) if len(args) == len(call.args) > number else ""
                return name, f"{_file(function)}:{call.lineno}"
    return "", place(owner.forward)


def kept(owner: Any, name: str) -> str:
    """Where `ctx.name` is given a value."""
    for function in (owner.forward, owner.setup_context):
        node = _definition(function)
        for each in _own(node) if node else ():
            if isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Store):
                return f"{_file(function)}:{each.lineno}"
    return place(owner.forward)


def _file(function: Callable[..., Any]) -> str:
    return shown(Path(unwrap(function).__code__.co_filename))


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The node of a function in the tree of its file; None where it is not found."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return None
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def _classes(file: str) -> list[ast.ClassDef]:
    return [node for node in ast.walk(_tree(file)) if isinstance(node, ast.ClassDef)]


@cache
def _tree(file: str) -> ast.Module:
    try:
        return ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions inside it aside."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        top = waiting.pop(0)
        yield top
        if not isinstance(top, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting = [*ast.iter_child_nodes(top), *waiting]
