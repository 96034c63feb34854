"""Where the way from a loss to what is trained is cut, read in the script's source.

A backward that finds no graph fails far from the line that lost it. Which tensors require grad the frame
tells; which statements lead from them to the loss, and what in these has no gradient, the source does.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from autograd_cli.diagnose.logs.records import CutBy
from autograd_cli.diagnose.scripts import scopes
from autograd_cli.diagnose.scripts.scopes import Function, Script
from autograd_cli.report.diagnosis import Frame, Seen

_TAKING_OUT = {"detach", "detach_", "item", "tolist", "numpy", "tensor", "as_tensor", "from_numpy"}
_TAKING_OUT_BY_NAME = {"tensor", "as_tensor", "from_numpy", "int", "bool", "float"}
_INDICES = {"argmax", "argmin", "argsort", "multinomial", "bincount"}
_WHOLE = {"long", "int", "short", "bool"}
_COMPARED = {"eq", "ne", "lt", "gt", "le", "ge", "isclose"}
_STAIRCASES = _INDICES | _WHOLE | _COMPARED
_CASTS = {"to", "type"}
_WHOLE_TYPE = re.compile(r"\b(?:u?int\d*|long|short|bool|LongTensor)\b")
_DEEPEST = 3


@dataclass(frozen=True)
class Cut:
    """A statement that cuts the way: its frame, the piece of it that has no gradient, and how that cuts."""

    frame: Frame
    piece: str
    by: CutBy


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
        modes = [(mode, _is_off(mode), of) for mode, of in _modes(scope, statement)]
        for mode, is_off, _ in modes:
            if is_off:
                return self._cut(scope, statement, mode, CutBy.UNRECORDED)
        for node in ast.walk(value):
            by = _cuts_by(node)
            if by is not None and self._reads(node, live):
                return self._cut(scope, statement, node, by)
            if isinstance(node, ast.Call) and depth < _DEEPEST:
                called = self.script.called(node)
                found = None if called is None else self._called(called, depth + 1)
                if found is not None:
                    return found
        unsure = next((mode for mode, is_off, of in modes if is_off is None and not self._records(of)), None)
        return None if unsure is None else self._cut(scope, statement, unsure, CutBy.UNRECORDED)

    def _records(self, statements: Iterable[ast.stmt]) -> bool:
        """Whether one of the statements made what requires grad, as only happens where gradients are on."""
        return any(scopes.stored(one) & self.trained for one in statements)

    def _called(self, function: Function, depth: int) -> Cut | None:
        """The first cut in a function that takes what is trained, on the way to what it returns."""
        for decorator in function.decorator_list:
            if _is_off(decorator):
                return self._cut(function, function, decorator, CutBy.UNRECORDED)
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

    def _cut(self, scope: ast.AST, statement: ast.stmt, piece: ast.AST, by: CutBy) -> Cut:
        name = scope.name if isinstance(scope, Function) else "<module>"
        text = ast.unparse(statement).partition("\n")[0]
        first = min(one.lineno for one in (statement, *getattr(statement, "decorator_list", ())))
        return Cut(Frame(self.script.file, first, name, text), ast.unparse(piece), by)


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


def _cuts_by(node: ast.AST) -> CutBy | None:
    """How a piece of source keeps gradients from what it reads; None where it lets them through."""
    if isinstance(node, ast.Compare):
        is_of_values = not any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        return CutBy.STAIRCASE if is_of_values else None
    if isinstance(node, ast.Attribute):
        return CutBy.TAKEN_OUT if node.attr == "data" else None
    if not isinstance(node, ast.Call):
        return None
    name = scopes.last(node.func)
    if name in (_TAKING_OUT_BY_NAME if isinstance(node.func, ast.Name) else _TAKING_OUT):
        return CutBy.TAKEN_OUT
    if not isinstance(node.func, ast.Attribute):
        return None
    is_cast = name in _CASTS and any(_WHOLE_TYPE.search(ast.unparse(one)) for one in node.args)
    return CutBy.STAIRCASE if is_cast or name in _STAIRCASES else None


def _is_off(mode: ast.expr) -> bool | None:
    """Whether what a block or a function is put under turns gradients off; None where a value decides."""
    name = scopes.last(mode.func if isinstance(mode, ast.Call) else mode)
    if name == "no_grad":
        return True
    if name not in ("inference_mode", "set_grad_enabled"):
        return False
    given = [*mode.args, *(one.value for one in mode.keywords)] if isinstance(mode, ast.Call) else []
    if not given:
        return name == "inference_mode"
    value = given[0].value if isinstance(given[0], ast.Constant) else None
    return None if value is None else bool(value) is (name == "inference_mode")


def _modes(scope: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.expr, list[ast.stmt]]]:
    """What a statement of a scope stands under, each with all the statements that do so."""
    statements = list(scopes.inside(scope))
    for block in statements:
        if isinstance(block, ast.With | ast.AsyncWith):
            inside = list(scopes.inside(block))
            yield from ((item.context_expr, inside) for item in block.items if statement in inside)
    switches = [one for one in statements if _is_switch(one) and one.lineno < statement.lineno]
    for one in switches[-1:]:
        yield one.value, [other for other in statements if one.lineno < other.lineno]


def _is_switch(statement: ast.stmt) -> TypeGuard[ast.Expr]:
    """Whether a statement sets the mode for all that follows."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and scopes.last(call.func) == "set_grad_enabled"
