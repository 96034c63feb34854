"""The rules for a program beside those for its failure, each listed once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType

from autograd_cli.diagnose import cancelling, feeding, vanishing
from autograd_cli.diagnose.faults import Faults
from autograd_cli.diagnose.nonfinite import bad
from autograd_cli.diagnose.pairs import with_gradients
from autograd_cli.diagnose.programs import (
    accumulation,
    amounts,
    beside,
    comments,
    diverged,
    dividing,
    doubled,
    evaluating,
    kept,
    losses,
    lost,
    optimizers,
    order,
    pairings,
    promotions,
    python_own,
    roots,
    said,
    silent,
)
from autograd_cli.diagnose.programs.both_ways import compared, first_of, furthest
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import tried
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding, Fix, Gradient, Graph, Severity
from autograd_cli.run.tape import Run
from autograd_cli.run.traced import BackwardCall, Ran

INSPECTIONS: tuple[tuple[str, Callable[[Whole], Iterator[Finding]]], ...] = (
    ("AGX410", accumulation.missing_clear),
    ("AGX410", accumulation.forgotten),
    ("AGX410", doubled.doubled),
    ("AGX415", silent.unseen_change),
    ("AGX416", said.nonleaf_grad),
    ("AGX416", said.moved_leaf),
    ("AGX407", said.pairs),
    ("AGX407", pairings.unseen),
    ("AGX419", losses.made_leaf),
    ("AGX420", kept.kept),
    ("AGX444", evaluating.in_vain),
    ("AGX422", optimizers.idle),
    ("AGX424", order.cleared_too_soon),
    ("AGX305", promotions.promoted),
    ("AGX321", python_own.reached),
    ("AGX507", dividing.cut_off),
    ("AGX403", lost.never_reached),
    ("AGX403", beside.held_still),
    ("AGX322", said.copied),
    ("AGX323", said.other),
    ("AGX320", comments.differs),
)

_TRIED: Mapping[Callable[[Whole], Iterator[Finding]], Callable[[Whole], Iterator[Finding]]] = (
    MappingProxyType({silent.unseen_change: silent.any_change})
)
"""What a repair is tried by, where that is more than the rule that found the mistake."""

ROOTS: tuple[tuple[str, Callable[[Scene], Iterator[Finding]]], ...] = (
    ("AGX501", roots.disagree),
    ("AGX502", roots.not_finite),
    ("AGX407", roots.all_pairs),
    ("AGX454", feeding.fed_wrongly),
    ("AGX403", roots.staircase),
    ("AGX505", vanishing.vanished),
    ("AGX506", cancelling.cancelled),
    ("AGX503", roots.kink),
)
"""What is asked of each backward; what an expression's page calls a note is meant, in a program."""


_NO_CALLS: Mapping[int, BackwardCall] = MappingProxyType({})

Backward = tuple[Run, Graph | None, Sequence[Gradient]]
"""One backward of a program: its slice, its graph and its gradients."""


def inspect_program(
    ran: Ran, backwards: Sequence[Backward] = (), calls: Mapping[int, BackwardCall] = _NO_CALLS
) -> tuple[Finding, ...]:
    """What is worth saying of a program beside its failure: errors and warnings first, then notes.

    `backwards` are those whose graph and gradients are known, `calls` the calls of the program that made
    them, by the id of their slice. Spans count in the program's
    source; what several rules say of one place by one code is said once.
    A rule that fails leaves a note of that, AGX609.
    """
    whole, faults = Whole(ran), Faults()
    found = [finding for code, rule in INSPECTIONS for finding in _ruled(whole, code, rule, faults)]
    for run, graph, gradients in backwards:
        call = calls.get(id(run))
        sent = call.cotangents[0] if call is not None and len(call.roots) == 1 else None
        found += _of_root(whole, Scene(run, graph, gradients, cotangent=sent, ran=ran, call=call), faults)
    codes = {each.code for each in found}
    if "AGX501" in codes and "AGX415" not in codes:
        found += _ruled(whole, "AGX415", silent.changed_result, faults)
    gradients = [each for _, _, every in backwards for each in every]
    order, said_once = list(Severity), _once(_explained(found, gradients, faults))
    return (*sorted(said_once, key=lambda finding: order.index(finding.severity)), *faults.notes)


