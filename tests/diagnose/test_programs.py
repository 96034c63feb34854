"""Programs as people write them: right ones get no finding, others the one they should, with its fix.

Those under `programs/wrong` say in their first lines what is expected: a code, a severity and a
line; then words of a repair that works.
"""

import re
from pathlib import Path

import pytest

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Report

FOLDER = Path(__file__).parent / "programs"
RIGHT = sorted((FOLDER / "right").glob("*.py"))
WRONG = sorted((FOLDER / "wrong").glob("*.py"))
EXPECTED = re.compile(r"# expect: (AGX\d{3}) (\w+) (\d+)\n(?:# fix: (.+)\n)?")


def report_of(path: Path) -> Report:
    """The report of a program in a file."""
    return explore(Source(path.read_text(), path.name), [])


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, int | None]]:
    """What findings are, and where."""
    return [(each.code, each.severity.value, each.line) for each in findings]


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_program_gets_no_finding(path):
    report = report_of(path)
    assert told(report.findings) == []
    assert report.status == 0
    assert not any(statement.claim for statement in report.statements)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_mistake_gets_its_finding_and_no_other(path):
    report = report_of(path)
    code, severity, line, fix = EXPECTED.match(path.read_text()).groups()
    assert told(report.findings) == [(code, severity, int(line))]
    assert report.status == int(severity == "error")
    assert not any(f.fix and all(each.passed is False for each in f.fix) for f in report.findings)
    if fix:
        offered = [each for each in report.findings[0].fix if fix in each.text]
        assert offered
        assert all(each.passed is not False for each in offered)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_repair_that_is_said_to_work_says_nothing_of_the_kind_when_pasted(path):
    report = report_of(path)
    for finding in report.findings:
        for fix in finding.fix:
            if fix.passed:
                again = explore(Source(fix.program, path.name), [])
                assert finding.code not in {each.code for each in again.findings}, fix.program
                assert not any(each.severity == "error" for each in again.findings), fix.program
