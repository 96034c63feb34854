"""What happened in a script, as its process hands it over."""

from dataclasses import dataclass

from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.report.diagnosis import Placed, Seen


@dataclass(frozen=True)
class Ended:
    """An error as it was raised, with the tensors of its frames; `is_own` where the script raised it.

    `layer` is the layer of the script's model that it came from, if it came from one.
    """

    raised: Raised
    tensors: tuple[Seen, ...] = ()
    is_own: bool = False
    layer: str = ""


@dataclass(frozen=True)
class Happened:
    """What a script raised and showed: `errors` from the last to the root, then the warnings.

    Where they were caught `left` is the status that the script meant to leave with then.
    `threads` are the errors that ended threads, each like `errors`.
    `watched` is what a watch found, and `trouble` what kept it from looking on. `is_whole` is False where
    the process did not come to hand over anything.
    """

    errors: tuple[Ended, ...] = ()
    warnings: tuple[Raised, ...] = ()
    watched: tuple[Placed, ...] = ()
    trouble: str = ""
    left: int | None = None
    threads: tuple[tuple[Ended, ...], ...] = ()
    is_whole: bool = True
