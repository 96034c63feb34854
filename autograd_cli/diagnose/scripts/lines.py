"""Frames with their lines of source."""

import linecache

from autograd_cli.report.diagnosis import Frame

_LONGEST = 300


def frame(file: str, line: int, function: str) -> Frame:
    """The frame with its line of source, cut where that is very long; empty where there is no such file."""
    return Frame(file, line, function, linecache.getline(file, line).strip()[:_LONGEST] if line else "")
