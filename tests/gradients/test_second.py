"""Second derivatives: three witnesses and differences of autograd's first."""

import pytest
import torch

from autograd_cli.gradients.check import Options
from autograd_cli.gradients.second.check import second
from autograd_cli.gradients.second.judge import CUT, FLAT, UNKNOWN
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.values import flat

XX, XY, YY = ("x", "x"), ("x", "y"), ("y", "y")
NO_FORMULA = Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}))
SOFTMAX = "diag(softmax(x, 0)) - outer(softmax(x, 0), softmax(x, 0))"
LOGISTIC = {"const": "X y", "X": "randn(6,3)", "w": "randn(3)", "y": "[0.,1.,0.,1.,1.,0.]"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("source", "given", "formulas"),
    [
        ("sin(x**2)", {"x": "2."}, {XX: "2*cos(x**2) - 4*x**2*sin(x**2)"}),
        ("x**3", {"x": "2."}, {XX: "6*x"}),
        ("x*y", {"x": "2.", "y": "3."}, {XX: "0", XY: "1", YY: "0"}),
        ("x@A@x", {"x": "randn(3)", "A": "randn(3,3)", "const": "A"}, {XX: "A + A.T"}),
        ("sum(sin(x**2))", {"x": "[1.,2.]"}, {XX: "diag(2*cos(x**2) - 4*x**2*sin(x**2))"}),
        ("sum(x*y)", {"x": "randn(3)", "y": "randn(3)"}, {XX: "0", XY: "eye(3)", YY: "0"}),
        ("logsumexp(x,0)", {"x": "randn(3)"}, {XX: SOFTMAX}),
        (
            "F.cross_entropy(x,y)",
            {"x": "randn(4)", "y": "tensor(1)"},
            {XX: SOFTMAX},
        ),
        (
            "mean((X@w-y)**2)",
            {"const": "X y", "X": "randn(10,3)", "w": "randn(3)", "y": "randn(10)"},
            {("w", "w"): "2/10 * X.T @ X"},
        ),
        ("y*sum(x**2)", {"y": "2.", "x": "randn(3)"}, {YY: "0", ("y", "x"): "2*x", XX: "2*y*eye(3)"}),
        ("x**2", {"x": "0."}, {XX: "2"}),
    ],
)  # fmt: skip
def test_the_rules_applied_again(blocks, dtype, source, given, formulas):
    found = blocks(source, dtype=dtype, **given)
    assert {pair: block.formula for pair, block in found.items() if pair in formulas} == formulas
    for block in found.values():
        assert block.verdict is Verdict.OK
        assert block.sentence in ("", FLAT, CUT)
        assert block.numeric is not None
        assert block.difference <= block.tolerance
        assert list(flat(block.numeric)) == pytest.approx(list(flat(block.symbolic)), abs=1e-8)
        assert list(flat(block.differences)) == pytest.approx(list(flat(block.symbolic)), abs=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_hessian_is_torch_s(traced, dtype):
    run = traced("mean(F.softplus(X@w) - y*(X@w))", dtype=dtype, **LOGISTIC)
    (block,) = second(run, None).blocks
    at, y, w = (next(b.value.double() for b in run.bindings if b.name == name) for name in "Xyw")
    meant = torch.autograd.functional.hessian(
        lambda w: (torch.nn.functional.softplus(at @ w) - y * (at @ w)).mean(), w.detach()
    )
    assert (block.verdict, block.shape) == (Verdict.OK, (3, 3))
    assert torch.allclose(torch.tensor(block.symbolic, dtype=torch.float64), meant, rtol=0, atol=1e-12)
    assert torch.allclose(torch.tensor(block.numeric, dtype=torch.float64), meant, rtol=0, atol=1e-9)
    assert block.error_bar < 1e-8


def test_a_matrix_of_weights_has_a_block_of_four_dimensions(blocks):
    given = {
        "const": "X y",
        "X": "randn(6,4)",
        "W": "randn(4,3)",
        "y": "tensor([0,1,2,1,0,2])",
        "b": "zeros(3)",
    }
    found = blocks("F.cross_entropy(X@W+b,y)", dtype="float32", **given)
    assert {pair: block.shape for pair, block in found.items()} == {
        ("W", "W"): (4, 3, 4, 3), ("W", "b"): (4, 3, 3), ("b", "b"): (3, 3),
    }  # fmt: skip
    for block in found.values():
        assert (block.verdict, block.applied) == (Verdict.OK, f"v_{block.pair[1]}")
        assert block.asymmetry < 1e-6


def test_many_elements_have_a_product_with_a_direction(traced):
    found = second(traced("sum(sin(x)*x)", x="randn(40,50)"), None)
    (block,) = found.blocks
    assert (found.kind, block.shape, block.directions) == ("product", (40, 50), 4)
    assert "more than 32 elements in all" in found.sentence
    assert (block.verdict, block.formula, block.applied) == (Verdict.OK, "2*v*cos(x) - x*v*sin(x)", "v")
    assert block.symbolic.count == block.autograd.count == 2000
    assert block.numeric is None


def test_the_direction_has_a_name_that_nothing_else_has(blocks):
    (block,) = blocks("sum(sin(v)*v)", v="randn(40)").values()
    assert block.applied == "v1"


def test_an_output_that_is_no_scalar_is_summed(traced):
    found = second(traced("x**3", x="[1.,2.]"), None)
    assert found.of == "the sum of its elements"
    assert found.blocks[0].autograd == ((6.0, 0.0), (0.0, 12.0))


def test_a_cotangent_weighs_the_output(traced):
    sent = torch.tensor([1.0, -2.0], dtype=torch.float64)
    options = Options(cotangent=parse(Source("tensor([1.,-2.])")).body)
    found = second(traced("x**3", x="[1.,2.]"), sent, options)
    assert found.of == "its sum weighed with the cotangent"
    assert found.blocks[0].verdict is Verdict.OK
    assert found.blocks[0].symbolic == ((6.0, 0.0), (0.0, -24.0))


@pytest.mark.parametrize(
    ("source", "given", "verdict", "said"),
    [
        (
            "relu(x)",
            {"x": "0."},
            Verdict.KINK,
            "the slope itself jumps here, so there is no second derivative",
        ),
        ("abs(x)", {"x": "0."}, Verdict.KINK, "autograd gives 0"),
        ("maximum(x,y)", {"x": "1.", "y": "1."}, Verdict.KINK, "the slope itself jumps"),
        (
            "relu(x)**2",
            {"x": "0."},
            Verdict.KINK,
            "the second derivative is 0 on one side and 2 on the other",
        ),
        ("x*abs(x)", {"x": "0."}, Verdict.KINK, "is -2 on one side and 2 on the other; autograd gives 0"),
        ("abs(x)**1.5", {"x": "0."}, Verdict.JUMP, "grows without bound"),
        ("sqrt(x)", {"x": "0."}, Verdict.DOMAIN_EDGE, "the function has no values here or on one side"),
        ("sqrt(x**2 + 1e-12)", {"x": "0."}, Verdict.OK, ""),
        ("F.smooth_l1_loss(x, 0*x)", {"x": "1."}, Verdict.KINK, "is 0 on one side and 1 on the other"),
        ("relu(x)", {"x": "1."}, Verdict.OK, ""),
        ("3*x", {"x": "2."}, Verdict.OK, FLAT),
        ("sum(abs(x))", {"x": "[1.,-2.]"}, Verdict.OK, ""),
    ],
)
def test_kinks_and_what_is_piecewise_linear(blocks, source, given, verdict, said):
    for block in blocks(source, **given).values():
        assert block.verdict is verdict
        assert said in block.sentence


def test_a_kink_among_other_elements_is_theirs_alone(blocks):
    block = blocks("sum(relu(x)**3 + relu(x))", x="[1.,0.,-2.]")[XX]
    assert (block.verdict, block.worst, block.kinks) == (Verdict.KINK, (1, 1), 1)
    assert block.autograd == ((6.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_what_torch_cannot_differentiate_twice_is_named(traced):
    found = second(traced("sum(cdist(2*x, y)**2)", x="randn(3,2)", y="randn(2,2)"), None)
    assert found.at == "cdist(2*x, y)"
    assert "_cdist_backward" in found.error
    for block in found.blocks:
        assert (block.verdict, block.autograd) == (Verdict.NO_GRAPH, None)
        assert "autograd has no second derivative here" in block.sentence
        assert block.numeric is not None


@pytest.mark.parametrize(
    ("source", "given", "said"),
    [
        ("x.detach()*2", {"x": "2."}, "the output has no graph"),
    ],
)
def test_why_there_is_none(traced, source, given, said):
    found = second(traced(source, **given), None)
    assert (found.kind, found.blocks) == ("", ())
    assert said in found.sentence


def test_by_complex_leaves_it_is_not_done_and_says_so(traced):
    found = second(traced("(z*z.conj()).real", z="1+2j", dtype="complex128"), None)
    assert (found.kind, found.blocks) == ("hessian", ())
    assert found.sentence == (
        "z is complex: not done, since second derivatives are worked out by real leaves only"
    )


def test_a_leaf_without_elements_has_an_empty_block(traced):
    found = second(traced("(x*x).sum()*y**2", x="zeros(0,2)", y="3."), None)
    shapes = {block.pair: block.shape for block in found.blocks}
    assert shapes == {("x", "x"): (0, 2, 0, 2), ("x", "y"): (0, 2), ("y", "y"): ()}
    assert {block.verdict for block in found.blocks} == {Verdict.OK}
    alone = second(traced("(x*x).sum()", x="zeros(0)"), None)
    assert [(block.autograd, block.verdict) for block in alone.blocks] == [((), Verdict.OK)]


def test_without_values_there_is_none(traced):
    assert second(traced("x*x", x="2.", device="meta"), None).sentence == "meta tensors have no values"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("abs(exp(1j*x)*x)", "complex numbers have no derivative rules yet"),
        ("*".join(f"(sin(x)+{n}.5)" for n in range(8)), "longer than 500 characters"),
    ],
)
def test_where_there_is_no_formula_it_says_why(blocks, source, said):
    block = blocks(source, x="2.")[XX]
    assert (block.formula, block.symbolic, block.no_formula) == (None, None, said)
    assert block.verdict is Verdict.OK
    assert block.numeric == pytest.approx(block.autograd, rel=1e-8, abs=1e-8)


def test_draws_are_held_as_they_were(blocks):
    block = blocks("sum(x*x*x*randn(3))", x="[1.,2.,3.]")[XX]
    assert (block.verdict, block.formula) == (Verdict.OK, "diag(6*x*randn(3))")


def test_only_the_witnesses_asked_for_are_given(blocks):
    only = Options(witnesses=frozenset({Witness.SYMBOLIC}))
    block = blocks("sin(x**2)", only, x="2.")[XX]
    assert (block.autograd, block.numeric, block.differences, block.verdict) == (None, None, None, None)
    assert block.symbolic is not None


def test_autograd_alone_has_no_verdict(blocks):
    block = blocks("sin(x**2)", Options(witnesses=frozenset({Witness.AUTOGRAD})), x="2.")[XX]
    assert (block.numeric, block.differences, block.formula, block.verdict) == (None, None, None, None)
    assert block.autograd == pytest.approx(10.801553, abs=1e-6)


def test_own_tolerances_stand_in_for_rounding(blocks):
    assert blocks("sin(x**2)", Options(atol=0.5), x="2.")[XX].tolerance == 0.5


@pytest.mark.parametrize("seed", range(6))
def test_a_net_in_float32_is_ok(blocks, seed):
    given = {"X": f"randn(20,{8 + seed})", "W": f"randn({8 + seed},16)", "c": "zeros(16)", "V": "randn(16,3)"}
    labels = {"y": f"tensor({[k % 3 for k in range(20)]})", "const": "X y"}
    found = blocks("F.cross_entropy(relu(X@W+c)@V, y)", dtype="float32", **given, **labels)
    assert {pair: block.verdict for pair, block in found.items()} == dict.fromkeys(found, Verdict.OK)


def test_float16_loses_digits(blocks):
    block = blocks("((x + 1e3) - 1e3)**3", dtype="float16", x="0.4")[XX]
    assert (block.verdict, block.odd) == (Verdict.PRECISION, Witness.AUTOGRAD)
    assert block.sentence.startswith("digits are lost to rounding in float16")


def test_without_a_reference_that_tells_there_is_no_verdict(blocks):
    block = blocks("((1e12 + x*x) - 1e12).sqrt()", NO_FORMULA, x="0.001")[XX]
    assert (block.verdict, block.sentence) == (None, UNKNOWN)


def test_elements_of_all_sizes_are_stepped_by_their_own(traced):
    """Of log(x) from 1e-6 to 1e6, of which a step of one size for all crosses 0."""
    run = traced("log(x).sum()", x="logspace(-6,6,40)")
    (block,) = second(run, None, NO_FORMULA).blocks
    signs = [round(a * x**2) for a, x in zip(block.autograd, run.leaves["x"].tolist(), strict=True)]
    assert set(signs) == {1, -1}
    assert block.verdict is Verdict.OK
    for given, found in zip(block.autograd, block.differences, strict=True):
        assert found == pytest.approx(given, rel=1e-9)
    assert block.error_bar < 1e-6 * max(map(abs, block.autograd))


def test_what_is_too_large_to_be_divided_by_a_square_has_a_second_derivative(blocks):
    for options in (None, NO_FORMULA):
        block = blocks("x.exp().sum()", options, x="[1e-8,700.]")[XX]
        assert block.verdict is Verdict.OK
        assert block.autograd[0][1] == block.autograd[1][0] == 0
        assert block.numeric[1][1] == pytest.approx(block.autograd[1][1], rel=1e-9)
        assert list(flat(block.differences)) == pytest.approx(list(flat(block.autograd)), rel=1e-9)


def test_steps_are_what_floats_take_of_them(blocks):
    """Near a place that is large for its step each step is rounded, unless it has few bits."""
    block = blocks("(x - 1e3)**3", NO_FORMULA, x="1e3 + 0.1")[XX]
    assert block.differences == pytest.approx(0.6, rel=1e-9)
    assert block.differences_bar < 1e-9


@pytest.mark.parametrize("source", ["log(x)", "1/x", "x*log(x)"])
def test_where_there_is_no_value_there_is_no_second_derivative(blocks, source):
    assert blocks(source, NO_FORMULA, x="0.")[XX].verdict is Verdict.DOMAIN_EDGE


def test_it_leaves_no_mark_on_the_process(blocks):
    before, dtype = torch.random.get_rng_state(), torch.get_default_dtype()
    blocks("sum(sin(x)*randn(3))", dtype="float32", x="[1.,2.,3.]")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_default_dtype() == dtype


@pytest.mark.parametrize(
    ("source", "x", "verdict"),
    [
        ("x.sum()", "[nan,inf]", Verdict.DOMAIN_EDGE),
        ("x.prod()", "[nan,inf]", Verdict.DOMAIN_EDGE),
        ("tanh(x).sum()", "[inf,2.,-inf]", Verdict.OK),
    ],
)
def test_an_element_that_is_not_finite_is_stepped_from_as_from_0(blocks, source, x, verdict):
    assert blocks(source, x=x)[XX].verdict is verdict
