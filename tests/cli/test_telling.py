import io

import pytest

from autograd_cli.cli.environment import Environment
from autograd_cli.cli.telling import status_of
from autograd_cli.errors import (
    AgxError,
    ExitStatus,
    InputError,
    LanguageError,
    LimitError,
    MissingError,
    Span,
)


def told(error, **settings):
    """What is written on stderr for an error, and the status."""
    surroundings = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"COLUMNS": "80"}, **settings)

    def work():
        raise error

    status = status_of(surroundings, work)
    assert surroundings.stdout.getvalue() == ""
    return surroundings.stderr.getvalue(), status


def test_everything_an_error_can_say():
    error = LanguageError(
        "AGX103",
        "`sine` is no function of the language.",
        text="sine(x)",
        span=Span(0, 4),
        hint="Did you mean `sin`?",
        fix="sin(x)",
    )
    text, status = told(error)
    assert status == ExitStatus.USAGE
    assert text == (
        "error unknown-function (AGX103)\n"
        "   │ sine(x)\n"
        "   │ ^^^^\n"
        "  `sine` is no function of the language.\n"
        "  Did you mean `sin`?\n"
        "  write: sin(x)\n"
        "  agx explain AGX103\n"
    )


def test_the_least_an_error_can_say():
    text, _ = told(MissingError("AGX206", "The file `x` cannot be read: it is not there."))
    assert text == (
        "error file-missing (AGX206)\n"
        "  The file `x` cannot be read: it is not there.\n"
        "  agx explain AGX206\n"
    )  # fmt: skip


def test_a_place_in_several_lines_has_its_number():
    text, _ = told(LanguageError("AGX101", "No.", text="a\nbc +\n", span=Span(5, 6)))
    assert "   2 │ bc +\n     │    ^\n" in text


def test_carets_are_as_wide_as_what_they_mark():
    text, _ = told(LanguageError("AGX101", "No.", text="x + 数数", span=Span(4, 6)))
    assert "   │ x + 数数\n   │     ^^^^\n" in text


def test_a_long_line_is_quoted_around_its_place():
    text, _ = told(LanguageError("AGX101", "No.", text="x+" * 50_000, span=Span(50_000, 50_001)))
    assert max(map(len, text.splitlines())) <= 90


def test_what_acts_on_a_terminal_is_written_out():
    text, _ = told(InputError("AGX202", "`\x1b[31m` is none.", text="\x1b[2J", span=Span(0, 1), fix="\u202e"))
    assert "\x1b" not in text
    assert "`\\x1b[31m` is none." in text
    assert "write: \\u202e" in text


def test_markup_is_not_obeyed():
    text, _ = told(InputError("AGX202", "[bold]x[/bold] [/]", text="x[/i]", span=Span(0, 5)), colour="always")
    assert "[bold]x[/bold] [/]" in text
    assert "x[/i]" in text
    assert "\x1b[" in text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (AgxError("AGX101", "No."), ExitStatus.USAGE),
        (MissingError("AGX601", "No."), ExitStatus.MISSING),
        (LimitError("AGX604", "No."), ExitStatus.LIMIT),
        (SystemExit(3), ExitStatus.MISSING),
        (SystemExit(), ExitStatus.OK),
        (BrokenPipeError(), ExitStatus.OK),
        (MemoryError(), ExitStatus.LIMIT),
        (OSError(28, "No space left on device"), ExitStatus.MISSING),
        (ZeroDivisionError("oops"), ExitStatus.FAILED),
    ],
)
def test_each_error_has_its_status(error, status):
    assert told(error)[1] == status


def test_an_error_of_the_system_is_one_line():
    text, _ = told(OSError(28, "No space left on device", "out.svg"))
    assert text == "error: out.svg: No space left on device\n"


def test_a_fault_of_agx_says_so_without_a_traceback():
    text, _ = told(ZeroDivisionError("by\nnothing"))
    assert text.startswith("error: agx itself failed (ZeroDivisionError: by\\x0anothing, at test_telling.py:")
    assert "Please report this line and the command." in text
    assert "Traceback" not in text


def test_a_repair_of_several_lines_is_shown_as_lines():
    text, _ = told(InputError("AGX202", "No.", fix="y = x\nz = \x1b"))
    assert "  write: y = x\n         z = \\x1b\n" in text


def test_long_names_are_cut_in_the_middle():
    name = "begin" + "x" * 50_000 + "end"
    error = InputError("AGX202", f"`{name}` is none.", hint=f"Not @{name}.npy.", fix=f"agx trace {name}")
    text, _ = told(error)
    assert len(text) < 400
    assert "`begin" in text
    assert "end` is none." in text
    assert "write:" not in text
