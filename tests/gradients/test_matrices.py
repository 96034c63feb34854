"""The matrix of a second derivative as a person writes it: signs and numbers before products."""

import pytest

from autograd_cli.gradients.second.check import second
from autograd_cli.report import Verdict

GIVEN = {"X": "randn(3,3)", "x": "randn(3)", "y": "[1.,-1.,1.]", "const": "X y"}


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("-(x@x)/2", "-eye(3)"),
        ("-log(sigmoid(-x)).sum()", "diag(sigmoid(-x)*(1 - sigmoid(-x)))"),
        ("((X@x-x)**2).mean()", "2/3 * (X.T@X + eye(3) - X - X.T)"),
        ("-sin(X@x).sum()", "X.T @ (X*sin(X@x)[:, None])"),
        ("x.norm()", "eye(3)/x.norm() - outer(x/x.norm(), x/x.norm()**2)"),
        (
            "log(1+exp(-y*(X@x))).mean()",
            (
                "1/3 * (X.T@(X*y[:, None]*(y*exp(-y*(X@x)))[:, None]/(1 + exp(-y*(X@x)))[:, None]) - "
                "X.T@(X*(y*exp(-y*(X@x)))[:, None]**2/((1 + exp(-y*(X@x)))**2)[:, None]))"
            ),
        ),
    ],
)
def test_signs_and_numbers_stand_before_products(traced, source, formula):
    (block,) = second(traced(source, **GIVEN), None, None).blocks
    assert (block.formula, block.verdict) == (formula, Verdict.OK)
