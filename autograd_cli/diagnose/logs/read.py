"""From the bytes of a log to what is told of it."""

from collections.abc import Iterable

from autograd_cli.diagnose.logs import stream
from autograd_cli.diagnose.logs.records import Log
from autograd_cli.errors import ExitStatus
from autograd_cli.report import Severity


def read(chunks: Iterable[bytes]) -> Log:
    """What is told of a log that comes in `chunks`; its status is FAILED where an error was found."""
    reading = stream.read(chunks)
    if not reading.windows:
        return Log(reading.lines, (), (), ExitStatus.OK)
    from autograd_cli.diagnose.logs import (
        choosing,
        tracebacks,
    )  # only a log with a word of an error needs them

    raised = tuple(one for window in reading.windows if (one := tracebacks.raised(window)))
    chosen = choosing.chosen(choosing.known(raised))
    findings = tuple(choosing.told(one, choosing.end(one, raised)) for one in chosen)
    failed = any(one.finding.severity is Severity.ERROR for one in findings)
    return Log(reading.lines, raised, findings, ExitStatus.FAILED if failed else ExitStatus.OK)
