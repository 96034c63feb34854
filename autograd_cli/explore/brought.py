"""A person's own callables in a report: which were brought, and what the clinic found of their Functions."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

from autograd_cli.errors import ExitStatus
from autograd_cli.explore.options import Options, status_of
from autograd_cli.lang.nodes import Program
from autograd_cli.report import Report, Target
from autograd_cli.run.settings import Use
from autograd_cli.run.tape import Run


@contextmanager
def muted() -> Iterator[None]:
    """What their code prints inside is not shown: the witnesses call it again and again."""
    from autograd_cli.run.targets import hushed  # few runs have any

    with hushed(True):
        yield


def told(uses: Sequence[Use]) -> AbstractContextManager[None]:
    """What their code prints inside goes to stderr."""
    if not uses:
        return nullcontext()
    from autograd_cli.run.targets import hushed  # few runs have any

    return hushed(False)


def restored(run: Run, options: Options) -> bool:
    """Whether their code wrote into leaves, which get back what was bound: gradients are those at that."""
    if not options.use:
        return False
    from autograd_cli.run.brought import Called

    calls = dict.fromkeys(step.call for step in run.steps if isinstance(step.call, Called))
    written = [call.restore() for call in reversed(calls)]  # the first one knows what was bound
    return any(written)


def with_callables(report: Report, program: Program, options: Options) -> Report:
    """The report with the callables that were brought, and a warning for each that is not used."""
    from autograd_cli.diagnose.inputs import unused_callables  # few runs have any

    unused = tuple(unused_callables(program, options.use))
    status = max(report.status, ExitStatus.FAILED if unused and options.strict else 0)
    return replace(report, targets=_records(options.use), findings=(*report.findings, *unused), status=status)


def _records(uses: Sequence[Use]) -> tuple[Target, ...]:
    """The callables as plain data."""
    from autograd_cli.run.targets import targets  # few runs have one

    known = targets(uses).values()
    return tuple(Target(one.use.name, one.use.file, one.use.attribute, one.kind, one.line) for one in known)


def with_examined(report: Report, runs: Iterable[Run], options: Options) -> Report:
    """The report with the examination of the Functions that the runs called, where gradients are demanded."""
    if not options.use or not options.check:
        return report
    from autograd_cli.gradients.clinic.examine import examined

    runs = list(runs)
    found = tuple(dict.fromkeys(one for run in runs for one in examined(run)))
    if not found:
        return report
    from autograd_cli.explore.agreeing import agreed, fails

    report = agreed(report, found, runs[0].program.source, options)
    every = [*report.gradients, *(one for row in report.backwards for one in row.gradients)]
    status = ExitStatus.FAILED if any(fails(one, options) for one in found) else ExitStatus.OK
    return replace(report, status=max(status, status_of(every, report.findings, options)))
