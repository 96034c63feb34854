"""Lines under the tree: how factors multiply along each path, what was stretched, what was asked for."""

from collections import Counter
from math import prod

from autograd_cli.lang.source import cells
from autograd_cli.report.records import MOST_PATHS, Graph, Path, Report, Stretch
from autograd_cli.report.values import shape_text
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Line, Piece, Room, Words, one_line, words


def asked(report: Report, room: Room) -> list[list[Piece]]:
    """The blocks of --steps and --saved, in a report that was asked for them."""
    blocks: list[list[Piece]] = []
    if report.chain is not None:
        from autograd_cli.views.chain import chain

        blocks += chain(report, room)
    if report.saved is not None:
        from autograd_cli.views.saved import saved

        blocks.append(saved(report, room))
    return blocks


def under(report: Report, with_chains: bool = True) -> list[Piece]:
    """The lines under the tree; chain lines where the chain rule does not follow way by way."""
    if report.graph is None:
        return []
    way_by_way = report.chain is not None and bool(report.chain.leaves)
    return [*(chains(report.graph) if with_chains and not way_by_way else ()), *stretches(report.graph)]


def chains(graph: Graph) -> list[Line]:
    """One line a path from the output down to a leaf, while there are at most MOST_PATHS."""
    paths = graph.paths if len(graph.paths) <= MOST_PATHS else ()
    ways = Counter(path.leaf for path in paths)
    lines = [(_head(path, graph.root, ways[path.leaf] > 1), _chain(path)) for path in paths]
    for leaf, number in ways.items():
        if number > 1:
            head = f"the {number} ways to {one_line(leaf)} add up:"
            lines.append((head, _total([path.product for path in paths if path.leaf == leaf])))
    size = max((cells(head) for head, _ in lines), default=0)
    return [Line(words((_filled(head, size), "quiet"), *text), indent=1, hang=4) for head, text in lines]


def _filled(head: str, size: int) -> str:
    return head + " " * (size - cells(head) + 3)


def _head(path: Path, root: int | None, several: bool) -> str:
    leaf = one_line(path.leaf)
    if several:
        return f"chain, by rows {', '.join(map(str, path.nodes))} to {leaf}:"
    return f"chain, from row {root} down to {leaf}:"


def _chain(path: Path) -> Words:
    *factors, product = numbers.in_step([*path.factors, path.product])
    return words(f"{' × '.join(map(_bracketed, factors))} = ", (product, "gradient"))


def _total(products: list[float]) -> Words:
    *parts, total = numbers.in_step([*products, sum(products)])
    return words(f"{' + '.join(map(_bracketed, parts))} = ", (total, "gradient"))


def _bracketed(text: str) -> str:
    """A complex number in brackets, so that its parts stay together."""
    return f"({text})" if "j" in text else text


def stretches(graph: Graph) -> list[Line]:
    """One line for each operand that broadcasting stretched, and what that does to its gradient."""
    return [Line(words(_stretched(graph, item)), indent=1, hang=2) for item in graph.stretched]


def _stretched(graph: Graph, item: Stretch) -> str:
    head = f"{one_line(item.text)} is stretched {shape_text(item.shape)} → {shape_text(item.to)}"
    if not _has_gradient(graph, item):
        return head
    return f"{head}, so its gradient is summed over {_summed(item)}"


def _has_gradient(graph: Graph, item: Stretch) -> bool:
    below = {edge.to for edge in graph.edges if edge.from_ == item.node}
    found = [node for node in graph.nodes if node.id in below and node.text == item.text]
    return any(not node.constant for node in found)


def _summed(item: Stretch) -> str:
    """The dimensions that the gradient is summed over, in words: 10 rows and 3 columns."""
    padded = (1,) * (len(item.to) - len(item.shape)) + item.shape
    added = len(item.to) - len(item.shape)
    over = [d for d, (was, now) in enumerate(zip(padded, item.to, strict=True)) if was != now or d < added]
    if len(item.to) <= 2:
        names = ("row", "column") if len(item.to) == 2 else ("element",)
        return " and ".join(f"{item.to[d]} {names[d]}{'' if item.to[d] == 1 else 's'}" for d in over)
    sizes = prod(item.to[d] for d in over)
    dims = " and ".join(str(d) for d in over)
    return f"dim{'s' if len(over) > 1 else ''} {dims} ({sizes:,} elements)"
