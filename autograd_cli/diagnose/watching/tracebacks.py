"""Tracebacks and warnings as they are without a watch: its frames, and those that led to them, taken out."""

import sys
import warnings
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import torch.overrides

from autograd_cli.diagnose.watching.frames import is_own
from autograd_cli.diagnose.watching.mode import Mode

_LEADS = {"handle_torch_function"}
_MODE = Mode.__torch_function__.__code__.co_filename
_OVERRIDES = torch.overrides.handle_torch_function.__code__.co_filename


def clean(error: BaseException) -> None:
    """Take the frames of the watch out of an error's traceback, and of those it was raised from."""
    seen: set[int] = set()
    stack: list[BaseException | None] = [error]
    while stack:
        each = stack.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = cleaned(each.__traceback__)
        stack += [each.__cause__, each.__context__]


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


class Warnings:
    """Warnings that arise in a call of torch, shown at the line where they would be without the watch."""

    def __init__(self) -> None:
        self._shown: Callable[[warnings.WarningMessage], None] = warnings._showwarnmsg  # type: ignore[attr-defined]
        warnings._showwarnmsg = self._show  # type: ignore[attr-defined]

    def remove(self) -> None:
        """Leave warnings alone, unless somebody else came in between."""
        if warnings._showwarnmsg == self._show:  # type: ignore[attr-defined]
            warnings._showwarnmsg = self._shown  # type: ignore[attr-defined]

    def _show(self, message: Any) -> None:
        if is_own(message.filename) and message.filename != _MODE:
            return  # of a computation of the watch's own
        is_led = message.filename == _OVERRIDES
        frame = _caller(sys._getframe(1), is_led) if is_led or is_own(message.filename) else None
        if frame is None:
            self._shown(message)
            return
        _forget(sys._getframe(1))
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


def _caller(frame: FrameType | None, is_led: bool) -> FrameType | None:
    """The frame that called torch: above the watch's own, and above those that handed over to it.

    A warning that was meant for one frame farther up came to what hands over in place of it: `is_led`.
    """
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    while frame is not None and is_own(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_name in _LEADS:
        frame = frame.f_back.f_back if frame.f_back else None
    return frame.f_back if is_led and frame is not None else frame


def _forget(frame: FrameType | None) -> None:
    """Let the same warning through again from here: whether it was shown is known where it belongs."""
    while frame is not None:
        if is_own(frame.f_code.co_filename) or frame.f_code.co_name in _LEADS:
            frame.f_globals.pop("__warningregistry__", None)
        frame = frame.f_back
