"""The one way through: source and bindings in, report out.

Every room is called here, in the order of the drawing: the source is parsed and
checked, bound and run; the graph is read before anything touches it; one backward; the
witnesses; the findings; and all of it packed as plain data.
"""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy
import torch

from autograd_cli import __version__
from autograd_cli.diagnose.inspections import inspect
from autograd_cli.errors import ExitStatus, InputError, Span
from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.graph.pack import graph as packed_graph, with_cotangents
from autograd_cli.graph.read import Reading, read
from autograd_cli.graph.walk import collector_paused
from autograd_cli.lang.check import Understood, understood
from autograd_cli.lang.parse import TextLimits
from autograd_cli.lang.source import Source
from autograd_cli.report import (
    Binding,
    Finding,
    Gradient,
    Graph,
    Output,
    Report,
    Severity,
    Verdict,
    Witness,
)
from autograd_cli.run.devices import choose
from autograd_cli.run.inputs import Roles, bind, value_of
from autograd_cli.run.limits import refuse_output
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Failure, Run
from autograd_cli.run.values import VALUES_LIMIT, device_of, dtype_of, plain, shape_of
from autograd_cli.symbolic.build import call as written

_BOUNDED = 1000
"""A graph of more nodes is not in the report so far."""

_WRITTEN = 10
"""A cotangent of more elements is not written into a formula."""

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Options:
    """What a person may choose about a run; the defaults are the command line's.

    `dtype` None keeps what the bindings are; sizes are in bytes; `witnesses` are the
    ways to know a gradient that are used; `full` writes tensors out whole. With `check`
    gradients are demanded: an output without a graph is a verdict, not a remark.
    """

    device: str = "cpu"
    dtype: str | None = None
    seed: int = 0
    wrt: tuple[str, ...] | None = None
    const: tuple[str, ...] = ()
    grad_output: str | None = None
    witnesses: frozenset[Witness] = frozenset(Witness)
    eps: float | None = None
    rtol: float | None = None
    atol: float | None = None
    max_memory: int = Settings.max_memory
    max_text: int = TextLimits.max_text
    max_nodes: int = TextLimits.max_nodes
    max_items: int = Settings.max_items
    max_steps: int = Settings.max_steps
    full: bool = False
    strict: bool = False
    check: bool = False


