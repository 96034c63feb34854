"""Text of an expression: what Python reads back as the same expression, as short as it gets."""

from collections.abc import Callable
from math import isinf, isnan
from typing import Any

from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, children

CONDITIONAL, OR, AND, NOT, COMPARE, UNARY, POWER, POSTFIX, ATOM = 1, 2, 3, 4, 5, 12, 13, 14, 15
PRODUCT = 11
LEVELS = {
    **dict.fromkeys("|", 6),
    **dict.fromkeys("^", 7),
    **dict.fromkeys("&", 8),
    **dict.fromkeys(("<<", ">>"), 9),
    **dict.fromkeys("+-", 10),
    **dict.fromkeys(("*", "/", "//", "%", "@"), PRODUCT),
    "**": POWER,
}
TIGHT = {"*", "/", "//", "%", "@", "**"}


def unparse(expr: Expr) -> str:
    """The text of `expr` with no bracket that Python's precedence does not ask for.

    `+`, `-` and comparisons have spaces around them, products and powers none. A
    matrix product that is the whole text is spaced, and so is a fraction before it:
    `2/10 * X.T @ (X@w + b - y)`. Works without recursion, at any depth.
    """
    known: str | None = vars(expr).get("_whole")  # apart from its text as a part of others
    if known is not None:
        return known
    chain = _chain(expr)
    spaced = _spaced(chain)
    writer = _Writer(spaced, {id(link) for link in chain} if spaced else spaced)
    for node in reversed(writer.unwritten(expr)):
        writer.write(node)
    text = writer.texts[id(expr)]
    if len(text) <= _KEPT:
        vars(expr)["_whole"] = text
    return text


def _chain(root: Expr) -> list[nodes.Binary]:
    """The operators of the outermost product, from the last one back."""
    chain: list[nodes.Binary] = []
    node = root
    while isinstance(node, nodes.Binary) and LEVELS[node.op] == PRODUCT:
        chain.append(node)
        node = node.left
    return chain


def _spaced(chain: list[nodes.Binary]) -> set[int]:
    """The operators of the outermost product that are written with spaces."""
    if any(link.op == "@" for link in chain):
        return {id(link) for link in chain if not is_fraction(link)}
    return {id(link) for link in chain if link.op == "*" and is_fraction(link.left)}


def is_fraction(node: Expr) -> bool:
    """Whether `node` is one number over another, such as `2/10`."""
    return (
        isinstance(node, nodes.Binary)
        and node.op == "/"
        and isinstance(node.right, nodes.Number)
        and isinstance(_unsigned(node.left), nodes.Number)
    )


def _unsigned(node: Expr) -> Expr:
    return node.operand if isinstance(node, nodes.Unary) and node.op == "-" else node


_KEPT = 200
"""Characters of a text that a node keeps: of a long sum each part would keep one nearly as long."""


