"""torch's own gradcheck of what a report shows, where it is asked for."""

from dataclasses import replace

from autograd_cli.explore.options import Options
from autograd_cli.gradients.check import worst
from autograd_cli.report import Report
from autograd_cli.report.checks import Checks
from autograd_cli.run.tape import Run


def with_asked(report: Report, run: Run | None, options: Options) -> Report:
    """The report with what torch says of the run, held against the verdict on the report's gradients."""
    if not options.torch or run is None or run.root is None:
        return report
    from autograd_cli.gradients.grounds.asking import asked  # few runs ask

    cut = any(one.grounds is not None and one.grounds.uncut is not None for one in report.gradients)
    found = asked(run, worst(report.gradients), cut)
    return replace(report, checks=replace(report.checks or Checks(), torch=found))
