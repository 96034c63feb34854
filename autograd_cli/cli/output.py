"""Where a report goes and in which form: stdout or a file, for a person or a program."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_cli.cli.command import Given
from autograd_cli.errors import InputError, MissingError
from autograd_cli.lang.source import visible
from autograd_cli.report import Report, Severity

_DATA = ("json", "tsv", "dot", "python")
_WITHOUT_FINDINGS = ("tsv", "dot", "python", "svg", "png", "pdf")


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
    environment.on_findings(report.findings)
    if where.file is not None:
        from autograd_cli.views import picture

        picture.write(report, where.file, full=bool(options.get("full")), depth=options.get("depth"))
        if not environment.quiet:
            environment.say(f"written: {visible(str(where.file))}")
    else:
        _write(given, where.format, _rendered(given, where.format, report))
    if where.format in _WITHOUT_FINDINGS:
        _say_findings(given, report)


def put_next(given: Given, where: Destination, report: Report, before: int) -> None:
    """Write the report of a line of a batch, `before` others having been written.

    Reports for a person stand apart by an empty line; a table has its header once, and a first
    column that says where the source stands.
    """
    given.environment.on_findings(report.findings)
    text = _rendered(given, where.format, report)
    if where.format == "tsv":
        header, *rows = text.splitlines(keepends=True)
        first = [] if before else [f"source\t{header}"]
        text = "".join([*first, *(f"{visible(report.name)}\t{row}" for row in rows)])
    elif before and where.format not in _DATA:
        text = "\n" + text
    _write(given, where.format, text)
    if where.format in _WITHOUT_FINDINGS:
        _say_findings(given, report, f"{visible(report.name)}: ")


def _rendered(given: Given, form: str, report: Report) -> str:
    """The report as text in the format `form`."""
    from autograd_cli.views import render

    options, environment = given.options, given.environment
    asked = environment.colour == "always"
    return render(
        report,
        form,
        width=environment.width,
        colour=asked if form == "plain" else environment.coloured(environment.stdout),
        full=bool(options.get("full")),
        depth=options.get("depth"),
        check=given.line.command == "gradcheck",
        verbose=environment.verbose,
    )


def _write(given: Given, form: str, text: str) -> None:
    (given.environment.put_data if form in _DATA else given.environment.put)(text)


def _say_findings(given: Given, report: Report, place: str = "") -> None:
    """Errors, and unless --quiet warnings, a line each."""
    said = {Severity.ERROR} if given.environment.quiet else {Severity.ERROR, Severity.WARNING}
    for finding in report.findings:
        if finding.severity in said:
            head = f"{finding.severity.value} {finding.name} ({finding.code})"
            given.environment.say(f"{place}{head}: {visible(finding.sentence)}")
