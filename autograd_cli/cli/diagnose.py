"""`agx diagnose`: what an error log or a script got wrong in torch, told without torch."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import InputError, missing_file

if TYPE_CHECKING:
    from autograd_cli.report.diagnosis import Diagnosis

EXAMPLES = """\
agx diagnose train.log
python train.py 2>&1 | agx diagnose
python train.py 2>&1 | agx diagnose --tee > train.log
agx diagnose train.log --reproduce
agx diagnose train.py --epochs 3
agx diagnose --watch train.py
agx diagnose train.log --json | jq -r '.findings[].name'"""

WORDS = Words(
    "FILE",
    "A log, - or nothing for standard input; or a script.py to run, with its words behind it",
    True,
)

_CHUNK = 1 << 20


def is_script(word: str) -> bool:
    """Whether a word names a script, and no log."""
    return word.endswith(".py")


class _Stream(Protocol):
    """Bytes that come as they are there."""

    def read1(self, size: int, /) -> bytes: ...


def diagnose(given: Given) -> int:
    """Find torch's error in a log, or in a script that it runs, and say what it means.

    Prints the cause, your own last line before it, and the fix. A log needs no torch. A
    file that ends in .py is run as `python FILE …` would run it; the words behind it that
    are no options of agx, and all behind `--`, are its own. Status 1 when an error was
    found; else 0 for a log, a script's own for a script.
    """
    form = _form(given)
    if given.options.get("watch") and not _is_of_script(given):
        raise InputError(
            "AGX208", "`--watch` is for a script that is run.", hint="Name one: agx diagnose --watch train.py"
        )
    if _is_of_script(given):
        from autograd_cli.cli.script import diagnosed

        return _put(given, form, diagnosed(given, form == "json"))
    return _put(given, form, _of_log(given))


def _is_of_script(given: Given) -> bool:
    return given.line.source is not None and is_script(given.line.source)


def _of_log(given: Given) -> "Diagnosis":
    """What is told of the log that the line names."""
    from autograd_cli.diagnose.logs.read import read
    from autograd_cli.report.diagnosis import Diagnosis

    word = given.one("FILE", "agx diagnose train.log") if given.line.sources else "-"
    chunks = _standard_input(given.environment) if word == "-" else _file(word)
    log = read(_passed_on(chunks, given.environment) if given.options.get("tee") else chunks)
    return Diagnosis(word, log.lines, log.findings, int(log.status))


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
    """Where findings go: stdout, or stderr where stdout has the log or what a script prints."""
    environment = given.environment
    return environment.stderr if given.options.get("tee") or _is_of_script(given) else environment.stdout


def _shown(given: Given, found: "Diagnosis") -> "Diagnosis":
    """The findings, each with what this torch says of it where --reproduce asks for that."""
    if not (found.findings and given.options.get("reproduce")):
        return found
    from autograd_cli.cli.reproduce import reproduced  # which loads torch

    return replace(found, findings=reproduced(found.findings))


def _put(given: Given, form: str, found: "Diagnosis") -> int:
    """Write what is told, and give its status."""
    from autograd_cli.views import diagnosis as view

    environment = given.environment
    diagnosis = _shown(given, found)
    environment.on_findings([one.finding for one in diagnosis.findings])
    asked = environment.colour == "always"
    colour = asked if form == "plain" else environment.coloured(_stream(given))
    text = view.render(diagnosis, form, width=environment.width, colour=colour)
    if form == "json" and not given.options.get("tee"):
        environment.put_data(text)
    elif _stream(given) is environment.stderr:
        environment.say(text.rstrip("\n")) if text else None
    else:
        environment.put(text)
    if not diagnosis.findings and not environment.quiet and not _is_of_script(given):
        environment.say(view.nothing(diagnosis))
    return diagnosis.status


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


COMMAND = Command("diagnose", diagnose, EXAMPLES, WORDS, is_script)
