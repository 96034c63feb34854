"""Whether statements keep what a name leads to, or let go of its graph: detach and what does the like.

A name is a variable, or an attribute of `self` that is written `self.name`.
"""

import ast
from collections.abc import Iterator, Sequence

from autograd_cli.diagnose.scripts import scopes
from autograd_cli.diagnose.scripts.scopes import Function, Script

_METHODS = {"detach", "detach_", "item", "tolist", "numpy"}
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp


class LettingGo:
    """What the source of a script lets go of."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._asked: set[ast.AST] = set()

    def keeps(self, name: str, statements: Sequence[ast.stmt]) -> bool:
        """Whether the statements set the name, and no one of them lets go of its graph."""
        setting = [one for one in statements if sets(name, one)]
        if not setting or any(_lets_go_in_place(name, one) for one in statements):
            return False
        return all(self._kept(value) for one in setting for value in _values(name, one))

    def reads(self, name: str, statement: ast.stmt) -> bool:
        """Whether a statement reads the name with its graph, as `+=` does too."""
        if isinstance(statement, ast.AugAssign) and sets(name, statement):
            return True
        return any(_is(name, one) for one in self._kept(statement) if isinstance(one.ctx, ast.Load))

    def _kept(self, node: ast.AST) -> list[ast.Name | ast.Attribute]:
        """The names and attributes in a piece of source but for those whose graph it lets go of."""
        if self._is_let_go(node):
            return []
        found = [node] if isinstance(node, ast.Name | ast.Attribute) else []
        return found + [one for child in ast.iter_child_nodes(node) for one in self._kept(child)]

    def _is_let_go(self, node: ast.AST) -> bool:
        """Whether what a piece of source gives has no graph of what it reads."""
        if isinstance(node, ast.Attribute):
            return node.attr == "data"
        if isinstance(node, _COMPREHENSIONS):
            return self._is_let_go(node.elt)
        if isinstance(node, ast.DictComp):
            return self._is_let_go(node.value)
        if isinstance(node, ast.Tuple | ast.List):
            return bool(node.elts) and all(map(self._is_let_go, node.elts))
        return isinstance(node, ast.Call) and self._is_call_let_go(node)

    def _is_call_let_go(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
            return True
        called = self._script.called(call)
        if called is not None:
            return self._is_result_let_go(called)
        if isinstance(call.func, ast.Name) and len(call.args) == 1 and self._is_let_go(call.args[0]):
            return True  # tuple(… for …)
        return any(isinstance(one, ast.Lambda) and self._is_let_go(one.body) for one in call.args)

    def _is_result_let_go(self, function: Function) -> bool:
        """Whether all that a function returns is let go of; one that calls itself says it elsewhere."""
        if function in self._asked:
            return True
        self._asked.add(function)
        statements = list(scopes.inside(function))
        given = [one.value for one in statements if isinstance(one, ast.Return) and one.value is not None]
        found = bool(given) and all(self._is_value_let_go(one, statements) for one in given)
        self._asked.remove(function)
        return found

    def _is_value_let_go(self, value: ast.expr, statements: Sequence[ast.stmt]) -> bool:
        if isinstance(value, ast.Name) and any(sets(value.id, one) for one in statements):
            return not self.keeps(value.id, statements)
        return self._is_let_go(value)


def sets(name: str, statement: ast.stmt) -> bool:
    """Whether a statement gives the name a value."""
    return any(_is(name, one) for target in _targets(statement) for one in ast.walk(target))


def _values(name: str, statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that a statement gives to the name."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.expr):
        return
    for target in _targets(statement):
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            pairs = list(zip(target.elts, value.elts, strict=False))
        yield from (one for to, one in pairs if any(_is(name, part) for part in ast.walk(to)))


def _lets_go_in_place(name: str, statement: ast.stmt) -> bool:
    """Whether a statement is a call of `detach_` of the name."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    of = call.func if isinstance(call, ast.Call) else None
    return isinstance(of, ast.Attribute) and of.attr == "detach_" and _is(name, of.value)


def _is(name: str, node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and f"{node.value.id}.{node.attr}" == name
    return isinstance(node, ast.Name) and node.id == name


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else []
