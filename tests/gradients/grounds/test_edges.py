"""Gradients that are no number at the edge of a domain: the verdict, and what keeps the input inside."""

import pytest

from autograd_cli import explore
from autograd_cli.report import Verdict, Witness

NO_NUMBER = [
    ("(x**2).sqrt()", {"x": "[0.,0.]"}),
    ("sqrt((x**2).sum())", {"x": "[0.,0.]"}),
    ("sqrt(x**2 + y**2)", {"x": "0.", "y": "0."}),
    ("x**0.5", {"x": "0."}),
    ("x/x.norm()", {"x": "[0.,0.]"}),
    ("softmax(x, 0)", {"x": "[-inf,-inf]"}),
    ("0*log(x)", {"x": "0."}),
    ("where(x>0, sqrt(x), 0)", {"x": "[-1.,0.,4.]"}),
    ("where(x>0, log(x), x)", {"x": "[0.,4.]"}),
    ("sqrt(x*x[0])", {"x": "[0.,1.]"}),
]


@pytest.mark.parametrize("check", [False, True], ids=["trace", "gradcheck"])
@pytest.mark.parametrize(("source", "bindings"), NO_NUMBER)
def test_the_chain_rule_without_a_number_is_an_edge_in_trace_and_in_gradcheck(source, bindings, check):
    report = explore.explore(source, list(bindings.items()), explore.Options(check=check))
    assert {one.verdict for one in report.gradients} == {Verdict.DOMAIN_EDGE}
    assert "AGX501" not in {finding.code for finding in report.findings}


@pytest.mark.parametrize("source", ["x.std()", "norm(x)"])
def test_a_rule_of_torchs_that_takes_care_of_the_edge_leaves_a_kink(checked, source):
    (found,) = checked(source, {"x": "zeros(3)"}).gradients
    assert found.verdict is Verdict.KINK


@pytest.mark.parametrize("x", ["1.1", "0."])
def test_a_backward_that_gives_nan_is_wrong(checked, off, x):
    (found,) = checked("off(x)", {"x": x}, use=off("float('nan')"), dtype="float64").gradients
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)


@pytest.mark.parametrize(
    ("source", "x", "said"),
    [
        ("sqrt(x)", "0.", "keep x above 0, as by x.clamp(min=1e-12)"),
        (
            "(x**2).sum().sqrt()",
            "[0.,0.]",
            "keep (x**2).sum() above 0, as by ((x**2).sum()).clamp(min=1e-12)",
        ),
        ("x/x.norm()", "[0.,0.]", "keep x.norm() above 0, as by x.norm().clamp(min=1e-12)"),
        ("x**0.5", "0.", "keep x above 0, as by x.clamp(min=1e-12)"),
        ("acos(x+1)", "0.", "keep x+1 between -1 and 1, as by (x+1).clamp(-1+1e-6, 1-1e-6)"),
        ("logit(x)", "1.", "keep x between 0 and 1, as by x.clamp(1e-6, 1-1e-6)"),
        ("log1p(x)", "-1.", "keep x above -1, as by x.clamp(min=-1+1e-6)"),
        ("log(x)", "-1.", "keep x above 0"),
        ("(1/x).sum()", "[0.,-1.]", "keep x away from 0"),
        ("1/x", "0.", "keep x away from 0"),
        ("x/x", "0.", "keep x away from 0"),
        ("1/(x-1)", "1.", "keep x-1 away from 0"),
        ("reciprocal(x).sum()", "[0.,1.]", "keep x away from 0"),
        ("1/x.abs()", "0.", "keep x.abs() above 0, as by x.abs().clamp(min=1e-12)"),
        ("1/(x**3).sum()", "[0.,0.]", "keep (x**3).sum() away from 0"),
        ("1/(x**2).sum()", "[0.,0.]", "keep (x**2).sum() above 0, as by ((x**2).sum()).clamp(min=1e-12)"),
        (
            "where(x>0, sqrt(x), 0)",
            "[0.,-1.]",
            "give sqrt(x) a safe operand where its value is not taken, by a where inside of it",
        ),
        ("softmax(x, 0)", "[-inf,-inf]", "keep the input where the function has finite values on both sides"),
    ],
)
def test_a_bound_is_named_where_one_fits(checked, source, x, said):
    (found,) = checked(source, {"x": x}).gradients
    assert (found.verdict, found.grounds.next) == (Verdict.DOMAIN_EDGE, said)
