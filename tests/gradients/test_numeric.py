"""The numeric witness on tensors: elements, directions, complex numbers, noise."""

import pytest
import torch

from autograd_cli.gradients.line import components, shaped
from autograd_cli.gradients.numeric import ELEMENTS, Probes, numeric
from autograd_cli.gradients.replay import Replay
from autograd_cli.gradients.rounding import rounding
from autograd_cli.gradients.slope import Behaviour


def slopes(run, name="x", cotangent=None, **options):
    replay = Replay(run)
    ones = torch.ones_like(run.output).to(replay({}).dtype) if cotangent is None else cotangent
    return numeric(replay, name, ones, **options)


def test_every_element_of_a_leaf(traced):
    found = slopes(traced("sum(x**3)", x="[[1.,2.],[3.,-4.]]"))
    assert found.values.tolist() == pytest.approx([3, 12, 27, 48], rel=1e-11)
    assert bool((found.errors < 1e-9).all())
    assert found.probes is None


def test_the_cotangent_weighs_the_output(traced):
    found = slopes(
        traced("x*[1.,10.][0]*tensor([1.,10.])", x="2."), cotangent=torch.tensor([3.0, 0.5]).double()
    )
    assert found.values.tolist() == pytest.approx([8.0], rel=1e-12)


def test_outputs_that_do_not_move_add_no_rounding(traced):
    found = slopes(traced("x + tensor([0.,0.,1e12])*tensor([0.,0.,1.])", x="[1.,2.,3.]"))
    assert found.values[0].item() == pytest.approx(1, rel=1e-3)


def test_a_complex_leaf_follows_torch_s_convention(traced):
    run = traced("(z*z*z.conj()).imag", dtype="complex128", z="[1+2j,0.5-1j]")
    found = slopes(run, "z")
    leaf = run.leaves["z"]
    (expected,) = torch.autograd.grad(run.output, leaf, torch.ones_like(run.output))
    assert torch.allclose(shaped(found.values, leaf), expected, rtol=1e-11, atol=1e-11)


def test_a_complex_output_takes_a_complex_cotangent(traced):
    run = traced("exp(z)*z", dtype="complex128", z="0.3+0.4j")
    cotangent = torch.tensor(2 - 1j, dtype=torch.complex128)
    (expected,) = torch.autograd.grad(run.output, run.leaves["z"], cotangent, retain_graph=True)
    found = slopes(run, "z", cotangent)
    assert torch.allclose(shaped(found.values, run.leaves["z"]), expected, rtol=1e-11)


def test_places_that_are_not_smooth_are_listed(traced):
    found = slopes(traced("relu(x)", x="[-1.,0.,2.]"))
    assert list(found.slopes) == [1]
    assert found.slopes[1].behaviour is Behaviour.KINK
    assert found.values.tolist() == pytest.approx([0, 0.5, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("floor(x*1000)/1000", 0),
        ("x%1", 1),
        ("div(x, 0.2, rounding_mode='trunc')", 0),
        ("x.clone().round_()", 0),
    ],
)
@pytest.mark.parametrize("x", ["randn(4)", "randn(20,20)"])
def test_steps_of_a_staircase_are_no_slopes(traced, source, value, x):
    found = slopes(traced(source, x=x, dtype="float64"))
    assert not found.slopes
    assert found.values.tolist() == pytest.approx([value] * found.values.numel(), abs=1e-6)
    assert bool((found.errors < 1e-4).all())


@pytest.mark.parametrize(
    ("source", "x", "gradient"),
    [
        ("as_strided(x[2:], (2,2), (1,2), storage_offset=0)", "arange(6.)", [1, 1, 1, 1, 0, 0]),
        ("as_strided(x, (2,), (1,), storage_offset=1)", "arange(6.).view(2,3).t()", [0, 0, 1, 0, 1, 0]),
    ],
)
def test_what_is_read_by_its_place_in_memory_is_read_there(traced, source, x, gradient):
    assert slopes(traced(source, x=x, dtype="float64")).values.tolist() == pytest.approx(gradient, abs=1e-9)


def test_elements_that_reach_no_finite_value_have_no_slope(traced):
    found = slopes(traced("log(x)", x="[0.,-1.,2.]"))
    assert [one.behaviour for one in found.slopes.values()] == [Behaviour.EDGE, Behaviour.EDGE]
    assert found.values[2].item() == pytest.approx(0.5, rel=1e-10)


@pytest.mark.parametrize("source", ["x.std()/x.std()", "x/x.std()*0"])
def test_a_value_that_is_none_has_no_slope_where_a_rule_gives_0(traced, source):
    found = slopes(traced(f"({source}).sum()", x="ones(3)"))
    assert [one.behaviour for one in found.slopes.values()] == [Behaviour.EDGE] * 3
    assert found.values.isnan().all()


def test_a_leaf_of_many_elements_is_probed_along_directions(traced):
    run = traced("sum(x**2)", x=f"randn({ELEMENTS + 1})")
    found = slopes(run)
    assert found.probes is not None
    assert len(found.values) == found.probes.count == 16
    (expected,) = found.probes.along(2 * run.leaves["x"].detach()[None])
    assert bool(((found.values - expected).abs() <= found.errors).all())


