"""A person's own callables in a report: which were brought, and what the clinic found of their Functions."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

from autograd_cli.errors import ExitStatus
from autograd_cli.explore.options import Options
from autograd_cli.report import Examination, Report, Target, Verdict
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


def records(uses: Sequence[Use]) -> tuple[Target, ...]:
    """The callables as plain data."""
    from autograd_cli.run.targets import targets  # few runs have one

    known = targets(uses).values()
    return tuple(Target(one.use.name, one.use.file, one.use.attribute, one.kind, one.line) for one in known)


def with_examined(report: Report, runs: Iterable[Run], options: Options) -> Report:
    """The report with the examination of the Functions that the runs called, where gradients are demanded."""
    if not options.use or not options.check:
        return report
    from autograd_cli.gradients.clinic.examine import examined

    found = tuple(dict.fromkeys(one for run in runs for one in examined(run)))
    failed = any(map(_fails, found))
    return replace(report, examined=found, status=max(report.status, ExitStatus.FAILED if failed else 0))


def _fails(one: Examination) -> bool:
    """Whether a Function's gradients are wrong or missing."""
    return any(slot.verdict is Verdict.WRONG for slot in one.slots) or any(
        each.wrong for each in one.concerns
    )
