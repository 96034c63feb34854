"""Each row of the elementwise table against torch, at plain points, at kinks and at edges."""

from itertools import product

import pytest
import torch

from autograd_cli.lang.functions import FUNCTIONS
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.symbolic import elementwise, rules
from autograd_cli.symbolic.texts import rows

inf, nan = float("inf"), float("nan")
PLAIN = [-2.5, -1.3, -0.7, 0.2, 0.6, 0.9, 1.7, 3.4]
EDGES = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0, 25.0, inf, -inf]
PAIRS = list(product([-2.0, -0.7, 0.5, 1.0, 2.0, 3.0], repeat=2))

ONE = sorted(
    {
        f.spelling
        for f in FUNCTIONS
        if f.differentiable and not f.attribute and f.path.startswith("torch.") and ".Tensor." not in f.path
        if (row := elementwise.ROWS.get(f.key))
        and [p for p in row.parameters if p not in row.defaults] == ["x"]
    }
    - {"clamp", "clip"}
)
TWO = [
    "x + y", "add(x, y, alpha=3)", "x - y", "sub(x, y, alpha=0.5)", "rsub(x, y)", "x*y", "x/y",
    "div(x, y, rounding_mode='floor')", "div(x, y, rounding_mode='trunc')", "x % y", "fmod(x, y)",
    "atan2(x, y)", "copysign(x, y)", "hypot(x, y)", "ldexp(x, y)", "logaddexp(x, y)", "logaddexp2(x, y)",
    "xlogy(x, y)", "special.xlog1py(x, y)", "maximum(x, y)", "minimum(x, y)", "max(x, y)", "min(x, other=y)",
    "fmax(x, y)", "fmin(x, y)", "clamp(x, y)", "clamp(x, max=y)", "clamp(x, y, 1.5*y)", "clamp_min(x, y)",
    "clamp_max(x, y)", "x**y", "float_power(x, y)", "where(x > y, x*y, y)", "x.where(x > y, y)",
    "masked_fill(x*y, x > y, 2)", "lerp(x, y, 0.3)", "lerp(x, y, x)", "addcmul(x, y, x, value=2)",
    "addcdiv(x, x, y, value=2)",
]  # fmt: skip
PARAMETERS = [
    "logit(x, 0.1)", "logit(x, eps=0.3)", "clamp(x, -1, 1)", "clamp(x, min=0)", "x.clamp(max=0.5)",
    "clip(x, -1, 1)", "round(x, decimals=1)", "nan_to_num(x, 0.0)", "F.leaky_relu(x, 0.2)",
    "F.leaky_relu(x, negative_slope=0.2)", "F.elu(x, alpha=0.7)", "F.celu(x, alpha=0.5)",
    "F.softplus(x, beta=2)", "F.softplus(x, 1, 2)", "F.hardtanh(x, -2, 0.5)", "F.softshrink(x, 1)",
    "F.hardshrink(x, lambd=1)", "F.threshold(x, 0.5, 7)", "F.gelu(x)", "F.gelu(x, approximate='tanh')",
    "F.rrelu(x)", "F.rrelu(x, 0.1, 0.5)", "polygamma(2, x)", "x.polygamma(1)", "mvlgamma(x + 5, 3)", "x**2",
    "x**3", "x**0", "x**1", "x**-2", "x**0.5", "x**2.0", "x**-1.5", "x**(1/3)", "2**x", "0.5**x", "2.5/x",
    "-x", "+x", "3 - x", "abs(x)", "relu(input=x)", "pow(x, exponent=3)",
]  # fmt: skip

# Where torch's own derivative is computed with a constant in float32, or by formulas that
# lose their value at infinity, the formula is the better one.
ROUGH = {"F.hardsigmoid"}
NOT_AT_INFINITY = {"F.softsign", "special.log_ndtr", "logit", "special.logit", "F.hardswish"}


