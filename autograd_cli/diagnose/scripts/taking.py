"""What happened in a script, out of the JSON that its process handed over."""

import json
from collections.abc import Sequence
from dataclasses import replace

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts.lines import frame
from autograd_cli.diagnose.scripts.records import Happened
from autograd_cli.diagnose.scripts.warned import Place, Shown
from autograd_cli.report.json import decoded


def taken(text: str) -> Happened:
    """What the process wrote; nothing happened where it did not write it whole."""
    try:
        data = json.loads(text)
        happened = decoded(Happened, {**data, "warnings": []})
    except ValueError:
        return Happened(is_whole=False)
    return replace(happened, warnings=tuple(map(warning, data["warnings"])))


def warning(shown: Shown) -> Raised:
    """A warning as logs have it, with the frames in which it was made."""
    kind, message, stack = shown
    frames = tuple(frame(*place) for place in _known(stack))
    line = next((one.line for one in reversed(frames) if not is_library(one.file)), 0)
    return Raised(kind, message, frames, is_warning=True, line=line)


def _known(stack: Sequence[Place]) -> Sequence[Place]:
    """The stack up to the place that the warning gives itself, where that is one of its frames."""
    *frames, last = stack
    at = next((at for at in range(len(frames) - 1, -1, -1) if frames[at][:2] == last[:2]), None)
    return stack if at is None else frames[: at + 1]
