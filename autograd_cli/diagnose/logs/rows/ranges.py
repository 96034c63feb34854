"""Numbers that choose a place, and how many places there are, where a script's tensors are at hand."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised
from autograd_cli.diagnose.logs.rows.called import handed
from autograd_cli.report.diagnosis import Seen

_IN_LABELS = "subtract 1 from labels that start at 1, or give the last layer an output more than the largest"
_IN_TABLE = "a token number is not below num_embeddings, or a position is past the table"
_TARGET = re.compile(r"Target (-?\d+) is out of bounds")
_VOID = (255,)
"""Numbers that mark what has no class."""


def _labels(raised: Raised) -> tuple[Seen, int] | None:
    """The class numbers of a loss and how many scores there are for each."""
    scores, target = handed(raised, "input"), handed(raised, "target")
    if scores is None or target is None or not scores.shape or target.low is None:
        return None
    return target, scores.shape[1 if len(scores.shape) > 1 else 0]


def _indices(raised: Raised) -> tuple[Seen, int] | None:
    """The indices into an embedding and how many rows it has."""
    table, indices = handed(raised, "weight"), handed(raised, "input")
    if table is None or indices is None or not table.shape or indices.low is None:
        return None
    return indices, table.shape[0]


def why_label(raised: Raised, facts: Facts) -> str:
    """How far the class numbers go, and which there are scores for."""
    found = _labels(raised)
    if found is None:
        return "labels start at 1, or the last layer has too few outputs"
    target, count = found
    return f"the class numbers go from {target.low} to {target.high}, and the scores are for 0 to {count - 1}"


def mend_label(raised: Raised, facts: Facts) -> str:
    """What is to be done about a class number without a score, as the numbers themselves show it."""
    found, named = _labels(raised), _TARGET.match(raised.message)
    if found is None or named is None:
        return _IN_LABELS
    (target, count), wrong = found, int(named[1])
    low, high = target.low or 0, target.high or 0
    if wrong < 0 or wrong in _VOID:
        return f"if {wrong} marks what has no class, pass ignore_index={wrong} to the loss"
    if low > 0 and high - low < count:
        return f"the labels start at {low}: subtract {low} from them"
    return f"give the last layer {high + 1} outputs, or find out where the label {high} comes from"


def why_index(raised: Raised, facts: Facts) -> str:
    """How far the indices go, and which rows the table has."""
    found = _indices(raised)
    if found is None:
        return _IN_TABLE
    indices, count = found
    return f"the indices go from {indices.low} to {indices.high}, and the table has the rows 0 to {count - 1}"


def mend_index(raised: Raised, facts: Facts) -> str:
    """The table that has a row for each index; empty where an index is below 0, or none is known."""
    found = _indices(raised)
    if found is None or (found[0].low or 0) < 0:
        return ""
    return f"make the table of {(found[0].high or 0) + 1} rows, or find out where {found[0].high} comes from"
