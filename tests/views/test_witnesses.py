"""The block of a gradient and its verdict: notes, places, and what is said where nothing flows."""

from dataclasses import replace

import pytest

from autograd_cli.report.records import Gradient, Verdict
from autograd_cli.views import render

COMPARED = Gradient(
    "b", (1,), "2*b", "", "", (4.0,), (4.0,), (4.0,), 1e-9, 1e-7, 1e-6, (0,), Verdict.OK, notes=("2 is two",)
)
CUT = Gradient(
    "x",
    (),
    None,
    "",
    "",
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Verdict.OK,
    sentence="x reaches the output only through what is cut",
    notes=("stop-gradient",),
)


@pytest.fixture
def shown(stored):
    """The lines of a report with these gradients, as trace shows them or, with `check`, gradcheck."""

    def show(*gradients, check=False):
        report = replace(stored("sin"), gradients=gradients)
        return render(report, "plain", width=None, colour=False, check=check).splitlines()

    return show


def test_a_note_stands_in_the_block_of_its_gradient(shown):
    lines = shown(COMPARED, CUT)
    assert lines[lines.index("d/db = 2*b") :][:7] == [
        "d/db = 2*b",
        "     autograd 4   formula 4   numeric 4 ± 1e-9",
        "     agree · autograd (float32) is 1e-7 off; rounding allows 1e-6",
        "     2 is two",
        "d/dx",
        "     no gradient flows: x reaches the output only through what is cut",
        "     stop-gradient: what is cut off counts as a constant, here as for autograd",
    ]


def test_a_note_on_a_number_is_said_once_and_one_on_a_gradient_each_time(shown):
    lines = shown(COMPARED, replace(COMPARED, name="c"), CUT, replace(CUT, name="y"))
    assert sum(line.strip() == "2 is two" for line in lines) == 1
    assert sum(line.strip().startswith("stop-gradient: ") for line in lines) == 2


def test_gradcheck_tells_of_a_gradient_that_does_not_flow(shown):
    lines = shown(COMPARED, CUT, check=True)
    assert " d/dx   no gradient flows: x reaches the output only through what is cut" in lines
    assert "    stop-gradient: what is cut off counts as a constant, here as for autograd" in lines


def test_one_element_needs_no_index(shown):
    for check in (False, True):
        assert not any("[0]" in line for line in shown(COMPARED, check=check))
        two = replace(COMPARED, shape=(2,), symbolic=(4.0, 0.0), autograd=(4.0, 0.0), numeric=(4.0, 0.0))
        assert any("[0]" in line for line in shown(two, check=check))
