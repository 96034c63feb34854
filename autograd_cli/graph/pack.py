"""A reading made into the Graph of a report: plain nodes, edges, stretches and paths."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.graph.local import tensor_operands
from autograd_cli.graph.match import Owner, carries_leaf
from autograd_cli.graph.own import own_rule
from autograd_cli.graph.read import Reading, value_of
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Edge, Graph, Local, Node, Path, Saved, Stretch, Values
from autograd_cli.report.records import MOST_PATHS
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import VALUES_LIMIT, device_name, device_of, dtype_name, dtype_of, plain

_LONGEST_PATH = 200
"""Chain lines are for reading; a graph of more nodes gets none."""

Cotangents = Mapping[GradFn, tuple[torch.Tensor | None, ...]]


def graph(run: Run, reading: Reading, limit: int | None = VALUES_LIMIT) -> Graph:
    """The Graph of a report before any backward; values of more than `limit` elements are summaries."""
    packer = _Packer(run, reading, limit)
    nodes, edges = packer.nodes(), packer.edges()
    constants, constant_edges = packer.constants(len(nodes))
    return Graph(
        root=0 if nodes else None,
        nodes=(*nodes, *constants),
        edges=_in_order(edges, constant_edges),
        stretched=tuple(packer.stretched()),
        paths=_paths(nodes, edges),
    )


def with_cotangents(
    packed: Graph, reading: Reading, cotangents: Cotangents, limit: int | None = VALUES_LIMIT
) -> Graph:
    """The graph with what arrived at each node in a backward."""
    count = len(reading.walk.nodes)
    arrived = (_arrived(cotangents.get(fn, ()), limit) for fn in reading.walk.nodes)
    graded = [
        node if given is None else node._replace(gradient=given)
        for node, given in zip(packed.nodes[:count], arrived, strict=True)
    ]
    return replace(packed, nodes=(*graded, *packed.nodes[count:]))


def _arrived(given: tuple[torch.Tensor | None, ...], limit: int | None) -> Values:
    """The first cotangent among those of a node's outputs, as plain data."""
    return next((plain(cotangent, limit) for cotangent in given if cotangent is not None), None)


class _Packer:
    """Turns what was read into records, node by node."""

    def __init__(self, run: Run, reading: Reading, limit: int | None) -> None:
        self.run = run
        self.reading = reading
        self.limit = limit
        self.source = run.program.source
        self.variables = {
            step.grad_fns[0]: step.variable
            for step in run.steps
            if step.variable and len(step.grad_fns) == 1 and step.kind == "call" and not _assigns(step)
        }

    def nodes(self) -> list[Node]:
        """Every grad_fn as a record."""
        read = self.reading
        parts = zip(read.walk.nodes, read.owners, read.factors, read.saved, strict=True)
        return [
            _unowned(number, fn, saved) if owner is None else self.node(number, fn, owner, factors, saved)
            for number, (fn, owner, factors, saved) in enumerate(parts)
        ]

    def node(
        self, number: int, fn: GradFn, owner: Owner, factors: dict[int, Local], saved: tuple[Saved, ...]
    ) -> Node:
        """One grad_fn that a step made."""
        step = self.run.steps[owner.step]
        value = value_of(fn, owner, self.run.steps)
        span, text, line = self.place(step)
        shape, dtype, device = _described(fn, value)
        is_leaf = carries_leaf(type(fn))
        return Node(
            number,
            type(fn).__name__,
            span,
            text,
            line,
            shape,
            dtype,
            device,
            None if value is None else plain(value, self.limit),
            None,
            factors[0] if len(factors) == 1 and 0 in factors else None,
            saved,
            step.name if is_leaf else None,
            owner.inside,
            name=_parameter(fn, step) if is_leaf else self.variables.get(fn, ""),
            place=self.made_at(fn, step),
            rule=own_rule(fn) if self.made_at(fn, step) else "",
        )

    def made_at(self, fn: GradFn, step: LiveStep) -> str:
        """Where a person's own function made a node, "my_ops.py:12"; empty for all others."""
        places = getattr(step.call, "places", None)
        known = places.get(fn) if isinstance(places, dict) else None
        return f"{known[0]}:{known[1]}".removesuffix(":0") if known else ""

    def place(self, step: LiveStep) -> tuple[tuple[int, int], str, int]:
        """Where the expression of a step stands, what it says, and its line."""
        span = step.expr.span
        text = step.variable if step.kind == "binding" and step.variable else self.source[span]
        text = f"{text} = …" if _assigns(step) else text
        return (span.start, span.end), text, self.source.line_of(span.start)

    def edges(self) -> list[Edge]:
        factors = self.reading.factors
        return [
            Edge(a, b, slot, factors[a].get(slot)) if factors[a] else Edge(a, b, slot)
            for a, b, slot in self.reading.walk.edges()
        ]

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
        """An operand without a grad_fn as a record."""
        step = self.run.steps[index]
        span, text, line = self.place(step)
        shape, dtype, device = tuple(step.value.shape), dtype_of(step.value), device_of(step.value)
        value = plain(step.value, self.limit)
        return Node(id_, "", span, text, line, shape, dtype, device, value, None, constant=True)

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
                if operand != whole and len(operand) <= len(whole):  # its shape may have changed since
                    _, text, _ = self.place(self.run.steps[index])
                    yield Stretch(number, text, operand, whole)


def _assigns(step: LiveStep) -> bool:
    """Whether a step is `h[0] = …`, whose expression is what stands before the sign."""
    return step.function is not None and step.function.operator == "[]="


def _unowned(number: int, fn: GradFn, saved: tuple[Saved, ...]) -> Node:
    """A grad_fn that no step of the run made: what torch itself knows of it."""
    shape, dtype, device = _described(fn, None)
    kind, leaf = type(fn).__name__, "" if carries_leaf(type(fn)) else None
    return Node(number, kind, (0, 0), "", 0, shape, dtype, device, None, None, None, saved, leaf)


def _parameter(fn: GradFn, step: LiveStep) -> str:
    """What a parameter of a person's module is called behind the module's name: "f.weight"."""
    target = getattr(step.call, "target", None)
    module = getattr(target, "call", None)
    if target is None or not isinstance(module, torch.nn.Module):
        return ""
    variable = getattr(fn, "variable", None)
    names = (name for name, one in module.named_parameters() if one is variable)
    return next((f"{target.use.name}.{name}" for name in names), "")


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
    return tuple(first.shape), dtype_name(first.dtype), device_name(first.device)


def _in_order(edges: list[Edge], others: list[Edge]) -> tuple[Edge, ...]:
    """All edges by node and slot; `edges` are in that order already."""
    if not others:
        return tuple(edges)
    return tuple(sorted((*edges, *others), key=lambda edge: (edge.from_, edge.slot)))


def _free_slot(position: int, taken: set[int]) -> int:
    return position if position not in taken else max(taken) + 1


def _paths(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[Path, ...]:
    """The ways from the output down to leaves of a scalar graph, none when over four."""
    if not 0 < len(nodes) <= _LONGEST_PATH or any(node.shape != () for node in nodes):
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
            if len(made) > MOST_PATHS:
                return ()
        for edge in reversed(below.get(node.id, ())):
            if edge.local is None or not isinstance(edge.local.value, float | int):
                return ()
            stack.append(((*passed, edge.to), (*factors, edge.local.value)))
    return tuple(made)
