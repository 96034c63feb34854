"""A graph as the rows of a tree: every node once, and a reference wherever it is met again."""

from collections import deque
from dataclasses import dataclass

from autograd_cli.report.records import Edge, Graph, Node
from autograd_cli.views.pieces import Room

MOST_ROWS = 60


@dataclass(frozen=True)
class Row:
    """A line of the tree: glyphs, then the node.

    `again` marks a node that is drawn in an earlier row. `node` is None for the row that
    stands for inputs which are not shown.
    """

    glyphs: str
    node: Node | None
    again: bool = False


@dataclass(frozen=True)
class Tree:
    """The rows in order; how many nodes are not among them; whether depth became a number."""

    rows: tuple[Row, ...]
    hidden: int
    numbered: bool


class Index:
    """A graph's nodes by id, and the edges below each."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = {node.id: node for node in graph.nodes}
        self.root = graph.root if graph.root in self.nodes else None
        self.total = sum(not node.constant for node in graph.nodes)
        self.below: dict[int, list[Edge]] = {}
        for edge in graph.edges:
            self.below.setdefault(edge.from_, []).append(edge)

    def edges(self, node: int) -> list[Edge]:
        """The edges to the inputs of a node, in the order of the graph."""
        return self.below.get(node, [])


def tree(graph: Graph, room: Room) -> Tree:
    """The rows that fit in `room`: of a large graph, those nearest to the output."""
    index = Index(graph)
    if index.root is None:
        return Tree((), 0, False)
    chosen = nearest(index, room, MOST_ROWS)
    deepest = _deepest(room.width)
    rows, numbered = _rows(index, index.root, chosen, deepest)
    shown = sum(not index.nodes[number].constant for number in chosen)
    return Tree(tuple(rows), index.total - shown, numbered)


def _deepest(width: int | None) -> int:
    """To which depth the tree is indented; deeper rows say their depth as a number."""
    return 12 if width is None else min(max((width - 65) // 3, 5), 12)


def nearest(index: Index, room: Room, usual: int) -> set[int]:
    """The nodes to show, nearest to the output first; `usual` many unless `room` says otherwise."""
    if index.root is None:
        return set()
    most = len(index.nodes) if room.full or room.depth is not None else usual
    chosen = {index.root}
    queue = deque([(index.root, 0)])
    while queue and len(chosen) < most:
        number, depth = queue.popleft()
        if room.depth is not None and depth >= room.depth:
            continue
        for edge in index.edges(number):
            if edge.to not in chosen and len(chosen) < most:
                chosen.add(edge.to)
                queue.append((edge.to, depth + 1))
    return chosen


def _rows(index: Index, root: int, chosen: set[int], deepest: int) -> tuple[list[Row], bool]:
    """The rows in preorder, with an own stack: a graph may be deeper than Python's."""
    rows: list[Row] = []
    drawn: set[int] = set()
    numbered = False
    stack: list[tuple[int, int, str, bool]] = [(root, 0, "", True)]
    while stack:
        number, depth, bars, last = stack.pop()
        numbered |= depth > deepest
        again = number in drawn
        rows.append(Row(_glyphs(depth, bars, last, deepest), index.nodes.get(number), again))
        if again or number < 0:
            continue
        drawn.add(number)
        under = bars + ("   " if last else "│  ") if 0 < depth < deepest else bars
        stack.extend(reversed(_inputs(index, number, chosen, depth + 1, under)))
    return rows, numbered


def _inputs(
    index: Index, number: int, chosen: set[int], depth: int, bars: str
) -> list[tuple[int, int, str, bool]]:
    """The rows directly below a node; -1 stands for the inputs that are not shown."""
    edges = index.edges(number)
    ids = [edge.to for edge in edges if edge.to in chosen]
    if len(ids) < len(edges):
        ids.append(-1)
    return [(to, depth, bars, place == len(ids)) for place, to in enumerate(ids, 1)]


def _glyphs(depth: int, bars: str, last: bool, deepest: int) -> str:
    if depth == 0:
        return ""
    branch = "└─ " if last else "├─ "
    return f"({depth}) {branch}" if depth > deepest else bars + branch
