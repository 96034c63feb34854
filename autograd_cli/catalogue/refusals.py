"""A refusal as a finding, so that it stands in a report like any other."""

from autograd_cli.catalogue.load import page
from autograd_cli.errors import AgxError
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix


def finding(error: AgxError, source: Source) -> Finding:
    """What `error` says of `source`, with the name and severity of its page.

    Its place is left out where that is in another text: a binding's value, a command line.
    """
    about = page(error.code)
    span = error.span if error.text == source.text else None
    fix = (Fix(error.hint, error.fix),) if error.hint or error.fix else ()
    return Finding(
        code=about.code,
        name=about.name,
        severity=about.severity,
        sentence=error.sentence,
        span=None if span is None else (span.start, span.end),
        line=None if span is None else source.line_of(span.start),
        fix=fix,
    )
