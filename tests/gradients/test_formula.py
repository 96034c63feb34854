"""Formulas read by Python's grammar: the steps that the interpreter makes of the same text, or none."""

import pytest
import torch

from autograd_cli.gradients.formula import computed
from autograd_cli.gradients.replay import default_dtype
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.record import run
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue

PLAIN = [
    "cos(x)*2*x + 3",
    "-sin(x)**2/x",
    "-2*x**-3.0",
    "2/10*x",
    "pi*x",
    "2 + 3",
    "A.T @ v",
    "(A@v).sum()",
    "v.sum(0, keepdim=True)/3",
    "where(x > 0, 1.0, 0.0)*x",
    "ones_like(v)*x",
    "x.detach()*x",
    "softmax(v, 0)",
    "v.unsqueeze(1).expand(3, 2)",
]
OTHERS = [
    "v[0]*x",
    "abs(x)",
    "rand(3)*x",
    "x.clone().add_(1)",
    "x.to(torch.float16)",
    "x.half()*x",
    "x*A.float()",
    "v.unbind()",
    "empty(3)*x",
    "nothing*x",
    "v + v.expand(2)",
    "x.sum(",
    "v.shape",
    "torch.cos(x)",
    "+".join(["x"] * 1001),
]


@pytest.fixture
def bindings():
    values = {
        "x": torch.tensor(1.5),
        "v": torch.tensor([1.0, -2.0, 0.5]),
        "A": torch.arange(9.0).reshape(3, 3) / 7,
    }
    return [BoundValue(name, "", value.double().requires_grad_(), "leaf") for name, value in values.items()]


def described(steps):
    """All of the steps that a replay looks at, as plain data."""
    return [
        (
            step.index,
            step.kind,
            step.value.tolist() if isinstance(step.value, torch.Tensor) else step.value,
            step.function.path if step.function else "",
            repr(step.call),
            step.args,
            step.kwargs,
            step.held,
            step.name,
        )
        for step in steps
    ]


@pytest.mark.parametrize("text", PLAIN)
def test_the_steps_are_those_of_the_interpreter(text, bindings):
    with default_dtype(torch.float64):
        steps = computed(text, bindings).steps()
        made = run(parse(Source(text)), bindings, Settings(dtype="float64"))
    assert steps is not None
    assert made.root == len(steps) - 1
    assert described(steps) == described(made.steps)


@pytest.mark.parametrize("text", OTHERS)
def test_anything_else_is_left_to_the_interpreter(text, bindings):
    with default_dtype(torch.float64):
        assert computed(text, bindings) is None


def test_a_binding_hides_a_function(bindings):
    cos = BoundValue("cos", "", torch.tensor(2.0, dtype=torch.float64), "constant")
    (_, second, product) = computed("x*cos", [*bindings, cos]).steps()
    assert second.name == "cos"
    assert product.value.item() == 3.0
    assert computed("cos(x)", [*bindings, cos]) is None


def test_a_text_is_planned_for_tensors_and_for_numbers_apart(bindings):
    def x(value):
        return [BoundValue("x", "", value, "constant"), *bindings[1:]]

    with default_dtype(torch.float64):
        for value in (3, 2.5, torch.tensor(4.0), 3, torch.ones(3), True):
            steps = computed("(x + x)*v", x(value)).steps()
            made = run(parse(Source("(x + x)*v")), x(value), Settings(dtype="float64"))
            assert described(steps) == described(made.steps)


def test_a_name_that_a_binding_takes_is_no_function_any_more(bindings):
    (cos,) = (BoundValue("cos", "", torch.tensor(2.0), "leaf"),)
    assert computed("cos(x)", bindings) is not None
    assert computed("cos(x)", [*bindings, cos]) is None
    assert computed("cos(x)", bindings) is not None
