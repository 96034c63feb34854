"""Repairs run before they are offered."""

from dataclasses import replace

import torch

from autograd_cli.diagnose.both import Both, Tensors, both
from autograd_cli.errors import AgxError
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.tape import Run


def tried(made: Run, finding: Finding) -> Finding:
    """The finding with its repairs run on the same bindings; those that fail stand only if none passes.

    A note's repairs are not run: they are for another question, not for a fault. The
    comments of the source are left out of what is to be pasted.
    """
    finding = replace(finding, fix=tuple(_without_comments(made, fix) for fix in finding.fix))
    if finding.severity is Severity.NOTE or not finding.fix:
        return finding
    fixes = [attempted(made, fix) for fix in finding.fix]
    passed = [fix for fix in fixes if fix.passed is not False]
    return replace(finding, fix=tuple(passed or fixes[:1]))


def _without_comments(made: Run, fix: Fix) -> Fix:
    try:
        program = parse(Source(fix.program), made.settings.text)
    except AgxError:  # words, or a command
        return fix
    return replace(fix, program=" ".join(program.text.split()) if "\n" in fix.program else fix.program)


def attempted(made: Run, fix: Fix) -> Fix:
    """A repair with whether it works, found by running it; one of words alone as it is."""
    if not fix.program:
        return fix
    other = again(made, fix.program)
    if other is None:
        return replace(fix, ran=False, passed=False)
    return replace(fix, ran=True, passed=other.failure is None)


def again(made: Run, text: str) -> Run | None:
    """Another source run on the same bindings; None where agx refuses it."""
    try:
        program = parse(Source(text, made.program.source.name), made.settings.text)
        with torch_state(made.settings):
            return run(program, made.bindings, made.settings)
    except AgxError:
        return None


def both_ways(made: Run, text: str) -> Both | None:
    """The output and the gradients of a run, and those of another source on the same bindings."""
    runs = [again(made, made.program.text), again(made, text)]
    one, two = (None if each is None else _gradients(each) for each in runs)
    return None if one is None or two is None else both((one[0], two[0]), one[1], two[1])


def _gradients(made: Run) -> tuple[float, Tensors] | None:
    output = None if made.failure is not None else made.output
    leaves = {
        step.name: step.value for step in made.steps if step.kind == "binding" and step.name in made.leaves
    }
    if not isinstance(output, torch.Tensor) or output.numel() != 1 or not output.requires_grad or not leaves:
        return None
    found = torch.autograd.grad(output, list(leaves.values()), allow_unused=True)
    grads = {name: grad for name, grad in zip(leaves, found, strict=True) if grad is not None}
    return float(output.detach()), grads
