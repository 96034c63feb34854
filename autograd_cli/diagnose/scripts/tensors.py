"""The tensors in the frames of an error, found without running any code of the script."""

import linecache
import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.logs.records import Frame
from autograd_cli.diagnose.scripts.described import Describer
from autograd_cli.diagnose.scripts.statically import descends, parts
from autograd_cli.report.diagnosis import Seen

_MOST = 40
_MOST_OF_A_FRAME = 16
_MOST_OF_A_NAME = 8
_MOST_FRAMES = 4
_MOST_LOOKED_AT = 2_000
_DEEPEST = 3
_MOST_LINES = 20

_PATH = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*|\[\d+\])*")
_STEP = re.compile(r"\.\w+|\[\d+\]")


def of(steps: Sequence[tuple[TracebackType, Frame]]) -> tuple[Seen, ...]:
    """The tensors in the script's own frames, each once; the innermost frame and what it names come first."""
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "Tensor"):
        return ()
    describer = Describer(torch)
    own = [(step, frame) for step, frame in reversed(steps) if not is_library(frame.file)]
    found: list[Seen] = []
    done: set[int] = set()
    for step, frame in own[:_MOST_FRAMES]:
        named = islice(_named(step, torch.Tensor, done), _MOST_OF_A_FRAME)
        found += (seen for name, one in named if (seen := describer.seen(name, one, frame)))
    return tuple(found[:_MOST])


def _named(step: TracebackType, kind: type, done: set[int]) -> Iterator[tuple[str, Any]]:
    """The tensors that a frame reaches, without those that are `done`, to which each is added."""
    for name, root in _roots(step, kind):
        for path, tensor in islice(below(name, root, kind), _MOST_OF_A_NAME):
            if id(tensor) not in done:
                done.add(id(tensor))
                yield path, tensor


def _roots(step: TracebackType, kind: type) -> Iterator[tuple[str, Any]]:
    """Values of a frame with their names: tensors of the failing statement, what else it names, the rest."""
    frame = step.tb_frame
    paths = dict.fromkeys(_PATH.findall(_statement(step)))
    named = [found for path in paths for found in _reached(path, frame)]
    yield from sorted(named, key=lambda one: not descends(one[1], kind))
    for name, value in list(frame.f_locals.items()):
        if not name.startswith("__"):
            yield name, value


def _reached(path: str, frame: FrameType) -> Iterator[tuple[str, Any]]:
    """What a path such as `self.fc` leads to, as far as it leads."""
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    place: Mapping[str, Any] = frame.f_locals if name in frame.f_locals else frame.f_globals
    if name not in place:
        return
    value, reached = place[name], name
    for part in _STEP.findall(path):
        held = dict(parts(value))
        if part not in held:
            break
        value, reached = held[part], reached + part
    else:
        yield reached, value
        return
    yield from [(reached, value)] if reached != name or not _is_module(value) else []


def _is_module(value: Any) -> bool:
    """Whether a value is a module of Python, whose names are not what the statement is about."""
    return type(value) is type(sys)


def below(name: str, root: Any, kind: type) -> Iterator[tuple[str, Any]]:
    """What of a `kind` a value is or holds, the nearest first, each with how it is reached."""
    waiting = deque([(name, root, 0)])
    done: set[int] = set()
    while waiting and len(done) < _MOST_LOOKED_AT:
        path, value, depth = waiting.popleft()
        if id(value) in done:
            continue
        done.add(id(value))
        if descends(value, kind):
            yield path, value
        elif depth < _DEEPEST and not _is_module(value):
            waiting += [(path + part, item, depth + 1) for part, item in parts(value)]


def _statement(step: TracebackType) -> str:
    """The lines of source that failed."""
    first, last = _lines(step.tb_frame.f_code, step.tb_lasti, step.tb_lineno)
    numbers = range(first, min(last, first + _MOST_LINES) + 1)
    return "".join(linecache.getline(step.tb_frame.f_code.co_filename, number) for number in numbers)


def _lines(code: CodeType, at: int, line: int) -> tuple[int, int]:
    """The first and the last line of the instruction that failed."""
    first, last, *_ = next(islice(code.co_positions(), at // 2, None), (None, None, None, None))
    return first or line, last or line
