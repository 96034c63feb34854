"""Whatever the text: a program that means what Python means, or an error of ours. Nothing else."""

import string
from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

from autograd_cli.errors import AgxError
from autograd_cli.lang.check import check
from autograd_cli.lang.nodes import Keyword, Slice, walk
from autograd_cli.lang.parse import is_source, parse
from autograd_cli.lang.source import Source, quote
from autograd_cli.lang.tokens import scan, significant

# Repeats from run to run, and takes the time that a busy machine needs.
steady = partial(settings, deadline=None, derandomize=True)

VALID = [
    "sin(x**2)",
    "mean((X@w + b - y)**2)",
    "x[1:, ::2, ..., None] if y > 2 else -x.T",
    "F.mse_loss(x, y, reduction='sum')",
    "torch.linalg.norm(x, dim=(0, 1)) // 2 % 3",
    "[1, 2.5e-3, 3j] + (x,)",
    "1 < x <= y and not z or x is None",
    "einsum('ij,jk->ik', x, w)",
    "x.sum(dim=0, keepdim=True).values[-1]",
    "(x\n + y) # done",
    "~x & y | x ^ 3 << 1",
]
PROGRAMS = [
    "x = tensor(2., requires_grad=True)\ny = x**2 # 4\ny.backward()\nprint(x.grad)",
    "for i, v in enumerate(range(3)):\n    with torch.no_grad():\n        w -= 0.1*w.grad; w.grad.zero_()",
    "def f(a, b=2):\n    if a > b: return a\n    elif b: pass\n    else:\n        return\nf(x, b=y)",
    "import torch.nn.functional as F, numpy as np\nfrom torch import *\nz = F.relu(x)[0:2]",
    "try:\n    z[0], k = x, [y]\nexcept (ValueError, TypeError) as err:\n    print(f'{err!r:>{w}} {x=}')",
    "assert x is not None, 'no'\nkept = []\nkept.append(x.item())\nx.data *= 2",
]
ODD = "²π×−|√“”\u00a0\u200b\u037e\u0455（）１٣😀\x00\x1b\r\f\ufeff\udcff'\"`$?!\\\n#{}[]()=:;@.,_"
WORDS = ["sin", "sin ", "2x", "**", "lambda", "if", "else", "->", "=="]
PIECES = st.sampled_from([*"xywX12 ()[]+-*/^|.,'", *WORDS, *ODD])


def outcome(text: str) -> None:
    """Read and check a text; an error of ours has all that the command line draws."""
    error = error_of(text)
    if error is None:
        return
    assert error.code.startswith("AGX1")
    assert error.sentence.endswith(".")
    assert error.hint
    if error.span is not None:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert "^" in quote(text, error.span).carets
    if error.fix:
        assert is_source(error.fix)


def error_of(text: str) -> AgxError | None:
    """The error in which a text ends."""
    try:
        check(parse(Source(text)), ["x", "y", "w"])
    except AgxError as error:
        return error
    return None


@steady()
@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_any_text(text: str) -> None:
    outcome(text)


@steady(max_examples=400)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_texts_made_of_pieces_of_sources(text: str) -> None:
    outcome(text)


@steady(max_examples=400)
@given(st.sampled_from(VALID), st.data())
def test_a_valid_source_with_a_piece_changed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))
    outcome(text[:start] + data.draw(st.one_of(st.just(""), PIECES)) + text[end:])


LINES = st.sampled_from(
    [line for program in PROGRAMS for line in program.split("\n")]
    + ["else:", "while x:", "  x", "\tx", "class A:", "x: int", "del x", "@f", "import os", "os.x()", "x = ("]
)


@steady(max_examples=300)
@given(st.lists(LINES, max_size=6).map("\n".join))
def test_texts_made_of_lines_of_programs(text: str) -> None:
    outcome(text)


@steady(max_examples=400)
@given(st.sampled_from(PROGRAMS), st.data())
def test_a_valid_program_with_a_piece_changed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))
    piece = data.draw(st.one_of(st.just(""), PIECES, st.sampled_from(["\n", "\n    ", ":", ";", "=", "#"])))
    outcome(text[:start] + piece + text[end:])


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_programs_that_are_changed_are_valid(text: str) -> None:
    assert error_of(text) is None


@steady()
@given(st.text(st.sampled_from(string.printable + ODD), max_size=60))
def test_the_tokens_of_a_text_put_together_are_the_text(text: str) -> None:
    assert "".join(token.text for token in scan(text)) == text
    for token in significant(text):
        assert text[token.start : token.end] == token.text


NAMES = st.sampled_from(["x", "y", "α", "e1", "變数"])
NUMBERS = st.one_of(
    st.integers(0, 10**20).map(repr), st.floats(0, 1e30).map(repr), st.integers(0, 9).map("{}j".format)
)
LEAVES = st.one_of(NAMES, NUMBERS, st.sampled_from(["True", "None", "...", "'aé'", "()", "[]"]))


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions made of smaller ones."""
    signs = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "=="]
    binary = [*signs, " and ", " in ", " is not "]
    return st.one_of(
        st.builds("{}{}{}".format, inner, st.sampled_from(binary), inner),
        st.builds("({}({}))".format, st.sampled_from(["-", "+", "~", "not "]), inner),
        st.builds("({}\n)".format, inner),
        st.builds("f({}, k={})".format, inner, inner),
        st.builds("({}).m({})".format, inner, inner),
        st.builds("({})[{}:{}, {}]".format, inner, inner, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("({},)".format, inner),
    )


EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=12)


@steady(max_examples=300)
@given(EXPRESSIONS)
def test_a_generated_expression_and_each_part_of_it_read_again_are_the_same(text: str) -> None:
    source = Source(text)
    body = parse(source).body
    assert parse(Source(f"(\n{text}\n)")).body == body
    for node in walk(body):
        if not isinstance(node, Keyword | Slice) and not any(isinstance(part, Slice) for part in walk(node)):
            assert parse(Source(f"({source[node.span]})")).body == node


@steady()
@given(EXPRESSIONS)
def test_spans_of_parts_lie_in_the_span_of_the_whole(text: str) -> None:
    body = parse(Source(text)).body
    for node in walk(body):
        assert body.span.start <= node.span.start <= node.span.end <= body.span.end
