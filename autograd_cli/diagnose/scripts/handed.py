"""The tensors that the failing function of torch was handed, by the names of its parameters."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.scripts.described import Describer
from autograd_cli.diagnose.scripts.lines import frame
from autograd_cli.diagnose.scripts.statically import descends
from autograd_cli.report.diagnosis import Seen


def of(steps: Sequence[TracebackType]) -> tuple[Seen, ...]:
    """The tensors that the innermost function was handed, where that is one of a library."""
    torch: Any = sys.modules.get("torch")
    inner = steps[-1].tb_frame if steps else None
    if inner is None or not hasattr(torch, "Tensor") or not is_library(inner.f_code.co_filename):
        return ()
    code = inner.f_code
    place = frame(code.co_filename, steps[-1].tb_lineno or 0, code.co_name)
    values = ((name, inner.f_locals.get(name)) for name in code.co_varnames[: code.co_argcount])
    tensors = [(name, value) for name, value in values if descends(value, torch.Tensor)]
    describer = Describer(torch)
    return tuple(filter(None, (describer.seen(name, value, place) for name, value in tensors)))
