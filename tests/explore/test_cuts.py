"""Cuts of the graph in programs: told where a variable holds what was cut, with the slope without it."""

import pytest
import torch

from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Verdict
from autograd_cli.run.needed import made_of
from autograd_cli.run.program import run_program
from autograd_cli.run.recording import RELEASED
from autograd_cli.run.settings import Settings, Use
from autograd_cli.run.tape import BoundValue

CUTS = {
    "y = x.detach()\nz = y*x": ("x.detach()", 1, 3.0, 6.0),
    "with torch.no_grad():\n    y = x*2\nz = y*x": ("x*2", 2, 6.0, 12.0),
    "s = x.item()\nz = s*x": ("x.item()", 1, 3.0, 6.0),
    "y = x.data\ny = y*2 + 1\nz = y*x": ("x.data", 1, 7.0, 13.0),
    "def g(a):\n    b = a.detach()\n    return b*a\nz = g(x)": ("a.detach()", 2, 3.0, 6.0),
    "def g(a, b):\n    return a*b\nz = g(x.detach(), x)": ("x.detach()", 3, 3.0, 6.0),
    "ys = x.detach(), x\nz = ys[0]*ys[1]": ("x.detach()", 1, 3.0, 6.0),
    "y = x.detach()\nz = y*x\nz.backward()": ("x.detach()", 1, 3.0, 6.0),
}
"""By the program, at x = 3: the text and the line of the cut, autograd's slope and that without the cut."""


def judged(report):
    return [*report.gradients, *(one for row in report.backwards for one in row.gradients)][-1]


@pytest.mark.parametrize("program", CUTS)
def test_a_cut_that_a_variable_holds_is_told(explored, program):
    text, line, slope, without = CUTS[program]
    report = explored(program, ("x", "3."), check=True)
    found = judged(report)
    assert (report.status, found.verdict, found.autograd) == (0, Verdict.OK, slope)
    assert "stop-gradient" in found.notes
    assert [(cut.text, cut.line) for cut in found.grounds.cuts] == [(text, line)]
    assert found.grounds.uncut == pytest.approx(without)


@pytest.mark.parametrize("program", CUTS)
def test_through_detach_such_a_cut_is_wrong(explored, program):
    text, _, slope, without = CUTS[program]
    report = explored(program, ("x", "3."), check=True, through_detach=True)
    found = judged(report)
    assert (report.status, found.verdict, found.autograd) == (1, Verdict.WRONG, slope)
    assert found.numeric == pytest.approx(without)
    assert f"the graph is cut at {text}" in found.sentence


def test_a_leaf_behind_a_cut_alone_has_a_row(explored):
    report = explored("y = x.detach()\nz = y*w", ("x", "3."), ("w", "2."), check=True)
    assert [(one.name, one.verdict) for one in report.gradients] == [("w", Verdict.OK), ("x", Verdict.OK)]
    assert report.gradients[1].grounds.uncut == pytest.approx(2.0)
    through = explored("y = x.detach()\nz = y*w", ("x", "3."), ("w", "2."), check=True, through_detach=True)
    assert [one.verdict for one in through.gradients] == [Verdict.OK, Verdict.WRONG]


CONSTANTS = [
    "c = 2*ones(1)\nz = (c*x).sum()",
    "c = ones(1)\na = c + x\nc += 1\nz = (a*x + c*x).sum()",
    "n = len([x, x])\nz = n*x",
]


@pytest.mark.parametrize("program", CONSTANTS)
@pytest.mark.parametrize("through", [False, True])
def test_what_is_made_of_no_leaf_is_no_cut(explored, program, through):
    report = explored(program, ("x", "3."), check=True, through_detach=through)
    (found,) = report.gradients
    assert (report.status, found.verdict, found.grounds.cuts) == (0, Verdict.OK, ())


def test_many_rounds_of_a_loop_let_go_of_the_graphs_before():
    source = "h = x\nfor i in range(200):\n    h = (h*x).tanh()\n    h = h.detach()\nz = h*x"
    x = BoundValue("x", "0.5", torch.tensor(0.5, requires_grad=True), "leaf")
    for keeps, rounds in ((True, RELEASED), (False, 0)):
        ran = run_program(parse(Source(source)), [x], Settings(keeps=keeps))
        held, count = ran.names["h"], 0
        while made_of(held)[0]:
            held, count = made_of(held)[0][0].args[0].args[0], count + 1
        assert count == rounds


def test_a_hook_on_the_way_is_named_with_its_line(explored, tmp_path):
    (tmp_path / "own.py").write_text(
        "def hooked(x):\n    y = x*1\n    y.register_hook(lambda g: g*1.1)\n    return y\n"
    )
    use = Use("h", str(tmp_path / "own.py"), "hooked")
    program = "y = x*2\ny = h(y)\nz = (y*y).sum()\nz.backward()"
    report = explored(program, ("x", "[3.,1.]"), check=True, use=(use,))
    (found,) = report.backwards[0].gradients
    assert found.verdict is Verdict.WRONG
    assert [(one.text, one.line) for one in found.grounds.guilty] == [("h(y)", 2)]
    assert found.grounds.guilty[0].relative == pytest.approx(1 / 11)
