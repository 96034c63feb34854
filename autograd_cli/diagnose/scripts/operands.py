"""What the failing call or operator of a script is given, as the script writes it."""

import ast
import linecache
from collections.abc import Iterator, Sequence
from itertools import islice
from types import TracebackType

from autograd_cli.diagnose.logs.facts import is_library

_MOST_LINES = 20
_LONGEST = 32
_MODULES = {"torch", "F", "functional", "nn"}


def expression(steps: Sequence[TracebackType]) -> str:
    """The source of what failed in the script's own last frame; empty where its place is not known."""
    own = [step for step in steps if not is_library(step.tb_frame.f_code.co_filename)]
    if not own:
        return ""
    code = own[-1].tb_frame.f_code
    place = next(islice(code.co_positions(), own[-1].tb_lasti // 2, None), (None, None, None, None))
    first, last, begin, end = place
    if first is None or last is None or begin is None or end is None or last - first > _MOST_LINES:
        return ""
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    return b"".join(lines).decode("utf-8", "replace")


def of(text: str) -> tuple[str, ...]:
    """The operands of an operator, of a function of torch or of a method; those of a join one by one."""
    node = _parsed(text)
    given = () if node is None else _given(node)
    found = tuple(ast.unparse(one) for one in given if not _is_number(one))
    return found if all(len(one) <= _LONGEST for one in found) else ()


def _parsed(text: str) -> ast.AST | None:
    for source in (f"({text}\n)", text):
        try:
            statement = ast.parse(source).body[0]
        except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
            continue
        return statement.value if isinstance(statement, ast.Expr) else statement
    return None


def _given(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        yield from (node.target, node.value)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Call) and not any(isinstance(one, ast.Starred) for one in node.args):
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            yield node.func.value
        for one in node.args:
            yield from one.elts if isinstance(one, ast.List | ast.Tuple) else [one]


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _is_module(node: ast.expr) -> bool:
    """Whether functions are taken from what a call is written on, by its last name."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in _MODULES
