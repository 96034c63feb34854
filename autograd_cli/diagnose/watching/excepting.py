"""Errors that end a thread, shown with the frames that they have without a watch."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.watching.tracebacks import alone, clean, cleaned, traceback_of

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


def printed(before: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """The frames of a traceback that the script prints itself, as `traceback` goes through them."""

    def _walk_tb_with_full_positions(traceback: TracebackType | None) -> Iterator[Any]:
        kept = traceback
        with contextlib.suppress(Exception):
            kept = cleaned(traceback)
        return before(kept)

    return _walk_tb_with_full_positions


def stacked(before: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """The frames that the script's own code stands in, as `traceback` goes through them outwards."""

    def walk_stack(frame: FrameType | None) -> Iterator[Any]:
        if frame is None:
            return before(frame)
        pairs = list(before(frame))
        kept = set(map(id, alone([each for each, _ in pairs])))
        return (pair for pair in pairs if id(pair[0]) in kept)

    return walk_stack
