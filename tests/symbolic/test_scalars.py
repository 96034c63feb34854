"""Scalar expressions at random: the formula against SymPy's derivative and autograd."""

import math
import re

import pytest
import sympy
import torch
from hypothesis import HealthCheck, assume, given, settings, strategies as st

FUNCTIONS = ["sin", "cos", "exp", "tanh", "atan", "sinh", "sqrt", "log"]
NUMBERS = st.sampled_from(["1", "2", "3", "0.5", "10", "0.1"])


def _grown(inner):
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda t: _called(*t)),
        st.tuples(inner, st.sampled_from(["2", "3", "-1", "0.5", "x"])).map(lambda t: f"({t[0]})**{t[1]}"),
        inner.map(lambda text: f"(-{text})"),
    )


def _called(name, text):
    return text if text in ("1", "2", "3", "0.5", "10", "0.1") else f"{name}({text})"


SOURCES = st.recursive(st.one_of(st.sampled_from(["x", "x", "y"]), NUMBERS), _grown, max_leaves=8)
POINTS = st.floats(0.2, 2).map(lambda v: round(v, 3))
SIGNED = st.one_of(POINTS, POINTS.map(lambda v: -v))


@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SOURCES.filter(lambda text: re.search(r"\bx\b", text)), SIGNED, SIGNED)
def test_formula_sympy_and_autograd_agree(derive, source, x, y):
    try:
        found = derive(f"x*0.5 + {source}", x=x, y=y)
    except (TypeError, ZeroDivisionError):
        assume(False)  # a function of Python numbers only, such as sin(1 + 2)
    assume(found["x"].text)  # a power of a number that is 0 or negative has no formula
    assert found["x"].agrees or not torch.isfinite(found["x"].gradient), (
        found["x"].text,
        found["x"].gradient,
    )
    symbols = dict(zip("xy", sympy.symbols("x y", real=True), strict=True))
    exact = sympy.diff(sympy.sympify(f"x*0.5 + {source}", symbols), symbols["x"])
    expected = sympy.N(exact.subs({symbols["x"]: sympy.Float(x, 40), symbols["y"]: sympy.Float(y, 40)}), 25)
    assume(expected.is_real and 1e-150 < abs(expected) < 1e150)
    magnitude = abs(found["x"].value.item())
    assume(math.isfinite(magnitude) and abs(expected) > 1e-6 * _largest(source, x, y))
    assert found["x"].value.item() == pytest.approx(float(expected), rel=1e-9)


def _largest(source, x, y):
    """The largest value on the way, next to which a small sum has lost its digits."""
    return max(1.0, abs(x), abs(y))


SPECIAL = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, -3.5, float("inf"), float("-inf"), float("nan")])
POLYNOMIAL = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "3"])).map(lambda t: f"({t[0]})**{t[1]}"),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(POLYNOMIAL.filter(lambda text: "x" in text), st.lists(SPECIAL, min_size=2, max_size=2))
def test_what_is_finite_in_torch_is_the_same_in_the_formula_at_the_edges(derive, source, point):
    """Only NaN may differ: torch multiplies step by step and may meet 0*inf where a formula does not."""
    try:
        found = derive(f"1.0*{source}", x=point[0], y=point[1])["x"]
    except ZeroDivisionError:
        assume(False)
    both = torch.isfinite(found.gradient) & torch.isfinite(found.value)
    assert found.agrees or not both, (found.text, found.value, found.gradient)


EDGED = ["sin", "cos", "exp", "tanh", "atan", "sqrt", "log", "abs", "sigmoid", "sinh", "softplus"]
ROUGH = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "3", "-1", "-2", "0.5", "1.5"])).map(
            lambda t: f"({t[0]})**{t[1]}"
        ),
        st.tuples(st.sampled_from(EDGED), inner).map(lambda t: _called(*t)),
    ),
    max_leaves=5,
)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(ROUGH.filter(lambda text: re.search(r"\bx\b", text)), st.lists(SPECIAL, min_size=2, max_size=2))
def test_what_is_no_nan_in_torch_is_the_same_in_the_formula_at_the_edges(derive, source, point):
    """At 0, infinities, NaN and negative bases, infinite slopes included."""
    try:
        found = derive("1.0*" + source.replace("softplus", "F.softplus"), x=point[0], y=point[1])["x"]
    except (TypeError, ZeroDivisionError):
        assume(False)
    assume(found.text)
    assert found.agrees or torch.isnan(found.gradient), (found.text, found.value, found.gradient)
