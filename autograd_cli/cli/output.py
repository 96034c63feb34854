"""Where a report goes and in which form: stdout or a file, for a person or a program."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_cli.cli.command import Given
from autograd_cli.errors import InputError, MissingError
from autograd_cli.lang.source import visible
from autograd_cli.report import Report, Severity

_DATA = ("json", "tsv", "dot")
_WITHOUT_FINDINGS = ("tsv", "dot", "svg", "png", "pdf")


@dataclass(frozen=True)
class Destination:
    """The format of a report, and the file it goes to, None for stdout."""

    format: str
    file: Path | None = None


def destination(given: Given) -> Destination:
    """Where the options send the report; decided before anything runs.

    Raises InputError AGX212 for an ending that is no format, AGX208 for options that
    contradict each other, MissingError AGX602 and AGX605 for what cannot be written.
    """
    options = given.options
    asked = {options["format"]} if "format" in options else set()
    asked |= {"json"} if options.get("json") else set()
    if "output" in options:
        from autograd_cli.views import picture

        form = picture.check(options["output"])
        _refuse_two_formats(asked | {form})
        return Destination(form, _writable(Path(options["output"])))
    _refuse_two_formats(asked)
    return Destination(asked.pop() if asked else "rich" if given.environment.on_terminal else "plain")


def _refuse_two_formats(asked: set[str]) -> None:
    if len(asked) > 1:
        raise InputError(
            "AGX208",
            f"Two formats are asked for at once: {' and '.join(sorted(asked))}.",
            hint="Give one of --json, -f and -o.",
        )


def _writable(path: Path) -> Path:
    if path.is_dir() or not os.access(path.resolve().parent, os.W_OK):
        why = "it is a folder" if path.is_dir() else "its folder may not be written"
        raise MissingError("AGX605", f"`{path}` cannot be written: {why}.", hint="Name another file.")
    return path


def put(given: Given, where: Destination, report: Report) -> None:
    """Write `report` where it goes, and on stderr what its format has no room for."""
    options: dict[str, Any] = given.options
    environment = given.environment
    full, depth = bool(options.get("full")), options.get("depth")
    if where.file is not None:
        from autograd_cli.views import picture

        picture.write(report, where.file, full=full, depth=depth)
        if not environment.quiet:
            environment.say(f"written: {visible(str(where.file))}")
    else:
        from autograd_cli.views import render

        colour = environment.coloured(environment.stdout)
        text = render(
            report,
            where.format,
            width=environment.width,
            colour=colour,
            full=full,
            depth=depth,
            check=given.line.command == "gradcheck",
        )
        (environment.put_data if where.format in _DATA else environment.put)(text)
    if where.format in _WITHOUT_FINDINGS:
        _say_findings(given, report)


def _say_findings(given: Given, report: Report) -> None:
    """Errors, and unless --quiet warnings, a line each."""
    said = {Severity.ERROR} if given.environment.quiet else {Severity.ERROR, Severity.WARNING}
    for finding in report.findings:
        if finding.severity in said:
            head = f"{finding.severity.value} {finding.name} ({finding.code})"
            given.environment.say(f"{head}: {visible(finding.sentence)}")
