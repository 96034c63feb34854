import io
import os

import pytest

from autograd_cli.cli import environment
from autograd_cli.cli.environment import Environment


class Terminal(io.StringIO):
    def isatty(self):
        return True


def made(stdout=None, **variables):
    return Environment(io.StringIO(), stdout or io.StringIO(), Terminal(), variables)


def test_a_pipe_is_80_columns_wide_and_has_no_colours():
    surroundings = made()
    assert surroundings.width == 80
    assert not surroundings.on_terminal
    assert not surroundings.coloured(surroundings.stdout)


def test_columns_wins():
    assert made(COLUMNS="200").width == 200
    assert made(COLUMNS="wide").width == 80


@pytest.mark.parametrize(
    ("variables", "colour", "coloured"),
    [
        ({}, "auto", True),
        ({"NO_COLOR": "1"}, "auto", False),
        ({"NO_COLOR": ""}, "auto", True),
        ({"TERM": "dumb"}, "auto", False),
        ({"NO_COLOR": "1"}, "always", True),
        ({}, "never", False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
    ],
)
def test_colours_on_a_terminal(variables, colour, coloured):
    surroundings = made(Terminal(), **variables)
    surroundings.colour = colour
    assert surroundings.coloured(surroundings.stdout) is coloured


def test_colours_can_be_forced_in_a_pipe():
    surroundings = made(FORCE_COLOR="1")
    assert surroundings.coloured(surroundings.stdout)


@pytest.mark.parametrize(
    ("encoding", "text", "written"),
    [
        ("ascii", "└─ x → 2 × 3 ± 1 …", b"+- x -> 2 x 3 +- 1 ..."),
        ("ascii", "λ 😀", b"\\u03bb \\U0001f600"),
        ("latin-1", "2 × é │", "2 × é |".encode("latin-1")),
        ("utf-8", "└─ λ", "└─ λ".encode()),
    ],
)
def test_a_stream_takes_any_character(monkeypatch, encoding, text, written):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding=encoding))
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    environment.of_process().put(text)
    assert raw.getvalue() == written


def test_data_is_utf_8_whatever_the_locale(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    environment.of_process().put_data("λ ×")
    assert raw.getvalue() == "λ ×".encode()


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_replaced(monkeypatch, name):
    monkeypatch.setattr(f"sys.{name}", None)
    made_up = getattr(environment.of_process(), name)
    assert made_up.name == os.devnull
    made_up.close()


def test_a_reader_that_has_gone_is_no_error():
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as stream:
        surroundings = made(stream)
        surroundings.put("x" * 10)
        surroundings.put("x" * 1_000_000)
        surroundings.put_data("x")
        surroundings.flush()
