"""What the watchers of all threads have in common."""

from collections.abc import Callable

from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.leaves import Leaves
from autograd_cli.diagnose.watching.records import Writes
from autograd_cli.diagnose.watching.signals import leave


class Common:
    """The findings of a script, its writes, and which thread has which leaf.

    Where the watch `is_over`, nothing more is looked at. `waiting` is what waits for the script's end,
    which says whether that was an error; the threads that it is of may be over.
    """

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self.is_over = False
        self.found = Found()
        self.writes = Writes()
        self.owners: dict[int, Leaves] = {}
        self.waiting: dict[Callable[[bool], None], None] = {}

    def failed(self, error: BaseException) -> None:
        """Take a fault of the watch's own, which ends it.

        Raises what a signal's handler of the script raised: that is none. Nor is it one that the script
        is as deep as Python goes, where only this call is not looked at.
        """
        leave(error)
        if not isinstance(error, RecursionError):
            self._failed(error)
