"""A rewrite that keeps an operand away from an edge does so once; then another is tried."""

import re

import pytest

from autograd_cli.explore import explore


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ("exp(x)**2", ["exp(where(x < 88., x, 0.))**2", "exp(x.clamp(max=88.)).double()**2"]),
        ("exp(x)**3", ["exp(where(x < 88., x, 0.))**3", "exp(x.clamp(max=88.)).double()**3"]),
    ],
)
def test_no_bound_is_put_twice(source, mended):
    (finding,) = explore(source, [("x", "100.")]).findings
    assert [fix.program for fix in finding.fix] == mended


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("exp(x)*exp(x)", "100."),
        ("(exp(x)*x.exp()).sqrt()", "100."),
        ("exp(exp(x)).sum()", "[100.,1.]"),
        ("log(log(x)).sum()", "[0.,4.]"),
        ("acos(acos(x)).sum()", "[2.,1.]"),
    ],
)
def test_no_operand_is_held_twice(source, value):
    fixes = [fix.program for each in explore(source, [("x", value)]).findings for fix in each.fix]
    assert fixes
    assert not any(re.search(r"(\.clamp\([^()]*\)) *\1", program) for program in fixes)


def test_operands_of_two_calls_are_each_held():
    (finding,) = explore("exp(exp(x)).sum()", [("x", "[100.,1.]")]).findings
    assert "exp(exp(x.clamp(max=88.)).clamp(max=88.)).sum()" in [fix.program for fix in finding.fix]
