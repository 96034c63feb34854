"""Where each element of a leaf touches its own terms of the sum, all of them move at once."""

import re

import numpy as np
import pytest
import torch

from autograd_cli.gradients import structure
from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.gradients.check import Options, check
from autograd_cli.gradients.line import Line
from autograd_cli.gradients.numeric import numeric
from autograd_cli.gradients.points import Elements
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.rounding import rounding
from autograd_cli.gradients.slope import Behaviour
from autograd_cli.gradients.structure import Structured, fronts
from autograd_cli.lang.functions import FUNCTIONS
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Verdict, Witness

M = "[[0.3,-1.2,2.],[1.5,0.7,-0.4]]"
GIVEN = {"M": M, "v": "[0.5,-1.,2.]", "c": "[1.5,-2.]"}

STRUCTURED = [
    "(sin(x**2)*exp(-x)).sum()",
    "sum(x*M) - (x**3).mean() + 2*x[0,0].detach()",
    "exp(-x**2).mean(0)*v",
    "(x*v + M).tanh().sum(1) @ c",
    "c @ (x**2) @ v",
    "(x**2) @ v",
    "M.T @ (x**2)",
    "(x**2).T*2/3",
    "relu(x - 0.5)",
    "-(x.reshape(6)**2).view(3, 2).unsqueeze(0).sum((0, 1))",
    "3*x - sum(x)/5",
    "where(M > 0, x, x**2).sum(dim=1, keepdim=True)*ones(2, 4)",
    "(x**2 + ones(4, 2, 3)).mean()",
    "(exp(1j*x).real*M).sum()",
]

ENTANGLED = [
    "(x @ M.T)**2",
    "sum(x)**2",
    "softmax(x, 0)",
    "sum(x + x.T[:, :1].T)",
    "cumsum(x, 0)",
    "x*x.sum()",
]


def line_of(run, name="x"):
    replay = Replay(run)
    with replay.session():
        yield Line(replay, name, torch.ones(run.output.shape, dtype=torch.float64))


def traced_with(traced, source):
    given = {name: text for name, text in GIVEN.items() if re.search(rf"\b{name}\b", source)}
    return traced(source, x=M, const=" ".join(given), **given)


