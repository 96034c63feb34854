"""What the two operands of a call are called in the script, and whether one was made a column there."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_cli.diagnose.watching.places import Place, exact, parsed

_MEANT = {"unsqueeze", "view", "reshape", "view_as", "reshape_as", "unflatten", "expand", "newaxis"}
_PAIRS = {"unsqueeze", "newaxis"}
_OPERANDS = {"input", "other", "target"}


@dataclass(frozen=True)
class Operands:
    """The texts of two operands; `nodes` are their expressions, where the source is there."""

    left: str
    right: str
    nodes: tuple[ast.expr, ...] = ()

    def puts_in_a_one(self, at: Place, deep: bool) -> bool:
        """Whether an operand has a dimension of size 1 put in, by None, unsqueeze, view or keepdim.

        With `deep` also where the assignment of its name puts one in by None or unsqueeze.
        """
        if any(_puts(node, _MEANT) for node in self.nodes):
            return True
        names = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        return deep and any(_puts(value, _PAIRS) for value in _assigned(at.file, names))


def operands(at: Place) -> Operands:
    """The operands of the call at a place."""
    node = exact(at)
    pair: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        pair = [node.left, node.right]
    elif isinstance(node, ast.Call):
        pair = [*node.args, *(each.value for each in node.keywords if each.arg in _OPERANDS)]
        if len(pair) == 1 and isinstance(node.func, ast.Attribute):
            pair = [node.func.value, *pair]
    if len(pair) < 2:
        return Operands("the first operand", "the second operand")
    return Operands(ast.unparse(pair[0]), ast.unparse(pair[1]), (pair[0], pair[1]))


def _puts(node: ast.expr, methods: set[str]) -> bool:
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript) and any(
            isinstance(part, ast.Constant) and part.value is None for part in ast.walk(each.slice)
        ):
            return True
        if isinstance(each, ast.keyword) and each.arg in {"keepdim", "keepdims"}:
            return True
        if isinstance(each, ast.Attribute) and each.attr in methods:
            return True
    return False


def _assigned(file: str, names: set[str]) -> Iterator[ast.expr]:
    tree = parsed(file)
    for node in ast.walk(tree) if tree and names else ():
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in names for target in node.targets
        ):
            yield node.value
