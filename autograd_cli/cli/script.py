"""`agx diagnose script.py`: a person's own script, run, and what is told of it afterwards."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_cli.catalogue import page
from autograd_cli.cli import bindings
from autograd_cli.cli.command import Given
from autograd_cli.errors import ExitStatus, InputError, missing_file
from autograd_cli.report.records import Severity

if TYPE_CHECKING:
    from autograd_cli.diagnose.scripts.process import Ran
    from autograd_cli.report.diagnosis import Diagnosis, Frame, Placed

_STDERR = 2
_OTHERS = "the script failed after processes that it started; what they write is read by"
_UNSEEN = "the watch has nothing to tell: the script did not end as Python ends, which is when it would"


def diagnosed(given: Given, as_data: bool) -> "Diagnosis":
    """What is told of the script that the line names, once it has run.

    Its output is left alone, but goes to stderr where `as_data` keeps stdout for the report.
    Raises MissingError AGX206 for a script that cannot be read.
    """
    from autograd_cli.diagnose.scripts import told
    from autograd_cli.report.diagnosis import Diagnosis

    words = given.line.sources
    _check(given, words[0])
    given.environment.flush()
    ran = _in_front(given, words, _STDERR if as_data else None)
    if ran.killed_by not in ("", "SIGINT"):  # a shell says it
        given.environment.say(f"the script was ended by {ran.killed_by}")
    if ran.happened.trouble or (given.options.get("watch") and not ran.happened.is_whole):
        given.environment.say(ran.happened.trouble or _UNSEEN)
    found = told.findings(ran.happened)
    if ran.happened.others and ran.code > 0 and not found:
        again = bindings.shell(["python", *words])
        given.environment.say(f"{_OTHERS}: {again} 2>&1 | agx diagnose")
    failed = any(one.finding.severity is Severity.ERROR for one in found)
    shown = tuple(_hinted(one if as_data else _from_here(one), given) for one in found)
    return Diagnosis(words[0], None, shown, int(ExitStatus.FAILED) if failed else ran.status)


def _from_here(one: "Placed") -> "Placed":
    """The finding with the files of its frames as a person in this folder names them."""
    here = f"{Path.cwd()}{os.sep}"

    def near(frame: "Frame") -> "Frame":
        return replace(frame, file=frame.file.removeprefix(here))

    tensors = tuple(replace(seen, frame=near(seen.frame)) for seen in one.tensors)
    return replace(one, frame=one.frame and near(one.frame), tensors=tensors)


def _hinted(one: "Placed", given: Given) -> "Placed":
    """The finding with the command that would tell more of it, where its page says that watching does."""
    more = page(one.finding.code).watch
    if given.options.get("watch") or not more:
        return one
    again = f"{bindings.shell(['agx', 'diagnose', '--watch', *given.line.words])}   {more}"
    return replace(one, finding=replace(one.finding, cause=(*one.finding.cause, again)))


def _in_front(given: Given, words: list[str], stdout: int | None) -> "Ran":
    """The script's run: the main thread waits for it, and signals are for the script."""
    from autograd_cli.diagnose.scripts import process, waiting

    made: list[Ran] = []
    with waiting.held():
        is_watched = bool(given.options.get("watch"))
        given.environment.in_main(lambda: made.append(process.run(words, stdout, is_watched)))
    return made[0]


def _check(given: Given, path: str) -> None:
    if given.options.get("tee"):
        raise InputError(
            "AGX208",
            "`--tee` is for a log: what a script prints is shown as it is.",
            hint="Leave it out, or write `-- --tee` where it is for the script.",
        )
    try:
        with Path(path).open("rb"):
            return
    except (OSError, ValueError) as error:
        raise missing_file(path, error if isinstance(error, OSError) else OSError(str(error))) from None
