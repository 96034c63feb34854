"""Statements: what a program is read into, where each statement stands, and how deep they may nest."""

import ast

import pytest

from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import blocks
from autograd_cli.lang.bodies import assigned, expressions, first_read, statements
from autograd_cli.lang.nodes import (
    Assert,
    Assign,
    Attribute,
    Augment,
    Binary,
    Block,
    Break,
    Call,
    Compare,
    Constant,
    Continue,
    Define,
    Evaluate,
    Expr,
    For,
    Formatted,
    Handler,
    If,
    Import,
    Imported,
    Joined,
    Name,
    Number,
    Parameter,
    Pass,
    Return,
    Sequence,
    Statement,
    Subscript,
    Text,
    Try,
    With,
    walk,
)
from autograd_cli.lang.parse import TextLimits, parse, parse_expression
from autograd_cli.lang.source import Source

X, Y, ONE, TWO = Name("x"), Name("y"), Number(1), Number(2)
NO_GRAD = Call(Attribute(Name("torch"), "no_grad"))

MEANINGS: dict[str, Statement] = {
    "x": Evaluate(X),
    "x = 1": Assign((X,), ONE),
    "x = y = 1": Assign((X, Y), ONE),
    "x, (y, x[1]) = 1": Assign((Sequence("tuple", (X, Sequence("tuple", (Y, Subscript(X, ONE))))),), ONE),
    "x[1] = y": Assign((Subscript(X, ONE),), Y),
    "x.grad = None": Assign((Attribute(X, "grad"),), Constant(None)),
    "x: float = 1": Assign((X,), ONE),
    "x -= 1": Augment(X, "-", ONE),
    "x[1] @= y": Augment(Subscript(X, ONE), "@", Y),
    "x.data **= 2": Augment(Attribute(X, "data"), "**", TWO),
    "import torch": Import((Imported("torch", "torch"),)),
    "import torch.nn.functional as F, math": Import(
        (Imported("torch.nn.functional", "F"), Imported("math", "math"))
    ),
    "import torch.nn": Import((Imported("torch", "torch"),)),
    "from torch import nn, sin as s": Import((Imported("torch.nn", "nn"), Imported("torch.sin", "s"))),
    "from torch import *": Import((Imported("torch.*", "*"),)),
    "with torch.no_grad(): x": With((NO_GRAD,), (Evaluate(X),)),
    "for x in y: break": For(X, Y, (Break(),)),
    "for x in y:\n  if x: continue": For(X, Y, (If(X, (Continue(),)),)),
    "if x: pass\nelif y: x\nelse: y": If(X, (Pass(),), (If(Y, (Evaluate(X),), (Evaluate(Y),)),)),
    "if __name__ == '__main__': x": If(Constant(True), (Evaluate(X),)),
    "def f(x, y=1): return x": Define("f", (Parameter("x"), Parameter("y", ONE)), (Return(X),)),
    "def f() -> None: return": Define("f", (), (Return(),)),
    "try: x\nexcept (ValueError, KeyError) as e: y\nexcept: x\nelse: y\nfinally: x": Try(
        (Evaluate(X),),
        (Handler(("ValueError", "KeyError"), "e", (Evaluate(Y),)), Handler((), "", (Evaluate(X),))),
        (Evaluate(Y),),
        (Evaluate(X),),
    ),
    "assert x": Assert(X),
    "assert x == 1, 'no'": Assert(Compare(("==",), (X, ONE)), Text("no")),
    "print(f'a{x}b')": Evaluate(Call(Name("print"), (Joined((Text("a"), Formatted(X), Text("b"))),))),
    "x = f'{x!r:>{y + 1}}'": Assign(
        (X,),
        Joined((Formatted(X, "r", Joined((Text(">"), Formatted(Binary("+", Y, ONE))))),)),
    ),
    "x = f'{x=}'": Assign((X,), Joined((Text("x="), Formatted(X, "r")))),
}


def read(text: str) -> Block:
    return parse(Source(text)).statements


@pytest.mark.parametrize("text", MEANINGS)
def test_a_statement_means_what_python_means_by_it(text: str) -> None:
    assert read(text) == (MEANINGS[text],)


def test_statements_of_one_line_and_of_several_are_the_same() -> None:
    assert read("x = 1; y = x; x") == read("x = 1\n\n# then\ny = x\nx;") == read("x = 1\r\ny = x\r\nx")


SPANS = """\
é = 1
def f(x):
    \"\"\"ß\"\"\"
    return x + é
for i in [1]:
    x = f(i); y = (x
           + 1)
try:
    z = f'ü{y}'
except ValueError as err: pass
"""


def test_the_text_at_the_span_of_a_statement_read_again_is_the_statement() -> None:
    program = parse(Source(SPANS))
    found = list(statements(program.statements))
    assert len(found) == 10
    for statement in found:
        written = program.source[statement.span]
        if isinstance(statement, Return):
            assert written == "return x + é"
        else:
            indent = statement.span.start - SPANS.rfind("\n", 0, statement.span.start) - 1
            assert read(written.replace("\n" + " " * indent, "\n")) == (statement,)


def test_parts_of_an_f_string_stand_where_they_are_written() -> None:
    source = Source("é = 1\nprint(f'é {é + 1:>{é}} {é}', 'b' f'{é}')")
    values = [part for each in expressions(parse(source).statements) for part in parts_of(each)]
    assert [source[value.span] for value in values] == ["é + 1", "é", "é", "é"]
    assert len({value.span for value in values}) == 4


