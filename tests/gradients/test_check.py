"""Sources judged from one end to the other: their verdicts and what is told beside them."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients import check as checking
from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.gradients.check import Options, check, worst
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.values import flat
from autograd_cli.run.settings import Settings


def test_the_three_witnesses_of_sin_x2(judged):
    found = judged("sin(x**2)", dtype="float32", x="2").gradients["x"]
    assert found.autograd == pytest.approx(-2.6145744, abs=1e-7)
    assert found.symbolic == pytest.approx(-2.6145744834544478, abs=1e-14)
    assert found.numeric == pytest.approx(-2.6145744834544478, abs=4e-11)
    assert found.formula == "2*x*cos(x**2)"
    assert 0 < found.error_bar < 4e-11
    assert found.difference == pytest.approx(5.108e-8, rel=1e-3)
    assert found.difference < found.tolerance < 1e-5
    assert (found.verdict, found.odd, found.worst, found.shape) == (Verdict.OK, None, (), ())


def test_linear_regression(judged):
    found = judged(
        "mean((X@w+b-y)**2)",
        dtype="float32",
        const="X y",
        X="randn(10,3)",
        w="randn(3,1)",
        b="zeros(1)",
        y="randn(10,1)",
    ).gradients
    assert list(found) == ["w", "b"]
    assert [g.verdict for g in found.values()] == [Verdict.OK, Verdict.OK]
    assert found["w"].shape == (3, 1)
    assert len(found["w"].worst) == 2
    assert found["b"].symbolic[0] == pytest.approx(0.0097120390, abs=1e-9)


def test_gradient_check_of_regression_in_float64(judged):
    found = judged(
        "mean((X@W+b-y)**2)", const="X y", X="randn(8,3)", W="randn(3,1)", b="randn(1)", y="randn(8,1)"
    ).gradients
    for gradient in found.values():
        assert gradient.error_bar < 1e-9
        assert torch.allclose(
            torch.tensor(gradient.autograd), torch.tensor(gradient.numeric), rtol=0, atol=1e-9
        )


@pytest.mark.parametrize(
    ("source", "bindings", "verdict"),
    [
        ("x*3", {"x": "2."}, Verdict.OK),
        ("sin(x)*exp(-x)", {"x": "randn(40,50)"}, Verdict.OK),
        ("x.detach()*x", {"x": "2."}, Verdict.OK),
        ("relu(x)", {"x": "[-1.,0.,2.]"}, Verdict.KINK),
        ("abs(x)", {"x": "0."}, Verdict.KINK),
        ("maximum(x, y)", {"x": "1.", "y": "1."}, Verdict.KINK),
        ("clamp(x, -1, 1)", {"x": "1."}, Verdict.KINK),
        ("norm(x)", {"x": "zeros(3)"}, Verdict.KINK),
        ("relu(x)-relu(-x)", {"x": "0."}, Verdict.KINK),
        ("sqrt(x)", {"x": "0."}, Verdict.DOMAIN_EDGE),
        ("log(x)", {"x": "[-1.,2.]"}, Verdict.DOMAIN_EDGE),
        ("round(x)", {"x": "0.5"}, Verdict.JUMP),
        ("sign(x)*sqrt(abs(x))", {"x": "0."}, Verdict.JUMP),
        ("where(x > 0, sqrt(x), 0)", {"x": "[0.,1.]"}, Verdict.DOMAIN_EDGE),
        (
            "as_strided(x, (2,2), (1,2), storage_offset=1)*x[0,1]",
            {"x": "arange(12.).view(3,4).t()"},
            Verdict.OK,
        ),
        ("nansum(x)", {"x": "[nan,2.]"}, Verdict.OK),
        ("nanmean(x, 0)", {"x": "[[nan,2.],[1.,nan]]"}, Verdict.OK),
        ("atan(x)", {"x": "[inf,2.]"}, Verdict.OK),
        ("sum(x)", {"x": "[nan,2.]"}, Verdict.DOMAIN_EDGE),
        ("bernoulli(x)", {"x": "[0.2,0.9]"}, Verdict.OK),
        ("bernoulli(x)*x", {"x": "[1.,0.5,0.]"}, Verdict.OK),
        ("normal(x, 1.)", {"x": "[0.2,0.9]"}, Verdict.OK),
        ("x.detach()*2", {"x": "2."}, Verdict.NO_GRAPH),
        ("argmax(x)*2.", {"x": "[1.,2.]"}, Verdict.NO_GRAPH),
    ],
)
def test_verdicts(judged, source, bindings, verdict):
    assert worst(tuple(judged(source, **bindings).gradients.values())) is verdict


@pytest.mark.parametrize(
    ("source", "bindings"),
    [
        ("F.layer_norm(x, (1,), w, b)", {"x": "[1.3]", "w": "[0.7]", "b": "[2.]"}),
        ("F.rms_norm(x, (1,), w, 0.0)", {"x": "[-3.1]", "w": "[5.3]"}),
        ("cosine_similarity(x, y, dim=-2)", {"x": "randn(1,2,3)", "y": "randn(2,1,3)"}),
        ("softmax(x, 0).sum()", {"x": "randn(5)"}),
        ("F.hardsigmoid(x)", {"x": "randn(20)"}),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_cancels_to_0_is_off_by_as_much_as_its_summands_round(judged, source, bindings, dtype):
    found = judged(source, dtype=dtype, **bindings)
    assert [one.verdict for one in found.gradients.values()] == [Verdict.OK] * len(bindings)


def test_a_gradient_of_0_that_is_off_since_the_output_is_has_lost_digits(judged):
    assert judged("((1+x)-1)/x", dtype="float32", x="1e-5").gradients["x"].verdict is Verdict.PRECISION
    found = judged("F.rms_norm(x, (1,), w)", dtype="float32", x="[-3.1]", w="[5.3]").gradients["x"]
    assert found.verdict is Verdict.PRECISION  # single precision adds 1.2e-7 to a square of 9.6
    found = judged("native_layer_norm(x, (1,), w, None, 1e-5)[0]", dtype="float64", x="[8.98]", w="[-6.7]")
    assert {one.verdict for one in found.gradients.values()} == {Verdict.OK}


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ((), None),
        ((None, None), None),
        ((None, Verdict.OK), Verdict.OK),
        ((Verdict.WRONG, Verdict.NO_GRAPH), Verdict.WRONG),
        ((Verdict.OK, Verdict.NONDETERMINISTIC), Verdict.NONDETERMINISTIC),
    ],
)
def test_the_worst_of_several(judged, given, verdict):
    gradient = judged("x*3", x="2.").gradients["x"]
    assert worst([replace(gradient, verdict=one) for one in given]) is verdict


@pytest.mark.parametrize(
    ("source", "x"),
    [("log(exp(x)+1)-x", "12."), ("tanh(x)", "8."), ("exp(-x**2)", "20."), ("x.half()*2.1", "0.1")],
)
def test_digits_lost_in_float32_are_precision(judged, source, x):
    found = judged(source, dtype="float32", x=x).gradients["x"]
    assert (found.verdict, found.odd) == (Verdict.PRECISION, Witness.AUTOGRAD)
    assert judged(source.replace(".half()", ""), dtype="float64", x=x).gradients["x"].verdict is Verdict.OK


def test_a_trace_stays_on_the_branch_that_the_run_took_and_shows_a_kink(judged):
    found = judged("where(x>9, x, 0).sum()", x="arange(12.)").gradients["x"]
    assert (found.verdict, found.numeric[9:]) == (Verdict.OK, pytest.approx((0.0, 1.0, 1.0)))
    assert found.sentence == "the function jumps where x>9 compares equal numbers: this is the branch it took"
    assert not judged("where(x>9.5, x, 0).sum()", x="arange(12.)").gradients["x"].sentence
    assert judged("where(x>0, x, 2*x)", x="0.").gradients["x"].verdict is Verdict.KINK


def test_complex_numbers_are_judged(judged):
    found = judged("(z*z*z.conj()).real", dtype="complex64", z="[1+2j,0.5-1j]").gradients["z"]
    assert found.verdict is Verdict.OK
    assert found.shape == (2,)
    assert abs(found.numeric[1] - found.autograd[1]) < 1e-6


def test_a_complex_leaf_of_zeros_stands_at_kinks(judged):
    z = judged("z.abs().sum()", dtype="complex64", z="zeros(3)").gradients["z"]
    assert (z.verdict, z.autograd) == (Verdict.KINK, (0j, 0j, 0j))


@pytest.mark.parametrize(
    ("source", "x", "slope"),
    [
        ("F.layer_norm(x,(3,)).sum()", "ones(3)", 0.0),
        ("F.batch_norm(x,None,None,training=True).sum()", "ones(4,2)", 0.0),
        ("F.instance_norm(x).sum()", "ones(1,2,4)", 0.0),
        ("tanh(1e10*x).sum()", "zeros(1)", 1e10),
        ("(x/(x.abs()+1e-10)).sum()", "zeros(2)", 1e10),
        ("F.normalize(x,dim=0).sum()", "zeros(2)", 1e12),
        ("sqrt(x+1e-12).sum()", "zeros(2)", 5e5),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_slope_that_rounding_or_steepness_hides_is_found(judged, source, x, slope, dtype):
    found = judged(source, dtype=dtype, x=x).gradients["x"]
    assert found.verdict is Verdict.OK
    assert all(abs(one - slope) <= found.error_bar for one in flat(found.numeric))


def test_many_elements_are_probed_along_directions(judged):
    found = judged("sum(sin(x)*x)", dtype="float32", x="randn(40,50)").gradients["x"]
    assert (found.verdict, found.directions, found.numeric) == (Verdict.OK, 16, None)
    assert found.autograd.count == 2000
    assert len(found.worst) == 2


def test_without_a_formula_directions_have_no_worst_place(judged):
    options = Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}))
    found = judged("sum(sin(x)*x)", options, dtype="float32", x="randn(40,50)").gradients["x"]
    assert (found.verdict, found.worst, found.formula) == (Verdict.OK, None, None)
    assert found.difference <= found.tolerance


def test_a_leaf_behind_a_cut_is_right_with_a_note(judged):
    found = judged("x*y.detach()", x="2.", y="3.").gradients["y"]
    assert (found.verdict, found.autograd, found.notes) == (Verdict.OK, None, (checking.STOP_GRADIENT,))
    assert (
        found.sentence == "y reaches the output only through what is cut, and held constant: its slope is 0"
    )


def test_an_output_without_a_graph_says_so(judged):
    found = judged("x.detach()*2", x="2.").gradients["x"]
    assert found.sentence == "the output has no graph, so no backward can start from it"


def test_a_backward_that_failed_says_so(traced):
    run = traced("x*2", x="2.")
    failed = Backward(leaves={"x": None}, error=RuntimeError("it broke\nat length"))
    assert [g.sentence for g in check(run, failed)] == ["backward failed: it broke"]


def test_an_error_without_a_word_is_told_by_its_type(traced):
    failed = Backward(leaves={"x": None}, error=RuntimeError())
    assert [g.sentence for g in check(traced("x*2", x="2."), failed)] == ["backward failed: RuntimeError"]


def test_a_binding_that_is_not_used_has_no_gradient(judged):
    assert list(judged("x*2", x="2.", z="3.").gradients) == ["x"]


def test_only_the_witnesses_asked_for_are_given(judged):
    found = judged("sin(x)", Options(witnesses=frozenset({Witness.NUMERIC})), x="2.").gradients["x"]
    assert (found.autograd, found.symbolic, found.formula, found.verdict) == (None, None, None, None)
    assert found.numeric is not None


def test_autograd_alone_has_no_verdict(judged):
    found = judged("sin(x)", Options(witnesses=frozenset({Witness.AUTOGRAD})), x="2.").gradients["x"]
    assert (found.numeric, found.formula, found.verdict) == (None, None, None)
    assert found.autograd is not None


def test_own_tolerances_stand_in_for_rounding(judged):
    strict = Options(rtol=0.0, atol=1e-9)
    found = judged("sin(x**2)", strict, dtype="float32", x="2.").gradients["x"]
    assert (found.verdict, found.tolerance) == (Verdict.PRECISION, 1e-9)
    loose = Options(rtol=1e-2)
    assert judged("sin(x**2)", loose, dtype="float32", x="2.").gradients["x"].tolerance == pytest.approx(
        0.026146, rel=1e-4
    )


def test_a_step_of_one_s_own_leaves_the_verdict_to_float64(judged):
    own = judged("sin(x**2)", Options(eps=1e-3), dtype="float32", x="2.").gradients["x"]
    without = judged("sin(x**2)", dtype="float32", x="2.").gradients["x"]
    assert own.plain == pytest.approx(-2.6145744, abs=1e-3)
    assert own.plain_sentence.startswith("step 0.001 in float32 is off by ")
    assert replace(own, plain=None, plain_sentence="") == without


def test_a_cotangent_goes_into_every_witness(traced):
    run = traced("x**2", x="[1.,2.,3.]")
    cotangent = torch.tensor([1.0, 0.0, -2.0], dtype=torch.float64)
    options = Options(cotangent=parse(Source("tensor([1.,0.,-2.])")).body)
    (found,) = check(run, backward(run, cotangent), cotangent, options)
    assert found.verdict is Verdict.OK
    assert found.symbolic == (2.0, 0.0, -12.0)
    assert found.numeric == pytest.approx((2.0, 0.0, -12.0), abs=1e-9)


def test_a_tensor_without_values_is_not_judged(traced):
    run = traced("x*2", device="meta", x="2.")
    found = check(
        run, backward(run, None), None, Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}))
    )
    assert (found[0].verdict, found[0].sentence) == (None, "meta tensors have no values")


@pytest.mark.parametrize("source", ["x*2", "sum(x*2)"])
def test_more_dimensions_than_torch_compares_are_told(judged, source):
    found = judged(source, x="[" * 70 + "1." + "]" * 70).gradients["x"]
    reason = "there are more than 64 dimensions (70 of them), and torch compares no tensors with so many"
    assert (found.verdict, found.sentence, found.no_formula) == (None, reason, reason)
    assert found.autograd is not None


def test_the_reason_is_told_without_the_numeric_witness_too(traced):
    run = traced("x*2", x="[" * 70 + "1." + "]" * 70)
    options = Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.SYMBOLIC}))
    (found,) = check(run, backward(run, None), None, options)
    assert found.sentence.startswith("there are more than 64 dimensions")


@pytest.mark.parametrize(
    ("source", "bound", "said"),
    [
        ("sigmoid(x*20)", "[-1.,0.1]", "float16 underflows on the way: autograd gives 0,"),
        ("exp(x)", "[1.,12.]", "float16 overflows on the way: autograd gives inf,"),
        ("((x + 1e4) - 1e4)**2", "0.1", "digits are lost to rounding in float16: autograd gives"),
    ],
)
def test_what_float16_does_to_a_gradient_is_named(made, source, bound, said):
    run = made(source, settings=Settings(dtype="float16"), dtype="float16", x=bound)
    (found,) = check(run, backward(run, None))
    assert found.verdict is Verdict.PRECISION
    assert found.sentence.startswith(said)


def test_a_gradient_that_is_0_in_float64_too_has_not_underflown(made):
    run = made("x*0", settings=Settings(dtype="float16"), dtype="float16", x="[1.,2.]")
    (found,) = check(run, backward(run, None))
    assert found.verdict is Verdict.OK


def test_a_slope_that_no_step_can_show_leaves_the_others_to_stand(judged):
    one = judged("x**(2.**60)", x=torch.tensor(1.0)).gradients["x"]
    assert one.verdict is Verdict.OK
    assert one.error_bar is None
