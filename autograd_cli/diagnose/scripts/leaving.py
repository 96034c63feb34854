"""A script that catches its error, writes of it and leaves with a status: the error is kept until then."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Leaving:
    """What is being handled where the script last calls `sys.exit`, and the status that it gives."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.status = 0

    def start(self) -> None:
        """Note calls of `sys.exit` from here on."""

        def exit(status: object = None, /) -> "NoReturn":
            self.error, self.status = sys.exc_info()[1], status_of(status)
            raise SystemExit(status)

        exit.__module__, exit.__qualname__, exit.__doc__ = "sys", "exit", sys.exit.__doc__
        sys.exit = exit


def status_of(status: object) -> int:
    """The status of the process that leaves with what is given to `sys.exit`."""
    if status is None:
        return 0
    return status & 0xFF if isinstance(status, int) else 1
