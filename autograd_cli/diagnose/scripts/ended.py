"""What ended a script, read from the live error: its chain, its frames, the tensors in them.

Runs in the script's process once the script is over. None of the person's code is run: no `__str__`, no
property, no `__getattr__`.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dis import opmap
from types import TracebackType

from autograd_cli.diagnose.logs.facts import is_library
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import frozen, handed, layers, operands, optimizers, tensors
from autograd_cli.diagnose.scripts.lines import frame
from autograd_cli.diagnose.scripts.records import Failure
from autograd_cli.diagnose.scripts.statically import lineage

_MOST_CHAINED = 6
_MOST_FRAMES = 200
_LONGEST = 20_000
_PLAIN = (str, int, float, bool, type(None))


def errors(error: BaseException | None, traceback: TracebackType | None) -> tuple[Failure, ...]:
    """An error that ended a script with `traceback`, and what it came from; the root is the last."""
    return tuple(_ended(one, traceback if one is error else None) for one in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and len(seen) < _MOST_CHAINED and not any(error is one for one in seen):
        yield error
        seen.append(error)
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ if error.__cause__ is not None else context


def _ended(error: BaseException, traceback: TracebackType | None) -> Failure:
    steps = deque(_steps(traceback or error.__traceback__), maxlen=_MOST_FRAMES)
    places = [(step.tb_frame.f_code, step.tb_lineno) for step in steps]
    frames = tuple(frame(code.co_filename, line or 0, code.co_name) for code, line in places)
    line = next((one.line for one in reversed(frames) if not is_library(one.file)), 0)
    raised = Raised(type(error).__name__, _message(error), frames, line=line)
    seen = tensors.of(tuple(zip(steps, frames, strict=True)))
    whole = tuple(steps)
    return Failure(
        raised,
        seen,
        _is_own(steps),
        layers.of(whole),
        optimizers.of(whole),
        frozen.of(whole),
        handed.of(whole),
        operands.expression(whole),
    )


def _steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_own(steps: Sequence[TracebackType]) -> bool:
    """Whether a `raise` or an `assert` of the script itself made the error."""
    if not steps or is_library(steps[-1].tb_frame.f_code.co_filename):
        return False
    return steps[-1].tb_frame.f_code.co_code[steps[-1].tb_lasti] == opmap["RAISE_VARARGS"]


def _message(error: BaseException) -> str:
    """The words of an error; none where making them would run code of the script."""
    args = error.args
    if len(args) == 1 and type(args[0]) is str:
        return args[0][:_LONGEST]
    try:
        return str(error)[:_LONGEST] if _says_by_itself(error) else ""
    except Exception:
        return ""


def _says_by_itself(error: BaseException) -> bool:
    """Whether torch, or Python, makes the words, of nothing that could run code of the script."""
    held = map(type.__dict__["__dict__"].__get__, lineage(error))
    owner = next(one for one in held if "__str__" in one)
    file = getattr(sys.modules.get(owner.get("__module__", "builtins")), "__file__", None)
    return is_library(file or "<frozen") and all(type(one) in _PLAIN for one in error.args)
