"""What ended a script, read from the live error: its chain, its frames, the tensors in them.

Runs in the script's process once the script is over. None of the person's code is run: no `__str__`, no
property, no `__getattr__`.
"""

import linecache
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dis import opmap
from types import TracebackType

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.logs.records import Frame, Raised
from autograd_cli.diagnose.scripts import tensors
from autograd_cli.diagnose.scripts.warned import Place, Shown
from autograd_cli.report.diagnosis import Seen

_MOST_CHAINED = 6
_MOST_FRAMES = 200
_LONGEST_LINE = 300
_LONGEST = 20_000


@dataclass(frozen=True)
class Ended:
    """An error as it was raised, with the tensors of its frames; `is_own` where the script raised it."""

    raised: Raised
    tensors: tuple[Seen, ...] = ()
    is_own: bool = False


@dataclass(frozen=True)
class Happened:
    """What a script raised and showed: `errors` from the last to the root, then the warnings."""

    errors: tuple[Ended, ...] = ()
    warnings: tuple[Raised, ...] = ()


def happened(
    error: BaseException | None, traceback: TracebackType | None, warnings: Sequence[Shown]
) -> Happened:
    """What there is to tell of an `error` that ended a script, and of the warnings it showed."""
    errors = tuple(_ended(one, traceback if one is error else None) for one in _chain(error))
    return Happened(errors, tuple(map(_warned, warnings)))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from, as Python prints them, the last one first."""
    seen: list[BaseException] = []
    while error is not None and len(seen) < _MOST_CHAINED and not any(error is one for one in seen):
        yield error
        seen.append(error)
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ if error.__cause__ is not None else context


def _ended(error: BaseException, traceback: TracebackType | None) -> Ended:
    steps = deque(_steps(traceback or error.__traceback__), maxlen=_MOST_FRAMES)
    places = [(step.tb_frame.f_code, step.tb_lineno) for step in steps]
    frames = tuple(_frame(code.co_filename, line or 0, code.co_name) for code, line in places)
    line = next((frame.line for frame in reversed(frames) if not is_library(frame.file)), 0)
    raised = Raised(type(error).__name__, _message(error), frames, line=line)
    return Ended(raised, tensors.of(tuple(zip(steps, frames, strict=True))), _is_own(steps))


def _steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _frame(file: str, line: int, function: str) -> Frame:
    text = linecache.getline(file, line).strip()[:_LONGEST_LINE] if line else ""
    return Frame(file, line, function, text)


def _is_own(steps: Sequence[TracebackType]) -> bool:
    """Whether a `raise` or an `assert` of the script itself made the error."""
    if not steps or is_library(steps[-1].tb_frame.f_code.co_filename):
        return False
    return steps[-1].tb_frame.f_code.co_code[steps[-1].tb_lasti] == opmap["RAISE_VARARGS"]


def _message(error: BaseException) -> str:
    """The words of an error; none where making them would run code of the script."""
    args = error.args
    return args[0][:_LONGEST] if len(args) == 1 and type(args[0]) is str else ""


def _warned(shown: Shown) -> Raised:
    frames = tuple(_frame(*place) for place in _known(shown.stack))
    line = next((frame.line for frame in reversed(frames) if not is_library(frame.file)), 0)
    return Raised(shown.kind, shown.message, frames, is_warning=True, line=line)


def _known(stack: Sequence[Place]) -> Sequence[Place]:
    """The stack up to the place that the warning gives itself, where that is one of its frames."""
    *frames, last = stack
    at = next((at for at in range(len(frames) - 1, -1, -1) if frames[at][:2] == last[:2]), None)
    return stack if at is None else frames[: at + 1]
