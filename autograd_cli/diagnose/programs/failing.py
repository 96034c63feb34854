"""The rules for a program that failed, each listed once; the door `failure_of`.

The rules for programs are asked first, then those for any failing call.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from autograd_cli import catalogue
from autograd_cli.diagnose import own
from autograd_cli.diagnose.failures import FAILURES, known
from autograd_cli.diagnose.faults import Faults
from autograd_cli.diagnose.programs import (
    asked,
    backwards,
    callers,
    dividing,
    no_way,
    python_errors,
    refused,
    said,
    several,
    slopeless,
    twice,
)
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import Rule, attempted, placed, tried
from autograd_cli.diagnose.remedies import remedies
from autograd_cli.diagnose.search import searched
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding
from autograd_cli.run.tape import Failure, Operand
from autograd_cli.run.traced import Ran, Traced, now

ENDINGS: tuple[tuple[str, Callable[[Ended], Finding | None]], ...] = (
    ("AGX451", backwards.stepped),
    ("AGX409", backwards.mutated),
    ("AGX432", several.one_of_several),
    ("AGX507", dividing.undifferentiated),
    ("AGX403", slopeless.undifferentiated),
    ("AGX452", twice.carried),
    ("AGX411", twice.again),
    ("AGX453", no_way.detached),
    ("AGX403", no_way.cut),
    ("AGX402", no_way.nothing),
    ("AGX402", asked.input_without),
    ("AGX406", asked.unused),
    ("AGX401", backwards.nonscalar),
    ("AGX405", backwards.complex_root),
    ("AGX423", backwards.gradient_shape),
    ("AGX412", refused.leaf),
    ("AGX442", refused.reduced),
    ("AGX413", refused.numpy),
    ("AGX414", refused.inference),
    ("AGX418", refused.flag),
    ("AGX421", refused.optimizer),
    ("AGX417", python_errors.no_gradient),
    ("AGX319", python_errors.assertion),
    ("AGX403", python_errors.number),
    ("AGX201", python_errors.name),
    ("AGX109", python_errors.hidden),
    ("AGX105", python_errors.attribute),
)


def failure_of(ran: Ran) -> tuple[Finding, ...]:
    """Why the program failed: one finding, in whose `also` stand the names of others that fit.

    A rule that fails leaves a note of that behind it, AGX609.
    """
    assert ran.failure is not None, "only a run that failed has a failure to explain"
    if isinstance(ran.failure.error, AgxError):
        return (catalogue.finding(ran.failure.error, ran.program.source),)
    case, faults = Ended.of(ran), Faults()
    theirs = faults.one("AGX325", own.raised, case)
    if theirs is not None:
        return (theirs, *faults.notes)
    finding = faults.changed(_known(case, faults), lambda each: tried(case.whole, each))
    finding = faults.changed(finding, lambda each: _with_gradient(case, each))
    if not case.is_backward and not case.run.settings.uses:
        finding = faults.changed(finding, lambda each: _mended_at_calls(case, each, faults))
        finding = faults.changed(finding, lambda each: _searched(case, each))
    return (faults.changed(finding, lambda each: callers.told(case, each)), *faults.notes)


def _known(case: Ended, faults: Faults) -> Finding:
    return known(case, (*ENDINGS, *FAILURES), faults)


def _with_gradient(case: Ended, finding: Finding) -> Finding:
    """A second backward through what was meant to be a leaf, made one: other cures leave its .grad None."""
    if finding.code != "AGX411" or not said.reads_nonleaf(case.whole):
        return finding
    given = (placed(case.whole, fix) for each in said.nonleaf_grad(case.whole) for fix in each.fix)
    works = tuple(fix for fix in (attempted(case.whole, each) for each in given) if fix.passed)
    return replace(finding, fix=works) if works else finding


def _mended_at_calls(case: Ended, finding: Finding, faults: Faults) -> Finding:
    """The finding with a repair where a function of the program is called, if none inside it works."""
    for other in callers.as_called(case) if not any(fix.passed for fix in finding.fix) else ():
        fixes = tried(case.whole, _known(other, faults)).fix
        if any(fix.passed for fix in fixes):
            return replace(finding, fix=tuple(fix for fix in fixes if fix.passed))
    return finding


def _searched(case: Ended, finding: Finding) -> Finding:
    """The finding with what is found by trying, in the function that failed and then where it is called."""
    candidates = (fix for each in (case, *callers.as_called(case)) for fix in remedies(each))
    return searched(finding, candidates, lambda fix: attempted(case.whole, placed(case.whole, fix)))


def of_backward(ran: Ran, value: Traced, error: Exception) -> tuple[Finding, ...]:
    """Why torch refuses a backward that is not the program's own; nothing where no rule knows."""
    root = Operand(ran.program.source[value.expr.span], value.expr, value.value, value)
    case = Ended.of(replace(ran, failure=Failure(value.expr, value.function, (root,), error)))
    faults = Faults()
    found = faults.one("AGX409", backwards.mutated, case)
    if found is None:
        return faults.notes
    told = faults.changed(found, lambda each: tried(case.whole, each, _backward_fails(found)))
    return (told, *faults.notes)


def _backward_fails(finding: Finding) -> Rule:
    """The rule that has something to say where the backward from a program's last value fails."""

    def rule(whole: Whole) -> Iterator[Finding]:
        found = [each for each in (whole.ran.last, whole.ran.value) if isinstance(each, Traced)]
        tensor = now(found[0]).value if found else None
        try:
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                torch.autograd.backward(tensor, torch.ones_like(tensor))
        except RuntimeError:
            yield finding

    return rule
