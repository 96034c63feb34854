"""The chain rule way by way, from a graph that is computed once more: a backward has freed the one it had."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.errors import AgxError, first_line
from autograd_cli.explore.options import Options
from autograd_cli.explore.paper import MOST_FORMULAS, Numbers
from autograd_cli.gradients.again import again
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.graph.chain import Apart, Arrivals, Cotangents, Followed, Trail, distance, follow, size
from autograd_cli.graph.handed import Handed
from autograd_cli.graph.local import tensor_operands
from autograd_cli.graph.read import Reading
from autograd_cli.graph.walk import collector_paused, walk
from autograd_cli.report import Graph, Node, Report, Values, under
from autograd_cli.report.chain import Chain, Departure, Handing, Keeping, Link, Way, Ways
from autograd_cli.run.slices import Slice
from autograd_cli.run.tape import Run
from autograd_cli.run.values import plain

MOST_WAYS = 4
"""Ways to a leaf that are shown unless everything is asked for."""

_ALL = 256
"""Ways to a leaf that are shown where everything is asked for."""

_CALLS = 200_000
"""Calls of a node that the ways beyond the usual may take."""

_ELEMENTS = 1 << 24
"""Elements of what the ways that are followed carry at one node."""

_DEPARTURES = 10

_LINKS = 200
"""Links of one way that are in a report unless everything is asked for: the first half and the last."""

_VJPS = 100
"""Vjps that are evaluated on paper."""


def keeping(reading: Reading | None) -> Keeping:
    """What the nodes of a graph keep in all."""
    return Keeping() if reading is None else Keeping(reading.kept_bytes, tuple(reading.storages))


def chain(
    report: Report,
    run: Run | None,
    reading: Reading | None,
    arrived: Mapping[GradFn, Cotangents],
    cotangent: torch.Tensor | None,
    options: Options,
) -> Chain:
    """The ways from the root of a run to its leaves.

    `arrived` is what the engine had at each node, `cotangent` what was sent into the root.
    """
    graph = report.graph
    if graph is None or run is None or reading is None or cotangent is None:
        return Chain(reason="there is no graph")
    if not arrived:
        return Chain(reason="no backward came through it")
    kept = [arrived.get(fn, ()) for fn in reading.walk.nodes]
    most = _most(graph, options.full)
    try:
        followed = _followed(again(_as_slice(run)).output, reading, kept, cotangent, most)
        return _Packer(run, graph, reading, kept, options).chain(followed)
    except ReplayError as error:
        return Chain(reason=str(error))
    except (AgxError, RuntimeError, NotImplementedError, TypeError, ValueError) as error:
        return Chain(reason=f"it cannot be run again: {first_line(error)}")


def _followed(
    output: Any, reading: Reading, kept: Sequence[Cotangents], cotangent: torch.Tensor, most: int
) -> Followed:
    """The ways down from the output of a run that was made again; ReplayError where its graph is another."""
    edge = torch.autograd.graph.get_gradient_edge(output) if output.requires_grad else None
    del output
    with collector_paused():
        walked = walk([] if edge is None else [edge.node])
        try:
            if edge is None or [*map(type, walked.nodes)] != [*map(type, reading.walk.nodes)]:
                raise ReplayError("run once more, it makes another graph")
            return follow(walked, [(0, edge.output_nr, cotangent)], kept, most)
        finally:
            edge = None
            walked.release()


def _as_slice(run: Run) -> Slice:
    """A run as what can be made again."""
    if isinstance(run, Slice):
        return run
    known = {part.name: getattr(run, part.name) for part in fields(Run)}
    return Slice(**known, tensors=dict(run.leaves))


def _most(graph: Graph, full: bool) -> int:
    """How many ways are followed through each node."""
    sizes = (torch.Size(node.shape).numel() for node in graph.nodes if node.shape)
    fitting = _ELEMENTS // max(*sizes, 1, 1)
    wanted = min(_ALL, max(_CALLS // max(len(graph.nodes), 1), MOST_WAYS)) if full else MOST_WAYS
    return max(min(wanted, fitting), 1)


class _Packer:
    """Makes records of what was followed."""

    def __init__(
        self,
        run: Run,
        graph: Graph,
        reading: Reading,
        kept: Sequence[Cotangents],
        options: Options,
    ) -> None:
        self.run, self.graph, self.reading = run, graph, reading
        self.kept, self.limit = kept, options.limit
        self.numbers, self.handed = Numbers(run), Handed(run, reading)
        self.written: dict[int, dict[int, str]] = {}
        self.arrivals = Counter(to for _, to, _ in reading.walk.edges())
        self.held: dict[tuple[int, int], bool | None] = {}
        self.real = not any("complex" in (node.dtype or "") for node in graph.nodes)

    def chain(self, followed: Followed) -> Chain:
        """All ways, and where the engine departs from what is handed down."""
        ends = sorted(followed.ends.items())
        leaves = tuple(
            self.ways(number, arrivals) for number, arrivals in ends if self.graph.nodes[number].leaf
        )
        apart = followed.apart
        told = tuple(self.departure(one) for one in apart[:_DEPARTURES])
        return Chain(leaves, followed.checked, told, len(apart), calls=tuple(self.calls()))

    def departure(self, apart: Apart) -> Departure:
        """A node where the engine has another cotangent."""
        expected, kept = (plain(value, self.limit) for value in (apart.expected, apart.kept))
        return Departure(apart.node, expected, kept, apart.difference, apart.tolerance)

    def ways(self, number: int, arrivals: Arrivals) -> Ways:
        """The ways to one leaf."""
        node, count = self.graph.nodes[number], arrivals.count
        assert count is not None
        total, own = arrivals.total.get(0), next(iter(self.kept[number]), None)
        trails = sorted(arrivals.trails, key=size, reverse=True)
        off: tuple[float | None, float | None] = (None, None)
        if total is not None and own is not None:
            off = distance(total, own, arrivals.size.get(0))
        return Ways(
            node.leaf or "",
            number,
            node.shape or (),
            count.exact,
            count.power,
            tuple(self.way(trail) for trail in trails),
            None if count.exact == len(trails) else self.rest(total, trails),
            None if total is None else plain(total, self.limit),
            None if own is None else plain(own, self.limit),
            *off,
            tuple(self.cut(node)),
        )

    def rest(self, total: torch.Tensor | None, trails: Sequence[Trail]) -> Values:
        """What the ways that are not shown add together; None where that is no number."""
        if total is None:
            return None
        rest = total.to(torch.complex128 if total.is_complex() else torch.float64)
        for trail in trails:
            assert trail.value is not None
            rest = rest - trail.value
        return plain(rest, self.limit) if bool(torch.isfinite(rest).all()) else None

    def way(self, trail: Trail) -> Way:
        """One way with its links."""
        passed = trail.links()
        pairs = [*pairwise(passed)]
        if len(pairs) > _LINKS and self.limit is not None:
            pairs[_LINKS // 2 : -_LINKS // 2] = []
        links = tuple(self.link(above, below) for above, below in pairs)
        assert trail.value is not None
        return Way(tuple(one.node for one in passed), links, plain(trail.value, self.limit))

    def link(self, above: Trail, below: Trail) -> Link:
        """One step of a way, with its local derivative where that is one number."""
        made = Link(above.node, below.slot, below.shape, passed=below.number)
        local = self.reading.factors[above.node].get(below.slot)
        if local is None or not self.real or not above.shape == below.shape == ():
            text = self.vjp(above.node, below.slot)
            return made._replace(formula=text, agrees=self.holds(above.node, below.node, text))
        made = made._replace(formula=local.formula, factor=local.value)
        found = self.numbers.of(self.step(above.node), local, self.graph.nodes[above.node].dtype)
        return made if found is None else made._replace(exact=found[0], agrees=found[1])

    def vjp(self, node: int, slot: int) -> str:
        """What a node hands to a slot, on paper; empty where there is no rule or nobody would read it."""
        if node not in self.written and len(self.written) < MOST_FORMULAS:
            self.written[node] = self.handed.of(node)
        return self.written.get(node, {}).get(slot, "")

    def holds(self, node: int, below: int, text: str) -> bool | None:
        """Whether the engine has what a node hands down on paper; None where more came there."""
        given, had = self.cotangent(node), self.cotangent(below)
        if not text or given is None or had is None or self.arrivals[below] != 1 or not self.real:
            return None
        place = (node, below)
        if place not in self.held and len(self.held) < _VJPS:
            self.held[place] = self.numbers.same(self.step(node), text, given, had)
        return self.held.get(place)

    def step(self, node: int) -> int | None:
        """The place of the step that made a node."""
        owner = self.reading.owners[node]
        return None if owner is None else owner.step

    def calls(self) -> Iterator[Handing]:
        """What calls of several nodes hand down as a whole."""
        groups: dict[int, list[int]] = {}
        for node, owner in enumerate(self.reading.owners):
            if owner is not None and self.run.steps[owner.step].kind == "call":
                groups.setdefault(owner.step, []).insert(0 if not owner.inside else len(groups), node)
        several = {step: (*nodes,) for step, nodes in groups.items() if len(nodes) > 1}
        leaving: Counter[tuple[int, int]] = Counter()
        for above, to, _ in self.reading.walk.edges():
            step = self.step(above)
            if step in several and step != self.step(to):
                leaving[step, to] += 1
        for (step, to), count in sorted(leaving.items())[:MOST_FORMULAS]:
            yield from self.whole(step, several[step], to, count)

    def whole(self, step: int, nodes: tuple[int, ...], to: int, count: int) -> Iterator[Handing]:
        """What the nodes of a call hand to the node `to` along `count` edges, where that is written."""
        below = self.step(to)
        text = "" if below is None or self._heads(nodes) > 1 else self.handed.whole(step, below)
        given, had = self.cotangent(nodes[0]), self.cotangent(to)
        if text:
            same = None
            if self.real and given is not None and had is not None and self.arrivals[to] == count:
                same = self.numbers.same(step, text, given, had)
            yield Handing(nodes, to, self.graph.nodes[to].shape or (), text, same)

    def _heads(self, nodes: tuple[int, ...]) -> int:
        """How many of the nodes of a call are grad_fns of its results."""
        return sum(not self.graph.nodes[node].inside for node in nodes)

    def cotangent(self, node: int) -> torch.Tensor | None:
        """The cotangent that the engine had at a node of one result."""
        kept = self.kept[node]
        return kept[0] if len(kept) == 1 else None

    def cut(self, leaf: Node) -> Iterator[int]:
        """The constants of the graph that were computed from a leaf."""
        steps = self.run.steps
        leaves = {step.index for step in steps if step.kind == "binding" and step.name == leaf.leaf}
        places = {(node.span, node.text): node.id for node in self.graph.nodes if node.constant}
        if not places or not leaves:
            return
        for owner in self.reading.owners:
            if owner is None or owner.inside or steps[owner.step].kind != "call":
                continue
            for index in tensor_operands(steps[owner.step], steps):
                step = steps[index]
                place = (step.expr.span.start, step.expr.span.end)
                key = (place, self.run.program.source[step.expr.span])
                if not step.value.requires_grad and key in places and leaves & {*under(steps, index)}:
                    yield places.pop(key)