def test_a_leaf_at_the_bound_is_not_probed(traced):
    assert slopes(traced("sum(x)", x=f"ones({ELEMENTS})")).probes is None


def test_a_smaller_leaf_is_probed_where_each_value_is_dear(traced):
    run = traced("sum(ones(700, 700)*x)", x="ones(700)")
    found = slopes(run)
    assert found.probes is not None
    (expected,) = found.probes.along(torch.full((1, 700), 700.0, dtype=torch.float64))
    assert torch.allclose(found.values, expected, rtol=1e-9, atol=1e-6)


def test_a_smaller_leaf_is_probed_where_a_value_takes_many_calls(traced):
    found = slopes(traced("+".join(["x"] * 2000), x="ones(200)"))
    assert found.probes is not None
    (expected,) = found.probes.along(torch.full((1, 200), 2000.0, dtype=torch.float64))
    assert torch.allclose(found.values, expected, rtol=1e-9, atol=1e-6)


def test_directions_repeat_and_differ():
    probes = Probes(50)
    assert torch.equal(probes.direction(3), probes.direction(3))
    assert not torch.equal(probes.direction(3), probes.direction(4))
    assert set(probes.direction(0).tolist()) == {1.0, -1.0}


def test_directions_leave_the_random_state_alone():
    before = torch.random.get_rng_state()
    Probes(50).direction(3)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_leaf_keeps_its_value(traced):
    run = traced("sum(x*x)", x="[1.,2.]")
    slopes(run)
    assert run.leaves["x"].tolist() == [1.0, 2.0]


def test_components_and_back():
    leaf = torch.tensor([[1 + 2j, 3 - 4j]])
    assert components(leaf).tolist() == [1, 2, 3, -4]
    assert torch.equal(shaped(components(leaf), leaf), leaf.to(torch.complex128))


def test_every_element_of_a_large_leaf_when_asked_for(traced):
    run = traced("(sin(x**2)*exp(-x)).sum()", x="randn(20000)")
    found = slopes(run, elements="all", noise=1e-13)
    (expected,) = torch.autograd.grad(run.output, run.leaves["x"])
    assert found.probes is None
    assert (found.slopes, found.remark) == ({}, "")
    assert bool(((found.values - expected).abs() <= found.errors + 1e-13 * expected.abs()).all())
    assert bool((found.errors <= 1e-9 * expected.abs() + 1e-7).all())
    assert (found.errors / expected.abs()).median() < 1e-11


CANCELS = [
    "log(exp(x) + 1) - x",
    "(exp(x*1e-6) - 1)*1e6",
    "(x + 1e4)**2 - x**2",
    "sqrt(x*x + 1e-12)",
    "1 - cos(x)",
]


@pytest.mark.parametrize("source", CANCELS)
def test_terms_that_cancel_do_not_make_a_slope_look_exact(traced, source):
    run = traced(f"({source}).sum()", x="randn(3000)*3")
    spread = rounding(Replay(run), torch.ones((), dtype=torch.float64))
    found = slopes(run, elements="all", noise=spread.noise)
    (expected,) = torch.autograd.grad(run.output, run.leaves["x"])
    off = (found.values - expected).abs()
    assert found.remark == ""
    assert bool((off <= found.errors + spread.spreads["x"].reference(expected, torch.zeros(1, 1))).all())
    assert bool((off <= 1e-5 * expected.abs() + 1e-6).all())


def test_so_many_elements_as_are_asked_for(traced):
    run = traced("(x**3).sum()", x="randn(5000)")
    found = slopes(run, elements=40)
    known = ~found.values.isnan()
    (expected,) = torch.autograd.grad(run.output, run.leaves["x"])
    assert int(known.sum()) == 40
    assert torch.allclose(found.values[known], expected[known], rtol=1e-9)
    assert found.remark == "the numeric slopes are those of 40 elements of 5,000, chosen at random"


def test_elements_that_meet_are_looked_at_one_by_one_when_asked_for(traced):
    run = traced("softmax(x, 0) @ arange(1100.)", x="randn(1100)")
    found = slopes(run, elements="all")
    (expected,) = torch.autograd.grad(run.output, run.leaves["x"])
    assert found.probes is None
    assert torch.allclose(found.values, expected, rtol=1e-6, atol=1e-8)


def test_kinks_among_many_elements(traced):
    run = traced("relu(x).sum()", x="cat([zeros(30), randn(4000), linspace(-1e-3, 1e-3, 1000)])")
    found = slopes(run, elements="all")
    assert set(found.slopes) == set(range(30))
    assert {one.behaviour for one in found.slopes.values()} == {Behaviour.KINK}
    assert found.remark == ""


def test_more_kinks_than_are_looked_into_are_told(traced):
    found = slopes(traced("abs(x).sum()", x="zeros(1500)"), elements="all")
    assert len(found.slopes) == 1000
    assert int(found.values.isnan().sum()) == 500
    assert found.remark == "500 elements whose slope does not settle at first were not looked into further"
    assert found.widest is None
