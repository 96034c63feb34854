"""Reports that the tests of the views draw: stored ones, and small ones made on the spot."""

from pathlib import Path

import pytest

from autograd_cli.report.json import from_json
from autograd_cli.report.records import Edge, Graph, Node, Output, Report

REPORTS = Path(__file__).parent / "reports"


@pytest.fixture
def stored():
    """Read the stored report of a name."""
    return lambda name: from_json((REPORTS / f"{name}.json").read_text())


@pytest.fixture
def drawn():
    """A report of a graph given as {node: [inputs]}; node 0 is the output, text of node 3 is n3."""

    def make(inputs, constants=(), texts=(), leaves=True, **changes):
        ids = sorted({*inputs, *(to for below in inputs.values() for to in below)})
        named = dict(texts)
        nodes = tuple(
            Node(
                number,
                "" if number in constants else "AddBackward0" if number in inputs else "AccumulateGrad",
                (0, 1),
                named.get(number, f"n{number}"),
                1,
                (),
                "float32",
                "cpu",
                float(number),
                None if number in constants else 1.0,
                leaf=f"n{number}" if leaves and number not in inputs and number not in constants else None,
                constant=number in constants,
            )
            for number in ids
        )
        edges = tuple(Edge(a, b, slot) for a, below in inputs.items() for slot, b in enumerate(below))
        graph = Graph(0, nodes, edges)
        output = Output("n0", 0.0, (), "float32", "cpu", "AddBackward0", True, 1.0)
        parts = {
            "source": "n0",
            "device": "cpu",
            "dtype": "float32",
            "seed": 0,
            "kept_bytes": 0,
            "versions": {},
            "bindings": (),
            "output": output,
            "graph": graph,
            "gradients": (),
            "findings": (),
            "status": 0,
        }
        return Report(**{**parts, **changes})

    return make