def parts_of(root: Expr) -> list[Expr]:
    return [part.value for part in walk(root) if isinstance(part, Formatted)]


def test_comments_are_kept_with_their_lines() -> None:
    program = parse(Source("# first\nx = '#' # 4.0\nif x:\n    # in it\n    pass #"))
    assert [(c.text, c.line) for c in program.comments] == [
        (" first", 1),
        (" 4.0", 2),
        (" in it", 4),
        ("", 5),
    ]
    assert all(program.source[c.span] == f"#{c.text}" for c in program.comments)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("x**2", True), ("x.requires_grad_()", True), ("torch.no_grad", True), ("print(x)", False),
     ("x.backward()", False), ("sin(x.add_(1))", False), ("x = 1", False), ("x; x", False),
     ("torch.manual_seed(0)", False), ("torch.autograd.grad(x, x)[0]", False), ("import torch", False)],
)  # fmt: skip
def test_an_expression_changes_nothing(text: str, answer: bool) -> None:
    assert parse(Source(text)).is_expression is answer


def test_every_statement_of_python_is_read_or_refused(refused) -> None:
    samples = {
        "FunctionDef": "def f(): lambda: 1", "AsyncFunctionDef": "async def f(): pass",
        "ClassDef": "class A: pass", "Return": "return", "Delete": "del x[0]", "TypeAlias": "del x.grad",
        "AsyncFor": "async def f():\n async for x in y: pass", "While": "while x: pass",
        "AsyncWith": "async def f():\n async with x: pass", "Match": "match x:\n case 1: pass",
        "Raise": "raise x", "TryStar": "try: x\nexcept* ValueError: x", "Global": "global x",
        "Nonlocal": "nonlocal x",
    }  # fmt: skip
    left = {kind.__name__ for kind in ast.stmt.__subclasses__()} - {k.__name__ for k in blocks.STATEMENTS}
    assert left <= samples.keys()
    assert {refused(text).code for text in samples.values()} == {"AGX104"}


def test_the_names_that_a_block_gives_values_to() -> None:
    text = """
a, (b, c[i]) = 1; d += x; e.grad = None
import torch as t
for f in g:
    with no_grad():
        h = 1
try:
    j = 1
except ValueError as k:
    if x:
        m = 1
def n(o):
    p = q
"""
    assert assigned(read(text)) == set("abdfhjkmn")
    assert first_read(read(text), "q") == Span(text.index("q"), text.index("q") + 1)


def nested(opening: str, depth: int) -> str:
    lines = [" " * level + opening for level in range(depth)]
    return "\n".join([*lines, " " * depth + "pass"])


@pytest.mark.parametrize("opening", ["for i in x:", "with torch.no_grad():", "try:"])
def test_twenty_loops_in_each_other_are_read_as_cpython_reads_them(opening: str, refused) -> None:
    after = "".join("\n" + " " * level + "finally: pass" for level in reversed(range(21)))
    ends = {depth: after[-len("".join("\n" + " " * n + "finally: pass" for n in range(depth))):]
            for depth in (20, 21)} if opening == "try:" else {20: "", 21: ""}  # fmt: skip
    for depth, is_read in ((20, True), (21, False)):
        text = nested(opening, depth) + ends[depth]
        if is_read:
            compile(text, "", "exec")
            assert len(list(statements(read(text)))) == depth + 1 + (depth if ends[depth] else 0)
        else:
            with pytest.raises(SyntaxError, match="too many statically nested blocks"):
                compile(text, "", "exec")
            assert "more than 20 loops" in refused(text).sentence


def test_blocks_nest_as_deep_as_python_reads_them(refused) -> None:
    assert len(list(statements(read(nested("if x:", 99))))) == 100
    error = refused(nested("if x:", 100))
    assert (error.code, "more than 100 deep" in error.sentence) == ("AGX101", True)


@pytest.mark.parametrize("count", [200, 5000])
def test_a_long_chain_of_elif_is_nesting(count: int, refused) -> None:
    assert len(list(statements(read("if x: 1\n" + "elif x: 1\n" * 190)))) == 382
    error = refused("if x: 1\n" + "elif x: 1\n" * count)
    assert (type(error), error.code) == (LimitError, "AGX108")


def test_nodes_are_counted_over_all_statements(refused) -> None:
    limits = TextLimits(max_nodes=6)
    assert len(parse(Source("x = 1\ny = 2"), limits).statements) == 2
    assert refused("x = 1\ny = 2\nx", limits=limits).code == "AGX108"


def test_a_text_of_a_hundred_kilobytes_is_refused_by_its_size(refused) -> None:
    assert "the limit is 65,536" in refused("x = 1\n" * 17_000).sentence


@pytest.mark.parametrize(
    ("text", "fix"), [("y = x**2", "x**2"), ("x; y", ""), ("import torch", ""), ("x\ny = 2", "")]
)
def test_a_value_is_one_expression(text: str, fix: str) -> None:
    with pytest.raises(Exception, match="value is one expression") as caught:
        parse_expression(Source(text))
    assert (caught.value.code, caught.value.fix) == ("AGX104", fix)
    assert parse_expression(Source("(x +\n y)")).body == Binary("+", X, Y)
