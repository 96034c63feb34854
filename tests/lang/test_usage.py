"""How a program uses its names: what keeps an int an int, and what has no value."""

import pytest

from autograd_cli.lang.check import check, misspelt
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source

T, INDEX, MASK, DIM, SIZE, TARGET = Role.TENSOR, Role.INDEX, Role.MASK, Role.DIM, Role.SIZE, Role.TARGET

ROLES = {
    "x*n": {"x": {T}, "n": {T}},
    "x[i]": {"x": {T}, "i": {INDEX}},
    "x[i]*i": {"x": {T}, "i": {INDEX, T}},
    "x[i + 1:j - 1, -k]": {"x": {T}, "i": {INDEX}, "j": {INDEX}, "k": {INDEX}},
    "x[[i, j]]": {"x": {T}, "i": {INDEX}, "j": {INDEX}},
    "x[idx[0]]": {"x": {T}, "idx": {INDEX}},
    "x[m > 2]": {"x": {T}, "m": {T}},
    "x[i if n > 2 else j]": {"x": {T}, "i": {INDEX}, "n": {T}, "j": {INDEX}},
    "x.sum(d)": {"x": {T}, "d": {DIM}},
    "x.sum(dim=-d)": {"x": {T}, "d": {DIM}},
    "x.sum(axis=(d, k))": {"x": {T}, "d": {DIM}, "k": {DIM}},
    "zeros((n, 2*m))": {"n": {SIZE}, "m": {SIZE}},
    "x.view(n, -1)": {"x": {T}, "n": {SIZE}},
    "cat([x, y], d)": {"x": {T}, "y": {T}, "d": {DIM}},
    "where(m, x, y)": {"m": {MASK}, "x": {T}, "y": {T}},
    "x & ~m": {"x": {MASK}, "m": {MASK}},
    "x ^ n": {"x": {T}, "n": {T}},
    "F.cross_entropy(x, c)": {"x": {T}, "c": {TARGET}},
    "x + (n and m)": {"x": {T}, "n": {T}, "m": {T}},
}


@pytest.mark.parametrize("text", ROLES)
def test_a_name_has_the_roles_of_the_places_where_it_stands(text):
    usage = check(parse(Source(text)), ())
    assert usage.names == {name: frozenset(roles) for name, roles in ROLES[text].items()}


def test_unbound_names_come_in_order_of_appearance():
    usage = check(parse(Source("b*x + a[c] - b.sum(d)")), ["x"])
    assert usage.unbound == ("b", "a", "c", "d")


def test_functions_constants_and_modules_are_no_names_without_a_value():
    text = "sin(pi*e) + torch.exp(x).to(torch.float32) + inf + F.relu(math.pi*x)"
    usage = check(parse(Source(text)), ["x"])
    assert (usage.unbound, set(usage.names)) == ((), {"x"})


def test_a_binding_hides_a_constant_and_a_function():
    usage = check(parse(Source("e**2 + t + norm")), ["e", "t", "norm"])
    assert set(usage.names) == {"e", "t", "norm"}


def test_a_long_sum_is_checked_without_recursion():
    usage = check(parse(Source("+".join(["x"] * 5000)), TextLimits(max_chain=5_000)), ["x"])
    assert usage.names == {"x": frozenset({T})}


@pytest.mark.parametrize(
    ("text", "name", "bound", "meant"),
    [
        ("alhpa*x", "alhpa", ["alpha", "x"], "alpha"),
        ("X*2", "X", ["x"], "x"),
        ("x*float23", "float23", ["x"], "float32"),
    ],
)
def test_a_misspelt_name_is_known(text, name, bound, meant):
    error = misspelt(parse(Source(text)), name, bound)
    assert error is not None
    assert error.hint == f"Did you mean `{meant}`?"
    assert error.fix == text.replace(name, meant)


@pytest.mark.parametrize("name", ["beta", "k", "np"])
def test_a_name_that_is_near_to_none_is_left_to_the_caller(name):
    assert misspelt(parse(Source(f"{name}*x")), name, ["x"]) is None
