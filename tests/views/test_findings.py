"""The head of a finding: its name, and the place that it is about."""

from dataclasses import replace

import pytest

from autograd_cli.report.records import Finding, Severity
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
