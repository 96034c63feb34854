"""The head of a finding: its name, and the place that it is about."""

from dataclasses import replace

import pytest

from autograd_cli.report.records import Finding, Fix, Severity
from autograd_cli.views import render

FOUND = Finding("AGX301", "matmul-shape-mismatch", Severity.ERROR, "No.", span=(0, 1), line=3)


@pytest.mark.parametrize(
    ("name", "where"), [("loss.py", "loss.py line 3"), ("-", "standard input line 3"), ("", "(AGX301)")]
)
def test_a_finding_says_where_it_is(stored, name, where):
    report = replace(stored("sin"), name=name, findings=(FOUND,))
    drawn = render(report, "plain", width=None, colour=False)
    (head,) = [line for line in drawn.splitlines() if line.startswith("error matmul-shape-mismatch")]
    assert head.endswith(where)


OPERANDS = [
    {"text": "x", "shape": [2, 3], "dtype": "float32", "device": "cpu"},
    {"text": "w", "shape": [3, 2], "dtype": "float64", "device": "meta"},
]


def test_operands_stand_with_dtype_and_device_where_the_drawing_has_none(stored):
    found = replace(FOUND, cause=("x  (2,3)",), evidence={"operands": OPERANDS})
    drawn = render(replace(stored("sin"), findings=(found,)), "plain", width=None, colour=False)
    assert "    given  x (2,3) float32 on cpu · w (3,2) float64 on meta\n" in drawn
    said = replace(found, cause=("x  float32  cpu", "w  float64  meta"))
    assert "given" not in render(replace(stored("sin"), findings=(said,)), "plain", width=None, colour=False)


def test_it_is_said_where_no_repair_works(stored):
    found = replace(FOUND, torch="sizes differ", fix=(Fix("try this", "x", ran=True, passed=False),))
    drawn = render(replace(stored("sin"), findings=(found,)), "plain", width=None, colour=False)
    assert "  fix  none that agx tried works\n" in drawn
    assert "try this" not in drawn
    advised = replace(found, fix=(Fix("write it otherwise"),))
    drawn = render(replace(stored("sin"), findings=(advised,)), "plain", width=None, colour=False)
    assert "none that agx tried works" not in drawn


DRAWN = "needed  line 6  torch.tanh(inp @ weight)  TanhBackward0 kept its result"


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (80, [DRAWN]),
        (60, ["needed  line 6  torch.tanh(inp @ weight)", " " * 18 + "TanhBackward0 kept its result"]),
        (
            40,
            [
                "needed  line 6",
                " " * 10 + "torch.tanh(inp @ weight)",
                " " * 10 + "TanhBackward0 kept its",
                " " * 10 + "result",
            ],
        ),
    ],
)
def test_columns_that_there_is_no_room_for_go_on_below(stored, width, rows):
    report = replace(stored("sin"), findings=(replace(FOUND, cause=(DRAWN,)),))
    drawn = render(report, "rich", width=width, colour=False).splitlines()
    first = drawn.index("    " + rows[0])
    assert drawn[first : first + len(rows)] == ["    " + row for row in rows]
