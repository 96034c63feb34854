"""Errors that end a thread of the script, which Python only writes of: kept, so that they can be told."""

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MOST = 3


class Threads:
    """The errors that ended threads, the first few of them."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def start(self) -> None:
        """Note errors from here on; `threading` takes its hook from here when it is imported."""
        _thread._excepthook = self.noting(_thread._excepthook)

    def noting(self, shown: "Callable[[Any], Any]") -> "Callable[[Any], Any]":
        """The hook `shown`, which notes what it is given first."""

        def excepthook(args: "Any", /) -> "Any":
            if len(self.errors) < _MOST and args.exc_value is not None:
                self.errors.append(args.exc_value)
            return shown(args)

        return excepthook
