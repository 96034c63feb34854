"""Sources judged from one end to the other: lies that are caught, and no false alarms."""

import random
from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients import check as checking
from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.check import check
from autograd_cli.lang.nodes import Binary, Number
from autograd_cli.report import Verdict, Witness

LIE = 1.0005


class Sine(torch.autograd.Function):
    """sin, whose backward is 0.05 % off."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0].cos() * LIE


SOURCES = [("sin(x**2)", "2."), ("sum(sin(x)*x)", "[0.3,-1.2,2.]"), ("sum(exp(sin(x)))", "randn(30,40)")]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("source", "x"), SOURCES)
def test_a_wrong_vjp_is_caught(judged, in_place_of_sin, dtype, source, x):
    in_place_of_sin(Sine)
    found = judged(source, dtype=dtype, x=x).gradients["x"]
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize(("source", "x"), SOURCES)
def test_a_wrong_rule_is_caught(judged, monkeypatch, dtype, source, x):
    def lying(*given):
        found = differentiate(*given)
        return {
            index: replace(one, formula=Binary("*", Number(LIE), one.formula)) for index, one in found.items()
        }

    differentiate = checking.differentiate
    monkeypatch.setattr(checking, "differentiate", lying)
    found = judged(source, dtype=dtype, x=x).gradients["x"]
    if found.directions is None:
        assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.SYMBOLIC)
    elif dtype != "bfloat16":
        assert found.verdict is Verdict.WRONG


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("source", "x"), SOURCES)
def test_a_wrong_cotangent_is_caught(traced, dtype, source, x):
    run = traced(source, dtype=dtype, x=x)
    made = backward(run, LIE * torch.ones_like(run.output))
    (found,) = check(run, made)
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.AUTOGRAD)


def test_one_wrong_element_is_found(traced):
    run = traced("sum(x**2)", x="[[1.,2.,3.],[4.,5.,6.]]")
    made = backward(run, None)
    made.leaves["x"][1, 2] *= LIE
    (found,) = check(run, made)
    assert (found.verdict, found.worst) == (Verdict.WRONG, (1, 2))
    assert found.difference == pytest.approx(12 * (LIE - 1), rel=1e-6)


# No false alarms

UNARY = [
    *(f"{name}({{}})" for name in ("sin", "cos", "tanh", "sigmoid", "atan", "erf", "relu", "abs")),
    *(f"F.{name}({{}})" for name in ("softplus", "gelu", "silu")),
    *("-({})", "({})**2", "exp(-({})**2)", "log1p(({})**2)", "sqrt(1+({})**2)", "log(exp({})+1)"),
]
BINARY = [
    *(f"({{}}){op}({{}})" for op in "+-*"),
    *("({})/(1+({})**2)", "maximum({},{})", "where({}>0,{},x)", "sum(({})*({}))"),
]


def expression(draw, depth):
    if not depth or draw.random() < 0.1:
        return draw.choice(["x", "x", "y", "0.3*x"])
    if draw.random() < 0.55:
        return draw.choice(UNARY).format(expression(draw, depth - 1))
    return draw.choice(BINARY).format(expression(draw, depth - 1), expression(draw, depth - 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("part", range(4))
def test_what_is_right_is_not_called_wrong(judged, dtype, part):
    for seed in range(25 * part, 25 * part + 25):
        draw = random.Random(seed)
        source = expression(draw, 4)
        bindings = {
            name: f"[{draw.gauss(0, 1):.5f},{draw.gauss(0, 1.5):.5f}]" for name in "xy" if name in source
        }
        for gradient in judged(source, dtype=dtype, **bindings).gradients.values():
            passes = (Verdict.OK, Verdict.KINK, Verdict.PRECISION)
            assert gradient.verdict in passes, (source, bindings, gradient.sentence)
            assert dtype == "bfloat16" or gradient.verdict is not Verdict.PRECISION, (source, bindings)


def test_judging_leaves_no_mark_on_the_process(judged):
    before, dtype = torch.random.get_rng_state(), torch.get_default_dtype()
    judged("sum(sin(x)*randn(3))", dtype="float32", x="[1.,2.,3.]")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_default_dtype() == dtype


def test_judging_repeats(judged):
    one, other = (
        judged("sum(exp(x)*y)", dtype="float32", x="[1.,2.]", y="[3.,4.]").gradients for _ in range(2)
    )
    assert one == other
