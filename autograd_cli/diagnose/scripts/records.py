"""What happened in a script, as its process hands it over."""

from dataclasses import dataclass

from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.report.diagnosis import Seen


@dataclass(frozen=True)
class Ended:
    """An error as it was raised, with the tensors of its frames; `is_own` where the script raised it."""

    raised: Raised
    tensors: tuple[Seen, ...] = ()
    is_own: bool = False


@dataclass(frozen=True)
class Happened:
    """What a script raised and showed: `errors` from the last to the root, then the warnings."""

    errors: tuple[Ended, ...] = ()
    warnings: tuple[Raised, ...] = ()
