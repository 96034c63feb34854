"""Mistakes that torch does not tell of, each in several forms, and what looks like them and is right.

The files under `silent` hold programs, each under a line `=== AGX000 name`, or `=== right name`.
"""

from pathlib import Path

import pytest

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Report

FOLDER = Path(__file__).parent / "silent"


def programs(path):
    """What a file expects of its programs, their names and their texts."""
    for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, text = part.partition("\n")
        expected, name = head.split()
        yield pytest.param(expected, text, id=f"{path.stem}-{name}")


EVERY = [program for path in sorted(FOLDER.glob("*.txt")) for program in programs(path)]
WRONG = [program for program in EVERY if program.values[0] != "right"]
RIGHT = [program for program in EVERY if program.values[0] == "right"]


def loud(report: Report) -> set[str]:
    """The codes of the warnings and errors of a report."""
    return {each.code for each in report.findings if each.severity != "note"}


@pytest.mark.parametrize(("expected", "text"), WRONG)
def test_a_mistake_that_torch_does_not_tell_of_is_warned_of_and_nothing_else(expected, text):
    report = explore(Source(text, "program.py"), [])
    assert (loud(report), report.status) == ({expected}, 0)


@pytest.mark.parametrize(("expected", "text"), RIGHT)
def test_what_looks_like_it_and_is_right_is_silent(expected, text):
    report = explore(Source(text, "program.py"), [])
    assert (loud(report), report.status) == (set(), 0)


NO_WAY_ROUND = ("to_int64",)
"""Where no repair is known: the places in a table have no slope, whatever is written."""


@pytest.mark.parametrize(("expected", "text"), WRONG)
def test_no_finding_offers_failed_repairs_alone(expected, text, request):
    if request.node.callspec.id.endswith(NO_WAY_ROUND):
        pytest.skip("no repair is known")
    every = explore(Source(text, "program.py"), []).findings
    failed = [each.sentence for each in every if each.fix and all(fix.passed is False for fix in each.fix)]
    assert failed == []


@pytest.mark.parametrize(("expected", "text"), WRONG)
def test_a_repair_that_is_said_to_work_leaves_nothing_of_the_kind(expected, text):
    every = explore(Source(text, "program.py"), []).findings
    fixes = [fix for each in every for fix in each.fix if fix.passed]
    for fix in fixes[:1]:
        assert expected not in loud(explore(Source(fix.program, "program.py"), []))
