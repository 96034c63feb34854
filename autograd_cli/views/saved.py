"""What each node keeps for backward: a row a tensor, shared memory counted once, the total below."""

from collections.abc import Iterator

from autograd_cli.lang.source import several
from autograd_cli.report.records import Keeping, Node, Report, Saved
from autograd_cli.report.values import bytes_text
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Column, Line, Piece, Room, Table, Words, one_line, words

MOST_ROWS = 60

_COLUMNS = ("#", "text", "grad_fn", "keeps", "shape", "dtype", "bytes", "memory")


def saved(report: Report, room: Room) -> list[Piece]:
    """The table of what is kept, none where it was not asked for."""
    keeping, graph = report.saved, report.graph
    if keeping is None:
        return []
    nodes = [node for node in graph.nodes if not node.constant] if graph else []
    kept = list(_kept(nodes))
    head = Line(words(("what backward keeps", "title")))
    if not kept:
        return [head, _said("no node keeps a tensor" if nodes else "there is no graph, so nothing is kept")]
    most = len(kept) if room.full else MOST_ROWS
    rows = _Rows(keeping)
    table = Table(tuple(_column(title) for title in _COLUMNS), tuple(rows.row(*one) for one in kept[:most]))
    return [head, table, *_more(keeping, kept[most:], rows.seen), _total(keeping, nodes, kept)]


def _column(title: str) -> Column:
    return Column(title, "quiet" if title == "#" else "", cut=title == "text")


def _kept(nodes: list[Node]) -> Iterator[tuple[Node, Saved]]:
    for node in nodes:
        for one in node.saved:
            yield node, one


class _Rows:
    """The rows, which know whose memory has been met: `seen` has the first keeper of each storage."""

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self.seen: dict[int, tuple[int, str]] = {}
        self.last: int | None = None

    def row(self, node: Node, one: Saved) -> tuple[Words, ...]:
        """One tensor that a node keeps; a node's own cells stand in its first row alone."""
        again, self.last = self.last == node.id, node.id
        own = ("", "", "") if again else (str(node.id), one_line(node.text), one_line(node.op))
        return (
            words((own[0], "quiet")),
            words((own[1], "quiet" if node.inside else "source")),
            words((own[2], "op")),
            words((one_line(one.name), "name")),
            words((numbers.shape(one.shape), "shape")),
            words((one_line(one.dtype), "shape")),
            words((bytes_text(one.bytes), "value")),
            words((self.memory(node, one), "quiet")),
        )

    def memory(self, node: Node, one: Saved) -> str:
        """Whose memory it is: another row's, or a larger one's part; empty where it is its own."""
        first = self.seen.get(one.storage)
        if first is not None:
            whose = f"{first[1]} of row {first[0]}" if first[0] != node.id else first[1]
            return f"the same as {whose}"
        self.seen[one.storage] = (node.id, one_line(one.name))
        whole = storage_bytes(self.keeping, one.storage)
        if whole is None or whole == one.bytes:
            return ""
        return f"part of {bytes_text(whole)}" if whole > one.bytes else f"{bytes_text(whole)}, repeated"


def storage_bytes(keeping: Keeping, storage: int) -> int | None:
    """The bytes of a storage by its number; None where a report does not say."""
    return keeping.storages[storage] if 0 <= storage < len(keeping.storages) else None


def _more(keeping: Keeping, rest: list[tuple[Node, Saved]], seen: dict[int, tuple[int, str]]) -> list[Line]:
    """The line for the rows that are left out, with the memory that only they keep."""
    if not rest:
        return []
    others = {one.storage for _, one in rest} - seen.keys()
    size = sum(storage_bytes(keeping, storage) or 0 for storage in others)
    return [_said(f"… {len(rest):,} more, which keep another {bytes_text(size)}; --full shows all")]


def _total(keeping: Keeping, nodes: list[Node], kept: list[tuple[Node, Saved]]) -> Line:
    """The total, which is what the header says."""
    keepers = len({node.id for node, _ in kept})
    count = len(keeping.storages)
    shared = len(kept) - count
    said = f" in {several(count, 'piece')} of memory" + (", shared memory counted once" if shared > 0 else "")
    others = len(nodes) - keepers
    nothing = f"; {several(others, 'node')} keep{'s' if others == 1 else ''} nothing" if others else ""
    total = words("together ", (bytes_text(keeping.bytes), "gradient"), (said + nothing, "quiet"))
    return Line(total, indent=1, hang=2)


def _said(text: str) -> Line:
    return Line(words((text, "quiet")), indent=1, hang=2)
