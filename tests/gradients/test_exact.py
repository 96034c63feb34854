"""The formula as it is printed, run in float64."""

import pytest
import torch

from autograd_cli.gradients.exact import Formulas
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source


def exact(run, formula, name="x"):
    return Formulas(run).evaluate(parse(Source(formula)).body, run.leaves[name])


def test_a_formula_is_evaluated_at_the_bindings_in_float64(traced):
    run = traced("sin(x**2)", dtype="float32", x="2.")
    found = exact(run, "2*x*cos(x**2)")
    assert found.formula == "2*x*cos(x**2)"
    assert found.values.item() == pytest.approx(-2.6145744834544478, abs=1e-15)
    assert 1e-16 < found.doubt().item() < 1e-13
    assert found.reason == ""


def test_a_formula_that_cancels_has_a_wide_error(traced):
    run = traced("x*2", x="1.")
    assert exact(run, "1e8*x - (1e8*x - 2)").doubt().item() > 1e-9


def test_a_number_stands_for_every_element(traced):
    assert exact(traced("sum(x)*3", x="[1.,2.]"), "3").values.tolist() == [3.0, 3.0]


def test_a_formula_of_another_shape_has_no_value(traced):
    found = exact(traced("sum(x)", x="[1.,2.]"), "ones(3)")
    assert found.values is None
    assert found.reason == "its value has shape (3,), the binding (2,)"


def test_a_formula_that_torch_refuses_has_no_value(traced):
    found = exact(traced("sum(x)", x="[1.,2.]"), "x @ ones(3)")
    assert found.values is None
    assert found.reason.startswith("inconsistent tensor size")


def test_a_formula_that_is_one_name_is_evaluated_beside_what_was_cut(traced):
    run = traced("x*y + x.detach()*y.detach()", x="2.", y="3.")
    assert exact(run, "y").values.item() == 3.0


def test_what_was_drawn_has_its_recorded_value(traced):
    run = traced("x*randn(3)", dtype="float32", x="2.")
    drawn = next(step.value for step in run.steps if step.held)
    assert exact(run, "sum(randn( 3 ))").values.item() == float(drawn.double().sum())


def test_a_comparison_has_its_recorded_value(traced):
    run = traced("where(log(exp(x)+1) > 0, x, 2*x)", dtype="bfloat16", x="-14.6")
    assert float(run.output.detach()) == -29.25
    assert exact(run, "where(log(exp(x) + 1) > 0, 1., 2.)").values.item() == 2.0


def test_a_cast_in_a_formula_is_float64(traced):
    run = traced("x.half()*3", dtype="float32", x="0.1")
    assert exact(run, "x.half()").values.item() == float(torch.tensor(0.1))


def test_the_default_dtype_is_restored(traced):
    exact(traced("x*2", dtype="float32", x="2."), "x*ones(1)")
    assert torch.get_default_dtype() == torch.float32


def test_a_formula_that_cannot_be_evaluated_nearby_says_nothing_certain(traced, monkeypatch):
    found = exact(traced("x*2", x="1."), "2*x")

    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr("autograd_cli.gradients.exact.value_errors", fails)
    assert found.doubt().tolist() == [float("inf")]
