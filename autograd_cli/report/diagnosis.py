"""What `agx diagnose` gives: the findings of a log, each with the person's own frame."""

import json
from dataclasses import dataclass

from autograd_cli.report.json import encoded
from autograd_cli.report.records import Finding, Shape
from autograd_cli.report.reproduced import Reproduced

SCHEMA = "agx.diagnosis/1"


@dataclass(frozen=True)
class Frame:
    """A frame of a traceback; `text` is its line of source, empty where the log has none."""

    file: str
    line: int
    function: str = ""
    text: str = ""


@dataclass(frozen=True)
class Seen:
    """A tensor in a failing frame: `name` is how the frame's code reaches it, such as `self.fc.weight`.

    `nan` and `inf` count elements, `low` and `high` are the least and the greatest of whole numbers; None
    where nobody looked.
    """

    name: str
    frame: Frame
    shape: Shape
    dtype: str
    device: str
    requires_grad: bool
    leaf: bool
    grad_fn: str | None = None
    nan: int | None = None
    inf: int | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Placed:
    """A finding of a log, with the person's own last frame and the rank of the process, where it tells.

    The finding's `line` is that of the log; of a script, that of the frame. `tensors` are those of the
    frames that failed, the innermost frame first. `reproduced` is there where that was asked for.
    """

    finding: Finding
    frame: Frame | None = None
    rank: str | None = None
    tensors: tuple[Seen, ...] = ()
    reproduced: Reproduced | None = None


@dataclass(frozen=True)
class Diagnosis:
    """All that is told of a log, or of a script, which has no `lines`; `file` is its name, `-` for stdin."""

    file: str
    lines: int | None
    findings: tuple[Placed, ...]
    status: int


def to_json(diagnosis: Diagnosis) -> str:
    """`diagnosis` as one line of ASCII JSON: a finding as in a report, with `frame`, `rank` and `tensors`."""
    found = [
        {
            **encoded(one.finding),
            "frame": encoded(one.frame) if one.frame else None,
            "rank": one.rank,
            "tensors": [encoded(seen) for seen in one.tensors],
            "reproduced": encoded(one.reproduced) if one.reproduced else None,
        }
        for one in diagnosis.findings
    ]
    data = {
        "schema": SCHEMA,
        "file": diagnosis.file,
        "lines": diagnosis.lines,
        "findings": found,
        "status": diagnosis.status,
    }
    return json.dumps(data, allow_nan=False, separators=(", ", ": "))
