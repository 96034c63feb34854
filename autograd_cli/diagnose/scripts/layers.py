"""Which layer of the script's model an error came from: torch's own frames know it, the script's name it."""

import sys
from collections import deque
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.scripts.statically import descends, lineage, parts
from autograd_cli.report.values import shape_text

_MOST_LOOKED_AT = 20_000
_DEEPEST = 10


def of(steps: Sequence[TracebackType]) -> str:
    """Where the layer that failed is in the script's model, and what it was given; empty where none did."""
    torch: Any = sys.modules.get("torch")
    module: Any = getattr(getattr(torch, "nn", None), "Module", None)
    frames = [step.tb_frame for step in steps]
    own = [frame for frame in frames if not is_library(frame.f_code.co_filename)]
    below = frames[frames.index(own[-1]) + 1 :] if own else []
    failed = [frame for frame in below if _is_forward(frame, module)]
    if module is None or not failed:
        return ""
    layer = failed[-1].f_locals["self"]
    path = next((path for frame in reversed(own) if (path := _path(frame, layer, module))), "")
    name = type.__dict__["__name__"].__get__(lineage(layer)[0])
    return f"{path}: {name}{_given(failed[-1], torch.Tensor)}" if path else ""


def _is_forward(frame: FrameType, module: type | None) -> bool:
    """Whether a frame is the forward of a layer of a library."""
    layer = frame.f_locals.get("self") if frame.f_code.co_name == "forward" else None
    return module is not None and layer is not None and descends(layer, module)


def _path(frame: FrameType, layer: Any, module: type) -> str:
    """How the code of a frame reaches a layer: `self.body[2]`; empty where it does not."""
    waiting = deque((name, value, 0) for name, value in list(frame.f_locals.items()))
    done: set[int] = set()
    while waiting and len(done) < _MOST_LOOKED_AT:
        path, value, depth = waiting.popleft()
        if value is layer:
            return path
        has_layers = descends(value, module) or type(value) in (list, dict)
        if has_layers and depth < _DEEPEST and id(value) not in done:
            done.add(id(value))
            waiting += [(path + part, item, depth + 1) for part, item in parts(value)]
    return ""


def _given(frame: FrameType, kind: type) -> str:
    """The shape of the first tensor that a forward was given."""
    code = frame.f_code
    values = (frame.f_locals.get(name) for name in code.co_varnames[1 : code.co_argcount])
    first = next((value for value in values if descends(value, kind)), None)
    try:
        return "" if first is None else f", given {shape_text(tuple(int(size) for size in first.shape))}"
    except Exception:  # a tensor without a shape
        return ""
