"""What is unparsed is read back as the same expression, with no bracket too many."""

import pytest
from hypothesis import given, settings, strategies as st

from autograd_cli.lang import nodes
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.symbolic.unparse import unparse

SAME = """
a + b - c
a - (b + c)
a*b/c
a/(b*c)
a*(b + c)
(a*b)**2
-x**2
(-x)**2
x**-1
2**3**x
(2**3)**x
x**(1/3 - 1)
-(a + b)
-a*b
not a and b or c
(a and b) and c
a or (b or c)
(not a)*b
(a < b) < c
a < b <= c
(x > 0) & (x < 3)
x & y | z ^ w
a << 2 >> 1
~x
+x
a if b else c if d else e
(a if b else c) if d else e
(a if b else c)*2
X.T @ Y
A@B + C
A.T
(A + B).T
(A@B).T
(-x).abs()
f(x)[0]
x[0, 1:3, ..., None]
x[::2]
x[1:]
x[:, -1]
x[(0, 1),]
x[[0, 2]]
(1).real
x.sum((0, 1), keepdim=True)
x.reshape(())
(a,)
[]
'a, "b"'
2j*x
1e-05
torch.nn.functional.relu(x)
2/10 * X.T @ (X@w + b - y)
2/10 * (X@w + b - y).sum(0)
-2/10 * x
2*x*cos(x**2)
2 * X.T @ R / norm(R)
full_like(x, 2/10)
""".strip().splitlines()


@pytest.mark.parametrize("text", SAME)
def test_stays_as_it_is(text):
    assert unparse(parse(Source(text)).body) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("((a))+(b*c)", "a + b*c"),
        ("(a*b)*c", "a*b*c"),
        ("(a+b)+c", "a + b + c"),
        ("(x[0]).T", "x[0].T"),
        ("x**(2)", "x**2"),
        ("x**(-y)", "x**-y"),
        ("X.T@w", "X.T @ w"),
        ("x[(0, 1)]", "x[0, 1]"),
        ("f( x , dim = 0 )", "f(x, dim=0)"),
    ],
)
def test_drops_what_is_not_needed(text, short):
    assert unparse(parse(Source(text)).body) == short


def test_depth_costs_no_stack():
    deep = nodes.Name("x")
    for _ in range(20_000):
        deep = nodes.Unary("-", deep)
    assert unparse(deep) == "-" * 20_000 + "x"


def test_numbers_that_are_not_finite():
    assert [unparse(nodes.Number(float(v))) for v in ("inf", "nan")] == ["inf", "nan"]


NAMES = st.sampled_from(["x", "y", "A", "cos"]).map(nodes.Name)
LEAVES = st.one_of(
    NAMES,
    st.integers(0, 100).map(nodes.Number),
    st.floats(0, 1e9).map(nodes.Number),
    st.floats(0, 9).map(lambda v: nodes.Number(complex(0, v))),
    st.sampled_from([True, False, None, ...]).map(nodes.Constant),
    st.sampled_from(["mean", "it's", "ij,jk->ik"]).map(nodes.Text),
)
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]


def _grown(inner):
    several = st.lists(inner, max_size=3).map(tuple)
    pair = st.lists(inner, min_size=2, max_size=3).map(tuple)
    keywords = st.lists(st.builds(nodes.Keyword, st.just("dim"), inner), max_size=1).map(tuple)
    bound = st.one_of(st.none(), inner)
    slices = st.builds(nodes.Slice, bound, bound, bound)
    index = st.one_of(
        inner,
        slices,
        st.lists(st.one_of(inner, slices), min_size=1, max_size=3).map(
            lambda items: nodes.Sequence("tuple", tuple(items))
        ),
    )
    callee = st.one_of(NAMES, st.builds(nodes.Attribute, inner, st.just("sum")))
    return st.one_of(
        st.builds(nodes.Binary, st.sampled_from(OPERATORS), inner, inner),
        st.builds(nodes.Unary, st.sampled_from(["-", "+", "~", "not"]), inner),
        st.builds(nodes.Attribute, inner, st.just("T")),
        st.builds(nodes.Call, callee, several, keywords),
        st.builds(nodes.Boolean, st.sampled_from(["and", "or"]), pair),
        st.builds(nodes.Conditional, inner, inner, inner),
        st.builds(nodes.Subscript, inner, index),
        st.builds(nodes.Sequence, st.sampled_from(["list", "tuple"]), several),
        pair.flatmap(lambda operands: _comparison(operands)),
    )


def _comparison(operands):
    ops = st.lists(
        st.sampled_from(["<", "<=", "==", "!="]), min_size=len(operands) - 1, max_size=len(operands) - 1
    )
    return st.builds(lambda chosen: nodes.Compare(tuple(chosen), operands), ops)


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, _grown, max_leaves=20))
def test_reads_back_as_itself(tree):
    text = unparse(tree)
    again = parse(Source(text)).body
    assert again == tree
    assert unparse(again) == text