class _Writer:
    """Texts and precedences of nodes, written from the leaves up.

    A node keeps its text, since a formula is made of parts that were written before; those
    in `outermost` have another text here than elsewhere, where some are `spaced`.
    """

    def __init__(self, spaced: set[int], outermost: set[int]) -> None:
        self.spaced = spaced
        self.outermost = outermost
        self.texts: dict[int, str] = {}
        self.levels: dict[int, int] = {}

    def unwritten(self, root: Expr) -> list[Expr]:
        """The nodes that have no text yet, each before its parts."""
        found, stack = [], [root]
        while stack:
            node = stack.pop()
            known = vars(node).get("_written")
            if known is not None and id(node) not in self.outermost:
                self.texts[id(node)], self.levels[id(node)] = known
            else:
                found.append(node)
                stack.extend(children(node))
        return found

    def write(self, node: Expr) -> None:
        """Note the text and the precedence of `node`, whose parts are written already."""
        kind = type(node)
        form = _FORMS.get(kind) or next(_FORMS[base] for base in kind.__mro__ if base in _FORMS)
        written = text, level = form(self, node)
        self.texts[id(node)], self.levels[id(node)] = text, level
        if len(text) <= _KEPT and id(node) not in self.outermost:
            vars(node)["_written"] = written

    def at(self, node: Expr, level: int) -> str:
        """The text of `node` for a place that takes precedence `level` and above."""
        text = self.texts[id(node)]
        return text if self.levels[id(node)] >= level else f"({text})"

    def receiver(self, node: Expr) -> str:
        """The text of `node` before a dot; a number needs brackets there."""
        return self.at(node, ATOM + 1 if isinstance(node, nodes.Number) else POSTFIX)

    def call(self, node: nodes.Call) -> tuple[str, int]:
        """`function(args, name=value)`."""
        given = ", ".join(self.texts[id(part)] for part in (*node.args, *node.keywords))
        return f"{self.at(node.function, POSTFIX)}({given})", POSTFIX

    def unary(self, node: nodes.Unary) -> tuple[str, int]:
        """`-x`, `not x`."""
        if node.op == "not":
            return f"not {self.at(node.operand, NOT)}", NOT
        return f"{node.op}{self.at(node.operand, UNARY)}", UNARY

    def binary(self, node: nodes.Binary) -> tuple[str, int]:
        """`left op right`; only `**` groups to the right, and takes a sign there."""
        level = LEVELS[node.op]
        if node.op == "**":
            return f"{self.at(node.left, POSTFIX)}**{self.at(node.right, UNARY)}", POWER
        gap = "" if node.op in TIGHT and id(node) not in self.spaced else " "
        return f"{self.at(node.left, level)}{gap}{node.op}{gap}{self.at(node.right, level + 1)}", level

    def compare(self, node: nodes.Compare) -> tuple[str, int]:
        """`a < b <= c`."""
        first, *rest = (self.at(operand, COMPARE + 1) for operand in node.operands)
        return first + "".join(f" {op} {text}" for op, text in zip(node.ops, rest, strict=True)), COMPARE

    def boolean(self, node: nodes.Boolean) -> tuple[str, int]:
        """`a and b`, `a or b`."""
        level = AND if node.op == "and" else OR
        return f" {node.op} ".join(self.at(operand, level + 1) for operand in node.operands), level

    def conditional(self, node: nodes.Conditional) -> tuple[str, int]:
        """`then if test else otherwise`."""
        then, test = self.at(node.then, CONDITIONAL + 1), self.at(node.test, CONDITIONAL + 1)
        return f"{then} if {test} else {self.at(node.otherwise, CONDITIONAL)}", CONDITIONAL

    def slice(self, node: nodes.Slice) -> tuple[str, int]:
        """`lower:upper:step`."""
        lower, upper, step = (
            "" if part is None else self.texts[id(part)] for part in (node.lower, node.upper, node.step)
        )
        return f"{lower}:{upper}" + (f":{step}" if node.step is not None else ""), ATOM

    def subscript(self, node: nodes.Subscript) -> tuple[str, int]:
        """`value[index]`; the brackets of a tuple of indices are not needed."""
        index = self.texts[id(node.index)]
        if isinstance(node.index, nodes.Sequence) and node.index.kind == "tuple" and node.index.items:
            index = index[1:-1]
        return f"{self.receiver(node.value)}[{index}]", POSTFIX

    def sequence(self, node: nodes.Sequence) -> tuple[str, int]:
        """`[a, b]`, `(a, b)`, `(a,)`."""
        inside = ", ".join(self.texts[id(item)] for item in node.items)
        if node.kind == "list":
            return f"[{inside}]", ATOM
        return (f"({inside},)" if len(node.items) == 1 else f"({inside})"), ATOM


def _number(node: nodes.Number) -> tuple[str, int]:
    value = node.value
    if isinstance(value, float) and (isnan(value) or isinf(value)):
        return ("nan", ATOM) if isnan(value) else ("inf", ATOM) if value > 0 else ("-inf", UNARY)
    text = repr(value)
    return text, UNARY if text.startswith("-") else ATOM


_FORMS: dict[type[Expr], Callable[[_Writer, Any], tuple[str, int]]] = {
    nodes.Number: lambda _, node: _number(node),
    nodes.Text: lambda _, node: (repr(node.value), ATOM),
    nodes.Constant: lambda _, node: ("..." if node.value is ... else repr(node.value), ATOM),
    nodes.Name: lambda _, node: (node.id, ATOM),
    nodes.Attribute: lambda writer, node: (f"{writer.receiver(node.value)}.{node.name}", POSTFIX),
    nodes.Keyword: lambda writer, node: (f"{node.name}={writer.texts[id(node.value)]}", ATOM),
    nodes.Call: _Writer.call,
    nodes.Unary: _Writer.unary,
    nodes.Binary: _Writer.binary,
    nodes.Compare: _Writer.compare,
    nodes.Boolean: _Writer.boolean,
    nodes.Conditional: _Writer.conditional,
    nodes.Slice: _Writer.slice,
    nodes.Subscript: _Writer.subscript,
    nodes.Sequence: _Writer.sequence,
}
"""What writes each kind of node: its text and its precedence."""
