"""A value that is one call of sizes is made by that call, as the interpreter makes it."""

import pytest
import torch

from autograd_cli.lang.parse import parse_expression
from autograd_cli.lang.source import Source
from autograd_cli.run.creation import created
from autograd_cli.run.record import evaluate, torch_state
from autograd_cli.run.settings import Settings


@pytest.mark.parametrize(
    "text", ["randn(10, 3)", "torch.rand(2)", "zeros(0)", "ones(2, 1, 4)", "randn(3, 3, 3)", "zeros(4)"]
)
def test_it_is_what_the_interpreter_makes(text):
    program = parse_expression(Source(text))
    for seed in (0, 7):
        settings = Settings(seed=seed)
        with torch_state(settings):
            made = created(program, (), settings)
            after = torch.randn(2)
        with torch_state(settings):
            value, _ = evaluate(program, (), settings)
            assert torch.equal(torch.randn(2), after)
        assert made is not None
        assert made.dtype == value.dtype
        assert torch.equal(made, value)


@pytest.mark.parametrize(
    "text",
    [
        "randn(-1)",
        "zeros()",
        "randn(2.0)",
        "ones((2, 3))",
        "zeros(2, dtype=float64)",
        "zeros(2) + 1",
        "sin(2)",
        "zeros(10**3)",
        "ones(2000, 1000)",
        "linspace(0, 1, 5)",
    ],
)
def test_all_else_is_left_to_the_interpreter(text):
    assert created(parse_expression(Source(text)), (), Settings()) is None


def test_a_name_with_a_value_is_no_function():
    assert created(parse_expression(Source("zeros(2)")), ("zeros",), Settings()) is None


@pytest.mark.parametrize(
    "settings",
    [
        Settings(mode="inference_mode"),
        Settings(autocast="bfloat16"),
        Settings(device="meta"),
        Settings(max_steps=0),
    ],
)
def test_settings_that_may_change_it_leave_it_to_the_interpreter(settings):
    assert created(parse_expression(Source("zeros(2)")), (), settings) is None
