"""What torch's own check and forward mode say beside a verdict."""

import pytest

from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use


def test_forward_mode_agrees_and_a_function_without_it_is_told(checked, off):
    (found,) = checked("sin(x**2).sum()", {"x": "[1.,2.]"}, forward=True).gradients
    assert found.grounds.forward.agrees
    assert found.grounds.forward.values == pytest.approx(found.autograd, rel=1e-6)
    (found,) = checked("off(x)", {"x": "1."}, use=off(1.0), forward=True).gradients
    assert found.grounds.forward.values is None
    assert found.grounds.forward.sentence.startswith("no forward mode: You must implement the jvp function")


JVP = """
import torch

class Thrice(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 3

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * {factor}
"""


@pytest.mark.parametrize("source", ["f(x)", "sin(f(x))*x", "f(sin(x)).sum()"])
def test_a_wrong_jvp_is_wrong_in_forward_mode_and_named(checked, tmp_path, source):
    file = tmp_path / "thrice.py"
    file.write_text(JVP.replace("{factor}", "6"))
    use = (Use("f", str(file), "Thrice.apply"),)
    report = checked(source, {"x": "0.4"}, use=use, dtype="float64", forward=True)
    (found,) = report.gradients
    assert (found.verdict, report.status) == (Verdict.WRONG, 1)
    assert found.sentence.startswith("forward mode (jvp) gives other slopes than backward (vjp)")
    (guilty,) = found.grounds.guilty
    assert guilty.text.startswith("f(")
    assert guilty.sentence == f"{file}:18, Thrice.jvp is wrong"
    assert guilty.given == pytest.approx(2 * guilty.reference)
    assert found.grounds.next == f"mend the jvp of {guilty.text}"
    assert checked(source, {"x": "0.4"}, use=use, dtype="float64").status == 0
    file = tmp_path / "right.py"
    file.write_text(JVP.replace("{factor}", "3"))
    use = (Use("f", str(file), "Thrice.apply"),)
    (right,) = checked(source, {"x": "0.4"}, use=use, dtype="float64", forward=True).gradients
    assert (right.verdict, right.grounds.forward.agrees) == (Verdict.OK, True)


@pytest.mark.parametrize(
    ("source", "x", "passed", "words"),
    [
        ("sin(x)", "1.", True, ""),
        ("abs(x)", "0.", True, "the middle of two slopes"),
        ("relu(x)", "0.", False, "a little aside of these values it says True"),
        ("x.detach()*x", "2.", False, "it moves what is cut off as well"),
        ("log(exp(x)+1)-x", "12.", True, "it was asked in float64"),
    ],
)
def test_torch_is_asked_and_where_it_differs_is_explained(checked, source, x, passed, words):
    asked = checked(source, {"x": x}, torch=True).checks.torch
    assert asked.passed is passed
    assert words in asked.differs
    assert bool(asked.differs) is bool(words)


@pytest.mark.parametrize(
    ("source", "chosen", "said"),
    [
        ("sin(x)", {"dtype": "float64"}, "True, in float64"),
        (
            "sin(x)",
            {"dtype": "float16"},
            "True, in float64; in float16, as it is run, torch says: Jacobian mis",
        ),
        (
            "F.dropout(x).sum()",
            {"dtype": "float64"},
            "True, in float64 and under one random state; drawing anew, as it is run, torch says: Jacobian",
        ),
    ],
)
def test_torch_s_answer_says_what_it_was_asked_of(checked, source, chosen, said):
    asked = checked(source, {"x": "linspace(1,2,30)"}, torch=True, **chosen).checks.torch
    assert asked.passed
    assert asked.said.startswith(said)


def test_what_stands_in_torch_s_way_is_no_answer(checked, refusing):
    asked = checked("f(x)", {"x": "1.1"}, use=refusing(2), dtype="float64", torch=True).checks.torch
    assert asked.passed is None
    assert asked.said == "torch.autograd.gradcheck cannot answer: only of what adds up to 1.1"


def test_a_step_with_which_torch_agrees_is_tried(checked):
    asked = checked("sin(1e5*x)", {"x": "1."}, torch=True).checks.torch
    assert (asked.passed, asked.differs) == (False, "with a step of 1e-08 in place of 1e-06 it says True")
