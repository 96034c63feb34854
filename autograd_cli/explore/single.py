"""The report of a source that is one expression: its graph, one backward, the witnesses."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.diagnose.inspections import inspect
from autograd_cli.errors import InputError, Span
from autograd_cli.explore.asking import with_allowed, with_asked
from autograd_cli.explore.brought import muted, restored, told, with_examined
from autograd_cli.explore.inspection import facts
from autograd_cli.explore.options import Options, status_of, unknown_name
from autograd_cli.explore.packing import binding_record, output_record, versions
from autograd_cli.explore.second import with_second
from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.graph.pack import graph as packed_graph, with_cotangents
from autograd_cli.graph.read import Reading, read
from autograd_cli.graph.walk import collector_paused
from autograd_cli.lang.nodes import Expr, Name
from autograd_cli.report import Finding, Gradient, Graph, Inspection, Report, Witness
from autograd_cli.run.inputs import value_of
from autograd_cli.run.limits import refuse_output
from autograd_cli.run.tape import Failure, Operand, Run
from autograd_cli.run.traced import Ran, Traced
from autograd_cli.symbolic.build import call as written

if TYPE_CHECKING:
    from autograd_cli.gradients.grounds.gather import Gatherer

_BOUNDED = 1000
"""A graph of more nodes is not in the report so far."""

_WRITTEN = 10
"""A cotangent of more elements is not written into a formula."""


def explored(
    made: Run,
    options: Options,
    progress: Callable[[Report], None] | None,
    stdin: str | None,
    ran: Ran | None = None,
) -> Report:
    """The report of a run that did not fail; `ran` is what it was made of, for a backward that fails."""
    limit, root = options.limit, made.output
    before = inspected(made, options)
    if not isinstance(root, torch.Tensor) or not root.requires_grad:
        absent = Backward(leaves=dict.fromkeys(made.leaves))
        gradients = witnesses.check(made, absent, None, judging(options, None)) if options.check else ()
        report = report_of(made, options, inspect(made, None, gradients), gradients=gradients)
        report = with_second(report, options, made, None, witnesses.Options())
        return replace(with_steps(report, options), inspected=before)
    refuse_output(root, options.max_memory)
    with collector_paused():
        reading = read(made, root)
        graph = packed_graph(made, reading, limit)
    if progress is not None:
        progress(report_of(made, options, (), _bounded(graph), reading=reading))
    cotangent = cotangent_of(made, root, options, stdin)
    with told(options.use):
        passed = backward(made, cotangent, reading.walk.nodes)
    if restored(made, options):
        graph = packed_graph(made, reading, limit)
    graph = with_cotangents(graph, reading, passed.cotangents, limit)
    called = options.grad_output if options.grad_output in {b.name for b in made.bindings} else ""
    chosen = judging(options, cotangent, called or "")
    gradients = witnesses.check(made, passed, cotangent, chosen)
    findings = inspect(made, graph, gradients, cotangent_given=cotangent is not None, cotangent=cotangent)
    if passed.error is not None:
        value = None if ran is None else ran.value
        findings = (*backward_explained(made, passed.error, ran, value), *findings)
    sent = torch.ones_like(root) if cotangent is None else cotangent
    report = report_of(made, options, findings, graph, gradients, reading, sent)
    arrived = None if passed.error else passed.cotangents
    report = with_steps(report, options, made, reading, arrived, sent)
    if before is not None:
        after = inspected(made, options)
        report = replace(
            report, inspected=replace(before, before=before.rows, after=after.rows if after else ())
        )
    report = with_asked(with_examined(report, [made], options), made, options)
    report = with_allowed(report, options)
    if passed.error is None:
        report = with_second(report, options, made, cotangent, chosen)
    del root, passed
    _let_go(made, reading)
    return report


def with_steps(
    report: Report,
    options: Options,
    run: Run | None = None,
    reading: Reading | None = None,
    arrived: Mapping[GradFn, tuple[torch.Tensor | None, ...]] | None = None,
    cotangent: torch.Tensor | None = None,
) -> Report:
    """The report with the chain rule way by way and with what is kept, as far as they were asked for."""
    if not (options.steps or options.saved):
        return report
    from autograd_cli.explore import steps  # few ask for them

    if options.saved:
        report = replace(report, saved=steps.keeping(reading))
    if options.steps:
        with muted() if options.use else nullcontext():
            chain = steps.chain(report, run, reading, arrived or {}, cotangent, options)
        report = replace(report, chain=chain)
    return report


def inspected(made: Run, options: Options) -> Inspection | None:
    """The facts of the binding that was asked about; AGX208 for a name that is none."""
    if options.inspect is None:
        return None
    names = {binding.name: binding.value for binding in made.bindings}
    if options.inspect not in names:
        raise unknown_name("inspect", options.inspect, names)
    return Inspection(options.inspect, facts(names[options.inspect], names))


def _let_go(made: Run, reading: Reading) -> None:
    """Free the tensors, and then the nodes from the root down, so that a long chain does not recurse."""
    made.steps.clear()
    reading.walk.release()


def _bounded(graph: Graph) -> Graph | None:
    """The graph if it is small: what is reported on the way must not take long itself."""
    return graph if len(graph.nodes) <= _BOUNDED else None


def explained(failed: Run) -> tuple[Finding, ...]:
    """Why a run failed. The rules are loaded when they are needed: most runs do not fail."""
    from autograd_cli.diagnose.failures import failure

    return failure(failed)


def backward_explained(
    made: Run, error: Exception, ran: Ran | None = None, root: Traced | None = None
) -> tuple[Finding, ...]:
    """Why a backward of our own failed; the rules for programs know of writes in place."""
    from autograd_cli.diagnose.programs.failing import of_backward

    found = () if ran is None or root is None else of_backward(ran, root, error)
    return found or explained(failed_backward(made, error))


def of_expression(made: Run, ran: Ran) -> tuple[Finding, ...]:
    """Why an expression failed: by what is known of programs where the rules for expressions only guess."""
    from autograd_cli.diagnose.programs.failing import failure_of

    found = explained(made)
    if all(each.code not in ("AGX307", "AGX345", "AGX346") for each in found):
        return found
    other = failure_of(ran)
    return other if other[0].code != found[0].code else found


def failed_backward(made: Run, error: Exception) -> Run:
    """The run with its backward's error as the failure, at the expression of the output."""
    assert made.root is not None
    step = made.steps[made.root]
    root = Operand(made.program.source[step.expr.span], step.expr, step.value)
    return replace(made, failure=Failure(step.expr, step.function, (root,), error))


