"""What looks at one thread."""

from autograd_cli.diagnose.watching.accumulated import Accumulation
from autograd_cli.diagnose.watching.arrays import Arrays, Memories
from autograd_cli.diagnose.watching.broadcasts import Broadcasts
from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.leaves import Leaves
from autograd_cli.diagnose.watching.nonfinite import NonFinite
from autograd_cli.diagnose.watching.records import Log


class Parts:
    """The records of one thread, and what is found in them."""

    def __init__(self, common: Common, memories: Memories) -> None:
        leaves = Leaves(common.owners)
        self.common = common
        self.log = Log(common.writes)
        self.accumulation = Accumulation(common.found, leaves)
        self.nonfinite = NonFinite(self.log, common, leaves)
        self.broadcasts = Broadcasts(common.found)
        self.arrays = Arrays(common.writes, memories)
        self.accumulation.used = self.nonfinite.used
