"""The source of a script: which function a line is in, and which function a call may be of."""

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = ast.Module | Function


@dataclass(frozen=True)
class Script:
    """A file of a script, parsed."""

    file: str
    tree: ast.Module

    def around(self, line: int) -> _Scope:
        """The innermost function that has `line` in it, else the module."""
        found: _Scope = self.tree
        for node in ast.walk(self.tree):
            if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or 0):
                found = node
        return found

    def called(self, call: ast.Call) -> Function | None:
        """The function of this file that a call runs, as far as names tell; of a module its forward."""
        name = last(call.func)
        if name in self._functions:
            return self._functions[name]
        made = self._made_of.get(name)
        return None if made is None else _method(made, "forward")

    @cached_property
    def _functions(self) -> dict[str, Function]:
        """The functions of this file by name, of several the first."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, Function)]
        return {node.name: node for node in reversed(found)}

    @cached_property
    def _made_of(self) -> dict[str, ast.ClassDef]:
        """The class of this file that a name, or an attribute of that name, is made of."""
        nodes = list(ast.walk(self.tree))
        classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
        found: dict[str, ast.ClassDef] = {}
        for node in nodes:
            if isinstance(node, ast.Assign):
                made = [last(part.func) for part in ast.walk(node.value) if isinstance(part, ast.Call)]
                kinds = [classes[one] for one in made if one in classes]
                found |= {last(target): kinds[0] for target in node.targets if kinds}
        return found


def read(file: str) -> Script | None:
    """The script in `file`; None where there is no such file, or no Python in it."""
    try:
        return Script(file, ast.parse("".join(linecache.getlines(file))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def inside(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a scope in their order, those of blocks too, but not of functions and classes."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from inside(child)


def loaded(node: ast.AST) -> set[str]:
    """The names that a piece of source reads."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def stored(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For):
        targets = [statement.target]
    return {
        name.id
        for target in targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def last(node: ast.expr) -> str:
    """The last part of a dotted name, empty for what is none."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _method(owner: ast.ClassDef, name: str) -> Function | None:
    return next((one for one in owner.body if isinstance(one, Function) and one.name == name), None)
