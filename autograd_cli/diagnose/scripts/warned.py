"""The warnings that a script shows, noted as they are made, in no frame that a stack would show."""

import os
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Place = tuple[str, int, str]
"""Where a frame stood: file, line and function."""

Shown = tuple[str, str, tuple[Place, ...]]
"""A warning that was shown: its class, its words and the stack that it was made in, outermost first."""

_MOST = 100
_MOST_FRAMES = 60
_LONGEST = 20_000
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
"""How the files of agx begin, whose frames are not the script's."""


class Warned:
    """Notes each warning that a person gets to see, once; a script that records its own sees them itself."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], Shown] = {}
        self._before: Any = warnings.WarningMessage
        self._show: Any = getattr(warnings, "_showwarnmsg_impl", None)
        self._default: Any = getattr(warnings, "_showwarning_orig", None)

    @property
    def found(self) -> tuple[Shown, ...]:
        """The warnings so far, in order."""
        return tuple(self._found.values())

    def start(self) -> None:
        """Note warnings from here on."""
        note, base = self._note, self._before

        def begin(self: "Any", *args: "Any", **named: "Any") -> None:
            base.__init__(self, *args, **named)
            try:
                note(self)
            except Exception:  # a warning of the script's own making may hold anything
                return

        named = {"__module__": "warnings", "__doc__": base.__doc__, "__init__": begin}
        warnings.WarningMessage = type("WarningMessage", (base,), named)  # type: ignore[misc, assignment]

    def stop(self) -> None:
        """Leave `warnings` as it was."""
        warnings.WarningMessage = self._before  # type: ignore[misc]

    def _note(self, warning: "Any") -> None:
        words = getattr(warning.message, "args", (warning.message,))
        text = words[0] if len(words) == 1 and type(words[0]) is str else ""
        key = (text[:_LONGEST], str(warning.filename), warning.lineno)
        if key[1].startswith(_OURS):  # a watch makes it again, at the script's line
            return
        if text and key not in self._found and len(self._found) < _MOST and self._is_shown():
            self._found[key] = (warning.category.__name__, key[0], _stack(*key[1:]))

    def _is_shown(self) -> bool:
        """Whether the warning goes to a person, and not into a list of the script's own."""
        replaced = warnings.showwarning is not self._default
        return replaced or getattr(warnings, "_showwarnmsg_impl", None) is self._show


def _stack(file: str, line: int) -> tuple[Place, ...]:
    """The frames of the script, with the place that the warning gives itself as the last."""
    frame: Any = sys._getframe()
    places = [(file, line, "")]
    while frame is not None and len(places) < _MOST_FRAMES:
        if not frame.f_code.co_filename.startswith(_OURS):
            places.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return tuple(reversed(places))