def _ruled(
    whole: Whole, code: str, rule: Callable[[Whole], Iterator[Finding]], faults: Faults
) -> list[Finding]:
    """What a rule for the whole program finds, with its repairs run."""
    by = _TRIED.get(rule, rule)
    found = list(faults.every(code, rule, whole))
    return [faults.changed(each, lambda one: _shown(whole, tried(whole, one, by))) for each in found]


def _of_root(whole: Whole, scene: Scene, faults: Faults) -> list[Finding]:
    """What the rules for one backward find, with the round in which it began and its repairs run."""
    span = scene.root.expr.span
    told = [finding for code, rule in ROOTS for finding in faults.every(code, rule, scene)]
    dated = [faults.changed(each, lambda one: diverged.dated(whole, one, span)) for each in told]
    return [faults.changed(each, lambda one: _shown(whole, tried(whole, one), scene)) for each in dated]


_CUT = {"AGX322", "AGX402", "AGX403", "AGX419", "AGX453"}
"""What says of a program where the way of a gradient ends: that a step is idle for it goes without saying."""


def needs_graph(gradients: Sequence[Gradient]) -> bool:
    """Whether the rules for one backward look at its graph: it tells where NaN or a 0 comes from."""
    return any(bad(each.autograd) or vanishing.is_zero(each) for each in gradients)


def _explained(findings: Sequence[Finding], gradients: Sequence[Gradient], faults: Faults) -> list[Finding]:
    """The findings without the plain word that a gradient is wrong, where another says why.

    And without that of a graph recorded in vain, where another says what keeps the gradient from a leaf.
    """
    warned = {each.code for each in findings if each.severity is Severity.WARNING}
    echoes = {"AGX422", "AGX444"} if warned & _CUT else {"AGX444"} if "AGX422" in warned else set()
    findings = [each for each in findings if each.code not in echoes]
    why = next((each for each in findings if each.code == "AGX415"), None)
    if why is None:
        known = {name for each in findings if each.code == "AGX502" for name in each.leaves}
        return [each for each in findings if each.code != "AGX501" or not known & each.leaves]
    told = faults.changed(why, lambda one: amounts.with_amounts(one, gradients))
    return [told if each is why else each for each in findings if each.code != "AGX501"]


def _shown(whole: Whole, finding: Finding, scene: Scene | None = None) -> Finding:
    """The finding with the gradients both ways where that is what shows the mistake.

    Of a backward, whose loss that is, it is known too that none is another: `scene` is given for one.
    """
    fix = next((fix for fix in finding.fix if fix.passed), None)
    if finding.code not in ("AGX407", "AGX454") or fix is None:
        return finding
    backwards = compared(whole, fix.program)
    return with_gradients(finding, first_of(backwards) or (furthest(backwards) if scene else None))


def _once(findings: Sequence[Finding]) -> list[Finding]:
    kept: dict[tuple[str, object, object], Finding] = {}
    for each in findings:
        kept.setdefault((each.code, each.span, each.evidence.get("binding")), each)
    told: list[Finding] = []
    for each in kept.values():
        written = each.fix and each.fix[0].program
        alike = next((one for one in told if written and (one.code, one.fix) == (each.code, each.fix)), None)
        told.append(each if alike is None else _beside(each, alike))
    return told


def _beside(finding: Finding, other: Finding) -> Finding:
    """The finding without the repair and the figures that stand with another, which mends both."""
    ends = zip(reversed(finding.cause), reversed(other.cause), strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    cause = finding.cause[: len(finding.cause) - common]
    return replace(finding, cause=cause, fix=(Fix(f"as on line {other.line}, above: it mends both"),))
