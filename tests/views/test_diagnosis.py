"""A diagnosis as text and as JSON."""

import json

from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.report.diagnosis import Diagnosis, Frame, Placed
from autograd_cli.views import diagnosis as view

ERROR = Placed(
    Finding(
        code="AGX401",
        name="nonscalar-loss-backward",
        severity=Severity.ERROR,
        sentence="backward starts at `loss`, of shape [4].",
        line=12,
        torch="RuntimeError: grad can be implicitly created only for scalar outputs",
        cause=("a gradient is of one number",),
        fix=(Fix("loss.mean().backward()"),),
        also=("nonscalar-loss-dataparallel",),
    ),
    Frame("fit.py", 7, "step", "loss.backward()"),
    "2",
)
WARNING = Placed(Finding("AGX407", "silent-loss-broadcast", Severity.WARNING, "it broadcasts", line=3))

BOTH = Diagnosis("a.log", 20, (ERROR, WARNING), 1)

PLAIN = """\
error nonscalar-loss-backward (AGX401)                     rank 2 · log line 12
  fit.py:7 in step   loss.backward()
  backward starts at `loss`, of shape [4].
    a gradient is of one number
  torch says  RuntimeError: grad can be implicitly created only for scalar outputs
  fix  loss.mean().backward()
  also  nonscalar-loss-dataparallel
  agx explain AGX401

warning silent-loss-broadcast (AGX407)                               log line 3
  it broadcasts
  agx explain AGX407
"""


def test_the_whole_text():
    text = view.render(BOTH, "plain", width=80, colour=False)
    assert [line.split() for line in text.splitlines()] == [line.split() for line in PLAIN.splitlines()]
    assert [len(line) - len(line.lstrip()) for line in text.splitlines()] == [
        len(line) - len(line.lstrip()) for line in PLAIN.splitlines()
    ]


def test_a_terminal_shows_the_same_words_in_its_width():
    text = view.render(BOTH, "rich", width=60, colour=False)
    assert text.split() == view.render(BOTH, "plain", width=60, colour=False).split()
    pasted = {"  fit.py:7 in step   loss.backward()"}
    assert max(len(line) for line in text.splitlines() if line not in pasted) <= 60


def test_colours_only_where_they_are_asked_for():
    assert "\x1b[" in view.render(BOTH, "rich", width=80, colour=True)
    assert "\x1b[" in view.render(BOTH, "plain", width=80, colour=True)
    assert "\x1b[" not in view.render(BOTH, "plain", width=80, colour=False)


def test_what_a_log_holds_cannot_act_on_a_terminal():
    hostile = Placed(ERROR.finding, Frame("a\x1b[2J.py", 1, "f", "x = '\x1b]0;y\x07' [bold]"))
    for form in ("plain", "rich"):
        text = view.render(Diagnosis("-", 1, (hostile,), 1), form, width=80, colour=False)
        assert "\x1b" not in text
        assert "\\x1b[2J.py:1 in f   x = '\\x1b]0;y\\x07' [bold]" in text


def test_nothing_found_is_no_text():
    empty = Diagnosis("-", 1, (), 0)
    assert view.render(empty, "plain", width=80, colour=False) == ""
    assert view.render(empty, "rich", width=80, colour=False) == ""
    assert view.nothing(empty).startswith("1 line, and no error")


def test_json_is_a_finding_of_a_report_with_its_frame_and_rank():
    data = json.loads(view.render(BOTH, "json", width=80, colour=False))
    first, second = data.pop("findings")
    assert data == {"schema": "agx.diagnosis/1", "file": "a.log", "lines": 20, "status": 1}
    assert first["frame"] == {"file": "fit.py", "line": 7, "function": "step", "text": "loss.backward()"}
    assert (first["rank"], first["severity"], first["fix"][0]["text"]) == (
        "2",
        "error",
        "loss.mean().backward()",
    )
    assert (second["frame"], second["rank"]) == (None, None)


def test_tabs_in_what_torch_says_are_blanks():
    finding = Finding(
        "AGX331", "checkpoint-shape-mismatch", Severity.ERROR, "It differs", torch="E: of it:\n\tw"
    )
    text = view.render(Diagnosis("a.log", 1, (Placed(finding),), 1), "plain", width=80, colour=False)
    assert "  torch says  E: of it:\n                  w\n" in text
