"""What came of showing a finding again, as text."""

import pytest

from autograd_cli.report import Finding, Severity
from autograd_cli.report.diagnosis import Diagnosis, Placed
from autograd_cli.report.reproduced import Outcome, Reproduced
from autograd_cli.views.diagnosis import render

FINDING = Finding("AGX401", "nonscalar-loss-backward", Severity.ERROR, "It has no one gradient.")


def text(of, form="plain", width=80):
    return render(
        Diagnosis("a.log", 3, (Placed(FINDING, reproduced=of),), 1), form, width=width, colour=False
    )


def made(outcome, passed=True):
    return Reproduced(
        "2.13.0", outcome, "agx trace program.py", "x = 1\n\ny = [x]\n", "E: no", "x = 2\n", passed
    )


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.RAISED, "torch 2.13.0 raises the same from this:"),
        (Outcome.REWORDED, "torch 2.13.0 raises it in other words from this:"),
        (Outcome.SILENT, "torch 2.13.0 does not say so of this, which has the same mistake:"),
        (Outcome.GONE, "torch 2.13.0 no longer raises it: this comes to its end:"),
    ],
)
def test_what_came_of_it_is_said_before_the_program(outcome, line):
    assert f"\n  reproduced  {line}\n       x = 1\n\n       y = [x]\n  torch says  E: no\n" in text(
        made(outcome)
    )


def test_the_repaired_program_follows_with_what_came_of_it():
    assert "\n  repaired  this comes to its end, nothing is found in it:\n       x = 2\n" in text(
        made(Outcome.RAISED)
    )
    assert "\n  repaired  this does not come to its end here:\n" in text(made(Outcome.RAISED, False))
    assert "repaired" not in text(made(Outcome.GONE))


def test_of_a_long_program_the_lines_are_shown_that_the_repair_changes():
    lines = [f"x{at} = {at}" for at in range(9)]
    broken, repaired = "\n".join(lines), "\n".join([*lines[:4], "x4 = 4.0", *lines[5:]])
    shown = text(Reproduced("2.13.0", Outcome.RAISED, "", broken, "", repaired, True))
    assert shown.count("x3 = 3") == 1
    assert "nothing is found in it:\n   5 - x4 = 4\n   5 + x4 = 4.0\n  agx explain" in shown


def test_what_is_not_run_says_what_it_takes():
    of = Reproduced("2.13.0", Outcome.NOT_HERE, needs="two\x1b CUDA devices")
    said = "no program shows it on every machine: it takes two\\x1b CUDA devices"
    assert f"\n  reproduced  {said}\n  agx explain AGX401\n" in text(of)


def test_nothing_is_said_where_nothing_was_asked():
    assert "reproduced" not in text(None)


def test_a_program_is_not_broken_at_the_width_of_a_terminal():
    of = Reproduced("2.13.0", Outcome.RAISED, program=f"x = [{', '.join(['1'] * 40)}]\n")
    assert f"       {of.program}" in text(of, "rich", 40)
