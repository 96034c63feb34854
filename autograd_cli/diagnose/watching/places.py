"""Lines of a script: the statement at a place, what it writes to, what it calls its result."""

import ast
import linecache
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.watching.records import Spot
from autograd_cli.lang.source import visible
from autograd_cli.report.diagnosis import Frame

_WIDTH = 60
_FILES = 64

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Place:
    """A place in a file; `statement` is the innermost that it stands in, None where there is no source."""

    file: str
    line: int
    function: str
    column: int | None = None
    end: tuple[int, int] | None = None
    statement: ast.stmt | None = None

    @property
    def name(self) -> str:
        """The file without its folders, and the line; what would end the line in between is written out."""
        return visible(f"{self.file.replace(chr(92), '/').rpartition('/')[2]}:{self.line}")

    @property
    def text(self) -> str:
        """The statement on one line, the head alone of one that holds others."""
        return drawing.label(self.source, _WIDTH)

    @property
    def source(self) -> str:
        """The statement as it is written; of one that holds others, and where it is not known, the line."""
        whole = linecache.getlines(self.file)
        statement = self.statement
        if statement is None or any(hasattr(statement, part) for part in _BODIES):
            return whole[self.line - 1].strip() if self.line <= len(whole) else ""
        return ast.get_source_segment("".join(whole), statement) or ""

    @property
    def part(self) -> str:
        """The expression itself; the statement where its columns are not known."""
        lines = linecache.getlines(self.file)
        if self.column is None or self.end is None or self.end[0] > len(lines):
            return self.text
        first, last = self.line - 1, self.end[0] - 1
        encoded = [line.encode() for line in lines[first : last + 1]]
        encoded[-1] = encoded[-1][: self.end[1]]
        encoded[0] = encoded[0][self.column :]
        return drawing.label(b"".join(encoded).decode(errors="replace"), _WIDTH) or self.text

    @property
    def frame(self) -> Frame:
        """The place as a diagnosis has it."""
        lines = linecache.getlines(self.file)
        text = lines[self.line - 1].strip() if 0 < self.line <= len(lines) else ""
        return Frame(self.file, self.line, self.function, text)


def place(spot: Spot | Place | None) -> Place | None:
    """The place of a record; None where no frame of a person's was found."""
    if spot is None or isinstance(spot, Place):
        return spot
    code = spot.code
    found = next(islice(code.co_positions(), max(spot.instruction, 0) // 2, None), (None,) * 4)
    line, end, column, last = found
    line = line or code.co_firstlineno
    ends = None if end is None or last is None else (end, last)
    return Place(
        code.co_filename, line, code.co_name, column, ends, _statement(code.co_filename, line, column)
    )


@lru_cache(_FILES)
def parsed(file: str) -> ast.Module | None:
    """The file as Python reads it; None where it does not, or is not there."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _statement(file: str, line: int, column: int | None) -> ast.stmt | None:
    """The innermost statement that a place stands in."""
    tree = parsed(file)
    found: ast.stmt | None = None
    inside: list[ast.AST] = [] if tree is None else [tree]
    while inside:
        node = inside.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                start, end = getattr(child, "lineno", 0), getattr(child, "end_lineno", 0) or 0
                if isinstance(child, ast.match_case):
                    inside.append(child)
                elif start <= line <= end and not _is_before(child, line, column):
                    found = child if isinstance(child, ast.stmt) else found
                    inside = [child]
                    break
    return found


def _is_before(node: ast.stmt | ast.excepthandler, line: int, column: int | None) -> bool:
    """Whether a node ends on a line before a column: another follows it there."""
    return column is not None and node.end_lineno == line and (node.end_col_offset or 0) <= column


def exact(at: Place) -> ast.AST | None:
    """The expression, or the statement, that stands exactly at a place; None where columns are not known."""
    span = (at.line, at.column, *(at.end or ()))
    for node in ast.walk(at.statement) if at.statement and at.end else ():
        if isinstance(node, ast.expr | ast.stmt) and span == _span(node):
            return node.value if isinstance(node, ast.Expr) else node
    return None


def _span(node: ast.expr | ast.stmt) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def written(statement: ast.stmt | None) -> ast.expr | None:
    """What a statement that writes in place writes to: the target, the receiver, `out`."""
    if isinstance(statement, ast.AugAssign):
        return statement.target
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript | ast.Attribute):
        return statement.targets[0]
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call):
        return None
    out = next((keyword.value for keyword in call.keywords if keyword.arg == "out"), None)
    if out is not None:
        return out
    is_in_place = isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_")
    return call.func.value if is_in_place and isinstance(call.func, ast.Attribute) else None


def base(target: ast.expr | None) -> str:
    """The name that a target begins with, `self.h` for an attribute of an object; "" where it has none."""
    while isinstance(target, ast.Subscript | ast.Call):
        target = target.value if isinstance(target, ast.Subscript) else target.func
    if isinstance(target, ast.Attribute):
        plain = {"data", "grad", "T", "mT"}
        is_own = isinstance(target.value, ast.Name) and target.attr not in plain and not _is_method(target)
        return ast.unparse(target) if is_own else base(target.value)
    return target.id if isinstance(target, ast.Name) else ""


def _is_method(target: ast.Attribute) -> bool:
    plain = {"view", "detach", "flatten", "reshape", "numpy", "squeeze", "unsqueeze", "t"}
    return target.attr in plain or target.attr.endswith("_")


def result(at: Place) -> str:
    """What a statement calls the value that it makes: the name it is given; "" where it has none."""
    statement = at.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Attribute):
        whole = statement.value
        same = (whole.lineno, whole.col_offset) == (at.line, at.column)
        return ast.unparse(statement.targets[0]) if same and at.end == _end(whole) else ""
    return ""


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
