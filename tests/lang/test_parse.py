"""What a source is read into, and where each node says that it stands."""

import ast
import sys

import pytest

from autograd_cli.errors import Span
from autograd_cli.lang.nodes import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Compare,
    Conditional,
    Constant,
    Expr,
    Keyword,
    Name,
    Number,
    Sequence,
    Slice,
    Subscript,
    Text,
    Unary,
    walk,
)
from autograd_cli.lang.parse import is_source, parse
from autograd_cli.lang.reader import HANDLERS
from autograd_cli.lang.source import Source

X, Y = Name("x"), Name("y")

MEANINGS: dict[str, Expr] = {
    "x": X,
    "-x**2": Unary("-", Binary("**", X, Number(2))),
    "2**-x": Binary("**", Number(2), Unary("-", X)),
    "x**y**2": Binary("**", X, Binary("**", Y, Number(2))),
    "x - y - 1": Binary("-", Binary("-", X, Y), Number(1)),
    "x @ y // 2 % 3": Binary("%", Binary("//", Binary("@", X, Y), Number(2)), Number(3)),
    "~x & y | x ^ y << 1 >> 2": Binary(
        "|",
        Binary("&", Unary("~", X), Y),
        Binary("^", X, Binary(">>", Binary("<<", Y, Number(1)), Number(2))),
    ),
    "1 < x <= y != 2": Compare(("<", "<=", "!="), (Number(1), X, Y, Number(2))),
    "x is None": Compare(("is",), (X, Constant(None))),
    "x is not y": Compare(("is not",), (X, Y)),
    "x in [1]": Compare(("in",), (X, Sequence("list", (Number(1),)))),
    "x not in ()": Compare(("not in",), (X, Sequence("tuple"))),
    "x and y and 1 or not x": Boolean("or", (Boolean("and", (X, Y, Number(1))), Unary("not", X))),
    "1 if x else 2": Conditional(X, Number(1), Number(2)),
    "x.T": Attribute(X, "T"),
    "x.sum(0, keepdim=True)": Call(Attribute(X, "sum"), (Number(0),), (Keyword("keepdim", Constant(True)),)),
    "x[0]": Subscript(X, Number(0)),
    "x[1:, ::2, ..., None]": Subscript(
        X,
        Sequence(
            "tuple",
            (Slice(Number(1)), Slice(step=Number(2)), Constant(...), Constant(None)),
        ),
    ),
    "[1, 2.5, 3j]": Sequence("list", (Number(1), Number(2.5), Number(3j))),
    "(x,)": Sequence("tuple", (X,)),
    "f(x, 'ij' 'k')": Call(Name("f"), (X, Text("ijk"))),
    "ｓｉｎ(x)": Call(Name("sin"), (X,)),
    "0x10 + 1_000 + .5e-3": Binary("+", Binary("+", Number(16), Number(1000)), Number(0.0005)),
    "False": Constant(False),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_source_means_what_python_means_by_it(text, read):
    assert read(text) == MEANINGS[text]


@pytest.mark.parametrize(
    "text",
    ["  x + y", "\n\n\tx + y\n\n", "x + y # comment", "# first\nx + y", "(x +\n y)", "\ufeffx + y", "x + y;",
     "x + \\\n y", "\ufeff  # first\r\n(x\r\n+ y)\r\n", "\x0cx + y"],
)  # fmt: skip
def test_space_comments_and_line_ends_around_a_source_change_nothing(text, read):
    assert read(text) == Binary("+", X, Y)


@pytest.mark.parametrize(
    "text",
    ["sin(x**2) + F.mse_loss(x, y, reduction='sum')[0]", "  (α + β)*'é' if 変数 > 2 else x[1:γ, ...]",
     "# é\n( x\n+ ü\n- 'ß' )", "\ufeff\r\n(x + \r\n 'é'\r\n + y)", "[1,\n 2.5, f(x,\n key=-3)]"],
)  # fmt: skip
def test_the_text_at_a_span_read_again_is_the_node(text, read):
    source = Source(text)
    for node in walk(parse(source).body):
        if not isinstance(node, Slice | Keyword) and not any(isinstance(n, Slice) for n in walk(node)):
            assert read(f"({source[node.span]})") == node


def test_spans_count_characters_not_bytes():
    call = parse(Source("é*sin(ü)")).body
    assert [node.span for node in walk(call)] == [Span(0, 8), Span(0, 1), Span(2, 8), Span(2, 5), Span(6, 7)]


def test_a_span_leaves_the_brackets_around_its_node_out():
    source = Source("((x + 1))*y")
    body = parse(source).body
    assert isinstance(body, Binary)
    assert (source[body.left.span], source[body.span]) == ("x + 1", "((x + 1))*y")


def test_every_node_of_pythons_expressions_is_read_or_refused(refused):
    left = set(ast.expr.__subclasses__()) - HANDLERS.keys() - {ast.FormattedValue}
    samples = {
        ast.Lambda: "lambda: x", ast.ListComp: "[v for v in x]", ast.SetComp: "{v for v in x}",
        ast.DictComp: "{v: v for v in x}", ast.GeneratorExp: "(v for v in x)", ast.NamedExpr: "(v := x)",
        ast.Starred: "[*x]", ast.JoinedStr: "f'{x}'", ast.Dict: "{}", ast.Set: "{x}", ast.Await: "await x",
        ast.Yield: "(yield)", ast.YieldFrom: "(yield from x)",
    }  # fmt: skip
    assert left - samples.keys() <= {getattr(ast, name, None) for name in ("TemplateStr", "Interpolation")}
    assert {refused(text).code for text in samples.values()} == {"AGX104"}


def test_the_recursion_limit_is_as_before_after_a_long_sum(read):
    before = sys.getrecursionlimit()
    read("+".join(["x"] * 4000))
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("text", ["'\\d' if x else y", "x is 1", "(1, 2)(3)"])
def test_what_python_warns_of_is_read_without_a_warning(text, read):
    assert isinstance(read(text), Conditional | Compare | Call)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("x + 1", True), ("x = 1", True), ("x; y", True), ("x +", False), ("", False), ("1if x else 2", False),
     ("lambda: x", True)],
)  # fmt: skip
def test_is_source_tells_statements_from_other_texts(text, answer):
    assert is_source(text) is answer
