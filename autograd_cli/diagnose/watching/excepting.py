"""Errors that nobody catches, shown with the frames that they have without a watch."""

import sys
import threading
from types import TracebackType
from typing import Any

from autograd_cli.diagnose.watching.tracebacks import clean


class Uncaught:
    """What stands in for Python's own hooks for uncaught errors, in the main thread and in others."""

    def __init__(self) -> None:
        self._hook, self._threads = sys.excepthook, threading.excepthook
        self._own: tuple[Any, Any] = (self._main, self._thread)
        sys.excepthook, threading.excepthook = self._own

    def remove(self) -> None:
        """Put back what was there, except where somebody else replaced it since."""
        if sys.excepthook is self._own[0]:
            sys.excepthook = self._hook
        if threading.excepthook is self._own[1]:
            threading.excepthook = self._threads

    def _main(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        clean(error)
        sys.last_traceback = error.__traceback__
        self._hook(kind, error, error.__traceback__)

    def _thread(self, given: threading.ExceptHookArgs) -> None:
        if given.exc_value is None:
            self._threads(given)
            return
        clean(given.exc_value)
        made = (given.exc_type, given.exc_value, given.exc_value.__traceback__, given.thread)
        self._threads(threading.ExceptHookArgs(made))
