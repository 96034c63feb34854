"""Second derivatives whose backward or rule lies, and how autograd's first are told from them."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients.check import Options
from autograd_cli.gradients.second import formulas
from autograd_cli.gradients.second.check import second
from autograd_cli.gradients.second.judge import LOST
from autograd_cli.lang.nodes import Binary, Number
from autograd_cli.report import Verdict, Witness


class Saved(torch.autograd.Function):
    """sin, whose backward keeps cos(x) as a constant: its first gradient is right, its second is 0."""

    @staticmethod
    def forward(ctx, x):
        ctx.slope = x.detach().cos()
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.slope


class Slightly(torch.autograd.Function):
    """sin, whose second backward alone is 0.05 % off."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * SlightlyCos.apply(ctx.saved_tensors[0])


class SlightlyCos(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.cos()

    @staticmethod
    def backward(ctx, cotangent):
        return -cotangent * ctx.saved_tensors[0].sin() * 1.0005


class FirstOff(torch.autograd.Function):
    """sin, whose backward is 0.05 % off, and can be differentiated as it stands."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0].cos() * 1.0005


class Once(torch.autograd.Function):
    """sin, whose backward is said to be differentiable once."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0].cos()


XX, YY = ("x", "x"), ("y", "y")
NO_FORMULA = Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}))
SOURCES = [("sin(x)", "2."), ("sum(sin(x)*x)", "[0.3,-1.2,2.]"), ("sum(exp(sin(x)))", "randn(30,40)")]


@pytest.mark.parametrize("options", [None, NO_FORMULA])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", [Saved, Slightly])
@pytest.mark.parametrize(("source", "x"), SOURCES)
def test_a_wrong_double_backward_is_caught(blocks, in_place_of_sin, options, dtype, function, source, x):
    in_place_of_sin(function)
    block = blocks(source, options, dtype=dtype, x=x)[XX]
    assert (block.verdict, block.odd) == (Verdict.WRONG, Witness.AUTOGRAD)
    if options is NO_FORMULA:
        assert "double backward is wrong" in block.sentence


def test_a_wrong_double_backward_is_not_symmetric_in_two_leaves(blocks, in_place_of_sin):
    in_place_of_sin(Saved)
    found = blocks("sum(sin(x)*y)", x="randn(3)", y="randn(3)")
    assert found[XX].verdict is Verdict.WRONG
    assert found[YY].verdict is Verdict.OK
    alone = blocks("sin(x)*2", NO_FORMULA, x="2.")[XX]
    assert (alone.verdict, alone.autograd) == (Verdict.WRONG, 0.0)
    assert alone.sentence.endswith(LOST)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_wrong_first_is_told_from_a_wrong_second(blocks, in_place_of_sin, dtype):
    in_place_of_sin(FirstOff)
    block = blocks("sin(x)", NO_FORMULA, dtype=dtype, x="2.")[XX]
    assert (block.verdict, block.odd) == (Verdict.WRONG, Witness.AUTOGRAD)
    assert "the second pass fits autograd's own first gradient, and that one is wrong" in block.sentence


def test_a_function_that_is_differentiable_once_says_so(traced, in_place_of_sin):
    in_place_of_sin(Once)
    found = second(traced("sin(x)**2", x="2."), None)
    assert "once_differentiable" in found.error
    assert found.at == "sin(x)"
    assert found.blocks[0].verdict is Verdict.NO_GRAPH


def test_where_torch_forgets_to_say_so_there_is_none_all_the_same(blocks, in_place_of_sin):
    in_place_of_sin(Once)
    block = blocks("sin(x)*2", NO_FORMULA, x="2.")[XX]
    assert (block.verdict, block.autograd) == (Verdict.NO_GRAPH, None)
    assert block.sentence.endswith("marked with @once_differentiable")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_wrong_rule_is_caught(blocks, monkeypatch, dtype):
    def lying(*given):
        found = differentiate(*given)
        return {i: replace(one, formula=Binary("*", Number(1.0005), one.formula)) for i, one in found.items()}

    differentiate = formulas.differentiate
    monkeypatch.setattr(formulas, "differentiate", lying)
    block = blocks("sin(x**2)", dtype=dtype, x="2.")[XX]
    assert (block.verdict, block.odd) == (Verdict.WRONG, Witness.SYMBOLIC)


@pytest.mark.parametrize("function", [Saved, Slightly])
@pytest.mark.parametrize("x", ["1e5", "1e7", "[1e5,1.]"])
def test_a_wrong_double_backward_is_caught_where_the_function_swings_within_its_own_size(
    blocks, in_place_of_sin, function, x
):
    (right,) = blocks("sin(x).sum()", NO_FORMULA, x=x).values()
    in_place_of_sin(function)
    (wrong,) = blocks("sin(x).sum()", NO_FORMULA, x=x).values()
    assert (right.verdict, wrong.verdict, wrong.odd) == (Verdict.OK, Verdict.WRONG, Witness.AUTOGRAD)


def test_of_complex_results_the_guilty_one_is_named(traced, in_place_of_sin):
    in_place_of_sin(Once)
    found = second(traced("(fft.fft(x).abs()**2 * sin(x)**2).sum()", x="[0.3,-1.2,2.]"), None)
    assert "once_differentiable" in found.error
    assert found.at == "sin(x)"
