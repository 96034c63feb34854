"""How statements end, and what is done with errors: handlers, and what runs in any case."""

import builtins
from collections.abc import Callable
from typing import Any

from autograd_cli.errors import AgxError
from autograd_cli.lang import nodes
from autograd_cli.run import facts
from autograd_cli.run.state import Frame, State

BREAK, CONTINUE, RETURN = 1, 2, 3
"""How a statement ends where the next one is not to follow."""

Step = Callable[[Frame], int | None]
"""A statement compiled: runs it among these variables, and says how it ended."""


def errors_of(handler: nodes.Handler) -> tuple[type[BaseException], ...]:
    """The classes that a handler names; every error where it names none."""
    return tuple(getattr(builtins, name) for name in handler.errors) or (Exception,)


def handled(state: State, error: Exception, handlers: list[Any], frame: Frame) -> int | None:
    """Run the handler of `error`; it goes on where there is none."""
    for errors, name, body in handlers:
        if isinstance(error, errors):
            facts.flush(state)
            state.failure = None
            if state.site is not None:
                state.site.raised = type(error).__name__
            if name:
                frame[name] = error.with_traceback(None)
            try:
                ended: int | None = body(frame)
            finally:
                if name:
                    frame.pop(name, None)
                    if frame is state.names:
                        state.gone.add(name)
            return ended
    raise error


def finally_(state: State, guarded: Step, final: Step, frame: Frame) -> int | None:
    """Run the last block however the others ended; where it leaves, that is what counts."""
    try:
        ended = guarded(frame)
    except BaseException as error:
        if isinstance(error, AgxError) or not isinstance(error, Exception):
            raise
        failure, site = state.failure, state.site
        facts.flush(state)
        left = final(frame)
        if left is not None:
            state.failure = None
            return left
        state.failure, state.site = failure, site
        raise
    returned = state.returned
    left = final(frame)
    if left is not None:
        return left
    state.returned = returned
    return ended