def judging(options: Options, cotangent: torch.Tensor | None, name: str = "") -> witnesses.Options:
    """Which witnesses are computed; a large cotangent without a name leaves no formula."""
    chosen = options.witnesses
    expr: Expr | None = None
    if name:
        expr = Name(name)
    elif cotangent is not None and cotangent.numel() <= _WRITTEN:
        expr = written("torch.tensor", cotangent.tolist())
    elif cotangent is not None:
        chosen = chosen - {Witness.SYMBOLIC}
    return witnesses.Options(
        chosen,
        expr,
        options.eps,
        options.rtol,
        options.atol,
        options.limit,
        options.elements,
        options.through_detach,
        _gathering(options),
    )


def _gathering(options: Options) -> "Gatherer | None":
    """What looks for the grounds of verdicts, where gradients are demanded."""
    if not options.check:
        return None
    from autograd_cli.gradients.grounds.gather import Gatherer  # a trace does without

    return Gatherer(options.through_detach, options.forward, options.limit)


def cotangent_of(
    made: Run | Ran, root: torch.Tensor, options: Options, stdin: str | None
) -> torch.Tensor | None:
    """What backward starts from: --grad-output, None for ones."""
    if options.grad_output is None:
        return None
    settings = replace(made.settings, dtype="float32", device="cpu")
    value = value_of("grad-output", options.grad_output, made.bindings, settings, stdin)
    if torch.as_tensor(value).is_complex() and not root.is_complex():
        raise InputError(
            "AGX208",
            "--grad-output is complex, and the output is real.",
            text=options.grad_output,
            span=Span(0, len(options.grad_output)),
            hint="The cotangent of a real output is real.",
        )
    given = torch.as_tensor(value, dtype=root.dtype, device=root.device)
    if given.shape != root.shape:
        raise InputError(
            "AGX208",
            f"--grad-output has shape {tuple(given.shape)}, the output has {tuple(root.shape)}.",
            text=options.grad_output,
            span=Span(0, len(options.grad_output)),
            hint="The cotangent has the shape of the output.",
        )
    return given


def report_of(
    made: Run,
    options: Options,
    findings: tuple[Finding, ...],
    graph: Graph | None = None,
    gradients: Sequence[Gradient] = (),
    reading: Reading | None = None,
    cotangent: torch.Tensor | None = None,
) -> Report:
    """Everything packed as plain data."""
    limit = options.limit
    output = None
    if not made.failure:
        output = output_record(made.program.text, made.output, cotangent, limit)
    return Report(
        source=made.program.source.text,
        text=made.program.text,
        name=made.program.source.name,
        device=made.device,
        dtype=output.dtype if output and output.shape is not None else made.dtype,
        seed=made.seed,
        kept_bytes=reading.kept_bytes if reading else 0,
        versions=versions(),
        bindings=tuple(binding_record(b, limit) for b in made.bindings),
        output=output,
        graph=graph,
        gradients=tuple(gradients),
        findings=findings,
        status=status_of(gradients, findings, options),
        default_dtype=made.settings.dtype,
        mode=made.settings.mode,
        autocast=made.settings.autocast,
        grad_output=options.grad_output or "",
    )
