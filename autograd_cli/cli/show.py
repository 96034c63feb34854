"""`agx show`: another view of a stored report, without torch."""

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus, InputError

EXAMPLES = """\
agx trace "sin(x**2)" --x 2 -o report.json
agx show report.json
agx trace "x@w" --x "randn(2,3)" --w "randn(3,2)" --json | agx show - -o graph.svg"""

WORDS = Words("REPORT", "A report that trace wrote as JSON, or - for standard input")


def show(given: Given) -> ExitStatus:
    """Draw a stored report again; needs no torch.

    In any format of trace, or to a file.
    """
    from autograd_cli.cli import output
    from autograd_cli.report.json import from_json

    word = given.one("REPORT", "agx show report.json")
    where = output.destination(given)
    output.put(given, where, from_json(_text(given, word)))
    return ExitStatus.OK


def _text(given: Given, word: str) -> str:
    """What the file `word`, or standard input, holds; InputError AGX213 where that is no text."""
    from autograd_cli.cli import sources
    from autograd_cli.report.json import MOST_CHARACTERS

    bound = sources.Bound(MOST_CHARACTERS, "AGX108")
    if word == "-":
        content, name = given.environment.read_bytes(bound.most + 1), sources.STANDARD_INPUT
    else:
        content, name = sources.start_of(word, bound.most + 1), word
    try:
        return sources.decoded(content, name, bound)
    except InputError as error:
        raise InputError(
            "AGX213",
            f"`{name}` is no report of agx: it is no text.",
            hint="A report is what `agx trace SOURCE --json` prints.",
        ) from error


COMMAND = Command("show", show, EXAMPLES, WORDS)
