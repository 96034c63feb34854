"""What happened in a script as JSON, for the way from its process to agx."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from autograd_cli.diagnose.scripts.warned import Shown


def over(
    path: str, error: BaseException | None, traceback: TracebackType | None, warnings: Sequence[Shown]
) -> None:
    """Write what happened into the file at `path`, as ASCII; an interrupt is no error."""
    errors: Any = []
    if error is not None and not isinstance(error, KeyboardInterrupt):
        from autograd_cli.diagnose.scripts import ended
        from autograd_cli.report.json import encoded

        errors = encoded(ended.errors(error, traceback))
    Path(path).write_text(json.dumps({"errors": errors, "warnings": warnings}), "ascii")
