"""How findings of a watched script are made."""

import ast
from collections.abc import Sequence
from typing import Any

from autograd_cli import catalogue
from autograd_cli.diagnose.watching.places import Place
from autograd_cli.report import Finding, Fix
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.records import Severity


def make(
    code: str,
    sentence: str,
    at: Place | None,
    *,
    name: str = "",
    severity: Severity | None = None,
    torch: str = "",
    cause: Sequence[str] = (),
    fix: Sequence[str] = (),
    also: tuple[str, ...] = (),
    **evidence: Any,
) -> Placed:
    """A finding at a place, with the name and severity of its page unless said."""
    page = catalogue.page(code)
    finding = Finding(
        code=code,
        name=name or page.name,
        severity=severity or page.severity,
        sentence=sentence,
        line=None if at is None else at.line,
        torch=torch,
        cause=tuple(cause),
        fix=tuple(Fix(text) for text in fix),
        also=also,
        evidence=evidence,
    )
    return Placed(finding, None if at is None else at.frame)


def indexed(index: Sequence[int]) -> str:
    """An index as it is written behind a name: "[3]", "[0, 2]"; "" for a single number."""
    return f"[{', '.join(map(str, index))}]" if index else ""


def number(value: Any) -> str:
    """A number in few digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def bracketed(node: ast.expr) -> str:
    """An expression as an operand: in brackets where it has an operator of its own."""
    tight = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    return ast.unparse(node) if tight else f"({ast.unparse(node)})"


def word(kept: str) -> str:
    """What a value that a node keeps under a name is to its call."""
    return {"self": "input", "other": "other operand", "mat2": "other operand"}.get(kept, kept)
