"""The report of a program of several statements: what each did, its backwards, one graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.diagnose.programs import claims, failure_of, inspect_program, needs_graph
from autograd_cli.explore import statements
from autograd_cli.explore.asking import with_allowed, with_asked
from autograd_cli.explore.brought import with_examined
from autograd_cli.explore.inspection import facts
from autograd_cli.explore.judging import Judged, judge
from autograd_cli.explore.options import Options, status_of
from autograd_cli.explore.packing import output_record, so_far
from autograd_cli.explore.roots import Root, check_names, chosen, numbers_again
from autograd_cli.explore.second import with_second
from autograd_cli.explore.single import backward_explained, judging, with_steps
from autograd_cli.explore.watching import Place, Seen, Watching
from autograd_cli.graph.pack import graph as packed_graph, with_cotangents
from autograd_cli.graph.read import Reading, reading_of
from autograd_cli.report import Backward, Finding, Gradient, Graph, Inspection, Report
from autograd_cli.run.slices import Slice
from autograd_cli.run.traced import Ran

Progress = Callable[[Report], None]


@dataclass(frozen=True)
class Shown:
    """What a report shows of its root: the graph, its gradients, and what a backward sent into it.

    `whole` is its slice, `own` the same where the backward is none of the program's.
    """

    root: Root
    graph: Graph | None = None
    reading: Reading | None = None
    gradients: tuple[Gradient, ...] = ()
    cotangent: torch.Tensor | None = None
    own: Slice | None = None
    whole: Slice | None = None


def explored(
    ran: Ran,
    watching: Watching,
    options: Options,
    progress: Progress | None = None,
    stdin: str | None = None,
) -> Report:
    """The report of a program that was run, to its end or to its failure."""
    check_names(ran, watching, options)
    inspected = _inspected(ran, watching, options)
    root = chosen(ran, watching, options, stdin)
    if progress is not None:
        progress(so_far(ran, options))
    judged = {
        id(seen): judge(ran, seen, options) for place in watching.places.values() for seen in _kept(place)
    }
    shown = _shown(ran, root, judged, options)
    backwards = _backwards(watching, judged, options)
    findings = _findings(ran, shown, judged, options)
    report = _report(ran, options, shown, backwards, findings)
    report = _with_steps(report, shown, options)
    report = replace(report, inspected=inspected)
    report = with_examined(report, _runs(judged, shown), options)
    report = with_allowed(with_asked(report, shown.whole, options), options)
    report = _with_second(report, shown, options)
    _let_go(ran, watching)
    return report


def _runs(judged: dict[int, Judged], shown: Shown) -> list[Slice]:
    """The slices of all backwards that were looked at."""
    return [one.whole for one in judged.values()] + ([shown.own] if shown.own else [])


def _kept(place: Place) -> list[Seen]:
    """The first backward of a place, and the last where that is another."""
    return [seen for seen in (place.first, place.last) if seen is not None]


def _shown(ran: Ran, root: Root, judged: dict[int, Judged], options: Options) -> Shown:
    """The root's graph, as it was at its last backward."""
    seen = root.seen
    if seen is None:
        return Shown(root)
    own = None if id(seen) in judged else judge(ran, seen, options, root.again)
    known = own or judged[id(seen)]
    reading, graph = _graph(seen, known, options)
    gradients = () if seen.error is not None else known.gradients
    return Shown(root, graph, reading, gradients, seen.cotangent(), own.whole if own else None, known.whole)


def _with_steps(report: Report, shown: Shown, options: Options) -> Report:
    """The report with what was asked for beside the graph."""
    seen = shown.root.seen
    came = seen is not None and seen.error is None and options.steps
    arrived = seen.arrived() if seen is not None and came else None
    return with_steps(report, options, shown.whole, shown.reading, arrived, shown.cotangent)


def _with_second(report: Report, shown: Shown, options: Options) -> Report:
    """The report with the second derivative of the root that is shown, where it was asked for."""
    seen = shown.root.seen
    if shown.whole is None or seen is None or seen.error is not None:
        return report
    cotangent = seen.call.cotangents[0] if len(seen.call.roots) == 1 else None
    return with_second(report, options, shown.whole, cotangent, judging(options, cotangent))


def _graph(seen: Seen, known: Judged, options: Options) -> tuple[Reading, Graph]:
    """The graph of a backward as it was before torch freed it, with what came down it."""
    if seen.glance.numbers is None:
        seen.glance.numbers = numbers_again(known.whole, seen.glance)
    reading = reading_of(known.whole, seen.glance)
    graph = packed_graph(known.whole, reading, options.limit)
    return reading, with_cotangents(graph, reading, seen.arrived(), options.limit)


def _backwards(watching: Watching, judged: dict[int, Judged], options: Options) -> tuple[Backward, ...]:
    """A row for the first and the last backward of each place, in the order of the run."""
    rows = [(seen, place.count) for place in watching.places.values() for seen in _kept(place)]
    rows.sort(key=lambda row: row[0].call.number)
    return tuple(judged[id(seen)].record(count, options.limit) for seen, count in rows)


def _findings(ran: Ran, shown: Shown, judged: dict[int, Judged], options: Options) -> tuple[Finding, ...]:
    """Why the program failed, and what is worth saying beside that."""
    seen = shown.root.seen
    failed = failure_of(ran) if ran.failure is not None else ()
    looked_at: list[Any] = [
        (one.whole, shown.graph if one.seen is seen else _asked(one, options), one.gradients)
        for one in judged.values()
    ]
    if shown.own is not None and shown.root.is_own and seen is not None and seen.error is not None:
        failed = (*failed, *backward_explained(shown.own, seen.error, ran, shown.root.traced))
    elif shown.own is not None:
        looked_at.append((shown.own, shown.graph, shown.gradients))
    calls = {id(one.whole): one.seen.call for one in judged.values()}
    return (*failed, *inspect_program(ran, looked_at, calls))


def _asked(one: Judged, options: Options) -> Graph | None:
    """The graph of a backward that is not shown, where its gradients raise a question of it."""
    return _graph(one.seen, one, options)[1] if needs_graph(one.gradients) else None


def _report(
    ran: Ran, options: Options, shown: Shown, backwards: Sequence[Backward], findings: tuple[Finding, ...]
) -> Report:
    root = shown.root
    output = None
    if root.traced is not None:
        output = output_record(root.text, root.traced.value, shown.cotangent, options.limit)
    every = [*shown.gradients, *(gradient for row in backwards for gradient in row.gradients)]
    known = statements.with_remarks(statements.records(ran), claims(ran), findings)
    return replace(
        so_far(ran, options),
        dtype=output.dtype if output and output.shape is not None else ran.settings.dtype,
        kept_bytes=shown.reading.kept_bytes if shown.reading else 0,
        output=output,
        graph=shown.graph,
        gradients=shown.gradients,
        findings=findings,
        status=status_of(every, findings, options),
        statements=known,
        backwards=tuple(backwards),
        root=root.name,
    )


def _inspected(ran: Ran, watching: Watching, options: Options) -> Inspection | None:
    """The facts of the value that was asked about, at the end and around the last backward."""
    if options.inspect is None:
        return None
    rows = facts(ran.names[options.inspect], ran.names)
    return Inspection(options.inspect, rows, watching.before_it, watching.after_it)


def _let_go(ran: Ran, watching: Watching) -> None:
    """Free the tensors, and then the nodes from the roots down, so that a long chain does not recurse."""
    ran.names.clear()
    ran.last = ran.value = None
    watching.release()
