"""What each row of a chain hands down, on paper; of what has no written form the reason."""

from collections.abc import Callable, Mapping, Sequence

from autograd_cli.report.chain import Handing, Link
from autograd_cli.report.records import Node
from autograd_cli.report.values import shape_text
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Column, Line, Piece, Table, Words, one_line, words
from autograd_cli.views.table import said

MOST_HANDED = 40

Passed = tuple[Link, int]
"""A link of a way and the node that it leads to."""

Place = Callable[[Link], tuple[Words, Words]]
"""What makes the row and the text of a link."""


def handed(
    links: Sequence[Passed], calls: Sequence[Handing], nodes: Mapping[int, Node], place: Place, full: bool
) -> list[Piece]:
    """A row for each input of each node; one for all nodes of a call that are written together."""
    written = [call for call in calls if any(link.node in call.nodes for link, _ in links)]
    rows = {(link.node, link.slot): _row(link, to, nodes, place) for link, to in links}
    for link, to in links:
        if not link.formula and _is_covered(link, to, written):
            del rows[link.node, link.slot]
    rows |= {(call.nodes[0], -1 - call.to): _whole(call, nodes, place) for call in written}
    most = len(rows) if full else MOST_HANDED
    if not rows:
        return []
    head = Line(words(("what each row hands down, g being what comes to it", "title")))
    titles = ("row", "text", "to", "hands down", "shape")
    columns = tuple(Column(title, cut=title in ("text", "to")) for title in titles)
    more = f"… {len(rows) - most:,} more; --full shows all"
    rest = [Line(words((more, "quiet")), indent=1, hang=2)] if len(rows) > most else []
    return [head, Table(columns, tuple(rows[key] for key in sorted(rows)[:most])), *rest]


def _is_covered(link: Link, to: int, calls: Sequence[Handing]) -> bool:
    """Whether what a link hands down is part of what a call hands down as a whole."""
    return any(link.node in call.nodes and (to in call.nodes or to == call.to) for call in calls)


def _row(link: Link, to: int, nodes: Mapping[int, Node], place: Place) -> tuple[Words, ...]:
    """One input of one node: what it gets."""
    text = one_line(link.formula)
    if text and link.factor is not None:  # a local derivative, of which `g` is no part
        several = any(sign in text for sign in " +-")
        text = "g" if text == "1" else f"g*({text})" if several else f"g*{text}"
    unlike = link.factor is None and link.agrees is False
    made = _formula(text, unlike) if text else words((_unwritten(nodes.get(link.node)), "quiet"))
    return (*place(link), _name(nodes, to), made, words((shape_text(link.shape), "shape")))


def _whole(call: Handing, nodes: Mapping[int, Node], place: Place) -> tuple[Words, ...]:
    """One input of a call of several nodes."""
    _, text = place(Link(call.nodes[0], -1, ()))
    made = _formula(one_line(call.formula), call.agrees is False)
    row, shape = words((_numbers(call.nodes), "quiet")), words((shape_text(call.shape), "shape"))
    return (row, text, _name(nodes, call.to), made, shape)


def _formula(text: str, unlike: bool) -> Words:
    return words((text, "factor"), ("  ✗ the engine had something else" if unlike else "", "bad"))


def _unwritten(node: Node | None) -> str:
    """Why there is no formula."""
    return f"own rule, {one_line(node.rule)}" if node is not None and node.rule else "no written form"


def _name(nodes: Mapping[int, Node], number: int) -> Words:
    node = nodes.get(number)
    return words((numbers.MISSING if node is None else said(node), "source"))


def _numbers(nodes: Sequence[int]) -> str:
    """The rows of a call: 0-2, or the first and how many more where others stand between."""
    first, last = min(nodes), max(nodes)
    return f"{first}-{last}" if last - first + 1 == len(nodes) else f"{first} and {len(nodes) - 1} more"
