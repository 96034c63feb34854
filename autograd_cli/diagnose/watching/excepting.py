"""Errors that end a thread, shown with the frames that they have without a watch."""

import threading
from collections.abc import Callable

from autograd_cli.diagnose.watching.tracebacks import clean

Hook = Callable[[threading.ExceptHookArgs], None]


def shown(before: Hook) -> Hook:
    """How a thread's error is shown, the watch's frames taken out of it first."""

    def excepthook(given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None:
            clean(given.exc_value)
            traceback = given.exc_value.__traceback__
            given = threading.ExceptHookArgs((given.exc_type, given.exc_value, traceback, given.thread))
        before(given)

    return excepthook
