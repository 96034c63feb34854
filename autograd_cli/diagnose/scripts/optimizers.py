"""The optimizers that the script's own frames reach, as they write them."""

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.scripts.tensors import below

_MOST_FRAMES = 4
_MOST_OF_A_NAME = 8


def of(steps: Sequence[TracebackType]) -> tuple[str, ...]:
    """How the innermost own frames of an error reach optimizers: `opt`, `self.steps[0]`."""
    torch: Any = sys.modules.get("torch")
    kind: Any = getattr(getattr(torch, "optim", None), "Optimizer", None)
    if kind is None:
        return ()
    frames = [step.tb_frame for step in reversed(steps)]
    own = [one for one in frames if not is_library(one.f_code.co_filename)][:_MOST_FRAMES]
    return tuple(dict.fromkeys(path for frame in own for path in _of_frame(frame, kind)))


def _of_frame(frame: FrameType, kind: type) -> Iterator[str]:
    """Those that its variables lead to, and the variables of the module that it reads."""
    read = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
    for name, value in (read | dict(frame.f_locals)).items():
        yield from (path for path, _ in islice(below(name, value, kind), _MOST_OF_A_NAME))
