"""A refusal as a finding, so that it stands in a report like any other; a fault of agx as a refusal."""

from traceback import extract_tb

from autograd_cli.catalogue.load import page
from autograd_cli.errors import AgxError
from autograd_cli.lang.source import Source, visible
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


def fault(error: Exception, doing: str = "", rest: str = "") -> AgxError:
    """AGX609: what agx itself got wrong, and where; `doing` says in what of it, `rest` what that leaves."""
    frame = extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
    words = visible(f"{type(error).__name__}: {error}")[:300]
    return AgxError(
        "AGX609",
        f"agx itself failed{doing} ({words}, at {place}){rest}.",
        hint="This is a fault in agx, not in what was typed. Please report this line and the command.",
    )
