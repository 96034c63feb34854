"""A rule that fails costs nothing but its own finding: a note says so, and the rest of the report stands."""

import pytest

from autograd_cli.diagnose import failures, faults, inspections, seconds
from autograd_cli.diagnose.programs import failing, table
from autograd_cli.errors import LimitError
from autograd_cli.explore import Options, explore

HEAD = "import torch\nx = torch.tensor([0., 4.], requires_grad=True)\n"
FAILED = (
    "agx itself failed in its rule for {} (KeyError: 'no', at test_faults.py:{}); "
    "the rest of the report stands."
)


@pytest.fixture(autouse=True)
def _as_for_a_person(monkeypatch):
    monkeypatch.setattr(faults, "RAISED", False)


def broken(*given):
    """AGX502, as a rule with a fault in it."""
    raise KeyError("no")


LINE = broken.__code__.co_firstlineno + 2


def with_broken(monkeypatch, module, name, code):
    monkeypatch.setattr(module, name, ((code, broken), *getattr(module, name)))


CASES = {
    "expression": (inspections, "INSPECTIONS", "AGX502", "sqrt(x).sum()", [("x", "[0.,4.]")]),
    "expression that fails": (failures, "FAILURES", "AGX302", "x + y", [("x", "[1.,2.]"), ("y", "ones(3)")]),
    "program": (table, "INSPECTIONS", "AGX415", f"{HEAD}x.sqrt().sum().backward()\n", []),
    "backward of a program": (table, "ROOTS", "AGX502", f"{HEAD}x.sqrt().sum().backward()\n", []),
    "program that fails": (failing, "ENDINGS", "AGX409", f"{HEAD}y = x @ torch.ones(3, 3)\n", []),
    "last resort": (failures, "LAST", "AGX344", "linalg.cholesky(x)", [("x", "[[1.,2.],[2.,1.]]")]),
}


@pytest.mark.parametrize(("module", "name", "code", "source", "bindings"), CASES.values(), ids=CASES)
def test_the_rest_of_the_report_stands(module, name, code, source, bindings, monkeypatch):
    before = explore(source, bindings)
    assert before.findings
    with_broken(monkeypatch, module, name, code)
    after = explore(source, bindings)
    *rest, note = after.findings
    assert (tuple(rest), after.status) == (before.findings, before.status)
    assert (note.code, note.name, note.severity) == ("AGX609", "agx-failed", "note")
    assert note.sentence == FAILED.format(code, LINE)
    assert note.evidence == {"rule": code, "error": "KeyError"}
    assert "report this line" in note.fix[0].text


def test_a_second_derivative_stands(monkeypatch):
    monkeypatch.setattr(seconds, "SECONDS", (("AGX425", broken),))
    report = explore("x**3", [("x", "2.")], Options(order=2))
    assert report.second.blocks[0].autograd == 12.0
    assert FAILED.format("AGX425", LINE) in [each.sentence for each in report.findings]


@pytest.mark.parametrize(
    ("module", "source", "bindings"),
    [
        (inspections, "sqrt(x).sum()", [("x", "[0.,4.]")]),
        (table, f"{HEAD}x.sqrt().sum().backward()\n", []),
        (failures, "x.view(3)", [("x", "ones(2,3)")]),
        (failing, f"{HEAD}x.view(3)\n", []),
    ],
)
def test_a_finding_stands_whose_repairs_cannot_be_run(module, source, bindings, monkeypatch):
    before = explore(source, bindings)
    monkeypatch.setattr(module, "tried", broken)
    found, note = explore(source, bindings).findings
    assert (found.code, found.sentence) == (before.findings[0].code, before.findings[0].sentence)
    assert note.sentence == FAILED.format(found.code, LINE)


def test_a_note_is_made_once_for_all_backwards(monkeypatch):
    with_broken(monkeypatch, table, "ROOTS", "AGX502")
    report = explore(f"{HEAD}(x**2).sum().backward()\n(x**3).sum().backward()\n", [])
    assert [each.code for each in report.findings].count("AGX609") == 1


def test_a_limit_that_is_reached_is_no_fault(monkeypatch):
    def limited(scene):
        raise LimitError("AGX603", "Too long.")

    monkeypatch.setattr(inspections, "INSPECTIONS", (("AGX502", limited),))
    with pytest.raises(LimitError):
        explore("x*2", [("x", "2.")])


def test_tests_see_every_fault(monkeypatch):
    monkeypatch.setattr(faults, "RAISED", True)
    with_broken(monkeypatch, inspections, "INSPECTIONS", "AGX502")
    with pytest.raises(KeyError):
        explore("x*2", [("x", "2.")])
