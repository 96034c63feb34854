"""The watch over a script: opened before it begins, without torch; its findings afterwards."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from autograd_cli.diagnose.watching.importing import OnImport
from autograd_cli.report.diagnosis import Placed

if TYPE_CHECKING:
    from autograd_cli.diagnose.watching.installed import Installed

_error: Any = BaseException
_traceback = _error.__traceback__.__get__
"""An error's traceback, whatever its class makes of the name."""


class Watch:
    """A context around the run of a script, in the thread that runs it.

    It begins when the script has imported torch, which it does not import itself. Neither results nor
    random numbers nor errors are changed. Where the watch itself fails it ends, the script goes on,
    and `trouble` says what happened.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self._installed: Installed | None = None
        self._import: OnImport | None = None

    def __enter__(self) -> Self:
        if "torch" in sys.modules:
            self._install()
        else:
            self._import = OnImport("torch", self._install)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._import is not None:
            self._import.remove()
        if self._installed is not None:
            self._guarded(self._installed.remove)

    def findings(self) -> tuple[Placed, ...]:
        """What was found so far, in the order in which it was met; each once."""
        found: list[Placed] = []
        if self._installed is not None:
            self._guarded(lambda: found.extend(self._installed.findings()))
        return tuple(found)

    def cleaned(self, error: BaseException) -> TracebackType | None:
        """The traceback of an error that ended the script, without the frames of the watch.

        They are taken out of those that the error came from as well; where that fails, nothing is.
        """
        if self._installed is not None:
            from autograd_cli.diagnose.watching.tracebacks import clean

            is_exit = isinstance(error, SystemExit) and not error.code
            self._installed.is_script_failed = not is_exit and not isinstance(error, KeyboardInterrupt)
            self._guarded(lambda: clean(error))
        traceback: TracebackType | None = _traceback(error)
        return traceback

    def _install(self) -> None:
        def make() -> None:
            from autograd_cli.diagnose.watching.installed import Installed

            self._installed = Installed(self._failed)

        self._guarded(make)

    def _guarded(self, act: Any) -> None:
        try:
            act()
        except Exception as error:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        """End the watch: what it cannot do is no reason for the script to stop."""
        if not self.trouble:
            self.trouble = f"the watch ended early: {type(error).__name__}: {error}"
        if self._installed is not None:
            self._installed.stop()
