"""A leaf that meets matrices is moved along their columns, which gives what moving it does."""

import numpy as np
import pytest
import torch

from autograd_cli.gradients import columns
from autograd_cli.gradients.columns import by_columns
from autograd_cli.gradients.line import Line
from autograd_cli.gradients.numeric import numeric
from autograd_cli.gradients.points import Elements
from autograd_cli.gradients.replay import Replay

GIVEN = {"A": "randn(600, 500)", "B": "randn(500, 600)", "x": "randn(500)"}
SOURCES = [
    "(A@x).tanh().sum()",
    "(x@B).sin()",
    "(A@x).exp().log() * (x@B) + x.sum()",
    "relu(mv(A, x)).sum() + dot(x, B[:, 0])**2",
    "(A@x).tanh().sum() * stack([x, x]).sum()",
]


def lines(traced, source):
    given = {name: text for name, text in GIVEN.items() if name in source}
    run = traced(source, const="A B", **given)
    replay = Replay(run)
    with replay.session():
        yield Line(replay, "x", torch.ones(run.output.shape, dtype=torch.float64))


@pytest.mark.parametrize("source", SOURCES)
def test_steps_along_columns_change_the_sum_as_steps_of_the_leaf_do(traced, source):
    for line in lines(traced, source):
        points, plain = by_columns(line), Elements(line)
        assert points is not None
        places = np.array([0, 7, 7, 499])
        steps = np.outer([0.1, -0.2, 1e-3], [1.0, 1.1, 1.2, 1.3])
        expected = plain.grid(places, steps)
        assert points.grid(places, steps) == pytest.approx(expected, rel=1e-8, abs=1e-10)
        assert points.changes(places, steps[0]) == pytest.approx(expected[0], rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(
    "source", ["softmax(x, 0).sum()", "(A@(x**2)).tanh().sum()", "(A[:2, :2]@x[:2]).sum()"]
)
def test_a_leaf_that_meets_no_large_matrix_is_moved_itself(traced, source):
    for line in lines(traced, source):
        assert by_columns(line) is None


def test_the_slopes_are_those_of_autograd(traced):
    run = traced("(A@x).tanh().sum()", const="A", **GIVEN | {"B": "1."})
    found = numeric(Replay(run), "x", torch.ones((), dtype=torch.float64), elements="all")
    (expected,) = torch.autograd.grad(run.output, run.leaves["x"])
    assert bool(((found.values - expected).abs() <= found.errors).all())
    assert found.probes is None


def test_columns_that_are_wrong_are_found_out(traced, monkeypatch):
    right = columns._column

    def lie(*given):
        column = right(*given)
        return None if column is None else lambda places: column(places) * 1.0005

    for line in lines(traced, SOURCES[0]):
        monkeypatch.setattr(columns, "_column", lie)
        assert by_columns(line) is None
