"""What `agx diagnose` gives: the findings of a log, each with the person's own frame."""

import json
from dataclasses import dataclass

from autograd_cli.report.json import encoded
from autograd_cli.report.records import Finding

SCHEMA = "agx.diagnosis/1"


@dataclass(frozen=True)
class Frame:
    """A frame of a traceback; `text` is its line of source, empty where the log has none."""

    file: str
    line: int
    function: str = ""
    text: str = ""


@dataclass(frozen=True)
class Traced:
    """A finding of a log, with the person's own last frame and the rank of the process, where it tells.

    The finding's `line` is that of the log.
    """

    finding: Finding
    frame: Frame | None = None
    rank: str | None = None


@dataclass(frozen=True)
class Diagnosis:
    """All that is told of a log. `file` is its name, `-` for standard input; `lines` were read."""

    file: str
    lines: int
    findings: tuple[Traced, ...]
    status: int


def to_json(diagnosis: Diagnosis) -> str:
    """`diagnosis` as one line of ASCII JSON: a finding as in a report, with `frame` and `rank`."""
    found = [
        {**encoded(one.finding), "frame": encoded(one.frame) if one.frame else None, "rank": one.rank}
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
