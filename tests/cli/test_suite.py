import io
import json
import re
from dataclasses import replace

import pytest

from autograd_cli.cli import suite
from autograd_cli.cli.bindings import Line
from autograd_cli.cli.command import Given
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import InputError
from autograd_cli.gradients import suite as gradients
from autograd_cli.lang.functions import by_path
from autograd_cli.report import Verdict

FEW = [by_path["torch.sin"], by_path["torch.exp"]]


@pytest.fixture
def few(monkeypatch):
    """The suite over two functions."""
    monkeypatch.setattr(gradients, "chosen", lambda only=None: iter(FEW))


def checked(terminal=False, **options):
    class Stderr(io.StringIO):
        def isatty(self):
            return terminal

    surroundings = Environment(io.StringIO(), io.StringIO(), Stderr(), {})
    surroundings.quiet, surroundings.verbose = (options.pop(name, False) for name in ("quiet", "verbose"))
    surroundings.put_data = surroundings.put
    status = suite.checked(Given(surroundings, Line("gradcheck", ()), options))
    return status, surroundings.stdout.getvalue(), surroundings.stderr.getvalue()


@pytest.mark.usefixtures("few")
def test_functions_that_are_right():
    status, text, talk = checked()
    assert (status, talk) == (0, "")
    assert (
        text == "2 functions checked on their examples and at 6 random points · float64 · cpu\n"
        "2 OK\n  torch.sin  OK\n  torch.exp  OK\nnone failed\n"
    )


@pytest.mark.usefixtures("few")
def test_a_function_that_fails_is_listed_with_its_command(monkeypatch):
    real = gradients.examine

    def broken(function, settings, points):
        found = real(function, settings, points)
        return (
            found if function.name == "exp" else replace(found, failure="it broke", gradients=(), nearby=())
        )

    monkeypatch.setattr(gradients, "examine", broken)
    status, text, _ = checked()
    assert status == 1
    assert "1 failed\n  torch.sin\n    agx gradcheck " in text
    assert text.endswith("    it broke\n")


@pytest.fixture
def half_checked(few, monkeypatch):
    """One of the two functions has no verdict."""
    real = gradients.examine

    def silent(function, settings, points):
        found = real(function, settings)
        left = tuple(replace(one, verdict=None, sentence="it drew") for one in found.gradients)
        return found if function.name == "exp" else replace(found, gradients=left)

    monkeypatch.setattr(gradients, "examine", silent)


@pytest.mark.usefixtures("half_checked")
def test_a_function_without_a_verdict_counts_as_not_checked():
    status, text, _ = checked()
    assert (status, text.splitlines()[1:]) == (
        0,
        [
            "1 OK",
            "  torch.exp  OK",
            "1 without a verdict",
            "  torch.sin  not checked: it drew",
            "none failed",
        ],
    )
    assert checked(strict=True)[0] == 1
    row = json.loads(checked(json=True)[1])["functions"][0]
    assert (row["verdict"], row["unchecked"], row["failed"]) == (None, "it drew", False)


@pytest.mark.usefixtures("few")
def test_json_has_a_row_for_each_function():
    _, text, _ = checked(json=True)
    rows = json.loads(text)["functions"]
    assert [(row["path"], row["verdict"], row["failed"]) for row in rows] == [
        ("torch.sin", "OK", False),
        ("torch.exp", "OK", False),
    ]


def test_one_function_is_told_as_one():
    _, text, _ = checked(only="cumsum")
    assert text.startswith("1 function checked on its example and at ")


ABOUT_A_SOURCE = [
    *({"steps": True}, {"saved": True}, {"use": ("f",)}, {"rtol": 0.1}, {"full": True}),
    *({f"max_{what}": 3} for what in ("text", "nodes", "steps", "items")),
]


@pytest.mark.parametrize("option", ABOUT_A_SOURCE)
def test_what_shows_a_source_needs_one(option):
    name = next(iter(option)).replace("_", "-")
    with pytest.raises(InputError, match=f"There is no SOURCE, and `--{name}` needs one"):
        checked(only="cumsum", **option)


def test_a_pattern_chooses_functions():
    status, text, _ = checked(only="sin*")
    assert status == 0
    assert re.match(r"\d functions checked on their examples and at \d+ random points", text)
    with pytest.raises(InputError, match="matches no differentiable function"):
        checked(only="no such thing")


@pytest.mark.usefixtures("few")
def test_a_verdict_that_is_allowed_is_no_failure(monkeypatch):
    real = gradients.examine

    def jumping(function, settings, points):
        found = real(function, settings, points)
        jumps = tuple(replace(one, verdict=Verdict.JUMP, sentence="it jumps") for one in found.gradients)
        return replace(found, gradients=jumps)

    monkeypatch.setattr(gradients, "examine", jumping)
    assert checked()[0] == 1
    assert checked(allow=(Verdict.JUMP,))[0] == 0


@pytest.mark.usefixtures("few")
def test_a_random_point_that_fails_is_a_failure(monkeypatch):
    real = gradients.examine

    def elsewhere(function, settings, points):
        found = real(function, settings, points)
        wrong = tuple(replace(one, verdict=Verdict.WRONG, sentence="off") for one in found.nearby)
        return replace(found, nearby=wrong)

    monkeypatch.setattr(gradients, "examine", elsewhere)
    status, text, _ = checked()
    assert status == 1
    assert text.count("WRONG  off") == 6


@pytest.mark.usefixtures("few")
def test_the_bar_is_drawn_and_wiped_on_a_terminal_alone():
    _, _, talk = checked(terminal=True)
    assert "/2" in talk
    assert "exp" in talk
    assert talk.endswith("\x1b[2K"), "the bar is wiped"
    assert checked(terminal=True, quiet=True)[2] == ""


@pytest.mark.usefixtures("few")
def test_of_many_functions_those_are_named_that_are_not_simply_right(monkeypatch):
    monkeypatch.setattr(suite, "_FEW", 1)
    real = gradients.examine

    def rounded(function, settings, points):
        found = real(function, settings, points)
        if function.name == "exp":
            return found
        (gradient,) = found.gradients
        gradient = replace(gradient, verdict=Verdict.PRECISION, sentence="digits are lost")
        return replace(found, gradients=(gradient,))

    monkeypatch.setattr(gradients, "examine", rounded)
    counted = "1 PRECISION · 1 OK\n  torch.sin  PRECISION  digits are lost\nnone failed\n"
    assert checked()[1].endswith(counted)
    assert "  torch.exp  OK\n" in checked(verbose=True)[1]
