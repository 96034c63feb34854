"""Errors that end a thread, shown with the frames that they have without a watch."""

import contextlib
import threading
from collections.abc import Callable

from autograd_cli.diagnose.watching.tracebacks import clean, traceback_of

Hook = Callable[[threading.ExceptHookArgs], None]


def shown(before: Hook) -> Hook:
    """How a thread's error is shown, the watch's frames taken out of it first."""

    def excepthook(given: threading.ExceptHookArgs) -> None:
        error = given.exc_value
        if error is not None:
            with contextlib.suppress(Exception):
                clean(error)
            given = threading.ExceptHookArgs((given.exc_type, error, traceback_of(error), given.thread))
        before(given)

    return excepthook
