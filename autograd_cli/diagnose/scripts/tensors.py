"""The tensors in the frames of an error, found without running any code of the script."""

from collections.abc import Sequence
from types import TracebackType

from autograd_cli.diagnose.logs.records import Frame
from autograd_cli.report.diagnosis import Seen


def of(steps: Sequence[tuple[TracebackType, Frame]]) -> tuple[Seen, ...]:
    """The tensors in the script's own frames, the innermost first."""
    return ()
