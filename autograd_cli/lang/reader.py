"""From Python's syntax tree to the language's own nodes, by an allow-list of node types.

Nothing here recurses: each node type has a plan, a generator that asks for the nodes of
its parts and gives its own node in the end. So a sum of thousands of terms costs no stack.
"""

import ast
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from keyword import iskeyword
from re import compile as pattern
from typing import Any

from autograd_cli.errors import LanguageError, LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.refusals import BYTES, UNPACKED, Refusal, refusal

Ask = tuple[ast.AST, bool]
"""A part that a plan asks for, with whether it counts as one level deeper."""

Plan = Generator[Ask, Any, Expr]
"""Asks for the nodes of the parts and returns the node of the whole."""

MAX_INTEGER_BITS = 4096

_LINE_END = pattern(r"\r\n|\r|\n")
WORDS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
    ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip


class Places:
    """Spans in characters of a text, from the lines and UTF-8 columns of the syntax tree.

    The tree was made from `text[start:end]`.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        ends = (match.end() for match in _LINE_END.finditer(text, start, end))
        self.lines = (start, *ends)
        # Bytes before each character; None where a character is a byte.
        self.bytes = None if text.isascii() else (0, *accumulate(len(char.encode()) for char in text))

    def offset(self, line: int, column: int) -> int:
        """The character at `line`, counted from 1, and `column`, in bytes."""
        begin = self.lines[line - 1]
        if self.bytes is None:
            return begin + column
        return bisect_left(self.bytes, self.bytes[begin] + column)

    def span(self, node: Any) -> Span:
        """Where `node` stands."""
        return Span(
            self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)
        )

    def mend(self, node: ast.FormattedValue) -> None:
        """Give the parts of a value in an f-string the place of the whole, where Python's are wrong.

        Before Python 3.12 they can be, in f-strings of several lines or parts.
        """
        if self._holds(node.value):
            return
        for part in ast.walk(node.value):
            if isinstance(part, ast.expr | ast.keyword):
                ast.copy_location(part, node)

    def _holds(self, value: ast.expr) -> bool:
        """Whether what is written at the place of `value` is what it says."""
        try:
            span = self.span(value)
            written = ast.parse(f"({self.text[span.start : span.end]})", mode="eval").body
            return ast.dump(written) == ast.dump(value)
        except (IndexError, SyntaxError, ValueError, RecursionError, MemoryError):
            return False


@dataclass
class Reader:
    """Makes nodes of one text. Raises LanguageError where a construct is not in the language.

    LimitError where more than `max_nodes` are made, or parts nest more than
    `max_nesting` deep: brackets' insides, operands of a sign or a power, branches. A chain,
    as `x + 1 + 1` or `x.T.T`, is no nesting and may have `max_chain` links.
    """

    places: Places
    max_nodes: int
    max_nesting: int
    max_chain: int
    made: int = field(default=0, init=False)

    def expression(self, root: ast.expr) -> Expr:
        """The node that stands for `root`."""
        plans: list[Plan] = []
        depths = [0]
        answer = self._begin(root, 0, plans)
        while plans:
            try:
                part, is_deeper = plans[-1].send(answer)
            except StopIteration as finished:
                plans.pop()
                depths.pop()
                answer = finished.value
            else:
                depth = depths[-1] + is_deeper
                count = len(plans)
                answer = self._begin(part, depth, plans)
                depths += [depth] * (len(plans) - count)
        assert isinstance(answer, Expr)
        return answer

    def _begin(self, node: ast.AST, depth: int, plans: list[Plan]) -> Expr | None:
        """The node for a leaf of the tree; for another its plan is put on top, and None."""
        self.count(node)
        if depth > self.max_nesting:
            raise self.too_large(f"parts nested more than {self.max_nesting} deep", node)
        if len(plans) > self.max_chain:
            raise self.too_large(f"a chain of more than {self.max_chain} operators or calls", node)
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise self.refused(node, refusal(node))
        begun = handler(self, node)
        if isinstance(begun, Expr):
            return begun
        plans.append(begun)
        return None

    def count(self, node: ast.AST) -> None:
        """Count one node more; LimitError where that is one too many."""
        self.made += 1
        if self.made > self.max_nodes:
            what = f"more than {self.max_nodes:,} expression nodes"
            raise self.too_large(what, node, ", or raise the limit with --max-nodes")

    def check_name(self, name: str, span: Span) -> None:
        """Refuse a name that Python keeps for itself."""
        if iskeyword(name):
            raise self.error(
                "AGX104",
                f"This name reads `{name}` once its letters are put in their plain form.",
                span,
                f"Write `{name}` in plain letters if that is meant.",
            )
        if name.startswith("__"):
            raise self.error(
                "AGX104",
                f"`{name}` begins with two underscores; such names are Python's own.",
                span,
                "Choose a name that begins with a letter.",
            )

    def refused(self, node: ast.AST, why: Refusal) -> LanguageError:
        """The error that says why `node` is not in the language."""
        return self.error("AGX104", why.sentence, self.places.span(node), why.hint)

    def error(self, code: str, sentence: str, span: Span, hint: str) -> LanguageError:
        """An error about the stretch `span` of the text."""
        return LanguageError(code, sentence, text=self.places.text, span=span, hint=hint)

    def too_large(self, what: str, node: ast.AST, way_out: str = "") -> LimitError:
        """The error for a source that passes a limit at `node`."""
        return LimitError(
            "AGX108",
            f"The source has {what}.",
            text=self.places.text,
            span=self.places.span(node),
            hint=f"Write the repeated part as a tensor operation, or bind a part of it to a name{way_out}.",
        )


def _constant(reader: Reader, node: ast.Constant) -> Expr:
    span, value = reader.places.span(node), node.value
    if isinstance(value, bool) or value is None or value is ...:
        return nodes.Constant(value, span=span)
    if isinstance(value, str):
        return nodes.Text(value, span=span)
    if isinstance(value, bytes):
        raise reader.refused(node, BYTES)
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        raise integer_too_large(reader.places.text, span)
    return nodes.Number(value, span=span)


def integer_too_large(text: str, span: Span) -> LanguageError:
    """The error for an integer literal that no computation here can use."""
    return LanguageError(
        "AGX110",
        f"This integer takes more than {MAX_INTEGER_BITS:,} bits, the most that the language computes with.",
        text=text,
        span=span,
        hint="An int64 tensor holds up to 2**63 - 1; write a float, such as 1e30, for a larger number.",
    )


def _name(reader: Reader, node: ast.Name) -> Expr:
    span = reader.places.span(node)
    reader.check_name(node.id, span)
    return nodes.Name(node.id, span=span)


def _attribute(reader: Reader, node: ast.Attribute) -> Plan:
    span = reader.places.span(node)
    if node.attr.startswith("_") and not _is_pythons_own(node):
        raise reader.error(
            "AGX105",
            f"`.{node.attr}` begins with an underscore; such attributes are Python's own.",
            Span(_last_word(reader.places.text, span), span.end),
            "Attributes in the language are those that torch documents: `x.shape`, `x.grad`, `x.T`.",
        )
    value = yield node.value, False
    return nodes.Attribute(value, node.attr, span=span)


def _is_pythons_own(node: ast.Attribute) -> bool:
    """Whether it is `f.__name__` or `torch.__version__`, which the language has."""
    match node:
        case ast.Attribute(ast.Name("torch"), "__version__"):
            return True
    return node.attr == "__name__"


def _last_word(text: str, span: Span) -> int:
    """Where the identifier that ends the span begins."""
    start = span.end
    while start > span.start and ("a" + text[start - 1]).isidentifier():
        start -= 1
    return start


def _call(reader: Reader, node: ast.Call) -> Plan:
    function = yield node.func, False
    args = yield from _parts(node.args, True)
    keywords: list[nodes.Keyword] = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise reader.refused(keyword, UNPACKED)
        value = yield keyword.value, True
        keywords.append(nodes.Keyword(keyword.arg, value, span=reader.places.span(keyword)))
    return nodes.Call(function, args, tuple(keywords), span=reader.places.span(node))


def _parts(parts: Iterable[ast.AST], is_deeper: bool) -> Generator[Ask, Any, tuple[Expr, ...]]:
    made: list[Expr] = []
    for part in parts:
        node = yield part, is_deeper
        made.append(node)
    return tuple(made)


def _unary(reader: Reader, node: ast.UnaryOp) -> Plan:
    operand = yield node.operand, True
    return nodes.Unary(WORDS[type(node.op)], operand, span=reader.places.span(node))


def _binary(reader: Reader, node: ast.BinOp) -> Plan:
    op = WORDS[type(node.op)]
    left = yield node.left, False
    right = yield node.right, op == "**"
    return nodes.Binary(op, left, right, span=reader.places.span(node))


def _compare(reader: Reader, node: ast.Compare) -> Plan:
    operands = yield from _parts((node.left, *node.comparators), False)
    ops = tuple(WORDS[type(op)] for op in node.ops)
    return nodes.Compare(ops, operands, span=reader.places.span(node))


def _boolean(reader: Reader, node: ast.BoolOp) -> Plan:
    operands = yield from _parts(node.values, False)
    return nodes.Boolean(WORDS[type(node.op)], operands, span=reader.places.span(node))


def _conditional(reader: Reader, node: ast.IfExp) -> Plan:
    then = yield node.body, True
    test = yield node.test, True
    otherwise = yield node.orelse, True
    return nodes.Conditional(test, then, otherwise, span=reader.places.span(node))


def _slice(reader: Reader, node: ast.Slice) -> Plan:
    lower = None if node.lower is None else (yield node.lower, False)
    upper = None if node.upper is None else (yield node.upper, False)
    step = None if node.step is None else (yield node.step, False)
    return nodes.Slice(lower, upper, step, span=reader.places.span(node))


def _subscript(reader: Reader, node: ast.Subscript) -> Plan:
    value = yield node.value, False
    index = yield node.slice, True
    return nodes.Subscript(value, index, span=reader.places.span(node))


def _sequence(reader: Reader, node: ast.List | ast.Tuple) -> Plan:
    items = yield from _parts(node.elts, True)
    kind = "list" if isinstance(node, ast.List) else "tuple"
    return nodes.Sequence(kind, items, span=reader.places.span(node))


def _joined(reader: Reader, node: ast.JoinedStr) -> Plan:
    parts = yield from _parts(node.values, True)
    return nodes.Joined(parts, span=reader.places.span(node))


def _formatted(reader: Reader, node: ast.FormattedValue) -> Plan:
    reader.places.mend(node)
    value = yield node.value, True
    form = None if node.format_spec is None else (yield node.format_spec, True)
    conversion = "" if node.conversion < 0 else chr(node.conversion)
    return nodes.Formatted(value, conversion, form, span=reader.places.span(node))


HANDLERS: dict[type[ast.AST], Callable[[Reader, Any], Expr | Plan]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Slice: _slice,
    ast.Subscript: _subscript,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
}
