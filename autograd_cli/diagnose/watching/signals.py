"""Errors that a script raises where a signal met the watch at work: they are the script's."""

import signal
from types import CodeType, TracebackType
from typing import Any

_error: Any = BaseException
_traceback = _error.__traceback__.__get__
"""An error's traceback, whatever its class makes of the name."""


def leave(error: BaseException) -> None:
    """Raise an error again where it is the script's."""
    if _is_of_signal(error):
        raise error


def _is_of_signal(error: BaseException) -> bool:
    """Whether one of the script's handlers of signals raised an error, or what it called."""
    link: TracebackType | None = _traceback(error)
    if link is None or link.tb_next is None:
        return False
    handlers = {code for number in signal.valid_signals() if (code := _code(signal.getsignal(number)))}
    return any(code in handlers for code in _codes(link))


def _codes(link: TracebackType | None) -> list[CodeType]:
    found = []
    while link is not None:
        found.append(link.tb_frame.f_code)
        link = link.tb_next
    return found


def _code(handler: Any) -> CodeType | None:
    """The code of a handler: a function, a method, one with arguments given, an object that is called."""
    handler = getattr(handler, "func", handler)
    called = handler if hasattr(handler, "__code__") else vars(type(handler)).get("__call__")
    code = getattr(called, "__code__", None)
    return code if isinstance(code, CodeType) else None
