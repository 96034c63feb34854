"""`agx ops`: the functions that a source may use, found by name or by what they mean."""

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from autograd_cli.cli.bindings import shell
from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus, InputError

if TYPE_CHECKING:
    from autograd_cli.lang.functions.rows import Function

EXAMPLES = """\
agx ops
agx ops relu
agx ops "F.*pool*"
agx ops mean
agx ops --json"""

WORDS = Words("PATTERN", "A name, a pattern with *, or a word of what functions do; all without one", True)

_WIDEST = 36
"""A name or a signature longer than this pushes the rest of its own line, not that of all lines."""


def ops(given: Given) -> ExitStatus:
    """List the functions that a source may use, or show one.

    One function is shown with its arguments, where it is differentiable, and an example.
    With -q only names.
    """
    from autograd_cli.lang.functions import find

    pattern = " ".join(given.line.sources)
    rows = find.found(pattern) if pattern else find.own_rows()
    if not rows:
        raise _none(pattern)
    environment = given.environment
    if given.options.get("json"):
        environment.put_data(json.dumps([_record(row) for row in rows], indent=1, ensure_ascii=False) + "\n")
    elif environment.quiet:
        environment.put("".join(f"{row.spelling}\n" for row in rows))
    elif len(rows) == 1 or any(pattern in find.names(row) for row in rows):
        environment.put("\n".join(_page(row, environment.width) for row in rows))
    else:
        environment.put(_table(rows, environment.width if environment.on_terminal else 0))
    return ExitStatus.OK


def has_rule(row: "Function") -> bool:
    """Whether a formula of its derivative can be written down."""
    from autograd_cli.symbolic import rules

    return row.differentiable and rules.is_known(row.key)


def _record(row: "Function") -> dict[str, Any]:
    """The row for a program; its example is a line that `--lines` takes."""
    from autograd_cli.lang.functions import find

    first, *others = find.names(row)
    return {
        "name": first,
        "aliases": others,
        "signature": row.signature,
        "meaning": row.meaning,
        "domain": row.domain,
        "example": row.example._asdict() if row.example else None,
        "has_rule": has_rule(row),
    }


def _table(rows: Sequence["Function"], width: int) -> str:
    """Name, signature and meaning, a line a function; within `width` columns where a person watches."""
    cells = [(row.spelling, _short(row), row.meaning) for row in rows]
    wide = min(max(len(name) for name, _, _ in cells), _WIDEST)
    if width:
        return "".join(_block(cell, wide, max(width, wide + 30)) for cell in cells)
    return "".join(f"{name:{wide}}  {given:{_WIDEST}}  {meaning}\n" for name, given, meaning in cells)


def _short(row: "Function") -> str:
    from autograd_cli.lang.functions import find

    called = find.calls(row)[0]
    return called.removeprefix(row.spelling)


def _block(cell: tuple[str, str, str], wide: int, width: int) -> str:
    """One function in a terminal: its signature and its meaning beside its name."""
    name, given, meaning = cell
    room = width - wide - 2
    beside = [*_folded(given, room), *_folded(meaning, room)]
    if len(name) > wide:
        return f"{name}\n" + "".join(f"{'':{wide}}  {line}\n" for line in beside)
    first = f"{name:{wide}}  {beside[0]}\n"
    return first + "".join(f"{'':{wide}}  {line}\n" for line in beside[1:])


def _page(row: "Function", width: int) -> str:
    """All that the table says of one function."""
    lines = [f"{row.spelling}: {row.meaning}", ""]
    for title, texts in _parts(row):
        room = max(width, 60) - 12
        # A command stands as it is, so that it can be pasted.
        shown = [line for text in texts for line in ([text] if title == "example" else _folded(text, room))]
        lines += [f"{title if i == 0 else '':10}  {line}".rstrip() for i, line in enumerate(shown)]
    return "\n".join(lines) + "\n"


def _folded(text: str, room: int) -> list[str]:
    """The text in lines of `room`, broken at blanks alone."""
    return wrap(text, room, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _parts(row: "Function") -> Iterator[tuple[str, Sequence[str]]]:
    """The parts of a page: title and lines."""
    from autograd_cli.lang.functions import find

    called = find.calls(row)
    yield ("read as" if row.attribute else "called"), called
    starts = {call.partition("(")[0] for call in called}
    also = [name for name in find.names(row) if name not in starts]
    if also:
        yield "also", [", ".join(also)]
    arguments = [(a.name, find.MEANINGS[a.role]) for a in find.arguments(row)]
    if arguments and not row.attribute:
        wide = max(len(name) for name, _ in arguments)
        yield "arguments", [f"{name:{wide}}  {meaning}" for name, meaning in arguments]
    yield "domain", [row.domain]
    yield "gradient", [_gradient(row)]
    if row.example is not None:
        bindings = [word for name, text in row.example.bindings.items() for word in (f"--{name}", text)]
        yield "example", [shell(["agx", "trace", row.example.source, *bindings])]


def _gradient(row: "Function") -> str:
    if not row.differentiable:
        return "none passes"
    return "has a derivative rule" if has_rule(row) else "passes; the table of formulas has no rule for it"


def _none(pattern: str) -> InputError:
    """AGX103 for a pattern that no function is called by and none speaks of."""
    from autograd_cli.lang import suggestions
    from autograd_cli.lang.functions import TENSOR, members

    last = pattern.rpartition(".")[2]
    near = suggestions.for_function(last) or suggestions.nearest(last, members(TENSOR))
    return InputError(
        "AGX103",
        f"No function of the language is called `{pattern}`, and none speaks of it.",
        hint=f"Did you mean `{near}`?" if near else "`agx ops` lists all functions.",
        fix=shell(["agx", "ops", *([near] if near else [])]),
    )


COMMAND = Command("ops", ops, EXAMPLES, WORDS)
