"""The rows of --steps and --saved in the table of tab-separated values; `tsv` says what they hold."""

from collections.abc import Iterator

from autograd_cli.report.chain import Link, Ways
from autograd_cli.report.records import Node, Report, Values
from autograd_cli.report.values import shape_text

Cells = dict[str, Values]
"""The cells of a row by column: texts, numbers, tensors; a column that is not there is empty."""


def rows(report: Report) -> Iterator[Cells]:
    """The rows of the chain rule, then of what is kept, as far as they were asked for."""
    nodes = {node.id: node for node in (report.graph.nodes if report.graph else ())}
    for ways in report.chain.leaves if report.chain else ():
        yield from _ways(ways, report.root, nodes)
    if report.saved is not None:
        for node in nodes.values():
            yield from _kept(node)
        yield {"row": "keeps", "root": report.root, "bytes": report.saved.bytes}


def _ways(ways: Ways, root: str, nodes: dict[int, Node]) -> Iterator[Cells]:
    """Those of one leaf: each way after its steps, what is not shown, the sum."""
    base: Cells = {"name": ways.leaf, "root": root, "shape": shape_text(ways.shape)}
    for place, way in enumerate(ways.ways, 1):
        for link in way.links:
            yield {**_step(link, nodes.get(link.node)), "name": ways.leaf, "round": place}
        passed = ",".join(map(str, way.nodes))
        yield {**base, "row": "way", "round": place, "node": passed, "after": way.contribution}
    if ways.number != len(ways.ways):
        others = "" if ways.number is None else ways.number - len(ways.ways)
        yield {**base, "row": "rest", "round": others, "after": ways.rest}
    yield {
        **base,
        "row": "ways",
        "round": f"10^{ways.power:.0f}" if ways.number is None else ways.number,
        "autograd": ways.autograd,
        "after": ways.total,
        "difference": ways.difference,
        "tolerance": ways.tolerance,
    }


def _step(link: Link, node: Node | None) -> Cells:
    known: Cells = {} if node is None else {"root": node.text, "line": node.line, "grad_fn": node.op}
    return {
        **known,
        "row": "step",
        "node": link.node,
        "formula": link.formula,
        "formula_value": link.exact,
        "autograd": link.factor,
        "after": link.passed,
        "shape": shape_text(link.shape),
    }


def _kept(node: Node) -> Iterator[Cells]:
    for one in node.saved:
        yield {
            "row": "kept",
            "name": one.name,
            "root": node.text,
            "line": node.line,
            "node": node.id,
            "grad_fn": node.op,
            "shape": shape_text(one.shape),
            "dtype": one.dtype,
            "bytes": one.bytes,
            "storage": one.storage,
        }
