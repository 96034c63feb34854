"""What came of showing a finding of a log again, on the torch that is installed."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Whether the installed torch does what the log tells."""

    RAISED = "raised"
    """It raises the same message."""
    REWORDED = "reworded"
    """It raises the same error in other words."""
    SILENT = "silent"
    """The mistake is there, and torch says nothing of it in so small a program."""
    GONE = "gone"
    """It no longer raises it."""
    NOT_HERE = "not-here"
    """No program can show it everywhere."""


@dataclass(frozen=True)
class Reproduced:
    """A smallest program with the mistake, and the repaired one, each run.

    `command` runs `program` and `repaired`. `said` is what torch said of the first; `passed` whether the
    second came to its end with nothing found in it. `needs` says what showing it takes, where that is
    not everywhere: then nothing was run.
    """

    torch: str
    outcome: Outcome
    command: str = ""
    program: str = ""
    said: str = ""
    repaired: str = ""
    passed: bool | None = None
    needs: str = ""
