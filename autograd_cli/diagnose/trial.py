"""Repairs run before they are offered."""

from dataclasses import replace

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
    fixes = [_run(made, fix) for fix in finding.fix]
    passed = [fix for fix in fixes if fix.passed is not False]
    return replace(finding, fix=tuple(passed or fixes[:1]))


def _without_comments(made: Run, fix: Fix) -> Fix:
    try:
        program = parse(Source(fix.program), made.settings.text)
    except AgxError:  # words, or a command
        return fix
    return replace(fix, program=" ".join(program.text.split()) if "\n" in fix.program else fix.program)


def _run(made: Run, fix: Fix) -> Fix:
    if not fix.program:
        return fix
    try:
        program = parse(Source(fix.program, made.program.source.name), made.settings.text)
        with torch_state(made.settings):
            again = run(program, made.bindings, made.settings)
    except AgxError:
        return replace(fix, ran=False, passed=False)
    return replace(fix, ran=True, passed=again.failure is None)
