"""What happened in a script, as its process hands it over."""

from dataclasses import dataclass

from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.report.diagnosis import Placed, Seen


@dataclass(frozen=True)
class Failure:
    """An error as it was raised, with the tensors of its frames; `is_own` where the script raised it.

    `layer` is the layer of the script's model that it came from, if it came from one. `optimizers` are those
    that its frames reach, as they write them, and `frozen` the modules, where none has anything to train.
    `handed` is what torch's own function was handed, and `expression` what failed of the script's last line.
    """

    raised: Raised
    tensors: tuple[Seen, ...] = ()
    is_own: bool = False
    layer: str = ""
    optimizers: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    handed: tuple[Seen, ...] = ()
    expression: str = ""


@dataclass(frozen=True)
class Happened:
    """What a script raised and showed: `errors` from the last to the root, then the warnings.

    `threads` are the errors that ended threads, each like `errors`.
    `watched` is what a watch found, and `trouble` what kept it from looking on. `others` is whether
    it waited for processes of its own, whose errors are theirs. `is_whole` is False where
    the process did not come to hand over anything.
    """

    errors: tuple[Failure, ...] = ()
    warnings: tuple[Raised, ...] = ()
    watched: tuple[Placed, ...] = ()
    trouble: str = ""
    threads: tuple[tuple[Failure, ...], ...] = ()
    others: bool = False
    is_whole: bool = True
