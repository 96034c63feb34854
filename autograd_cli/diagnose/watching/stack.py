"""Where the function mode stands among torch's modes, and when it has to step aside."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch import overrides

from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.here import Here

_overrides: Any = overrides


class Stack:
    """The modes of the watch on the stacks of torch's function modes, one a thread.

    `leaves` and `returns` are called where torch begins and ends to compile, which sees all that is Python;
    the last thread that ends returns.

    It steps aside where its being there would change what torch does: in what torch compiles, which
    would trace it; where a fast way is taken only if no call is looked at. And in an optimizer's step,
    whose many small calls say nothing more than the step itself does.
    """

    def __init__(self, common: Common, here: Here) -> None:
        self._common = common
        self._here = here
        self._compiling = threading.local()
        self._entered = threading.local()
        self._away: set[int] = set()
        self.leaves: Callable[[], None] = lambda: None
        self.returns: Callable[[], None] = lambda: None

    def push(self) -> None:
        """Look at the calls of this thread from here on."""
        if not self._common.is_over and not self.is_on():
            _overrides._push_mode(self._here.mode)

    def enter(self) -> None:
        """Look at the calls of this thread from here on, if it began before the watch did, until it ends.

        The end of threads that Python's own module did not begin is not known.
        """
        if getattr(self._entered, "is_known", False):
            return
        self._entered.is_known = True
        known: dict[int, Any] = threading._active  # type: ignore[attr-defined]
        thread = known.get(threading.get_ident())
        if thread is not None:
            self.push()
        if thread is not None and thread is not threading.main_thread():
            self._before_end(thread)

    def _before_end(self, thread: Any) -> None:
        before = thread._delete

        def _delete() -> None:  # the last that a thread calls
            self.take_away()
            before()

        thread._delete = _delete

    def is_on(self) -> bool:
        """Whether calls of this thread are looked at."""
        own = self._here.mode
        return any(mode is own for mode in _overrides._get_current_function_mode_stack())

    def is_top(self) -> bool:
        """Whether the mode stands on top, from where it can step aside."""
        modes = _overrides._get_current_function_mode_stack()
        return bool(modes) and modes[-1] is self._here.mode

    def step_aside(self) -> bool:
        """Take the mode from the top of the stack; whether it was there."""
        is_top = self.is_top()
        if is_top:
            _overrides._pop_mode()
        return is_top

    def take_away(self) -> None:
        """Take the mode from wherever it stands on this thread's stack."""
        above = []
        while self.is_on():
            top = _overrides._pop_mode()
            if top is self._here.mode:
                break
            above.append(top)
        for each in reversed(above):
            _overrides._push_mode(each)

    @contextmanager
    def on(self) -> Iterator[None]:
        """With calls looked at, as in the hooks of a backward, which is a call itself."""
        if not self._common.is_over:
            self.enter()
        if self._common.is_over or getattr(self._compiling, "frames", None) or self.is_on():
            yield
            return
        _overrides._push_mode(self._here.mode)
        try:
            yield
        finally:
            self.take_away()

    # What stands in for functions of torch and Python

    def unseen(self, before: Callable[[Any], bool]) -> Callable[[Any], bool]:
        """`has_torch_function` as it answers where nobody watches: a layer's fast way depends on it."""

        def has_torch_function(arguments: Any) -> bool:
            was_on = self.is_top()
            try:
                self.step_aside()
                return before(arguments)
            finally:
                if was_on:
                    self.push()

        return has_torch_function

    def in_thread(self, before: Callable[[Any], None]) -> Callable[[Any], None]:
        """All of a thread, with the mode on the thread's own stack.

        What is left there would be let go of after the thread's end, which Python does not wait for, and
        which ends the process where Python is going down by then.
        """

        def _bootstrap_inner(thread: Any) -> None:
            self._entered.is_known = True
            self.push()
            try:
                before(thread)
            finally:
                self.take_away()

        return _bootstrap_inner

    def compiled(self, before: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """How torch turns compiling on and off: from the first to the last, calls are not looked at."""

        def _maybe_set_eval_frame(callback: Any) -> Any:
            self._switched(sys._getframe(1), callable(callback))
            return before(callback)

        return _maybe_set_eval_frame

    def _switched(self, frame: FrameType, begins: bool) -> None:
        """A frame switches once as it begins and once as it ends; what lies between may switch as well."""
        frames: list[Any] = self._compiling.__dict__.setdefault("frames", [])
        switching = _switching(frame)
        if frames and frames[-1] is switching:
            frames.pop()
            if not frames:
                self._end(self._compiling.__dict__.pop("was_on", False))
        elif frames or begins:
            if not frames:
                self._compiling.was_on = self.step_aside()
                self._away.add(threading.get_ident())
                self.leaves()
            frames.append(switching)

    def _end(self, was_on: bool) -> None:
        self._away.discard(threading.get_ident())
        self._away.intersection_update(sys._current_frames())
        if not self._common.is_over and not self._away:
            self.returns()
        if was_on:
            self.push()


def _switching(frame: FrameType) -> Any:
    """What switches in a frame: a call of its own, or the context that begins in one and ends in another."""
    is_context = frame.f_code.co_name in {"__enter__", "__exit__"}
    return frame.f_locals.get("self", frame) if is_context else frame