@pytest.mark.parametrize("source", STRUCTURED)
def test_all_elements_at_once_change_the_sum_as_each_does_alone(traced, source):
    for line in line_of(traced_with(traced, source)):
        weights = fronts(line)
        assert weights
        points, places = Structured(line, line.lanes, weights), np.arange(6)
        steps = np.outer([0.1, -0.2, 1e-3], [1.0, 1.1, 1.2, 1.3, 1.4, 1.5])
        made = points.grid(places, steps)
        assert made == pytest.approx(Elements(line).grid(places, steps), rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("source", ENTANGLED)
def test_elements_that_meet_are_not_moved_at_once(traced, source):
    for line in line_of(traced_with(traced, source)):
        assert fronts(line) is None


ELEMENTWISE = [
    row
    for row in FUNCTIONS
    if row.kind in (Kind.ELEMENTWISE, Kind.ACTIVATION)
    and row.differentiable
    and not (row.writes or row.draws)
    and row.example is not None
    and row.example.is_expression
]


OF_COMPLEX = [
    "real", "imag", "Tensor.real", "Tensor.imag", "conj", "conj_physical", "resolve_conj", "resolve_neg",
    "angle", "view_as_real", "view_as_complex",
]  # fmt: skip
ALONG_A_DIM = [
    "prelu", "nn.functional.prelu", "nn.functional.glu", "softmax", "special.softmax",
    "nn.functional.softmax", "log_softmax", "special.log_softmax", "nn.functional.log_softmax",
    "nn.functional.softmin",
]  # fmt: skip
MEETING = {f"torch.{name}" for name in (*OF_COMPLEX, *ALONG_A_DIM, "frexp")}
"""The rows whose elements are not moved at once: complex ones, those that meet, and several results."""


@pytest.mark.parametrize("row", ELEMENTWISE, ids=[row.path for row in ELEMENTWISE])
def test_what_the_table_calls_elementwise_is_so(traced, row):
    run = traced(row.example.source, **row.example.bindings)
    replay, seen = Replay(run), 0
    for name in replay.leaves:
        with replay.session():
            line = Line(replay, name, torch.ones(run.output.shape, dtype=torch.float64))
            weights = fronts(line)
            if weights is None:
                continue
            seen += 1
            places = np.arange(line.components.numel())
            steps = np.outer([0.013, -0.017], 1 + 0.1 * places)
            made = Structured(line, line.lanes, weights).grid(places, steps)
            assert made == pytest.approx(Elements(line).grid(places, steps), rel=1e-9, abs=1e-12, nan_ok=True)
    assert seen == (0 if row.path in MEETING else len(replay.leaves))


def test_there_are_rows_that_the_table_calls_elementwise():
    assert len(ELEMENTWISE) > 150
    assert {row.path for row in ELEMENTWISE} > MEETING


def test_few_steps_at_some_places_leave_the_others_alone(traced):
    for line in line_of(traced("sum(x**2)", x="[1.,2.,3.,4.]")):
        points = Structured(line, line.lanes, fronts(line))
        made = points.changes(np.array([1, 1, 1, 3]), np.array([0.5, 1.0, -1.0, 2.0]))
        assert made.tolist() == pytest.approx([2.25, 5.0, -3.0, 20.0])


def test_a_weight_that_is_wrong_is_found_out(traced, monkeypatch):
    run = traced("sum(x**2)", x="linspace(1, 4, 100)")
    right, lies = structure.passed_on, []

    def lie(*given):
        lies.append(right(*given))
        return {place: part * 1.0005 for place, part in lies[-1].items()}

    monkeypatch.setattr(structure, "passed_on", lie)
    found = numeric(Replay(run), "x", torch.ones((), dtype=torch.float64))
    assert lies
    assert torch.allclose(found.values, 2 * run.leaves["x"].detach(), rtol=1e-8)


def test_kinks_jumps_and_edges_are_told_beside_smooth_elements(traced):
    text = "cat([tensor([-1.5,0.,1.,-2.,0.7]), linspace(3.1, 4.7, 60)])"
    run = traced("relu(x) + sqrt(x + 2)*round(x/2)", x=text)
    found = numeric(Replay(run), "x", torch.ones(65, dtype=torch.float64))
    assert {place: one.behaviour for place, one in found.slopes.items()} == {
        1: Behaviour.KINK, 2: Behaviour.JUMP, 3: Behaviour.EDGE,
    }  # fmt: skip
    assert found.values[4].item() == pytest.approx(1.0, rel=1e-9)


def test_rounding_inside_the_terms_widens_the_error_bars(traced):
    sources = {"((x + 1e6) - 1e6)*x": 1e-6, "x*x": 1e-10}
    for source, most in sources.items():
        run = traced(f"sum({source})", x="linspace(1, 2, 3000)")
        ones = torch.ones((), dtype=torch.float64)
        found = numeric(Replay(run), "x", ones, rounding(Replay(run), ones).noise, "all")
        off = (found.values - 2 * run.leaves["x"].detach()).abs()
        assert bool((off <= found.errors).all())
        assert (found.errors > 1e-9).double().mean() == (most > 1e-9)
        assert found.errors.max() < most


WITHOUT_FORMULA = frozenset({Witness.AUTOGRAD, Witness.NUMERIC})


def checked(traced, elements, change=0.0):
    run = traced("(sin(x**2)*exp(-x)).sum()", x="randn(20000)")
    made = backward(run, None)
    given = made.leaves["x"].clone()
    given[7_000] *= 1 + change
    options = Options(witnesses=WITHOUT_FORMULA, elements=elements)
    (found,) = check(run, Backward(leaves={"x": given}), None, options)
    return found


def test_one_wrong_element_among_many_is_found(traced):
    found = checked(traced, "all", 5e-4)
    assert (found.verdict, found.worst, found.odd) == (Verdict.WRONG, (7_000,), Witness.AUTOGRAD)
    right = checked(traced, "all")
    assert (right.verdict, right.sentence) == (Verdict.OK, "")


def test_how_many_elements_were_looked_at_is_said(traced):
    found = checked(traced, 50)
    assert found.verdict is Verdict.OK
    assert found.sentence == "the numeric slopes are those of 50 elements of 20,000, chosen at random"
