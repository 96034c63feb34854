"""The chain rule way by way: what each way from the output down to a leaf adds to its gradient."""

from collections import Counter
from collections.abc import Iterator, Sequence

from autograd_cli.lang.source import cells, several
from autograd_cli.report.chain import Chain, Departure, Link, Way, Ways
from autograd_cli.report.records import Node, Report, Values
from autograd_cli.report.values import shape_text
from autograd_cli.views import numbers
from autograd_cli.views.handed import handed
from autograd_cli.views.pieces import Column, Line, Piece, Room, Table, Words, natural_width, one_line, words
from autograd_cli.views.table import said

MOST_ROWS = 160
MOST_LINKS, LEAST_LINKS = 16, 6
"""Rows of one way that are shown unless everything is asked for, the first and the last ones: fewer
where there are many ways, so that all are MOST_ROWS or a little more."""

MOST_LEAVES = 6
_MOST_SUMMANDS = 8

_FITS = ((numbers.DIGITS, 3, 1000), (numbers.DIGITS, 2, 40), (numbers.DIGITS, 2, 20), (numbers.DIGITS, 1, 0))
"""Digits of a factor, the gap between columns and the longest formula, roomiest first."""


def chain(report: Report, room: Room) -> list[list[Piece]]:
    """A block for each leaf and one for what was compared; none where it was not asked for."""
    found = report.chain
    if found is None:
        return []
    if found.reason or not found.leaves:
        why = one_line(found.reason) or "no leaf that requires grad is reached"
        return [[Line(words(("the chain rule: ", "title"), (f"no way to show, {why}", "quiet")), hang=2)]]
    leaves = found.leaves if room.full else found.leaves[:MOST_LEAVES]
    drawer = _Drawer(report, found, room, sum(len(ways.ways) for ways in leaves))
    blocks = [drawer.leaf(ways) for ways in leaves]
    more = len(found.leaves) - len(leaves)
    last = [_quiet(f"… {more:,} more leaves; --full shows all")] if more else []
    return [*blocks, drawer.handed(leaves), [*last, *drawer.compared()]]