def explore(
    source: Source | str | Understood,
    bindings: Pairs,
    options: Options = Options(),
    stdin: str | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """The report of `source` under `bindings`, (name, text) pairs in the order written.

    A program that fails in torch gives a report with its finding and status 1. A source
    or a binding that cannot be understood raises an AgxError. `stdin` is what `@-` reads.
    `progress` is given the report so far before each long stage.
    An Understood source is not parsed again.
    """
    known = source
    if not isinstance(known, Understood):
        text = Source(known) if isinstance(known, str) else known
        known = understood(text, [name for name, _ in bindings], _text_limits(options))
    settings = settings_of(options)
    with torch_state(replace(settings, dtype="float32")):
        made = _run(known, bindings, options, settings, stdin)
        if made.failure is not None:
            return _report(made, options, _explained(made))
        return _explored(made, options, progress, stdin)


def _text_limits(options: Options) -> TextLimits:
    return TextLimits(max_text=options.max_text, max_nodes=options.max_nodes)


def settings_of(options: Options) -> Settings:
    """How the interpreter is to run; MissingError AGX601 for a device that is not usable."""
    return Settings(
        device=str(choose(options.device)),
        dtype=options.dtype if options.dtype and "complex" not in options.dtype else "float32",
        seed=options.seed,
        max_memory=options.max_memory,
        max_items=options.max_items,
        max_steps=options.max_steps,
        text=_text_limits(options),
    )


def _run(known: Understood, pairs: Pairs, options: Options, settings: Settings, stdin: str | None) -> Run:
    roles = Roles(
        used=known.usage.names,
        const=frozenset(options.const),
        wrt=None if options.wrt is None else frozenset(options.wrt),
    )
    bound = bind(pairs, roles, settings, options.dtype, stdin, known.values)
    torch.set_default_dtype(getattr(torch, settings.dtype))
    return run(known.program, bound, settings)


def _explored(
    made: Run, options: Options, progress: Callable[[Report], None] | None, stdin: str | None
) -> Report:
    """The report of a run that did not fail."""
    limit = None if options.full else VALUES_LIMIT
    root = made.output
    if not isinstance(root, torch.Tensor) or not root.requires_grad:
        absent = Backward(leaves=dict.fromkeys(made.leaves))
        gradients = witnesses.check(made, absent) if options.check else ()
        return _report(made, options, inspect(made, None, gradients), gradients=gradients)
    refuse_output(root, options.max_memory)
    with collector_paused():
        reading = read(made, root)
        graph = packed_graph(made, reading, limit)
    if progress is not None:
        progress(_report(made, options, (), _bounded(graph), reading=reading))
    cotangent = _cotangent(made, root, options, stdin)
    passed = backward(made, cotangent, reading.walk.nodes)
    graph = with_cotangents(graph, reading, passed.cotangents, limit)
    gradients = witnesses.check(made, passed, cotangent, _judging(options, cotangent))
    findings = inspect(made, graph, gradients, cotangent_given=cotangent is not None)
    if passed.error is not None:
        findings = (*_explained(_failed_backward(made, passed.error)), *findings)
    sent = torch.ones_like(root) if cotangent is None else cotangent
    report = _report(made, options, findings, graph, gradients, reading, sent)
    del root, passed
    _let_go(made, reading)
    return report


def _let_go(made: Run, reading: Reading) -> None:
    """Free the tensors, and then the nodes from the root down, so that a long chain does not recurse."""
    made.steps.clear()
    reading.walk.release()


def _bounded(graph: Graph) -> Graph | None:
    """The graph if it is small: what is reported on the way must not take long itself."""
    return graph if len(graph.nodes) <= _BOUNDED else None


def _explained(failed: Run) -> tuple[Finding, ...]:
    """Why a run failed. The rules are loaded when they are needed: most runs do not fail."""
    from autograd_cli.diagnose.failures import failure

    return failure(failed)


def _failed_backward(made: Run, error: Exception) -> Run:
    """The run with its backward's error as the failure, at the expression of the output."""
    assert made.root is not None
    step = made.steps[made.root]
    return replace(made, failure=Failure(step.expr, step.function, (), error))


def _judging(options: Options, cotangent: torch.Tensor | None) -> witnesses.Options:
    """Which witnesses are computed; a cotangent that cannot be written out leaves no formula."""
    chosen, expr = options.witnesses, None
    if cotangent is not None and cotangent.numel() <= _WRITTEN:
        expr = written("torch.tensor", cotangent.tolist())
    elif cotangent is not None:
        chosen = chosen - {Witness.SYMBOLIC}
    limit = None if options.full else VALUES_LIMIT
    return witnesses.Options(chosen, expr, options.eps, options.rtol, options.atol, limit)


def _cotangent(made: Run, root: torch.Tensor, options: Options, stdin: str | None) -> torch.Tensor | None:
    """What backward starts from: --grad-output, None for ones."""
    if options.grad_output is None:
        return None
    settings = replace(made.settings, dtype="float32", device="cpu")
    value = value_of("grad-output", options.grad_output, made.bindings, settings, stdin)
    given = torch.as_tensor(value)
    if given.is_complex() and not root.is_complex():
        raise InputError(
            "AGX208",
            "--grad-output is complex, and the output is real.",
            text=options.grad_output,
            span=Span(0, len(options.grad_output)),
            hint="The cotangent of a real output is real.",
        )
    given = given.to(dtype=root.dtype, device=root.device)
    if given.shape != root.shape:
        raise InputError(
            "AGX208",
            f"--grad-output has shape {tuple(given.shape)}, the output has {tuple(root.shape)}.",
            text=options.grad_output,
            span=Span(0, len(options.grad_output)),
            hint="The cotangent has the shape of the output.",
        )
    return given


def _report(
    made: Run,
    options: Options,
    findings: tuple[Finding, ...],
    graph: Graph | None = None,
    gradients: Sequence[Gradient] = (),
    reading: Reading | None = None,
    cotangent: torch.Tensor | None = None,
) -> Report:
    """Everything packed as plain data."""
    limit = None if options.full else VALUES_LIMIT
    output = None if made.failure else _output(made, cotangent, limit)
    return Report(
        source=made.program.source.text,
        text=made.program.text,
        name=made.program.source.name,
        device=made.device,
        dtype=output.dtype if output and output.shape is not None else made.dtype,
        seed=made.seed,
        kept_bytes=reading.kept_bytes if reading else 0,
        versions=versions(),
        bindings=tuple(_binding(b, limit) for b in made.bindings),
        output=output,
        graph=graph,
        gradients=tuple(gradients),
        findings=findings,
        status=status_of(gradients, findings, options),
    )


def status_of(gradients: Sequence[Gradient], findings: Sequence[Finding], options: Options) -> ExitStatus:
    """The exit status that a report's verdicts and findings amount to."""
    failing = {Severity.ERROR, Severity.WARNING} if options.strict else {Severity.ERROR}
    bad = any(finding.severity in failing for finding in findings)
    wrong = not all(_passes(gradient.verdict, options) for gradient in gradients)
    unchecked = options.check and not gradients
    return ExitStatus.FAILED if bad or wrong or unchecked else ExitStatus.OK


def _passes(verdict: Verdict | None, options: Options) -> bool:
    """Whether a verdict counts as right; where gradients are demanded, no verdict does not."""
    if verdict is None:
        return not (options.check or options.strict)
    return verdict is Verdict.OK if options.strict else verdict.passes


def _binding(bound: BoundValue, limit: int | None) -> Binding:
    value = bound.value
    return Binding(
        name=bound.name,
        text=bound.text,
        shape=shape_of(value),
        dtype=dtype_of(value),
        device=device_of(value),
        requires_grad=bound.role == "leaf",
        value=plain(value, limit),
        role=bound.role,
        used=bound.used,
    )


def _output(made: Run, cotangent: torch.Tensor | None, limit: int | None) -> Output:
    value = made.output
    grad_fn = getattr(value, "grad_fn", None)
    return Output(
        text=made.program.text,
        value=plain(value, limit),
        shape=shape_of(value),
        dtype=dtype_of(value),
        device=device_of(value),
        grad_fn=None if grad_fn is None else type(grad_fn).__name__,
        requires_grad=bool(getattr(value, "requires_grad", False)),
        gradient=None if cotangent is None else plain(cotangent, limit),
    )


@cache
def versions() -> dict[str, str]:
    """The versions that a report is of: agx, torch, numpy and Python."""
    return {
        "agx": __version__,
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }
