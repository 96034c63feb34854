"""What the watchers of all threads have in common."""

from collections.abc import Callable

from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.leaves import Leaves
from autograd_cli.diagnose.watching.records import Writes


class Common:
    """The findings of a script, its writes, and which thread has which leaf.

    `failed` is told of each fault of the watch's own. Where the watch `is_over`, nothing more is looked
    at. `waiting` is what waits for the script's end, which says whether that was an error; the threads
    that it is of may be over.
    """

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self.failed = failed
        self.is_over = False
        self.found = Found()
        self.writes = Writes()
        self.owners: dict[int, Leaves] = {}
        self.waiting: dict[Callable[[bool], None], None] = {}