@pytest.mark.parametrize("name", [name for name in ONE if name not in ROUGH])
def test_functions_of_one_tensor(derive, name):
    edges = [v for v in EDGES if abs(v) < inf or name not in NOT_AT_INFINITY]
    outside = {"logit", "special.logit"}
    points = [v for v in PLAIN + edges if name not in outside or 0 <= v <= 1]
    found = derive(f"{name}(x)", x=points)["x"]
    assert found.agrees, (found.text, found.value, found.gradient)


def test_hardsigmoid_is_a_sixth_where_torch_has_it_in_float32(derive):
    found = derive("F.hardsigmoid(x)", x=[-3.0, 0.5, 3.0])["x"]
    assert found.value.tolist() == [0, 1 / 6, 0]
    assert torch.allclose(found.value, found.gradient, rtol=1e-7)


@pytest.mark.parametrize("source", TWO)
def test_functions_of_two_tensors(derive, source):
    x, y = zip(*PAIRS, strict=True)
    for found in derive(source, x=x, y=y).values():
        assert found.agrees, (found.text, found.value, found.gradient)


@pytest.mark.parametrize("source", PARAMETERS)
def test_parameters(derive, source):
    found = derive(source, x=PLAIN + EDGES)["x"]
    assert found.agrees, (found.text, found.value, found.gradient)


@pytest.mark.parametrize("name", ["igamma", "igammac", "special.zeta"])
def test_by_the_second_argument_only(derive, name):
    found = derive(f"{name}(tensor([2.5, 1.3]), y)", y=[0.7, 2.0])["y"]
    assert found.agrees, (found.text, found.value, found.gradient)


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_prelu_with_its_weight(derive, shape):
    x = torch.linspace(-1, 1, 6)[: torch.Size(shape).numel()].reshape(shape)
    for weight in [0.2], [0.2, 0.3, 0.4][: 3 if len(shape) == 2 else 1]:
        for found in derive("F.prelu(x, w)", x=x, w=weight).values():
            assert found.agrees, (found.text, found.value, found.gradient)


def test_prelu_of_a_number_by_a_list_of_one_says_that_it_has_no_rule(derive):
    found = derive("F.prelu(x, w)", x=torch.tensor(-0.5), w=[0.1])
    assert found["w"].derivative.reason == "prelu of a single number has no derivative rule yet"


def test_prelu_by_channel_of_an_image_says_that_it_has_no_rule(derive):
    found = derive("F.prelu(x, w)", x=torch.ones(2, 3, 4), w=[0.1, 0.2, 0.3])
    assert found["w"].derivative.reason == "prelu with a weight for each channel has no derivative rule yet"


# Reading and composing complex numbers, random slopes, and functions of several results.
WITHOUT = {
    "cdouble", "cfloat", "complex", "polar", "view_as_complex", "view_as_real", "imag", "frexp",
    "chalf", "gumbel_softmax", "nextafter",
}  # fmt: skip


def test_every_elementwise_function_and_activation_has_a_rule():
    kinds = {Kind.ELEMENTWISE, Kind.ACTIVATION}
    keys = {f.key for f in FUNCTIONS if f.kind in kinds and f.differentiable and not f.writes}
    assert {key for key in keys if not rules.is_known(key)} == WITHOUT


@pytest.mark.parametrize(
    "head", ["sin(x)", "tanh(x)", "atan2(x, y)", "div(x, y)", "relu(x)", "maximum(x, y)"]
)
def test_a_row_wrong_by_a_twentieth_of_a_percent_is_caught(derive, monkeypatch, head):
    key = head.partition("(")[0]
    texts = rows(elementwise.ARITHMETIC)["div"].texts_for(dict.fromkeys(["x", "y", "rounding_mode"]))
    right = texts if key == "div" else elementwise.ROWS[key].texts
    wrong = tuple(f"1.0005*({text})" for text in right)
    source = f"torch.{head}"
    good = derive(source, x=[0.3, 2.0], y=[0.7, -1.0])
    assert all(found.agrees for found in good.values())
    monkeypatch.setitem(elementwise.ROWS, key, rows({head: wrong})[key])
    bad = derive(source, x=[0.3, 2.0], y=[0.7, -1.0])
    assert not any(found.agrees for name, found in bad.items() if name in head)
