"""Which modules of a script have nothing to train, read without running code of their classes."""

import sys
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.scripts.statically import attributes, descends

_MOST_MODULES = 20_000


def of(steps: Sequence[TracebackType]) -> tuple[str, ...]:
    """The names of the script's modules, where they have parameters and none of these requires grad."""
    torch: Any = sys.modules.get("torch")
    module = getattr(getattr(torch, "nn", None), "Module", None)
    if module is None:
        return ()
    frames = [step.tb_frame for step in steps if not is_library(step.tb_frame.f_code.co_filename)]
    modules = dict(one for frame in frames for one in _modules(frame, module))
    held = {name: list(_parameters(one)) for name, one in modules.items()}
    trained = {name: [one.requires_grad for one in parameters] for name, parameters in held.items()}
    is_frozen = any(trained.values()) and not any(map(any, trained.values()))
    return tuple(name for name, flags in trained.items() if flags) if is_frozen else ()


def _modules(frame: FrameType, kind: type) -> Iterator[tuple[str, Any]]:
    yield from ((name, one) for name, one in list(frame.f_locals.items()) if descends(one, kind))


def _parameters(module: Any) -> Iterator[Any]:
    """The parameters of a module and of those that it holds."""
    waiting, done = [module], set[int]()
    while waiting and len(done) < _MOST_MODULES:
        held = attributes(waiting.pop())
        if id(held) in done:
            continue
        done.add(id(held))
        yield from (one for one in dict(held.get("_parameters") or {}).values() if one is not None)
        waiting += [one for one in dict(held.get("_modules") or {}).values() if one is not None]
