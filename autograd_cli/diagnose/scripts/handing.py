"""What happened in a script as JSON, for the way from its process to agx."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from autograd_cli.diagnose.scripts.warned import Shown

if TYPE_CHECKING:
    from autograd_cli.diagnose.watching.watch import Watch


class Ended(NamedTuple):
    """How a script ended: by an error with its traceback, or by leaving with the status `left` in its hands.

    `threads` are the errors that ended its threads.
    """

    error: BaseException | None
    traceback: TracebackType | None
    left: int | None
    threads: Sequence[BaseException]


def over(path: str, how: Ended, warnings: Sequence[Shown], watch: "Watch | None" = None) -> None:
    """Write what happened into the file at `path`, as ASCII; an interrupt is no error."""
    found: dict[str, Any] = {"errors": [], "threads": [], "left": how.left, "warnings": warnings}
    is_error = how.error is not None and not isinstance(how.error, KeyboardInterrupt)
    if is_error or how.threads:
        from autograd_cli.diagnose.scripts import ended
        from autograd_cli.report.json import encoded

        found["errors"] = encoded(ended.errors(how.error, how.traceback)) if is_error else []
        found["threads"] = [encoded(ended.errors(one, None)) for one in how.threads]
    if watch is not None:
        from autograd_cli.report.json import encoded

        found |= {"watched": encoded(watch.findings()), "trouble": watch.trouble}
    Path(path).write_text(json.dumps(found), "ascii")
