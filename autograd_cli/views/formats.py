"""The formats of a report as text: one row a format."""

from collections.abc import Callable

from autograd_cli.errors import InputError
from autograd_cli.report.records import Report
from autograd_cli.views.pieces import Room


def _rich(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.views.terminal import terminal

    return terminal(report, room, colour)


def _plain(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.views.plain import plain

    return plain(report, room, colour)


def _json(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.report.json import to_json

    return to_json(report, room.full) + "\n"


def _tsv(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.views.tsv import tsv

    return tsv(report)


def _dot(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.views.dot import dot

    return dot(report, room)


def _python(report: Report, room: Room, colour: bool) -> str:
    from autograd_cli.views.python import python

    return python(report)


FORMATS: dict[str, Callable[[Report, Room, bool], str]] = {
    "rich": _rich,
    "plain": _plain,
    "json": _json,
    "tsv": _tsv,
    "dot": _dot,
    "python": _python,
}


def render(
    report: Report,
    format: str,
    *,
    width: int | None,
    colour: bool,
    full: bool = False,
    depth: int | None = None,
    check: bool = False,
    verbose: bool = False,
) -> str:
    """`report` in one of `FORMATS`, ending with a newline.

    `width` in cells is for "rich", `colour` for that and for "plain". `full` shows every node and element,
    `depth` the rows of the tree down to that depth; `check` shows verdicts, not the tree;
    `verbose` keeps the comments in a program.
    InputError AGX212 for another format.
    """
    if format not in FORMATS:
        raise InputError(
            "AGX212", f"{format} is not a format of a report.", hint=f"Formats: {', '.join(FORMATS)}."
        )
    return FORMATS[format](report, Room(width, full, depth, check, verbose), colour)