class _Drawer:
    def __init__(self, report: Report, found: Chain, room: Room, count: int) -> None:
        self.found, self.room = found, room
        self.most = max(min(MOST_LINKS, MOST_ROWS // max(count, 1)), LEAST_LINKS)
        self.nodes = {node.id: node for node in (report.graph.nodes if report.graph else ())}
        sent = report.output.gradient if report.output else None
        self.sent = f"; {numbers.tensor(sent)} is sent into it" if sent != 1 and _is_number(sent) else ""
        edges = report.graph.edges if report.graph else ()
        pairs = Counter((edge.from_, edge.to) for edge in edges)
        self.twice = {(edge.from_, edge.slot) for edge in edges if pairs[edge.from_, edge.to] > 1}

    def leaf(self, ways: Ways) -> list[Piece]:
        """The ways to one leaf, and their sum beside autograd's gradient."""
        shown: list[Piece] = [self.table(ways)] if self.is_table(ways) else self.lines(ways)
        return [self.head(ways), *shown, *self.others(ways), *self.sum(ways), *self.cut(ways)]

    def is_table(self, ways: Ways) -> bool:
        """Whether the ways are shown step by step, with numbers, and not in a line each."""
        return bool(ways.ways) and all(map(is_scalar, ways.ways))

    def head(self, ways: Ways) -> Line:
        """The leaf, how many ways lead to it, in which order they stand, and what was sent in."""
        shape = words((f" {shape_text(ways.shape)}", "shape")) if ways.shape else ()
        shown = f", the {len(ways.ways)} largest" if len(ways.ways) > 1 else ", the largest"
        order = ", largest first" if ways.number == len(ways.ways) else shown
        said = f": {counted(ways)}{order if ways.number != 1 else ''}{self.sent}"
        head = words(("the chain rule down to ", "title"), (one_line(ways.leaf), "name"))
        return Line(head + shape + words((said, "title")), hang=2)

    def table(self, ways: Ways) -> Table:
        """A row a step: what the step's node does to what has come so far."""
        width = self.room.width
        for fit in _FITS:
            made = self._table(ways, *fit)
            if width is None or natural_width(made) <= width:
                break
        return made

    def _table(self, ways: Ways, digits: int, gap: int, formula: int) -> Table:
        rows: list[tuple[Words, ...]] = []
        shown = [self.few(way) for way in ways.ways]
        every = [link for links, _ in shown for link in links]
        passed = iter(_aligned([link.passed for link in every], numbers.DIGITS))
        size = max((cells(link.formula) for link in every if _is_put_in(link, formula)), default=0)
        for place, (way, (links, hidden)) in enumerate(zip(ways.ways, shown, strict=True), 1):
            for nth, link in enumerate(links):
                if hidden and nth == len(links) // 2:
                    rows.append(((), (), words((f"… {hidden:,} more rows", "quiet")), (), ()))
                first = words((str(place) if nth == 0 else "", "name"))
                text = next(passed)
                value = words((text, numbers.style(text)))
                rows.append((first, *self.place(link), self.local(link, digits, formula, size), value))
            rows += self.start(way, place)
        titles = ("way", "row", "text", "local derivative", "product so far")
        return Table(tuple(Column(title, cut=title == "text") for title in titles), tuple(rows), gap)

    def few(self, way: Way) -> tuple[list[Link], int]:
        """The links of a way that are shown, and how many between them are not."""
        links, total = list(way.links), len(way.nodes) - 1
        if not self.room.full and len(links) > self.most:
            links[self.most // 2 : -(self.most // 2)] = []
        return links, total - len(links)

    def start(self, way: Way, place: int) -> list[tuple[Words, ...]]:
        """The one row of a way without a step: the output is the leaf itself."""
        if way.links:
            return []
        value = words((numbers.tensor(way.contribution), "gradient"))
        return [
            (
                words((str(place), "name")),
                *self.place(Link(way.nodes[0], 0, ())),
                words(("sent in", "quiet")),
                value,
            )
        ]

    def place(self, link: Link) -> tuple[Words, Words]:
        """The row and the text of a step; which input, where several are the same node."""
        node = self.nodes.get(link.node)
        style = "quiet" if node is None or node.inside else "source"
        which = f"  input {link.slot + 1}" if (link.node, link.slot) in self.twice else ""
        return words((str(link.node), "quiet")), words((_text(node), style), (which, "quiet"))

    def local(self, link: Link, digits: int, longest: int, size: int) -> Words:
        """The local derivative with its number; where the formula gives another, that too."""
        value = numbers.cell(link.factor, digits)
        made = words((value, "factor"))
        if _is_put_in(link, longest):
            formula = one_line(link.formula)
            made = words((f"{formula}{' ' * max(size - cells(formula), 0)} = {value}", "factor"))
        if link.agrees is False:
            made += words((f"  ✗ on paper {numbers.number(link.exact)}", "bad"))
        return made

    def lines(self, ways: Ways) -> list[Piece]:
        """A line a way: its rows, what each does and the shape that comes to it, and what the way adds."""
        several = len(ways.ways) > 1
        return [self.line(way, place if several else 0, ways) for place, way in enumerate(ways.ways, 1)]

    def line(self, way: Way, place: int, ways: Ways) -> Line:
        """One way; `place` is 0 where it is the only one."""
        made = words((f"way {place}  " if place else "", "name"))
        for part in self.parts(way, ways):
            made += part + words((" → ", "quiet"))
        value = numbers.tensor(way.contribution)
        adds = words(("  adds " if place else "  gives ", "quiet"), (value, numbers.style(value)))
        return Line(made + _sized(one_line(ways.leaf), "name", ways.shape) + adds, indent=1, hang=4)

    def parts(self, way: Way, ways: Ways) -> Iterator[Words]:
        """The rows of a way: number, what the node does, and the shape that comes to it."""
        links, hidden = self.few(way)
        first = self.nodes.get(way.nodes[0])
        shape = ways.shape if first is None or first.shape is None else first.shape
        for nth, link in enumerate(links):
            if hidden and nth == len(links) // 2:
                yield words((f"… {hidden:,} more …", "quiet"))
                shape = links[nth - 1].shape
            yield words((f"{link.node} ", "quiet")) + _sized(_op(self.nodes.get(link.node)), "op", shape)
            shape = link.shape

    def handed(self, leaves: Sequence[Ways]) -> list[Piece]:
        """What each row of the ways that are lines hands down, on paper."""
        lines = (way for ways in leaves if not self.is_table(ways) for way in ways.ways)
        found = {
            (link.node, link.slot): (link, below)
            for way in lines
            for link, below in zip(way.links, way.nodes[1:], strict=False)
            if len(way.links) == len(way.nodes) - 1
        }
        return handed([*found.values()], self.found.calls, self.nodes, self.place, self.room.full)

    def others(self, ways: Ways) -> list[Line]:
        """The line for the ways that are not shown."""
        shown = len(ways.ways)
        if ways.number == shown:
            return []
        head = "all others" if ways.number is None else f"the other {ways.number - shown:,}"
        rest = numbers.tensor(ways.rest)
        adds = words(" together add ", (rest, numbers.style(rest))) if ways.rest is not None else ()
        more = "" if self.room.full else f"{';' if adds else ' are not shown;'} --full shows more"
        return [Line(words((head, "quiet")) + adds + words((more, "quiet")), indent=1, hang=2)]

    def sum(self, ways: Ways) -> list[Line]:
        """The sum of all ways, where there are several, and autograd's gradient."""
        parts = summands(ways)
        *texts, total, own = _in_step([*parts, ways.total, ways.autograd])
        made: Words = ()
        if ways.number != 1:
            head = f"they add up: {' + '.join(map(_bracketed, texts))} = " if parts else "they add up to "
            made = words((head, "quiet"), (total, numbers.style(total)), "   ")
        if ways.autograd is not None:
            made += words(("autograd ", "quiet"), own, "   ") + self.verdict(ways)
        return [Line(made, indent=1, hang=2)] if made else []

    def verdict(self, ways: Ways) -> Words:
        off, allowed = ways.difference, ways.tolerance
        if off is None or allowed is None or off <= allowed:
            return words(("agrees", "good"))
        style = "bad" if self.found.departed else "warning"
        return words((f"{numbers.small(off)} off", style))

    def cut(self, ways: Ways) -> list[Line]:
        """The constants that were computed from the leaf: what goes through them is no way."""
        texts = list(dict.fromkeys(_text(self.nodes.get(number)) for number in ways.cut))
        leaf = one_line(ways.leaf)
        why = f"no way leads through {', '.join(texts)}: a constant, though computed from {leaf}"
        return [_quiet(why)] if texts else []

    def compared(self) -> list[Line]:
        """What was held against the engine's own numbers, and where those are others."""
        checked, departed = self.found.checked, self.found.departed
        if not departed:
            if not checked:
                return []
            total = sum(not node.constant for node in self.nodes.values())
            rows = "all" if checked == total else f"{checked:,} of"
            came = "what comes to each is what the rows above hand down"
            return [_quiet(f"checked against the engine at {rows} {total:,} rows: {came}")]
        lines = [self.departure(one) for one in self.found.departures[: 10 if self.room.full else 3]]
        more = departed - len(lines)
        return [*lines, *([_quiet(f"… so at {more:,} more of {checked:,} rows")] if more else [])]

    def departure(self, one: Departure) -> Line:
        """Where the engine had another cotangent, and what was expected there."""
        expected, kept = (numbers.tensor(values) for values in (one.expected, one.kept))
        where = f"{_text(self.nodes.get(one.node))} (row {one.node})"
        off = f"{numbers.small(one.difference)} off; rounding allows {numbers.small(one.tolerance)}"
        made = words(("✗ ", "bad"), f"at {where} the engine had ", (kept, "gradient"))
        made += words(", and what the rows above hand down is ", (expected, "gradient"), f": {off}")
        return Line(made, indent=1, hang=4)


def _is_number(value: Values) -> bool:
    return isinstance(value, int | float | complex)


def is_scalar(way: Way) -> bool:
    """Whether every step of a way has one number for its local derivative."""
    return all(link.factor is not None for link in way.links) and not isinstance(way.contribution, tuple)


def summands(ways: Ways) -> list[Values]:
    """What is added up, while it is a few numbers."""
    parts = [way.contribution for way in ways.ways]
    if ways.number != len(parts):
        parts.append(ways.rest)
    few = 1 < len(parts) <= _MOST_SUMMANDS
    return parts if few and all(map(_is_number, parts)) else []


def counted(ways: Ways) -> str:
    """How many ways there are, in words: about 10^6020 where they are too many to count."""
    if ways.number is None:
        return f"about 10^{ways.power:.0f} ways"
    return several(ways.number, "way")


def _is_put_in(link: Link, longest: int) -> bool:
    """Whether the formula says more than its number."""
    formula = one_line(link.formula)
    value = numbers.cell(link.factor)
    return bool(formula) and formula not in (value, str(link.factor)) and cells(formula) <= longest


def _aligned(values: Sequence[Values], digits: int) -> list[str]:
    """Numbers with room for a sign before those that have none."""
    texts = [numbers.cell(value, digits) for value in values]
    signed = any(text.startswith("-") for text in texts)
    return [f" {text}" if signed and not text.startswith("-") else text for text in texts]


def _in_step(values: Sequence[Values]) -> list[str]:
    """Numbers with the same decimals; tensors each as in a cell."""
    if all(map(_is_number, values)):
        return numbers.in_step(values)
    return [numbers.tensor(value) for value in values]


def _bracketed(text: str) -> str:
    """A complex number in brackets, so that its parts stay together."""
    return f"({text})" if "j" in text else text


def _sized(text: str, style: str, shape: Sequence[int]) -> Words:
    return words((text, style), (f" {shape_text(shape)}", "shape"))


def _text(node: Node | None) -> str:
    return numbers.MISSING if node is None else said(node)


def _op(node: Node | None) -> str:
    """What a node is called for short: Mm for MmBackward0."""
    if node is None:
        return numbers.MISSING
    return one_line(node.op).partition("Backward")[0] or one_line(node.op)


def _quiet(text: str) -> Line:
    return Line(words((text, "quiet")), indent=1, hang=2)
