"""Tracebacks and warnings as they are without a watch: its frames, and those that led to them, taken out."""

import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from autograd_cli.diagnose.watching.frames import OWN, is_own
from autograd_cli.diagnose.watching.graphs import nodes_of
from autograd_cli.diagnose.watching.mode import Made, Mode

_LEADS = {"handle_torch_function"}
_OWN_LINE = f'File "{OWN}'
_MODE = Mode.__torch_function__.__code__.co_filename


# An error's own class may have other attributes of these names, or refuse to have one set.
_error: Any = BaseException
_traceback, _set_traceback = _error.__traceback__.__get__, _error.__traceback__.__set__
_cause, _context = _error.__cause__.__get__, _error.__context__.__get__
_group: Any = BaseExceptionGroup
_members = _group.exceptions.__get__


def clean(error: BaseException) -> None:
    """Take the frames of the watch out of an error's traceback, and of those it was raised from or holds."""
    seen: set[int] = set()
    stack: list[BaseException | None] = [error]
    while stack:
        each = stack.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        _set_traceback(each, cleaned(traceback_of(each)))
        stack += [_cause(each), _context(each)]
        if isinstance(each, BaseExceptionGroup):
            stack += _members(each)


def traceback_of(error: BaseException) -> TracebackType | None:
    """An error's traceback, whatever its class makes of the name."""
    found: TracebackType | None = _traceback(error)
    return found


def cleaned(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package and those of torch that handed over to it."""
    links: list[TracebackType] = []
    link = traceback
    while link is not None:
        if is_own(link.tb_frame.f_code.co_filename):
            _without_lead(links, link.tb_next)
        else:
            links.append(link)
        link = link.tb_next
    made: TracebackType | None = None
    for each in reversed(links):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return made


def _without_lead(links: list[TracebackType], following: TracebackType | None) -> None:
    """Take out what led to the watch: a function of torch that handed itself over, to be called again."""
    if links and links[-1].tb_frame.f_code.co_name in _LEADS:
        links.pop()
        again = following is not None and links and links[-1].tb_frame.f_code is following.tb_frame.f_code
        if again:
            links.pop()


def forward_lines(made: Made) -> None:
    """Take the watch's lines out of what torch keeps of a call where it is asked to detect anomalies."""
    for node in nodes_of(made):
        lines: list[str] = node.metadata.get("traceback_") or []
        kept: list[str] = []
        for line in lines:
            if not line.lstrip().startswith(_OWN_LINE):
                kept.append(line)
            elif kept and any(lead in kept[-1].partition("\n")[0] for lead in _LEADS):
                del kept[-2:]
        lines[:] = kept


class Warnings:
    """Warnings that arise in a call of torch, shown at the line where they would be without the watch."""

    def __init__(self) -> None:
        self._shown: Callable[[warnings.WarningMessage], None] = warnings._showwarnmsg  # type: ignore[attr-defined]
        self._placed = threading.local()
        warnings._showwarnmsg = self._show  # type: ignore[attr-defined]

    def remove(self) -> None:
        """Leave warnings alone, unless somebody else came in between."""
        if warnings._showwarnmsg == self._show:  # type: ignore[attr-defined]
            warnings._showwarnmsg = self._shown  # type: ignore[attr-defined]

    def _show(self, message: Any) -> None:
        if is_own(message.filename) and message.filename != _MODE:
            return  # of a computation of the watch's own
        is_again = getattr(self._placed, "now", False)
        frame = None if is_again else _meant(_stack(sys._getframe(1)), message.filename, message.lineno)
        if frame is None:
            self._shown(message)
            return
        _forget(sys._getframe(1))
        self._placed.now = True
        try:
            self._warn(message, frame)
        finally:
            self._placed.now = False

    def _warn(self, message: Any, frame: FrameType) -> None:
        """Make the warning again where it belongs: filters, and what was shown there before, decide."""
        namespace = frame.f_globals
        warnings.warn_explicit(
            message.message,
            message.category,
            frame.f_code.co_filename,
            frame.f_lineno,
            namespace.get("__name__", "<string>"),
            namespace.setdefault("__warningregistry__", {}),
            namespace,
            message.source,
        )


def _stack(frame: FrameType | None) -> list[FrameType]:
    """The frames from one outwards."""
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames


def _meant(frames: list[FrameType], file: str, line: int) -> FrameType | None:
    """The frame that a warning would name without the watch; None where it is the one that it names.

    A warning names the frame so many levels up; those of the watch, and those that led to it, are no levels.
    """
    places = ((each.f_code.co_filename, each.f_lineno) == (file, line) for each in frames)
    level = next((number for number, is_named in enumerate(places) if is_named), None)
    if level is None or not any(is_own(each.f_code.co_filename) for each in frames[: level + 1]):
        return None
    kept = alone(frames)
    return kept[level] if level < len(kept) else None


def alone(frames: list[FrameType]) -> list[FrameType]:
    """The frames, innermost first, without those of the watch and those that led to it."""
    kept: list[FrameType] = []
    left = frames[::-1]
    while left:
        frame = left.pop()
        if not is_own(frame.f_code.co_filename):
            kept.append(frame)
            continue
        if left and left[-1].f_code.co_name in _LEADS:
            left.pop()
            if left and kept and left[-1].f_code is kept[-1].f_code:
                left.pop()
    return kept


def _forget(frame: FrameType | None) -> None:
    """Let the same warning through again from here: whether it was shown is known where it belongs."""
    while frame is not None:
        if is_own(frame.f_code.co_filename) or frame.f_code.co_name in _LEADS:
            frame.f_globals.pop("__warningregistry__", None)
        frame = frame.f_back
