"""float64, mostly NumPy's, meeting float32: what is computed is float64."""

from collections.abc import Iterator

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import parts
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Statement
from autograd_cli.report import Finding, Made
from autograd_cli.report.values import shape_text

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_OPERATORS = {"+", "-", "*", "/"}


def promoted(whole: Whole) -> Iterator[Finding]:
    """AGX305, once, for the first operator between two names of different floating dtypes."""
    known: dict[str, Made] = {}
    for statement in whole.all_statements:
        for node in _operators(statement):
            pair = _pair(node, known)
            if pair is not None:
                yield _finding(whole, node, *pair)
                return
        known.update(_made(whole, statement))


def _operators(statement: Statement) -> Iterator[nodes.Binary]:
    for part in parts(statement):
        for node in nodes.walk(part):
            if isinstance(node, nodes.Binary) and node.op in _OPERATORS:
                yield node


def _made(whole: Whole, statement: Statement) -> dict[str, Made]:
    site = whole.sites.get(statement.span)
    return {made.name: made for made in site.first.made} if site and site.first else {}


def _pair(node: nodes.Binary, known: dict[str, Made]) -> tuple[Made, Made] | None:
    """The two operands, where they are names of floating tensors of two dtypes that weigh the same."""
    left, right = _known(node.left, known), _known(node.right, known)
    if left is None or right is None:
        return None
    if left.dtype == right.dtype or left.dtype not in _FLOATS or right.dtype not in _FLOATS:
        return None
    if left.shape is None or right.shape is None or bool(left.shape) != bool(right.shape):
        return None
    return left, right


def _known(side: nodes.Expr, known: dict[str, Made]) -> Made | None:
    return known.get(side.id) if isinstance(side, nodes.Name) else None


def _finding(whole: Whole, node: nodes.Binary, left: Made, right: Made) -> Finding:
    narrow = min((left, right), key=lambda made: _FLOATS.index(made.dtype))
    wide = right if narrow is left else left
    dtype = wide.dtype if narrow.dtype != "float16" or wide.dtype != "bfloat16" else "float32"
    text = whole.source[node.span]
    rows = [(made.name, shape_text(made.shape or ()), made.dtype) for made in (left, right)]
    return whole.finding(
        "AGX305",
        f"`{narrow.name}` is {narrow.dtype} and is promoted: {drawing.quoted(text)} is {dtype}.",
        span=node.span,
        cause=drawing.columns([*rows, (drawing.label(text), "", dtype)]),
    )
