"""A refusal as a finding, so that it stands in a report like any other."""

from autograd_cli.catalogue.load import page
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding, Fix


def finding(error: AgxError) -> Finding:
    """What `error` says, with the name and severity of its page.

    The span is kept only where it counts in the source: the caller knows, and passes
    the error on with its text.
    """
    about = page(error.code)
    fix = (Fix(error.hint, error.fix),) if error.hint or error.fix else ()
    return Finding(
        code=about.code,
        name=about.name,
        severity=about.severity,
        sentence=error.sentence,
        span=(error.span.start, error.span.end) if error.span is not None else None,
        fix=fix,
    )
