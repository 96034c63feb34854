"""The examples of a page, run here and now, each as a person would run it."""

import io
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_cli.catalogue import Example, Kind
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import ExitStatus
from autograd_cli.report import Finding
from autograd_cli.report.diagnosis import Diagnosis

PROGRAM = "program.py"
"""What the file is called that a program is run from."""

_REPORTING = ("trace", "gradcheck", "diagnose")
"""The commands whose report may be laid out for a terminal."""

_PACKAGE = re.escape(str(Path(__file__).parents[1]))
_LINES = r".*\n(?:    .*\n)*"
_OURS = re.compile(
    rf'^(?:  File "(?!{re.escape(PROGRAM)}"){_LINES})*  File "{_PACKAGE}{_LINES}', re.MULTILINE
)
"""Frames down to the last of agx in what a script prints of its stack; alone it has none below its own."""


@dataclass(frozen=True)
class Ran:
    """What came of an example: what it `printed` on stdout, what was `told` on stderr, its status.

    `found` are the findings, as records.
    """

    printed: str
    told: str
    status: int
    found: tuple[Finding, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all that was found."""
        return frozenset(one.code for one in self.found)


@dataclass(frozen=True)
class Screen:
    """What text is laid out for: `width` cells of a terminal, None for a pipe, with or without `colour`."""

    width: int | None = None
    colour: bool = False


def ran(example: Example, screen: Screen = Screen()) -> Ran:
    """What comes of an example in a folder of its own.

    A script is run in this process, whose modules it finds loaded.
    """
    with _folder(example):
        if example.kind is Kind.CONSOLE:
            return _pipeline(shlex.split(example.text), screen)
        if example.kind is Kind.TRACE:
            return _command(["trace", PROGRAM], "", screen)
        return _script(example, screen)


def plainly(example: Example) -> tuple[str, tuple[Finding, ...]]:
    """What a program raises where Python alone runs it, empty where it comes to its end; and what is told."""
    from autograd_cli.diagnose.scripts import inside

    with _folder(example):
        ended = inside.run(PROGRAM)
    return ended.error, tuple(one.finding for one in ended.findings)


def run_by(kind: Kind) -> str:
    """What a person types to run a program that lies in a file."""
    watched = " --watch" if kind is Kind.WATCH else ""
    return f"agx trace {PROGRAM}" if kind is Kind.TRACE else f"agx diagnose{watched} {PROGRAM}"


@contextmanager
def _folder(example: Example) -> Iterator[None]:
    """Be in a new folder with the program and the files that lie beside it; all is gone afterwards."""
    with TemporaryDirectory(prefix="agx-") as name, chdir(name):
        for file, text in example.files:
            Path(file).write_text(text, encoding="utf-8")
        if example.kind is not Kind.CONSOLE:
            Path(PROGRAM).write_text(example.text, encoding="utf-8")
        yield


def _pipeline(line: Sequence[str], screen: Screen) -> Ran:
    """What comes of `echo` and `agx` in a pipe: what the last prints, and what all told."""
    made = Ran("", "", 0)
    for words in _parts(line):
        if words[0] == "echo":
            made = replace(made, printed=" ".join(words[1:]) + "\n")
            continue
        last = _command(words[1:], made.printed, screen)
        made = replace(last, told=made.told + last.told, found=made.found + last.found)
    return made


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """The commands of a pipe."""
    part: list[str] = []
    for word in words:
        if word == "|":
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _command(words: list[str], text: str, screen: Screen) -> Ran:
    """What agx prints and tells, with `text` on its standard input."""
    from autograd_cli.cli.dispatch import run  # which knows all commands, and so imports their modules

    stdin, stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
    stdin.buffer.write(text.encode())
    stdin.buffer.seek(0)
    found: list[Finding] = []
    environment = Environment(stdin, stdout, stderr, _columns(screen), on_findings=found.extend)
    status = run([*words, *_laid_out(words, screen)], environment)
    return Ran(_text(stdout), _text(stderr), int(status), tuple(found))


def _laid_out(words: Sequence[str], screen: Screen) -> list[str]:
    """The options that lay a command's report out for a screen, where it has no form of its own."""
    colour = ["--color", "always"] if screen.colour else []
    has_form = not {"-f", "--format", "--json", "-o", "--output"}.isdisjoint(words)
    is_for_person = screen.width is not None and words[0] in _REPORTING and not has_form
    return colour + (["-f", "rich"] if is_for_person else [])


def _columns(screen: Screen) -> dict[str, str]:
    return {} if screen.width is None else {"COLUMNS": str(screen.width)}


def _text(stream: io.TextIOWrapper) -> str:
    """All that was written on a stream in memory."""
    stream.flush()
    return bytes(stream.buffer.getbuffer()).decode() if isinstance(stream.buffer, io.BytesIO) else ""


def _script(example: Example, screen: Screen) -> Ran:
    """What comes of a program in plain Python: its output, and the findings."""
    from autograd_cli.views.diagnosis import render

    printed, found = _scripted(example)
    printed = _OURS.sub("", printed.replace(_here(), ""))
    form = "plain" if screen.width is None else "rich"
    told = render(found, form, width=screen.width or 80, colour=screen.colour)
    return Ran(printed, told.replace(_here(), ""), found.status, tuple(one.finding for one in found.findings))


def _here() -> str:
    """How a path begins that lies in this folder."""
    return f"{Path.cwd()}{os.sep}"


def _scripted(example: Example) -> tuple[str, Diagnosis]:
    """What a program in plain Python prints, and what is found in it; it lies in this folder."""
    from autograd_cli.diagnose.scripts import inside

    ended = inside.run(PROGRAM, watch=example.kind is Kind.WATCH)
    printed = ended.out + (f"{ended.error}\n" if ended.error and not ended.findings else "")
    status = int(ExitStatus.FAILED) if ended.failed else ended.status
    return printed, Diagnosis(PROGRAM, None, ended.findings, status)
