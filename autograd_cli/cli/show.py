"""`agx show`: another view of a stored report, without torch."""

from pathlib import Path

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus, missing_file

EXAMPLES = """\
agx trace "sin(x**2)" --x 2 -o report.json
agx show report.json
agx trace "x@w" --x "randn(2,3)" --w "randn(3,2)" --json | agx show - -o graph.svg"""

WORDS = Words("REPORT", "A report that trace wrote as JSON, or - for standard input")

_MOST = 1 << 30
"""Bytes of a report; one of a million written-out elements has some twenty million."""


def show(given: Given) -> ExitStatus:
    """Draw a stored report again; needs no torch.

    In any format of trace, or to a file.
    """
    from autograd_cli.cli import output, sources
    from autograd_cli.report.json import from_json

    word = given.one("REPORT", "agx show report.json")
    where = output.target(given)
    if word == "-":
        content, name = given.environment.read_bytes(_MOST + 1), "standard input"
    else:
        content, name = _file(word), word
    output.put(given, where, from_json(sources.decoded(content, _MOST, name)))
    return ExitStatus.OK


def _file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise missing_file(name, error) from None


COMMAND = Command("show", show, EXAMPLES, WORDS)
