"""What options of gradcheck add to a report: torch's own check, and which verdicts count as right."""

from dataclasses import replace

from autograd_cli.explore.options import Options
from autograd_cli.gradients.check import worst
from autograd_cli.report import Gradient, Report
from autograd_cli.report.checks import Checks, Grounds
from autograd_cli.run.tape import Run


def with_asked(report: Report, run: Run | None, options: Options) -> Report:
    """The report with what torch says of the run, held against the verdict on the report's gradients."""
    if not options.torch or run is None or run.root is None:
        return report
    from autograd_cli.gradients.grounds.asking import asked  # few runs ask

    cut = any(one.grounds is not None and one.grounds.uncut is not None for one in report.gradients)
    found = asked(run, worst(report.gradients), cut)
    gradients = tuple(map(_asked, report.gradients))
    return replace(report, gradients=gradients, checks=replace(report.checks or Checks(), torch=found))


def _asked(gradient: Gradient) -> Gradient:
    """A gradient that does not say to ask torch, which was asked."""
    grounds = gradient.grounds
    if grounds is None or not grounds.next.startswith("agx gradcheck … --torch"):
        return gradient
    return replace(gradient, grounds=replace(grounds, next=""))


def with_allowed(report: Report, options: Options) -> Report:
    """The report with its gradients whose verdicts are allowed saying that, in place of what to do next."""
    if not options.allow:
        return report
    backwards = (
        replace(each, gradients=tuple(_allowed(one, options) for one in each.gradients))
        for each in report.backwards
    )
    gradients = tuple(_allowed(one, options) for one in report.gradients)
    return replace(report, gradients=gradients, backwards=tuple(backwards))


def _allowed(gradient: Gradient, options: Options) -> Gradient:
    verdict = gradient.verdict
    if verdict is None or verdict.passes or verdict not in options.allow:
        return gradient
    said = f"nothing: --allow {verdict.value.replace(' ', '-')} counts it as right"
    return replace(gradient, grounds=replace(gradient.grounds or Grounds(), next=said))
