"""What happened in a script as JSON, for the way from its process to agx."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from autograd_cli.diagnose.scripts.warned import Shown

if TYPE_CHECKING:
    from autograd_cli.diagnose.watching.watch import Watch

Failed = tuple[BaseException | None, TracebackType | None]
"""What failed in a script, if anything did, with its traceback."""


def over(
    path: str,
    failed: Failed,
    threads: Sequence[BaseException],
    warnings: Sequence[Shown],
    watch: "Watch | None" = None,
    others: bool = False,
) -> None:
    """Write what happened into the file at `path`, as ASCII; an interrupt is no error.

    `threads` are the errors that ended threads, and `others` whether it waited for processes of its own.
    """
    found: dict[str, Any] = {"errors": [], "threads": [], "warnings": warnings, "others": others}
    is_error = failed[0] is not None and not isinstance(failed[0], KeyboardInterrupt)
    if is_error or threads:
        from autograd_cli.diagnose.scripts import ended
        from autograd_cli.report.json import encoded

        found["errors"] = encoded(ended.errors(*failed)) if is_error else []
        found["threads"] = [encoded(ended.errors(one, None)) for one in threads]
    if watch is not None:
        from autograd_cli.report.json import encoded

        found |= {"watched": encoded(watch.findings()), "trouble": watch.trouble}
    Path(path).write_text(json.dumps(found), "ascii")
