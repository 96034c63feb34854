"""A report's graph in the DOT language, built with the `graphviz` package.

Nodes are n0, n1, … by their number in the report. What a node is shows in its shape as
well as in its colour, so that the picture can be read in black and white.
"""

from typing import TYPE_CHECKING

from autograd_cli.report.records import Node, Report
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Room, one_line, plain_text
from autograd_cli.views.table import gradient_of, said
from autograd_cli.views.tree import Index, nearest

if TYPE_CHECKING:
    from graphviz import Digraph

MOST_NODES = 200
_LONGEST = 40
_FONT = "Helvetica"
_LOOKS = {
    "output": {"shape": "box", "style": "filled", "fillcolor": "#fff2c4", "peripheries": "2"},
    "operation": {"shape": "box", "style": "filled,rounded", "fillcolor": "#dbe9fb"},
    "leaf": {
        "shape": "ellipse",
        "style": "filled",
        "fillcolor": "#d9f2d9",
        "penwidth": "2",
        "margin": "0.02",
    },
    "constant": {"shape": "box", "style": "filled,dashed", "fillcolor": "#f2f2f2"},
}
_MEANINGS = {
    "output": "the output",
    "operation": "a step of torch's graph",
    "leaf": "a leaf, which gets a gradient",
    "constant": "a constant",
}


def dot(report: Report, room: Room) -> str:
    """The graph as DOT text, ending with a newline; of a report without one, its title alone."""
    text: str = digraph(report, room).source
    return text


def digraph(report: Report, room: Room) -> "Digraph":
    """The graph for the `graphviz` package; at most 200 nodes unless `room` says otherwise."""
    from graphviz import Digraph

    made = Digraph(
        "agx",
        graph_attr={
            "rankdir": "TB",
            "ordering": "out",
            "fontname": _FONT,
            "nodesep": "0.3",
            "ranksep": "0.4",
        },
        node_attr={"fontname": _FONT, "fontsize": "11", "margin": "0.15,0.08"},
        edge_attr={"fontname": _FONT, "fontsize": "9", "arrowsize": "0.7"},
    )
    index = Index(report.graph) if report.graph else None
    chosen = nearest(index, room, MOST_NODES) if index else set()
    nodes = [node for node in report.graph.nodes if node.id in chosen] if report.graph else []
    left_out = index.total - sum(not node.constant for node in nodes) if index else 0
    made.attr(labelloc="t", label=_title(report, left_out))
    for node in nodes:
        _add_node(made, report, node)
    for node in nodes:
        _add_edges(made, index, node, chosen)
    _add_legend(made, [kind for kind in _LOOKS if kind in {_kind(report, node) for node in nodes}])
    return made


def _kind(report: Report, node: Node) -> str:
    if node.constant:
        return "constant"
    if node.leaf is not None:
        return "leaf"
    return "output" if report.graph and node.id == report.graph.root else "operation"


def _add_node(made: "Digraph", report: Report, node: Node) -> None:
    lines = [said(node), *_facts(node)]
    if node.leaf and one_line(node.leaf) != lines[0]:
        lines.insert(0, one_line(node.leaf))
    look = _LOOKS[_kind(report, node)]
    made.node(f"n{node.id}", _label([_cut(line) for line in lines]), tooltip=_label([lines[0]]), **look)


def _facts(node: Node) -> list[str]:
    """Value, shape, grad_fn and gradient of a node, one a line."""
    digits = numbers.TIGHT if node.shape else numbers.DIGITS
    facts = [f"value {numbers.cell(node.value, digits)}"] if node.value is not None else []
    if node.shape is not None:
        facts.append(f"shape {numbers.shape(node.shape)}")
    if not node.constant:
        facts.append(one_line(node.op))
    if node.gradient is not None:
        facts.append(f"gradient {gradient_of(node, digits)}")
    return facts


def _add_edges(made: "Digraph", index: Index | None, node: Node, chosen: set[int]) -> None:
    """The edges below one node, each with its slot where there are several."""
    edges = index.edges(node.id) if index else []
    for edge in edges:
        label = str(edge.slot) if len(edges) > 1 else ""
        if edge.to in chosen:
            made.edge(f"n{node.id}", f"n{edge.to}", label=f" {label} " if label else None)
    if any(edge.to not in chosen for edge in edges):
        made.node(f"more{node.id}", "…", shape="plaintext")
        made.edge(f"n{node.id}", f"more{node.id}", style="dotted")


def _title(report: Report, left_out: int) -> str:
    from autograd_cli.views.compose import result
    from autograd_cli.views.program import title

    said = title(report) if report.statements else result(report)
    facts = f"{report.dtype} · {report.device} · seed {report.seed}"
    more = [f"{left_out:,} more nodes are not drawn; --full draws all"] if left_out > 0 else []
    return _label([_cut(plain_text(said), 100), one_line(facts), *more, ""])


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _label(lines: list[str]) -> str:
    r"""Lines as one label: backslashes doubled, entities not read as such, \n between lines."""
    from graphviz import nohtml

    escaped = (line.replace("&", "&amp;").replace("\\", "\\\\") for line in lines)
    label: str = nohtml("\\n".join(escaped))
    return label


def _add_legend(made: "Digraph", kinds: list[str]) -> None:
    """What the shapes and colours mean, beside the graph."""
    if not kinds:
        return
    with made.subgraph(name="cluster_legend") as legend:
        legend.attr(label="", style="dotted", margin="8")
        for number, kind in enumerate(kinds):
            look = {"margin": "0.1,0.04", **_LOOKS[kind]}
            legend.node(f"legend{number}", _MEANINGS[kind], fontsize="9", height="0.3", **look)
        for number in range(1, len(kinds)):
            legend.edge(f"legend{number - 1}", f"legend{number}", style="invis")
