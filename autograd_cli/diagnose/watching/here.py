"""What watches the thread that asks."""

import threading
from collections.abc import Callable

import torch

from autograd_cli.diagnose.watching.arrays import Memories
from autograd_cli.diagnose.watching.backwards import Backwards
from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.mode import Made, Mode
from autograd_cli.diagnose.watching.parts import Parts
from autograd_cli.diagnose.watching.records import Write
from autograd_cli.diagnose.watching.steps import Steps
from autograd_cli.diagnose.watching.tracebacks import forward_lines


class Here(threading.local):
    """What looks at the calls, the backwards and the steps of a thread; made when the thread first asks.

    Torch numbers the nodes of each thread by themselves, and what one thread is in the midst of is nothing
    to the next: they share what is in `common` alone, and the memory that arrays have.
    """

    def __init__(self, common: Common, memories: Memories) -> None:
        self._parts = parts = Parts(common, memories)
        self.mode = mode = Mode(parts.log, common)
        self.backwards = Backwards(parts)
        self.steps = Steps(parts)
        mode.read, mode.wrote, mode.shared = parts.accumulation.read, self._wrote, parts.arrays.share
        mode.listen = _listener(parts, memories)

    def _wrote(self, tensor: torch.Tensor, write: Write) -> None:
        self._parts.accumulation.wrote(tensor, write)
        self._parts.nonfinite.wrote(tensor, write)


def _listener(parts: Parts, memories: Memories) -> Callable[[Made], None]:
    """What looks at each call that made nodes: most are nothing to most parts, which then are not asked."""
    of_all, of_pairs, of_arrays = parts.nonfinite.listen, parts.broadcasts.listen, parts.arrays.listen
    following = parts.broadcasts.following

    def listen(made: Made) -> None:
        of_all(made)
        if len(made.tensors) == 2 or following:
            of_pairs(made)
        if memories.shared:
            of_arrays(made)
        if torch.is_anomaly_enabled():
            forward_lines(made)

    return listen
