"""A large program whose elements do not meet is sampled by pieces, as it would be in whole."""

import pytest
import torch

from autograd_cli.gradients import rounding as module
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.rounding import rounding

IN_PIECES = [
    "(sin(x**2)*exp(-x)).sum()",
    "(x.reshape(100, 60)**2.5*0.1).sum(1).mean()/7",
    "((x + 1000) - 1000).tanh()*3",
    "where(x > 1, x, x**2) @ linspace(1, 2, 6000)",
]

IN_WHOLE = ["softmax(x, 0)", "sum(x)**2", "sum(x[:40]**2)"]


def told(run):
    found = rounding(Replay(run), torch.ones(run.output.shape, dtype=torch.float64))
    spread = found.spreads["x"]
    return found, spread.exact, spread.tolerance(spread.exact, spread.samples)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("source", IN_PIECES)
def test_pieces_tell_what_the_whole_does(traced, monkeypatch, source, dtype):
    run = traced(source, dtype=dtype, x="rand(6000) + 0.1")
    found, exact, allowed = told(run)
    assert list(found.points) == (["x"] if "@" not in source else [])
    monkeypatch.setattr(module, "in_pieces", lambda sampler: None)
    whole, expected, most = told(run)
    assert torch.allclose(exact, expected, rtol=1e-13)
    ratio = allowed / most
    assert 0.8 < ratio.median() < 1.25
    assert bool(((ratio > 0.02) & (ratio < 50)).all())
    assert 0.1 < found.noise / whole.noise < 10


@pytest.mark.parametrize("source", IN_WHOLE)
def test_elements_that_meet_are_sampled_in_whole(traced, source):
    found, exact, _ = told(traced(source, x="rand(3000) + 0.1"))
    assert found.points == {}
    assert exact.shape == (3000,)


def test_a_few_samples_in_double_allow_what_many_would(traced):
    run = traced("((x + 1000) - 1000).sum()", x="rand(6000) + 0.1")
    _, exact, allowed = told(run)
    assert bool((allowed > 1e-16).all())
    assert allowed.max() < 1e-11
    assert torch.equal(exact, torch.ones_like(exact))
