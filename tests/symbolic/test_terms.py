"""Terms and values: what is put together keeps its value, NaN and infinity included."""

import math

import pytest
import torch
from hypothesis import given, settings, strategies as st

from autograd_cli.lang.nodes import Name
from autograd_cli.symbolic.terms import Term, broadcast, factor_term, number_term
from autograd_cli.symbolic.unparse import unparse
from autograd_cli.symbolic.values import Value, reduced, with_dims

NAMES = "abc"
VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, -3.5, math.inf, -math.inf, math.nan])
LITERALS = st.sampled_from([0, 1, -1, 2, 3, 10, 0.5, -0.1, math.inf])
PIECES = st.one_of(
    LITERALS,
    st.tuples(st.sampled_from(NAMES), st.sampled_from([1, 2, 3, -1, -2])),
    st.tuples(LITERALS, st.just(-1)),
)


def _term(piece):
    if not isinstance(piece, tuple):
        return number_term(piece)
    base, power = piece
    term = factor_term(Name(base), ()) if isinstance(base, str) else number_term(base)
    return term.power(power)


def _number(piece, values):
    base, power = piece if isinstance(piece, tuple) else (piece, 1)
    return torch.as_tensor(values[base] if isinstance(base, str) else base, dtype=torch.float64) ** power


def _evaluated(text, values):
    tensors = {name: torch.tensor(v, dtype=torch.float64) for name, v in values.items()}
    return torch.as_tensor(eval(text, {"inf": math.inf, "nan": math.nan, **tensors}), dtype=torch.float64)


@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=5), st.lists(VALUES, min_size=3, max_size=3))
def test_a_product_keeps_its_value(pieces, numbers):
    values = dict(zip(NAMES, numbers, strict=True))
    made = Term()
    expected = torch.ones((), dtype=torch.float64)
    for piece in pieces:
        made, expected = made.times(_term(piece)), expected * _number(piece, values)
    text = unparse(made.written())
    try:
        found = _evaluated(text, values)
    except ZeroDivisionError:  # numbers alone, such as 1/0: Python's own division
        return
    # A product that overflows on the way may stay finite in another order.
    assert torch.allclose(found, expected, rtol=1e-12, equal_nan=True) or 1e300 in pieces, (
        text,
        found,
        expected,
    )


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([1, -1, 2, -2, 0]), st.sampled_from(["a", "b", ""])), min_size=1, max_size=5
    ),
    st.lists(VALUES, min_size=3, max_size=3),
)
def test_a_sum_keeps_its_value(parts, numbers):
    values = dict(zip(NAMES, numbers, strict=True))
    total, expected = Value((), ()), torch.zeros((), dtype=torch.float64)
    for number, name in parts:
        term = number_term(number).times(factor_term(Name(name), ()) if name else Term())
        total = total.plus(Value((term,), ()))
        expected = expected + number * (values[name] if name else 1.0)
    text = unparse(total.written())
    assert torch.allclose(_evaluated(text, values), expected, equal_nan=True), (text, expected)


@pytest.mark.parametrize(
    ("factors", "text"),
    [
        ([2, "a"], "2*a"),
        (["a", "a"], "a**2"),
        ([("a", -1), ("a", -1)], "1/a**2"),
        (["a", ("a", -1)], "a/a"),
        ([0, "a"], "0*a"),
        ([2, (10, -1), "a"], "2/10 * a"),
        ([2, (2, -1), "a"], "a"),
        ([20, (10, -1), "a"], "2*a"),
        ([-1, "a", "b"], "-a*b"),
        ([3, ("a", -1), (10, -1)], "3/(10*a)"),
        ([0.1, 3, "a"], "0.3*a"),
        ([1e300, 1e300, "a"], "1e+300*1e+300*a"),
        ([1e-300, 1e-300, "a"], "1e-300*1e-300*a"),
        (["a", (0, -1)], "a/0"),
        ([math.inf, "a"], "inf*a"),
        ([10**400, "a"], f"{10**400}*a"),
    ],
)
def test_a_product_is_written(factors, text):
    made = Term()
    for piece in factors:
        made = made.times(_term((piece, 1) if isinstance(piece, str) else piece))
    assert unparse(made.written()) == text


def test_opposite_terms_do_not_cancel():
    f = factor_term(Name("f"), ())
    difference = Value((f,), ()).plus(Value((Term(-1).times(f),), ()))
    assert unparse(difference.written()) == "f - f"


SHAPES = st.lists(st.sampled_from([1, 2, 3]), max_size=3).map(tuple)


@settings(max_examples=120, deadline=None)
@given(SHAPES, st.data())
def test_a_cotangent_is_summed_over_what_was_stretched(full, data):
    kept = data.draw(st.integers(0, len(full)))
    to = tuple(data.draw(st.sampled_from([1, n])) for n in full[len(full) - kept :])
    missing = data.draw(st.integers(0, len(full)))
    natural = tuple(data.draw(st.sampled_from([1, n])) for n in full[missing:])
    f = torch.randn(natural, dtype=torch.float64)
    value = reduced(Value((Term(2).times(factor_term(Name("f"), natural)),), full), to)
    text = unparse(value.written())
    expected = (2 * f).expand(full).sum_to_size(to)
    found = torch.as_tensor(eval(text, {"f": f}))
    assert broadcast(found.shape, to) == to
    assert value.natural == found.shape
    assert torch.allclose(found.expand(to), expected), (text, full, to, natural)


@settings(max_examples=80, deadline=None)
@given(SHAPES, st.data())
def test_reduced_dims_are_put_back(full, data):
    dims = sorted(data.draw(st.sets(st.sampled_from(range(len(full))))) if full else [])
    rest = tuple(n for d, n in enumerate(full) if d not in dims)
    natural = tuple(data.draw(st.sampled_from([1, n])) for n in rest[data.draw(st.integers(0, len(rest))) :])
    f = torch.randn(natural, dtype=torch.float64)
    value = with_dims(Value((factor_term(Name("f"), natural),), rest), dims, full)
    expected = f.expand(rest).reshape([1 if d in dims else n for d, n in enumerate(full)]).expand(full)
    found = eval(unparse(value.written()), {"f": f})
    assert value.natural == found.shape
    assert torch.equal(found.expand(full), expected)
