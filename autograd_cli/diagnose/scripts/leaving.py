"""What ended a script: the error that it raised, or of one that leaves with a status what it handled then."""

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 1 << 63
"""From here on a number does not fit into what Python makes a status of."""


def failure(error: BaseException | None) -> BaseException | None:
    """What failed in a script that ended with `error`.

    One that leaves with a status of its own has caught what failed: it is the error that it handled then.
    """
    if not isinstance(error, SystemExit):
        return error
    if not status(error):
        return None
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def status(error: BaseException | None) -> int:
    """The status that Python ends with after `error`, which is None where the script comes to its end."""
    if not isinstance(error, SystemExit):
        return int(error is not None)
    code = _CODE.__get__(error)
    if code is None:
        return 0
    if not isinstance(code, int):
        return 1
    return code & 0xFF if -_LARGEST <= code < _LARGEST else 0xFF


_CODE: "Any" = SystemExit.__dict__["code"]


class Leaving:
    """What failed in the script that Python ends with a status, whichever way that was given."""

    def __init__(self) -> None:
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Note how the script is left from here on.

        Nothing that Python calls at its end tells of it, but it asks the exception for its status first, and
        no frame is below that question. So the answer is given from here: nobody has asked for it yet, which
        is why no cache of the class has to be told.
        """

        def code(error: SystemExit) -> object:
            if sys._getframe().f_back is None:
                self.failure = failure(error)
            return _CODE.__get__(error)

        (held,) = gc.get_referents(SystemExit.__dict__)
        held["code"] = property(code, _CODE.__set__, _CODE.__delete__, _CODE.__doc__)
