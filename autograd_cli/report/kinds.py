"""What the fields of records hold: places, shapes, values, and the words that verdicts are in."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Span = tuple[int, int]
Shape = tuple[int, ...]
Nested = Any
"""A number, a bool, or nested tuples of them in the layout of the tensor's shape."""


class Severity(StrEnum):
    """How much a finding matters: an error fails the run, a note is said in passing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Verdict(StrEnum):
    """What the witnesses say together about one gradient, from the least to the most serious."""

    OK = "OK"
    KINK = "KINK"
    PRECISION = "PRECISION"
    DOMAIN_EDGE = "DOMAIN EDGE"
    JUMP = "JUMP"
    NONDETERMINISTIC = "NONDETERMINISTIC"
    NO_GRAPH = "NO GRAPH"
    WRONG = "WRONG"

    @property
    def rank(self) -> int:
        """0 for OK, higher for what is more serious."""
        return list(Verdict).index(self)

    @property
    def passes(self) -> bool:
        """Whether a gradient with this verdict may be relied on: status 0, unless --strict."""
        return self in (Verdict.OK, Verdict.KINK, Verdict.PRECISION)


class Witness(StrEnum):
    """A way to know a gradient."""

    AUTOGRAD = "autograd"
    SYMBOLIC = "symbolic"
    NUMERIC = "numeric"


@dataclass(frozen=True)
class Summary:
    """A tensor too large to be written out: range over finite elements, and counts."""

    count: int
    min: float | None
    max: float | None
    nan: int
    inf: int


Values = Nested | Summary | None
"""A tensor's values, their summary, or None where there is none (meta, not computed)."""
