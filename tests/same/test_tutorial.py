"""Programs as tutorials have them: what is right ends well and is silent, what is wrong is found."""

import re
import sys
import types
from pathlib import Path

import pytest

from autograd_cli.explore import explore
from autograd_cli.report import Report
from tests.same.runs import compared

FOLDER = Path(__file__).parent / "tutorial"
RIGHT, WARNED, FAILING = (sorted((FOLDER / kind).glob("*.py")) for kind in ("right", "warned", "failing"))
EVERY = [*RIGHT, *WARNED, *FAILING]
TORCH_SAYS_NOTHING = {"two_devices"}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def report_of(path: Path) -> Report:
    return explore(text_of(path), [])


@pytest.fixture(autouse=True)
def _something_to_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """What programs import and never use need not be installed."""
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))


def test_there_are_forty() -> None:
    assert len(EVERY) >= 40


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_it_comes_to_the_same_as_in_python(path: Path) -> None:
    if path.stem in TORCH_SAYS_NOTHING:
        pytest.skip("torch computes with memory that it never filled")
    assert compared(text_of(path)) == []


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_one_gets_no_finding(path: Path) -> None:
    report = report_of(path)
    assert ([finding.name for finding in report.findings], report.status) == ([], 0)


@pytest.mark.parametrize("path", WARNED, ids=lambda path: path.stem)
def test_a_suspicious_one_gets_the_finding_that_it_names(path: Path) -> None:
    expected = re.search(r"^# expects: (\w+)$", text_of(path), re.MULTILINE)
    report = report_of(path)
    assert expected
    assert ({finding.code for finding in report.findings}, report.status) == ({expected[1]}, 0)


@pytest.mark.parametrize("path", FAILING, ids=lambda path: path.stem)
def test_a_failing_one_ends_with_a_finding(path: Path) -> None:
    report = report_of(path)
    assert report.status == 1
    assert [finding.severity.value for finding in report.findings].count("error") == 1
