"""The second derivative of what a report is of, where it was asked for."""

from dataclasses import replace

import torch

from autograd_cli.errors import ExitStatus
from autograd_cli.explore.options import Options, status_of
from autograd_cli.gradients import check as witnesses
from autograd_cli.report import Finding, Report, Second
from autograd_cli.run.tape import Run


def with_second(
    report: Report, options: Options, run: Run, cotangent: torch.Tensor | None, judging: witnesses.Options
) -> Report:
    """The report with the second derivative of the run's output, where the order asked for is 2.

    A verdict on it counts as one on a gradient does; where it is not done by any leaf the rest decides.
    """
    if options.order < 2:
        return report
    from autograd_cli.diagnose.seconds import of_second  # most runs ask for no second derivative
    from autograd_cli.gradients.second.check import second

    found = second(run, cotangent, judging)
    said = of_second(run, found)
    status = max(report.status, _status(found, said, options))
    return replace(report, second=found, findings=(*said, *report.findings), status=status)


def _status(found: Second, said: tuple[Finding, ...], options: Options) -> ExitStatus:
    """What the second derivative adds to the exit status."""
    by_rest = bool(found.kind) and not found.blocks
    return ExitStatus.OK if by_rest else status_of(found.blocks, said, options)
