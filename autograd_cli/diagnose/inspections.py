"""The rules for a run that worked, each listed once: a rule looks at a Scene and yields findings."""

from collections.abc import Callable, Iterator, Sequence

import torch

from autograd_cli.diagnose import (
    cancelling,
    cuts,
    dividing,
    feeding,
    inputs,
    nonfinite,
    outputs,
    pairs,
    vanishing,
    verdicts,
)
from autograd_cli.diagnose.faults import Faults
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.trial import both_ways, tried
from autograd_cli.report import Finding, Gradient, Graph
from autograd_cli.run.tape import Run

INSPECTIONS: tuple[tuple[str, Callable[[Scene], Iterator[Finding]]], ...] = (
    ("AGX501", verdicts.disagree),
    ("AGX502", nonfinite.gradient),
    ("AGX505", vanishing.vanished),
    ("AGX506", cancelling.cancelled),
    ("AGX402", outputs.no_leaf),
    ("AGX403", cuts.cut),
    ("AGX453", cuts.detached),
    ("AGX406", cuts.unused_input),
    ("AGX408", cuts.held),
    ("AGX407", pairs.silent_broadcast),
    ("AGX454", feeding.fed_wrongly),
    ("AGX507", dividing.cut_off),
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


def inspect(
    run: Run,
    graph: Graph | None,
    gradients: Sequence[Gradient],
    *,
    cotangent_given: bool = False,
    cotangent: torch.Tensor | None = None,
) -> tuple[Finding, ...]:
    """What is worth saying about a run that worked: errors and warnings first, then notes.

    A rule that fails leaves a note of that, AGX609.
    """
    scene, faults = Scene(run, graph, gradients, cotangent_given, cotangent), Faults()
    found = [finding for code, rule in INSPECTIONS for finding in faults.every(code, rule, scene)]
    told = [
        faults.changed(finding, lambda each: _shown(run, tried(run, each)))
        for finding in _without_symptoms(found)
    ]
    return (*told, *faults.notes)


_CAUSES = ("gradient-underflow", "cancellation", "value-overflow")
"""Names of findings that say why a dtype does not hold a gradient."""


def _without_symptoms(found: Sequence[Finding]) -> Iterator[Finding]:
    """The findings but what another says the cause of: lost digits, or that a gradient is wrong."""
    is_told = any(each.name in _CAUSES for each in found)
    known = {name for each in found if each.code == "AGX502" for name in each.leaves}
    for each in found:
        is_echo = each.code == "AGX501" and known & each.leaves
        if not is_echo and not (each.code == "AGX504" and is_told):
            yield each


def _shown(run: Run, finding: Finding) -> Finding:
    """The finding with the gradients both ways where that is what shows the mistake."""
    fix = next((fix for fix in finding.fix if fix.passed), None)
    if finding.code not in ("AGX407", "AGX454") or fix is None:
        return finding
    return pairs.with_gradients(finding, both_ways(run, fix.program))
