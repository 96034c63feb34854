"""What rounding allows: it follows the dtype and the size of the summands, and repeats."""

import pytest
import torch

from autograd_cli.gradients import rounding as module
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.rounding import rounding


def spread(run, name="x", cap=None):
    ones = torch.ones(run.output.shape, dtype=torch.float64)
    found = rounding(Replay(run), ones, cap).spreads[name]
    return found, found.tolerance(found.exact, found.samples)


@pytest.mark.parametrize(("dtype", "eps"), [("float64", 2.2e-16), ("float32", 1.2e-7), ("bfloat16", 7.8e-3)])
def test_the_tolerance_follows_the_dtype(traced, dtype, eps):
    found, allowed = spread(traced("sin(x**2)", dtype=dtype, x="2."))
    assert found.exact.item() == pytest.approx(-2.6145744834544478, abs=1e-15)
    assert 4 * eps < allowed.item() / abs(found.exact.item()) < 100 * eps


def test_a_call_whose_lanes_have_another_gradient_has_none(traced):
    found, _ = spread(traced("select_scatter(x, y, 0, 1)", x="zeros(2,3)", y="[1.,2.,3.]"), "y")
    assert found.exact.tolist() == [1, 1, 1]


def test_a_sum_that_cancels_is_allowed_the_rounding_of_its_terms(traced):
    _, plain = spread(traced("x*2", dtype="float32", x="1."))
    found, cancelled = spread(traced("x*1000 - x*998", dtype="float32", x="1."))
    assert found.exact.item() == 2
    assert cancelled.item() > 50 * plain.item()


def test_a_backward_that_reads_a_stored_result_is_allowed_its_rounding(traced):
    run = traced("tanh(x)", dtype="float32", x="8.")
    (own,) = torch.autograd.grad(run.output, run.leaves["x"])
    found, allowed = spread(run)
    assert abs(own.item() - found.exact.item()) > 1e-8
    assert abs(own.item() - found.exact.item()) < allowed.item() < 1e-5


def test_a_number_that_the_dtype_rounds_is_moved(traced):
    _, exact = spread(traced("x**4.0", dtype="float32", x="1000."))
    _, rounded = spread(traced("x**4.1", dtype="float32", x="1000."))
    assert rounded.item() / 1000**0.1 > 1.5 * exact.item()


def test_a_constant_that_the_dtype_holds_is_not_moved(traced):
    run = traced("F.cosine_embedding_loss(x, y, tensor([1.,-1.]))", x="ones(2,2)", y="[[1.,2.],[2.,1.]]")
    found = rounding(Replay(run), torch.ones((), dtype=torch.float64))
    assert found.noise < 1e-14


def test_a_tape_of_many_calls_is_sampled_less_often(traced):
    few, _ = spread(traced("+".join(["x"] * 100), x="1."))
    many, allowed = spread(traced("+".join(["x"] * 4500), dtype="float32", x="1."))
    assert (len(few.samples), len(many.samples)) == (8, 5)
    assert 1e-7 < allowed.item() / 4500 < 1e-4


def test_zero_stays_zero(traced):
    _, allowed = spread(traced("relu(x)", dtype="float32", x="[0.,-1.]"))
    assert allowed.tolist() == pytest.approx([0, 0], abs=1e-40)


def test_without_casts_less_is_allowed(traced):
    run = traced("x.half()*3", dtype="float32", x="0.1")
    _, with_casts = spread(run)
    _, without = spread(run, cap=torch.finfo(torch.float32).eps)
    assert with_casts.item() > 1000 * without.item()


def test_it_repeats_and_leaves_the_random_state_alone(traced):
    run = traced("sin(x)*x", dtype="float32", x="[1.,2.]")
    before = torch.random.get_rng_state()
    assert torch.equal(spread(run)[1], spread(run)[1])
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_leaf_keeps_its_value(traced):
    run = traced("exp(x)", x="[1.,2.]")
    spread(run)
    assert run.leaves["x"].tolist() == [1.0, 2.0]


def test_the_noise_of_the_output_in_float64_is_measured(traced):
    run = traced("log(exp(x)+1)-x", x="12.")
    noise = rounding(Replay(run), torch.ones((), dtype=torch.float64)).noise
    assert 2e-16 < noise < 1e-14


def test_a_long_sum_inside_a_product_is_allowed_the_rounding_of_its_partial_sums(traced):
    run = traced("sum(tanh(A@x))", dtype="float32", const="A", A="randn(500,500)", x="randn(500)")
    (own,) = torch.autograd.grad(run.output, run.leaves["x"])
    found, allowed = spread(run)
    assert bool(((own.double() - found.exact).abs() < allowed).all())
    assert allowed.max().item() < 1e-2 * found.exact.abs().max().item()


def test_indices_are_not_moved(traced):
    run = traced("F.embedding(tensor([1,0,1]), w)", w="[[1.5,-0.3],[0.2,2.5]]")
    found, allowed = spread(run, "w")
    assert found.exact.tolist() == [1, 1, 2, 2]
    assert bool((allowed < 1e-14).all())


TOGETHER = [
    ("sum(tanh(A@x))", "float32", "randn(20)"),
    ("mean((A@x.T + 0.1)**2)", "float64", "randn(3,20)"),
    ("softmax(x, 0)*log(x**2 + 1.3)", "float32", "randn(7)"),
    ("x.half()*3 + x*tensor(0.7)", "float32", "0.1"),
    ("(x*x.conj()).real", "complex64", "[1+2j,0.5-1j]"),
    ("cat([x, x**1.1])[1:]*x[0]", "float32", "[1.,2.]"),
]


@pytest.mark.parametrize(("source", "dtype", "x"), TOGETHER, ids=[one[0] for one in TOGETHER])
def test_all_samples_at_once_tell_what_one_after_the_other_does(traced, monkeypatch, source, dtype, x):
    given = {"const": "A", "A": "randn(20,20)"} if "A" in source else {}
    run = traced(source, dtype=dtype, x=x, **given)
    made = []
    real = module.together
    monkeypatch.setattr(module, "together", lambda sampler: made.append(real(sampler)) or made[-1])
    at_once, allowed = spread(run)
    assert made[0] is not None
    monkeypatch.setattr(module, "together", lambda sampler: None)
    in_turn, expected = spread(run)
    assert torch.allclose(at_once.exact, in_turn.exact, rtol=1e-12, atol=1e-14)
    assert at_once.samples.shape == in_turn.samples.shape
    ratio = allowed / expected
    assert bool(((ratio > 0.25) & (ratio < 4)).all())
