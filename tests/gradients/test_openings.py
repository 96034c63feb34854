"""What searches ask first, answered beside the samples: the slopes that each search finds by itself."""

import pytest
import torch

from autograd_cli.gradients.numeric import numeric
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.rounding import rounding

ONE = torch.ones((), dtype=torch.float64)


@pytest.mark.parametrize(
    ("source", "given"),
    [
        ("sin(x**2)", {"x": "0.7"}),
        ("log(x)*y", {"x": "1e-3", "y": "-2."}),
        ("abs(x)", {"x": "0."}),
        ("(x**3 * y).sum()", {"x": "[0.3,-1.2,2.]", "y": "1.5"}),
        ("tanh(x @ y)", {"x": "[[1.,2.],[0.,-1.]]", "y": "[0.5,0.1]"}),
    ],
)
def test_a_search_that_is_answered_beforehand_finds_the_same(traced, source, given):
    run = traced(f"({source}).sum()", **given)
    replay = Replay(run)
    known = rounding(replay, ONE)
    assert set(known.opened) == set(given)
    for name, opened in known.opened.items():
        found = numeric(replay, name, ONE, known.noise, opened=opened)
        alone = numeric(replay, name, ONE, known.noise)
        assert torch.allclose(found.values, alone.values, rtol=1e-11, atol=0, equal_nan=True)
        assert {k: one.behaviour for k, one in found.slopes.items()} == {
            k: one.behaviour for k, one in alone.slopes.items()
        }


def test_answers_at_another_output_are_not_taken(traced):
    replay = Replay(traced("sin(x**2)", x="0.7"))
    (opened,) = rounding(replay, ONE).opened["x"]
    off = opened._replace(here=opened.here + 1, outputs=[2 * one for one in opened.outputs])
    right = numeric(replay, "x", ONE)
    assert torch.allclose(numeric(replay, "x", ONE, opened=[off]).values, right.values, rtol=1e-11)


@pytest.mark.parametrize("z", ["zeros(3)", "ones(2)", "tensor([0j, 1j])"])
def test_a_complex_leaf_keeps_its_imaginary_parts_in_lanes(traced, z):
    replay = Replay(traced("(z.abs()**2).sum() * y", dtype="complex64", z=z, y="2."))
    spread = rounding(replay, ONE).spreads["z"]
    leaf = replay.leaves["z"]
    assert torch.allclose(spread.exact, 4 * torch.view_as_real(leaf).flatten(), rtol=1e-12)
    assert spread.samples.shape[1] == 2 * leaf.numel()
