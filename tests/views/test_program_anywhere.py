"""A program's report on terminals of any width, in pipes, and with text that must not act on anything."""

import re
from dataclasses import replace

import pytest

from autograd_cli.lang.source import cells
from autograd_cli.report.records import Binding, Change, Inspection, Made, Round, Statement
from autograd_cli.views import render

ACTING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
HOSTILE = ["x[/i]", "\x1b[31mx", "x\ny", "a\tb", "\u202ex", "\ud800", "\x9b2J", "数学"]
PROGRAMS = ["accumulate", "loop", "sharing", "stopped", "claims"]


def drawn(report, width=None):
    form = "plain" if width is None else "rich"
    return render(report, form, width=width, colour=False)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(stored, name, width):
    text = drawn(stored(name), width)
    pasted = ("d/d", " d ", "   │", "     │", "       ")
    lines = [line for line in text.splitlines() if " │ " not in line and not line.startswith(pasted)]
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_text_does_not_depend_on_the_width(stored, name):
    assert render(stored(name), "plain", width=40, colour=False) == drawn(stored(name))
    for one in stored(name).statements if name != "stopped" else ():
        assert " ".join(one.text.split()) in drawn(stored(name))


def everywhere(report, text):
    """`report` with `text` in every place of a program where a person's or torch's text can stand."""
    made = Made(text, None, text, text, text=text)
    grown = Made(text, (), text, text, grad_fn=text, value=1.0)
    change = Change(text, text, 1.0, 2.0, 3.0, (text, text))
    one = Statement(
        1, (0, 1), text, 1, 2, (made, grown), (change,), (text,), Round(2, (made,), (change,), (text,)), text
    )
    backwards = tuple(
        replace(
            each,
            root=text,
            gradients=tuple(
                replace(g, name=text, formula=text, no_formula=text, sentence=text) for g in each.gradients
            ),
        )
        for each in report.backwards
    )
    binding = Binding(text, text, (), text, text, True, 1.0, text)
    nodes = tuple(node._replace(name=text, text=text) for node in report.graph.nodes)
    return replace(
        report, source=text, text=text, name=text, root=text, mode=text, autocast=text, grad_output=text,
        default_dtype=text, device=text, bindings=(binding,), statements=(one,), backwards=backwards,
        graph=replace(report.graph, nodes=nodes),
    )  # fmt: skip


@pytest.mark.parametrize("form", ["rich", "plain", "tsv", "dot", "python"])
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("kind", ["whole", "check", "inspected"])
def test_no_text_acts_on_a_terminal(stored, form, text, kind):
    report = everywhere(stored("loop"), text)
    if kind == "inspected":
        report = replace(report, inspected=Inspection(text, ((text, text),), ((text, ""),)))
    out = render(report, form, width=80, colour=False, check=kind == "check", verbose=True)
    left = out.replace("\t", "") if form in ("tsv", "dot") else out
    assert ACTING.findall(left) == []
