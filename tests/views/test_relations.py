"""Lines under the tree: chains and stretched operands."""

from dataclasses import replace

import pytest

from autograd_cli.report.records import Path, Stretch
from autograd_cli.views.pieces import plain_text
from autograd_cli.views.relations import chains, stretches


def said(lines):
    return [plain_text(line.words) for line in lines]


def test_one_path_is_one_line(drawn):
    graph = drawn({0: [1]}).graph
    graph = replace(graph, paths=(Path("x", (0, 1), (1.0, -0.6536436, 4.0), -2.6145744),))
    assert said(chains(graph)) == ["chain, from row 0 down to x:   1 × -0.6536436 × 4 = -2.6145744"]


def test_several_ways_to_a_leaf_name_their_rows_and_add_up(drawn):
    graph = drawn({0: [1, 2], 2: [1]}).graph
    paths = (Path("x", (0, 1), (1.0, 3.0), 3.0), Path("x", (0, 2, 1), (1.0, 1.0, -0.5), -0.5))
    assert said(chains(replace(graph, paths=paths))) == [
        "chain, by rows 0, 1 to x:      1 × 3 = 3",
        "chain, by rows 0, 2, 1 to x:   1 × 1 × -0.5 = -0.5",
        "the 2 ways to x add up:        3 + -0.5 = 2.5",
    ]


def test_more_than_four_paths_are_not_written_out(drawn):
    graph = drawn({0: [1]}).graph
    path = Path("x", (0, 1), (1.0,), 1.0)
    assert len(chains(replace(graph, paths=(path,) * 4))) == 5
    assert chains(replace(graph, paths=(path,) * 5)) == []


def test_complex_factors_stand_in_brackets(drawn):
    graph = drawn({0: [1]}).graph
    graph = replace(graph, paths=(Path("x", (0, 1), (1.0, 1 + 2j), 1 + 2j),))
    assert said(chains(graph)) == ["chain, from row 0 down to x:   1 × (1+2j) = 1+2j"]


@pytest.mark.parametrize(
    ("shape", "to", "over"),
    [
        ((1,), (10, 1), "10 rows"),
        ((3,), (5, 3), "5 rows"),
        ((4, 1), (4, 5), "5 columns"),
        ((), (2, 3), "2 rows and 3 columns"),
        ((1,), (7,), "7 elements"),
        ((), (7,), "7 elements"),
        ((1,), (1, 1), "1 row"),
        ((4, 5), (3, 4, 5), "dim 0 (3 elements)"),
        ((3, 1, 5), (3, 4, 5), "dim 1 (4 elements)"),
        ((5,), (3, 4, 5), "dims 0 and 1 (12 elements)"),
    ],
)
def test_a_stretched_operand_says_what_its_gradient_is_summed_over(drawn, shape, to, over):
    graph = drawn({0: [1]}, texts={1: "b"}).graph
    graph = replace(graph, stretched=(Stretch(0, "b", shape, to),))
    sizes = [f"({','.join(map(str, s))}{',' if len(s) == 1 else ''})" for s in (shape, to)]
    line = f"b is stretched {sizes[0]} → {sizes[1]}, so its gradient is summed over {over}"
    assert said(stretches(graph)) == [line]


def test_a_stretched_constant_has_no_gradient_to_speak_of(drawn):
    graph = drawn({0: [1]}, constants={1}, texts={1: "b"}).graph
    graph = replace(graph, stretched=(Stretch(0, "b", (1,), (3,)),))
    assert said(stretches(graph)) == ["b is stretched (1,) → (3,)"]
