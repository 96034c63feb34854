"""Where the way from a loss to what is trained is cut, read in the script's source.

A backward that finds no graph fails far from the line that lost it. Which tensors require grad the frame
tells; which statements lead from them to the loss, and what in these has no gradient, the source does.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograd_cli.diagnose.scripts import scopes
from autograd_cli.diagnose.scripts.scopes import Function, Script
from autograd_cli.report.diagnosis import Frame, Seen

_DETACHED = {"detach", "detach_", "item", "tolist", "numpy"}
_INDICES = {"argmax", "argmin", "argsort", "multinomial", "bincount"}
_WHOLE = {"long", "int", "short", "bool"}
_COMPARED = {"eq", "ne", "lt", "gt", "le", "ge", "isclose"}
_METHODS = _DETACHED | _INDICES | _WHOLE | _COMPARED
_CASTS = {"to", "type"}
_WHOLE_TYPE = re.compile(r"\b(?:u?int\d*|long|short|bool|LongTensor)\b")
_FUNCTIONS = {"tensor", "as_tensor", "from_numpy", "int", "bool"}
_MODES = ("no_grad", "inference_mode", "set_grad_enabled(False)")
_DEEPEST = 3


@dataclass(frozen=True)
class Cut:
    """A statement that cuts the way: its frame, and the piece of it that has no gradient."""

    frame: Frame
    piece: str


def find(frame: Frame, tensors: Sequence[Seen]) -> Cut | None:
    """The first cut on the way to what fails in `frame` from what requires grad; None where none is seen.

    `tensors` are those of the frame, and of the script's module, whose names all functions read.
    """
    script = scopes.read(frame.file)
    if script is None:
        return None
    scope = script.around(frame.line)
    failing = [one for one in scopes.inside(scope) if one.lineno <= frame.line <= (one.end_lineno or 0)]
    trained = {one.name.partition(".")[0].partition("[")[0] for one in tensors if one.requires_grad}
    if not failing or not trained:
        return None
    wanted = scopes.loaded(failing[-1]) - trained
    return _Search(script, trained).within(scope, failing[-1].lineno, wanted, trained, 0)


class _Search:
    """Goes through the statements that lead to a name, and into the functions that they call."""

    def __init__(self, script: Script, trained: set[str]) -> None:
        self.script = script
        self.trained = trained

    def within(self, scope: ast.AST, end: int, wanted: set[str], trained: set[str], depth: int) -> Cut | None:
        """The first cut in a scope before line `end` on a way from `trained` to `wanted`."""
        live = set(trained)
        for statement in _leading_to(wanted, scope, end):
            value = getattr(statement, "value", None)
            if not isinstance(value, ast.expr) or not self._reads(value, live):
                continue
            cut = self._in_statement(scope, statement, value, live, depth)
            if cut is not None:
                return cut
            live |= scopes.stored(statement)
        return None

    def _in_statement(
        self, scope: ast.AST, statement: ast.stmt, value: ast.expr, live: set[str], depth: int
    ) -> Cut | None:
        mode = _mode(scope, statement)
        if mode is not None:
            return self._cut(scope, statement, mode)
        for node in ast.walk(value):
            if _has_no_gradient(node) and self._reads(node, live):
                return self._cut(scope, statement, node)
            if isinstance(node, ast.Call) and depth < _DEEPEST:
                called = self.script.called(node)
                found = None if called is None else self._called(called, depth + 1)
                if found is not None:
                    return found
        return None

    def _called(self, function: Function, depth: int) -> Cut | None:
        """The first cut in a function that takes what is trained, on the way to what it returns."""
        for decorator in function.decorator_list:
            if any(mode in ast.unparse(decorator) for mode in _MODES):
                return self._cut(function, function, decorator)
        given = self.trained | {one.arg for one in (*function.args.posonlyargs, *function.args.args)}
        for statement in scopes.inside(function):
            if isinstance(statement, ast.Return) and statement.value is not None:
                found = self.within(
                    function, statement.lineno, scopes.loaded(statement), given, depth
                ) or self._in_statement(function, statement, statement.value, _anything(function), depth)
                if found is not None:
                    return found
        return None

    def _reads(self, node: ast.AST, live: set[str]) -> bool:
        """Whether a piece of source reads what is live, itself or in a function that it calls."""
        if not live.isdisjoint(scopes.loaded(node)):
            return True
        calls = (self.script.called(one) for one in ast.walk(node) if isinstance(one, ast.Call))
        return any(one is not None and not self.trained.isdisjoint(scopes.loaded(one)) for one in calls)

    def _cut(self, scope: ast.AST, statement: ast.stmt, piece: ast.AST) -> Cut:
        name = scope.name if isinstance(scope, Function) else "<module>"
        text = ast.unparse(statement).partition("\n")[0]
        first = min(one.lineno for one in (statement, *getattr(statement, "decorator_list", ())))
        return Cut(Frame(self.script.file, first, name, text), ast.unparse(piece))


def _anything(function: Function) -> set[str]:
    return {name for statement in scopes.inside(function) for name in scopes.loaded(statement)}


def _leading_to(wanted: set[str], scope: ast.AST, end: int) -> list[ast.stmt]:
    """The statements before line `end` that make what is wanted, in their order."""
    found: list[ast.stmt] = []
    names = set(wanted)
    before = [one for one in scopes.inside(scope) if one.lineno < end]
    for statement in reversed(before):
        if not names.isdisjoint(scopes.stored(statement)):
            found.append(statement)
            names |= scopes.loaded(statement)
    return found[::-1]


def _has_no_gradient(node: ast.AST) -> bool:
    """Whether a piece of source gives a value that no gradient comes back from."""
    if isinstance(node, ast.Compare):
        return not any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
    if isinstance(node, ast.Attribute):
        return node.attr == "data"
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _FUNCTIONS
    if not isinstance(node.func, ast.Attribute):
        return False
    is_cast = node.func.attr in _CASTS and any(_WHOLE_TYPE.search(ast.unparse(one)) for one in node.args)
    return is_cast or node.func.attr in _METHODS | _FUNCTIONS


def _mode(scope: ast.AST, statement: ast.stmt) -> ast.expr | None:
    """The no_grad, or its like, that a statement of a scope stands under."""
    for manager in _managers(scope, statement):
        if any(mode in ast.unparse(manager) for mode in _MODES):
            return manager
    return None


def _managers(scope: ast.AST, statement: ast.stmt) -> Iterator[ast.expr]:
    for block in scopes.inside(scope):
        if isinstance(block, ast.With | ast.AsyncWith) and statement in scopes.inside(block):
            yield from (item.context_expr for item in block.items)
