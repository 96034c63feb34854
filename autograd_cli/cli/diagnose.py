"""`agx diagnose`: what an error log says of torch, without torch."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import ExitStatus, InputError, missing_file

if TYPE_CHECKING:
    from autograd_cli.report.diagnosis import Diagnosis

EXAMPLES = """\
agx diagnose train.log
python train.py 2>&1 | agx diagnose
python train.py 2>&1 | agx diagnose --tee > train.log
agx diagnose train.log --json | jq -r '.findings[].name'"""

WORDS = Words("FILE", "A log; - or nothing for standard input", True)

_CHUNK = 1 << 20


class _Stream(Protocol):
    """Bytes that come as they are there."""

    def read1(self, size: int, /) -> bytes: ...


def diagnose(given: Given) -> ExitStatus:
    """Find torch's error in a log, and say what it means; needs no torch.

    Prints the cause, your own last line before it, and the fix. Status 1 when an error
    was found, 0 when none was, or a warning only.
    """
    from autograd_cli.diagnose.logs.read import read
    from autograd_cli.report.diagnosis import Diagnosis

    form = _form(given)
    word = given.one("FILE", "agx diagnose train.log") if given.line.sources else "-"
    chunks = _standard_input(given.environment) if word == "-" else _file(word)
    log = read(_passed_on(chunks, given.environment) if given.options.get("tee") else chunks)
    _put(given, form, Diagnosis(word, log.lines, log.findings, int(log.status)))
    return ExitStatus(log.status)


def _form(given: Given) -> str:
    """The format that the options ask for; InputError AGX208 where they ask for two."""
    form: str | None = given.options.get("format")
    if given.options.get("json"):
        if form not in (None, "json"):
            raise InputError(
                "AGX208",
                f"Two formats are asked for at once: json and {form}.",
                hint="Give one of --json and -f.",
            )
        return "json"
    return form or ("rich" if _stream(given).isatty() else "plain")


def _stream(given: Given) -> TextIO:
    """Where findings go: stdout, or stderr where that has the log."""
    environment = given.environment
    return environment.stderr if given.options.get("tee") else environment.stdout


def _put(given: Given, form: str, diagnosis: "Diagnosis") -> None:
    from autograd_cli.views import diagnosis as view

    environment = given.environment
    asked = environment.colour == "always"
    colour = asked if form == "plain" else environment.coloured(_stream(given))
    text = view.render(diagnosis, form, width=environment.width, colour=colour)
    if given.options.get("tee"):
        environment.say(text.rstrip("\n")) if text else None
    elif form == "json":
        environment.put_data(text)
    else:
        environment.put(text)
    if not diagnosis.findings and not environment.quiet:
        environment.say(view.nothing(diagnosis))


def _standard_input(environment: Environment) -> Iterator[bytes]:
    """What comes on standard input, as it comes; InputError AGX214 where a person would have to type it."""
    if environment.stdin.isatty():
        raise InputError(
            "AGX214",
            "There is no log: standard input is a terminal.",
            hint="Name a file, or send a program's output: python train.py 2>&1 | agx diagnose",
            fix="agx diagnose train.log",
        )
    binary: Any = environment.stdin.buffer
    return _chunks(binary)


def _file(word: str) -> Iterator[bytes]:
    """The bytes of a file; MissingError AGX206 where it cannot be read."""
    try:
        with Path(word).open("rb") as stream:
            yield from _chunks(stream)
    except (OSError, ValueError) as error:
        raise missing_file(word, error if isinstance(error, OSError) else OSError(str(error))) from None


def _chunks(stream: _Stream) -> Iterator[bytes]:
    """What is there to be read, at most a mebibyte at once, until the stream ends."""
    return iter(lambda: stream.read1(_CHUNK), b"")


def _passed_on(chunks: Iterator[bytes], environment: Environment) -> Iterator[bytes]:
    """The chunks, each written to stdout as it is before it is looked at."""
    for chunk in chunks:
        environment.put_bytes(chunk)
        yield chunk


COMMAND = Command("diagnose", diagnose, EXAMPLES, WORDS)
