"""A reading made into the Graph of a report: plain nodes, edges, stretches and paths."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.graph.local import tensor_operands
from autograd_cli.graph.match import Owner
from autograd_cli.graph.read import Reading, value_of
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Edge, Graph, Node, Path, Stretch
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import VALUES_LIMIT, device_of, dtype_of, plain

_PATHS_SHOWN = 4

Cotangents = Mapping[GradFn, tuple[torch.Tensor | None, ...]]


def graph(run: Run, reading: Reading, cotangents: Cotangents, limit: int | None = VALUES_LIMIT) -> Graph:
    """The Graph of a report; tensors of more than `limit` elements become summaries."""
    packer = _Packer(run, reading, cotangents, limit)
    nodes, edges = packer.nodes(), packer.edges()
    constants, constant_edges = packer.constants(len(nodes))
    return Graph(
        root=0 if nodes else None,
        nodes=(*nodes, *constants),
        edges=tuple(sorted((*edges, *constant_edges), key=lambda e: (e.from_, e.slot))),
        stretched=tuple(packer.stretched()),
        paths=_paths(nodes, edges),
        total_nodes=len(nodes),
    )


class _Packer:
    """Turns what was read into records, node by node."""

    def __init__(self, run: Run, reading: Reading, cotangents: Cotangents, limit: int | None) -> None:
        self.run = run
        self.reading = reading
        self.cotangents = cotangents
        self.limit = limit
        self.source = run.program.source

    def nodes(self) -> list[Node]:
        return [self.node(number) for number in range(len(self.reading.walk.nodes))]

    def node(self, number: int) -> Node:
        """One grad_fn as a record."""
        fn, owner = self.reading.walk.nodes[number], self.reading.owners[number]
        step = self.run.steps[owner.step] if owner else None
        value = value_of(fn, owner, self.run.steps)
        shape, dtype, device = _described(fn, value)
        factors = self.reading.factors[number]
        return Node(
            id=number,
            op=type(fn).__name__,
            **self.place(step),
            shape=shape,
            dtype=dtype,
            device=device,
            value=None if value is None else plain(value, self.limit),
            gradient=self.cotangent(fn),
            local=factors[0] if set(factors) == {0} else None,
            saved=self.reading.saved[number],
            leaf=_leaf_name(fn, step),
            inside=bool(owner and owner.inside),
        )

    def place(self, step: LiveStep | None) -> dict[str, Any]:
        """Where the expression of a step stands and what it says."""
        if step is None:
            return {"span": (0, 0), "text": "", "line": 0}
        span = step.expr.span
        return {"span": tuple(span), "text": self.source[span], "line": self.source.line_of(span.start)}

    def cotangent(self, fn: GradFn) -> Any:
        arrived = self.cotangents.get(fn, ())
        found = next((g for g in arrived if g is not None), None)
        return None if found is None else plain(found, self.limit)

    def edges(self) -> list[Edge]:
        factors = self.reading.factors
        return [Edge(a, b, slot, factors[a].get(slot)) for a, b, slot in self.reading.walk.edges()]

    def constants(self, first_id: int) -> tuple[list[Node], list[Edge]]:
        """Operands without a grad_fn, each once, and the slots where they stand."""
        ids: dict[int, int] = {}
        edges: list[Edge] = []
        for number, owner in self.own_nodes():
            taken = {s for s, to in enumerate(self.reading.walk.inputs(number)) if to is not None}
            for position, index in enumerate(self.operands(owner.step)):
                if not self.run.steps[index].value.requires_grad:
                    slot = _free_slot(position, taken)
                    taken.add(slot)
                    edges.append(Edge(number, ids.setdefault(index, first_id + len(ids)), slot))
        return [self.constant(index, id_) for index, id_ in ids.items()], edges

    def constant(self, index: int, id_: int) -> Node:
        step = self.run.steps[index]
        return Node(
            id=id_,
            op="",
            **self.place(step),
            shape=tuple(step.value.shape),
            dtype=dtype_of(step.value),
            device=device_of(step.value),
            value=plain(step.value, self.limit),
            gradient=None,
            constant=True,
        )

    def own_nodes(self) -> Iterator[tuple[int, Owner]]:
        """The nodes that are a call's own result, with their owner."""
        for number, owner in enumerate(self.reading.owners):
            if owner and not owner.inside and self.run.steps[owner.step].kind == "call":
                yield number, owner

    def operands(self, index: int) -> list[int]:
        steps = self.run.steps
        return tensor_operands(steps[index], steps)

    def stretched(self) -> Iterator[Stretch]:
        """The operands that broadcasting stretched, in the order of the nodes."""
        for number, owner in self.own_nodes():
            step = self.run.steps[owner.step]
            elementwise = step.function is not None and step.function.kind is Kind.ELEMENTWISE
            if not elementwise or not isinstance(step.value, torch.Tensor):
                continue
            whole = tuple(step.value.shape)
            for index in dict.fromkeys(self.operands(owner.step)):
                operand = tuple(self.run.steps[index].value.shape)
                if operand != whole:
                    text = self.place(self.run.steps[index])["text"]
                    yield Stretch(number, text, operand, whole)


def _described(
    fn: GradFn, value: torch.Tensor | None
) -> tuple[tuple[int, ...] | None, str | None, str | None]:
    """Shape, dtype and device of a node's result, from torch's own record inside a call."""
    if value is not None:
        return tuple(value.shape), dtype_of(value), device_of(value)
    known = getattr(fn, "_input_metadata", ())
    if not known:
        return None, None, None
    first = known[0]
    return tuple(first.shape), str(first.dtype).removeprefix("torch."), str(first.device)


def _leaf_name(fn: GradFn, step: LiveStep | None) -> str | None:
    if not hasattr(fn, "variable"):
        return None
    return step.name if step and step.name else ""


def _free_slot(position: int, taken: set[int]) -> int:
    return position if position not in taken else max(taken) + 1


def _paths(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[Path, ...]:
    """The ways from the output down to leaves of a scalar graph, none when over four."""
    if not nodes or any(node.shape != () for node in nodes):
        return ()
    below: dict[int, list[Edge]] = {}
    for edge in edges:
        below.setdefault(edge.from_, []).append(edge)
    made: list[Path] = []
    stack: list[tuple[tuple[int, ...], tuple[float, ...]]] = [((0,), (1.0,))]
    while stack:
        passed, factors = stack.pop()
        node = nodes[passed[-1]]
        if node.leaf is not None:
            made.append(Path(node.leaf, passed, factors, prod(factors)))
            if len(made) > _PATHS_SHOWN:
                return ()
        for edge in reversed(below.get(node.id, ())):
            if edge.local is None or not isinstance(edge.local.value, float | int):
                return ()
            stack.append(((*passed, edge.to), (*factors, edge.local.value)))
    return tuple(made)
