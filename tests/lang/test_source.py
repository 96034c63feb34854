"""Texts as sentences and terminals show them."""

import pytest

from autograd_cli.errors import Span
from autograd_cli.lang.source import cells, in_words, named, quote


@pytest.mark.parametrize(
    ("items", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_a_list_in_words(items, said):
    assert in_words(items) == said


def test_names_stand_in_backticks():
    assert named(["x", "y", "z"]) == "`x`, `y` and `z`"


@pytest.mark.parametrize(("text", "width"), [("x + 1", 5), ("数学", 4), ("e\u0301", 1), ("", 0)])
def test_cells_of_a_terminal(text, width):
    assert cells(text) == width


@pytest.mark.parametrize("span", [Span(0, 1), Span(0, 200), Span(90, 110), Span(20, 200), Span(199, 200)])
def test_each_cut_of_a_long_line_is_marked_once(span):
    shown = quote("x+" * 100, span, 40)
    assert "……" not in shown.line
    assert 1 <= shown.line.count("…") <= 2
    assert len(shown.carets) <= len(shown.line)
