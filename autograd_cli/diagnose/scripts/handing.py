"""What happened in a script as JSON, for the way from its process to agx."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from autograd_cli.diagnose.scripts.warned import Shown

if TYPE_CHECKING:
    from autograd_cli.diagnose.watching.watch import Watch


def over(
    path: str,
    error: BaseException | None,
    traceback: TracebackType | None,
    left: int | None,
    warnings: Sequence[Shown],
    watch: "Watch | None" = None,
) -> None:
    """Write what happened into the file at `path`, as ASCII; an interrupt is no error.

    `left` is the status that the script left with while it handled `error`; None where that ended it.
    """
    found: dict[str, Any] = {"errors": [], "left": left, "warnings": warnings}
    if error is not None and not isinstance(error, KeyboardInterrupt):
        from autograd_cli.diagnose.scripts import ended
        from autograd_cli.report.json import encoded

        found["errors"] = encoded(ended.errors(error, traceback))
    if watch is not None:
        from autograd_cli.report.json import encoded

        found |= {"watched": encoded(watch.findings()), "trouble": watch.trouble}
    Path(path).write_text(json.dumps(found), "ascii")
