"""A graph as a tree: every node once, references, limits, depth."""

from dataclasses import replace

import pytest

from autograd_cli.views import render
from autograd_cli.views.pieces import Room
from autograd_cli.views.table import said
from autograd_cli.views.tree import tree


def lines(report, **room):
    rows = tree(report.graph, Room(**room)).rows
    return [
        f"{row.glyphs}{row.node.text if row.node else '…'}{' again' if row.again else ''}" for row in rows
    ]


def test_glyphs_join_siblings(drawn):
    report = drawn({0: [1, 4], 1: [2, 3]})
    assert lines(report) == ["n0", "├─ n1", "│  ├─ n2", "│  └─ n3", "└─ n4"]


def test_a_node_reached_twice_is_drawn_once(drawn):
    report = drawn({0: [1, 3], 1: [2], 3: [1]})
    assert lines(report) == ["n0", "├─ n1", "│  └─ n2", "└─ n3", "   └─ n1 again"]


def test_parallel_edges_are_two_rows(drawn):
    assert lines(drawn({0: [1, 1]})) == ["n0", "├─ n1", "└─ n1 again"]


def test_a_reference_names_the_row(drawn):
    text = render(drawn({0: [1, 1]}), "plain", width=None, colour=False)
    assert "└─ n1  ↑ row 1" in text


def test_a_constant_has_a_dash_for_its_number(drawn):
    text = render(drawn({0: [1, 2]}, constants={2}), "plain", width=None, colour=False)
    row = next(line for line in text.splitlines() if "n2" in line)
    assert row.split() == ["-", "└─", "n2", "2", "constant"]


def test_depth_limits_the_rows(drawn):
    report = drawn({0: [1], 1: [2], 2: [3]})
    assert lines(report, depth=1) == ["n0", "└─ n1", "   └─ …"]
    assert tree(report.graph, Room(depth=1)).hidden == 2


def test_sixty_nodes_nearest_to_the_output_are_shown(drawn):
    report = drawn({0: list(range(1, 1000))})
    found = tree(report.graph, Room())
    assert len(found.rows) == 61
    assert found.hidden == 940
    text = render(report, "plain", width=None, colour=False)
    assert " … 940 more nodes; --full shows all\n" in text


def test_one_hidden_node_is_one_node(drawn):
    text = render(drawn({0: list(range(1, 61))}), "plain", width=None, colour=False)
    assert " … 1 more node; --full shows all\n" in text


def test_full_shows_every_node(drawn):
    report = drawn({0: list(range(1, 1000))})
    assert len(lines(report, full=True)) == 1000
    assert "more node" not in render(report, "plain", width=None, colour=False, full=True)


@pytest.mark.parametrize(("form", "size"), [("plain", 10_000), ("dot", 10_000), ("rich", 2_000)])
def test_a_chain_longer_than_pythons_stack_is_drawn(drawn, form, size):
    report = drawn({number: [number + 1] for number in range(size - 1)})
    text = render(report, form, width=80, colour=False, full=True)
    assert f"n{size - 1}" in text


def test_deep_rows_say_their_depth_and_stay_narrow(drawn):
    report = drawn({number: [number + 1] for number in range(300)})
    found = lines(report, full=True, width=80)
    assert found[5] == "            └─ n5"
    assert found[6] == "(6) └─ n6"
    assert found[299] == "(299) └─ n299"
    text = render(report, "rich", width=80, colour=False, full=True)
    assert "a number in brackets is the depth of a row that is too deep to be indented" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_cycle_in_a_damaged_report_ends(drawn):
    assert lines(drawn({0: [1], 1: [0]})) == ["n0", "└─ n1", "   └─ n0 again"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cross_entropy(z, t)", "inside cross_entropy(…)"),
        ("f(a)(b(c))", "inside f(a)(…)"),
        ("(a + b)", "inside (a + b)"),
        ("x@w", "inside x@w"),
    ],
)
def test_a_node_within_a_call_says_which(drawn, text, shown):
    report = drawn({0: [1], 1: [2]}, texts={1: text})
    nodes = tuple(node._replace(inside=node.id == 1) for node in report.graph.nodes)
    report = replace(report, graph=replace(report.graph, nodes=nodes))
    assert f"└─ {shown}  " in render(report, "plain", width=None, colour=False)


@pytest.mark.parametrize(
    ("name", "text", "row"),
    [
        ("y", "x*2", "y = x*2"),
        ("y", "y += 1", "y += 1"),
        ("y", "y **= 2", "y **= 2"),
        ("y", "y >= 1", "y = y >= 1"),
        ("y", "y*y", "y = y*y"),
        ("y", "y", "y"),
    ],
)
def test_a_row_says_which_name_its_value_has_once(drawn, name, text, row):
    (node,) = drawn({0: []}).graph.nodes
    assert said(node._replace(name=name, text=text)) == row
