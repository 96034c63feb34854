"""The rules, each listed once, and the two ways to ask them.

A rule of FAILURES looks at a Case and gives its finding or None; they stand in the
order in which they are asked, the most specific first. A rule of INSPECTIONS looks at
a Scene and yields findings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autograd_cli import catalogue
from autograd_cli.diagnose import (
    broadcasting,
    cuts,
    devices,
    dtypes,
    inputs,
    memory,
    nonfinite,
    outputs,
    pairs,
    places,
    products,
    unknown,
    values,
    verdicts,
)
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.trial import tried
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding, Gradient, Graph
from autograd_cli.run.tape import Run

FAILURES: tuple[tuple[str, Callable[[Case], Finding | None]], ...] = (
    ("AGX303", devices.mismatch),
    ("AGX301", products.mismatch),
    ("AGX310", values.no_data),
    ("AGX404", values.integer_grad),
    ("AGX306", memory.noncontiguous),
    ("AGX308", memory.wrong_count),
    ("AGX313", dtypes.index),
    ("AGX309", places.index),
    ("AGX311", places.dimension),
    ("AGX315", values.truth),
    ("AGX318", values.number),
    ("AGX316", values.target_shape),
    ("AGX317", values.joined),
    ("AGX302", broadcasting.expansion),
    ("AGX302", broadcasting.bias),
    ("AGX302", broadcasting.mismatch),
    ("AGX304", dtypes.mismatch),
    ("AGX314", dtypes.unsupported),
)

INSPECTIONS: tuple[tuple[str, Callable[[Scene], Iterator[Finding]]], ...] = (
    ("AGX501", verdicts.disagree),
    ("AGX502", nonfinite.gradient),
    ("AGX402", outputs.no_leaf),
    ("AGX403", cuts.cut),
    ("AGX406", cuts.unused_input),
    ("AGX408", cuts.held),
    ("AGX407", pairs.silent_broadcast),
    ("AGX204", inputs.unused),
    ("AGX401", outputs.nonscalar),
    ("AGX405", outputs.complex_output),
    ("AGX312", outputs.not_a_tensor),
    ("AGX209", inputs.made_floating),
    ("AGX111", inputs.euler),
    ("AGX305", pairs.promoted),
    ("AGX503", verdicts.kink),
    ("AGX504", verdicts.precision),
)


def failure(run: Run) -> tuple[Finding, ...]:
    """Why the run failed: one finding, in whose `also` stand the names of others that fit."""
    assert run.failure is not None, "only a run that failed has a failure to explain"
    if isinstance(run.failure.error, AgxError):
        return (catalogue.finding(run.failure.error, run.program.source),)
    case = Case(run, run.failure)
    found = [finding for _, rule in FAILURES if (finding := rule(case)) is not None]
    if not found:
        return (unknown.error(case),)
    also = dict.fromkeys(other.name for other in found[1:] if other.name != found[0].name)
    return (tried(run, replace(found[0], also=tuple(also))),)


def inspect(
    run: Run, graph: Graph | None, gradients: Sequence[Gradient], *, cotangent_given: bool = False
) -> tuple[Finding, ...]:
    """What is worth saying about a run that worked: errors and warnings first, then notes."""
    scene = Scene(run, graph, gradients, cotangent_given)
    return tuple(tried(run, finding) for _, rule in INSPECTIONS for finding in rule(scene))
