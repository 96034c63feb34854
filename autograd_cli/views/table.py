"""The table of a graph: one row a node, with its value, its factor and its gradient."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograd_cli.lang.source import cells, several
from autograd_cli.report.records import Local, Node, Report, Values
from autograd_cli.views import numbers
from autograd_cli.views.pieces import (
    Column,
    Line,
    Piece,
    Room,
    Table,
    Words,
    is_cut,
    natural_width,
    one_line,
    words,
)
from autograd_cli.views.tree import Index, Row, Tree, tree


@dataclass(frozen=True)
class Fit:
    """How roomy a table is: digits of values and gradients, of factors, and the gaps.

    A factor's formula of more than `formula` cells is left out and its number kept: the
    text column, which says what a row is, must not pay for it.
    """

    digits: int
    factor_digits: int
    gap: int
    formula: int = 1000


_FITS = (
    Fit(numbers.DIGITS, numbers.DIGITS, 3),
    Fit(numbers.DIGITS, numbers.TIGHT, 3),
    Fit(numbers.DIGITS, numbers.TIGHT, 2),
    Fit(numbers.TIGHT, numbers.TIGHT, 2),
    Fit(numbers.TIGHT, numbers.TIGHT, 2, 24),
    Fit(numbers.TIGHT, numbers.TIGHT, 2, 12),
    Fit(numbers.TIGHT, numbers.TIGHT, 2, 0),
)
_LAST = Fit(numbers.LEAST, numbers.LEAST, 2, 0)
"""Where a narrow terminal would otherwise cut the numbers too."""


def graph_table(report: Report, room: Room) -> tuple[Table, list[Piece]] | None:
    """The table that fits in `room`, roomiest first, and the lines that belong under it."""
    if report.graph is None:
        return None
    drawn = tree(report.graph, room)
    if not drawn.rows:
        return None
    index = Index(report.graph)
    fits = _FITS if room.width else _FITS[:1]
    for fit in fits:
        table = _table(report, index, drawn, fit)
        if room.width is None or natural_width(table) <= room.width:
            break
    if room.width is not None and is_cut(table, room.width):
        table = _table(report, index, drawn, _LAST)
    return table, _under(drawn)


def _under(drawn: Tree) -> list[Piece]:
    lines: list[Piece] = []
    if drawn.hidden > 0:
        more = f"… {several(drawn.hidden, 'more node')}; --full shows all"
        lines.append(Line(words((more, "quiet")), indent=1))
    if drawn.numbered:
        note = "a number in brackets is the depth of a row that is too deep to be indented"
        lines.append(Line(words((note, "quiet")), indent=1))
    return lines


Maker = Callable[[], tuple[Column, list[Words]]]


def _table(report: Report, index: Index, drawn: Tree, fit: Fit) -> Table:
    maker = _Columns(report, index, drawn.rows, fit)
    made = [make() for make in maker.chosen()]
    columns = tuple(column for column, _ in made)
    return Table(columns, tuple(zip(*(column for _, column in made), strict=True)), fit.gap)


class _Columns:
    """The columns of one table, each as its head and its cells from the top down."""

    def __init__(self, report: Report, index: Index, rows: Sequence[Row], fit: Fit) -> None:
        self.report = report
        self.index = index
        self.rows = rows
        self.fit = fit
        self.fresh = [None if row.again else row.node for row in rows]
        nodes = [node for node in self.fresh if node]
        self.scalar = all(node.shape in ((), None) for node in nodes)
        self.mixed = len({node.dtype for node in nodes if _differentiable(node.dtype)}) > 1
        self.judged = {gradient.name for gradient in report.gradients}

    def chosen(self) -> list[Maker]:
        """The columns that this graph needs, from left to right."""
        sizes = [] if self.scalar else [self.sizes]
        dtypes = [self.dtypes] if self.mixed else []
        factors = [self.factors] if self.scalar else []
        return [self.ids, self.texts, *sizes, *dtypes, self.values, self.ops, *factors, self.gradients]

    def each(self, make: Callable[[Node], str], style: str) -> list[Words]:
        """A cell for every row; empty where a node is met again or not shown."""
        return [words((make(node), style)) if node else () for node in self.fresh]

    def ids(self) -> tuple[Column, list[Words]]:
        size = len(str(max((row.node.id for row in self.rows if row.node), default=0)))
        made = self.each(lambda node: ("-" if node.constant else str(node.id)).rjust(size), "quiet")
        return Column("#".rjust(size), "quiet"), made

    def texts(self) -> tuple[Column, list[Words]]:
        return Column("text", cut=True), [self.text(row) for row in self.rows]

    def text(self, row: Row) -> Words:
        if row.node is None:
            return words((row.glyphs, "quiet"), ("…", "quiet"))
        text = said(row.node)
        if row.again:
            where = f"  ↑ row {row.node.id}" if not row.node.constant else "  ↑ above"
            return words((row.glyphs, "quiet"), (text, "source"), (where, "quiet"))
        place = f"  {one_line(row.node.place)}" if row.node.place else ""
        style = "quiet" if row.node.inside else "source"
        return words((row.glyphs, "quiet"), (text, style), (place, "quiet"))

    def sizes(self) -> tuple[Column, list[Words]]:
        return Column("shape"), self.each(lambda node: numbers.shape(node.shape), "shape")

    def dtypes(self) -> tuple[Column, list[Words]]:
        return Column("dtype"), self.each(lambda node: node.dtype or numbers.MISSING, "shape")

    def values(self) -> tuple[Column, list[Words]]:
        title = "value" if self.scalar else "values"
        made = [numbers.cell(node.value, self.fit.digits) if node else "" for node in self.fresh]
        return Column(title), [words((text, "value")) for text in _aligned(made, self.scalar)]

    def ops(self) -> tuple[Column, list[Words]]:
        return Column("grad_fn"), self.each(self.op, "op")

    def op(self, node: Node) -> str:
        if node.constant:
            return "constant"
        return f"into {one_line(node.leaf)}.grad" if node.leaf and not self.scalar else one_line(node.op)

    def factors(self) -> tuple[Column, list[Words]]:
        pairs = [self.factor(node) if node else ("", "") for node in self.fresh]
        size = max((cells(f) for f, value in pairs if value and cells(f) < 40), default=0)
        signs = _aligned([value for _, value in pairs], True)
        texts = [
            f"{formula}{' ' * (size - cells(formula))} = {value}" if value else formula
            for (formula, _), value in zip(pairs, signs, strict=True)
        ]
        return Column("local factor"), [words((text, "factor")) for text in texts]

    def factor(self, node: Node) -> tuple[str, str]:
        """The formula of the local factor and its number; several are one text."""
        if node.leaf:
            return f"into {one_line(node.leaf)}.grad", ""
        if node.local:
            return self.put_in(node.local)
        if node.rule:
            return f"own rule, {one_line(node.rule).rpartition('/')[2]}", ""
        locals_ = [edge.local for edge in self.index.edges(node.id) if edge.local]
        return ", ".join(" = ".join(filter(None, self.put_in(local))) for local in locals_), ""

    def put_in(self, local: Local) -> tuple[str, str]:
        """A formula and the number that it has here; a bare number says itself."""
        formula, value = one_line(local.formula), numbers.cell(local.value, self.fit.factor_digits)
        said = formula and formula not in (value, _float(local.value)) and cells(formula) <= self.fit.formula
        return (formula, value) if said else (value, "")

    def gradients(self) -> tuple[Column, list[Words]]:
        known = [node.gradient if node else None for node in self.fresh]
        if self.scalar and self.fit.digits == numbers.DIGITS:
            texts = numbers.in_step(known)
        else:
            texts = [numbers.cell(value, self.fit.digits) for value in known]
        pairs = zip(self.fresh, texts, strict=True)
        made = [self.arrived(node, text) if node else "" for node, text in pairs]
        out = self.report.root if self.report.root.isidentifier() else "out"
        return Column(f"d {out}/d text"), [
            words((text, numbers.style(text))) for text in _aligned(made, self.scalar)
        ]

    def arrived(self, node: Node, text: str) -> str:
        if node.constant:
            return ""
        return "below" if node.leaf in self.judged and not self.scalar else text


def gradient_of(node: Node, digits: int = numbers.DIGITS) -> str:
    """d out / d text of a node in a few words; nothing for a constant."""
    return "" if node.constant else numbers.cell(node.gradient, digits)


def _differentiable(dtype: str | None) -> bool:
    return dtype is not None and dtype.startswith(("float", "bfloat", "complex"))


def _float(value: Values) -> str:
    return str(value) if isinstance(value, float) else ""


def _aligned(texts: list[str], scalar: bool) -> list[str]:
    """Numbers on their points where the column holds single numbers, else as they are."""
    if not scalar:
        return texts
    found = iter(numbers.on_point([text for text in texts if text]))
    return [next(found) if text else "" for text in texts]


def said(node: Node) -> str:
    """What a row says of its node: its text, or within which call torch made it."""
    text = one_line(node.text)
    if node.inside:
        return one_line(node.name) or f"inside {_call(text)}"
    name = one_line(node.name) if node.name and node.name not in (node.text, node.leaf) else ""
    if name and re.match(rf"{re.escape(name)}\s*(\*\*|//|<<|>>|[-+*/@%&|^])=", text):
        name = ""  # `y += 1` names it itself
    return " = ".join(filter(None, (name, text or one_line(node.op))))


def _call(text: str) -> str:
    """A call with its arguments left out: cross_entropy(…); other text as it is."""
    if not text.endswith(")"):
        return text
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            return f"{text[:place]}(…)" if place else text
    return text
