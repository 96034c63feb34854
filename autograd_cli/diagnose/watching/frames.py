"""Where a call stands: the innermost frame that is not torch's, and the module whose forward it is in."""

import sysconfig
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching.records import Spot

_MOST_FILES = 20_000
_FARTHEST = 12
"""Frames above a call that are looked at for the module that it is in."""


class _Kind(IntEnum):
    THEIRS = 1
    INSIDE = 2


_CALL = torch.nn.Module._call_impl.__code__
OWN = str(Path(__file__).parents[2])
"""The folder of this package."""
_INSIDE = (
    str(Path(torch.__file__).parent) + "/",
    OWN + "/",
    "<frozen",
)
_made: Any = tuple.__new__
"""How a named tuple is made soonest: this is done at every call."""
_LIBRARY = sysconfig.get_paths()["stdlib"] + "/"
_kinds: dict[str, _Kind] = {}
"""Of each file of code that was met; by the name, since the hash of code goes through all of it."""


def _kind(name: str) -> _Kind:
    if len(_kinds) > _MOST_FILES:
        _kinds.clear()
    library = name.startswith(_LIBRARY) and "-packages" not in name
    found = _Kind.INSIDE if library or name.startswith(_INSIDE) else _Kind.THEIRS
    _kinds[name] = found
    return found


def is_own(file: str) -> bool:
    """Whether a file is one of this package."""
    return file.startswith(OWN + "/")


def is_theirs(frame: FrameType) -> bool:
    """Whether a frame belongs neither to torch nor to Python nor to this package."""
    name = frame.f_code.co_filename
    return (_kinds.get(name) or _kind(name)) is _Kind.THEIRS


def locate(frame: FrameType | None) -> tuple[Spot | None, Any]:
    """The place of the innermost frame that is a person's, and a weak reference to its module.

    Only the locals of torch's own frame of a module are read: Python keeps a copy of what is read so,
    and that frame holds the same things anyway.
    """
    module = None
    while frame is not None:
        code = frame.f_code
        if (_kinds.get(code.co_filename) or _kind(code.co_filename)) is _Kind.THEIRS:
            break
        if code is _CALL and module is None:
            module = frame.f_locals.get("self")
        frame = frame.f_back
    if frame is None:
        return None, None if module is None else ref(module)
    if module is None:
        module = _module_around(frame)
    return _made(Spot, (frame.f_code, frame.f_lasti)), None if module is None else ref(module)


def _module_around(frame: FrameType) -> Any:
    above = frame.f_back
    for _ in range(_FARTHEST):
        if above is None:
            return None
        if above.f_code is _CALL:
            return above.f_locals.get("self")
        above = above.f_back
    return None
