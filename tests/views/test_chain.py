"""The chain rule way by way, and what is kept, as lines and tables."""

from dataclasses import replace

import pytest

from autograd_cli.report.chain import Chain, Departure, Handing, Keeping, Link, Way, Ways
from autograd_cli.report.records import Saved
from autograd_cli.views.chain import chain
from autograd_cli.views.pieces import Line, Room, Table, plain_text
from autograd_cli.views.saved import saved

ROOM = Room()


def said(blocks):
    """The text of every line and every row."""
    lines = []
    for piece in (piece for block in blocks for piece in block):
        rows = piece.rows if isinstance(piece, Table) else [[piece.words]] if isinstance(piece, Line) else []
        lines += ["|".join(plain_text(cell) for cell in row) for row in rows]
    return lines


@pytest.fixture
def following(drawn):
    """A report of n0 that n1 is below, with a chain of one leaf; `changes` are the leaf's."""

    def make(chain=None, full=False, **changes):
        way = Way((0, 1), (Link(0, 0, (), "2*n1", 2.0, 2.0, True, 2.0),), 2.0)
        parts = {"number": 1, "power": 0.0, "ways": (way,), "total": 2.0, "autograd": 2.0}
        ways = Ways(**{"leaf": "n1", "node": 1, "shape": (), **parts, **changes})
        report = replace(drawn({0: [1]}), chain=(chain or Chain())._replace(leaves=(ways,)))
        return said(block_of(report, full))

    return make


def block_of(report, full=False):
    return chain(report, replace(ROOM, full=full))


def test_a_step_says_its_row_its_derivative_and_the_product_so_far(following):
    assert following() == ["the chain rule down to n1: 1 way", "1|0|n0|2*n1 = 2|2", "autograd 2   agrees"]


def test_ways_that_are_not_shown_are_counted_and_summed(following):
    assert following(number=7, rest=12.0, total=14.0, autograd=14.0)[2:] == [
        "the other 6 together add 12; --full shows more",
        "they add up: 2 + 12 = 14   autograd 14   agrees",
    ]


def test_ways_beyond_counting_have_their_power_of_ten(following):
    first, *_, other, total = following(number=None, power=6020.6)
    assert first == "the chain rule down to n1: about 10^6021 ways, the largest"
    assert other == "all others are not shown; --full shows more"
    assert total == "they add up to 2   autograd 2   agrees"


def test_a_formula_that_is_not_the_nodes_number_is_marked(following):
    way = Way((0, 1), (Link(0, 0, (), "n1", 2.0, 2.5, False, 2.0),), 2.0)
    assert "1|0|n0|n1 = 2  ✗ on paper 2.5|2" in following(ways=(way,))


def test_where_the_engine_had_something_else_is_told(following):
    told = following(Chain(checked=2, departures=(Departure(1, 2.0, 2.1, 0.1, 1e-7),), departed=1))
    assert told[-1] == (
        "✗ at n1 (row 1) the engine had 2.1, and what the rows above hand down is 2: 0.1 off; "
        "rounding allows 1e-7"
    )


def test_what_was_compared_is_said(following):
    came = "what comes to each is what the rows above hand down"
    assert following(Chain(checked=2))[-1] == f"checked against the engine at all 2 rows: {came}"
    assert following(Chain(checked=1))[-1] == f"checked against the engine at 1 of 2 rows: {came}"


def test_a_sum_that_is_off_says_by_how_much(following):
    assert following(difference=0.5, tolerance=1e-6)[-1] == "autograd 2   0.5 off"


def test_a_long_way_is_shown_from_both_ends(following):
    links = tuple(Link(0, 0, (), "", 1.0, passed=1.0) for _ in range(100))
    way = Way((*([0] * 100), 1), links, 1.0)
    told = following(ways=(way,))
    assert "||… 84 more rows||" in told
    assert sum(line.count("|") == 4 for line in told) == 17
    assert sum(line.count("|") == 4 for line in following(ways=(way,), full=True)) == 100


def test_a_way_of_tensors_is_one_line(following):
    way = Way((0, 1), (Link(0, 0, (2,), "g*w"),), (1.0, 2.0))
    told = following(ways=(way,), shape=(2,), total=(1.0, 2.0), autograd=(1.0, 2.0))
    assert told == [
        "the chain rule down to n1 (2,): 1 way",
        "0 Add () → n1 (2,)  gives [1, 2]",
        "autograd [1, 2]   agrees",
        "what each row hands down, g being what comes to it",
        "0|n0|n1|g*w|(2,)",
    ]


def test_the_nodes_of_one_call_hand_down_what_it_does(following):
    links = (Link(0, 0, (2,)), Link(1, 0, (2,)))
    call = Handing((0, 1), 2, (2,), "g*w", False)
    way = Way((0, 1, 2), links, (1.0, 2.0))
    told = following(Chain(calls=(call,)), ways=(way,), shape=(2,), total=(1.0, 2.0), autograd=(1.0, 2.0))
    assert told[-2:] == [
        "what each row hands down, g being what comes to it",
        "0-1|n0|-|g*w  ✗ the engine had something else|(2,)",
    ]


def test_what_has_no_written_form_says_so_and_an_own_rule_where_it_stands(drawn):
    way = Way((0, 1, 2), (Link(0, 0, (2,)), Link(1, 0, (2,))), (1.0, 2.0))
    report = drawn({0: [1], 1: [2]})
    first, second, last = report.graph.nodes
    graph = replace(report.graph, nodes=(first, second._replace(rule="my_ops.py:12"), last))
    ways = Ways("n2", 2, (2,), 1, 0.0, (way,), total=(1.0, 2.0), autograd=(1.0, 2.0))
    told = said(block_of(replace(report, graph=graph, chain=Chain((ways,)))))
    assert told[-2:] == ["0|n0|n1|no written form|(2,)", "1|n1|n2|own rule, my_ops.py:12|(2,)"]


def test_without_a_way_the_reason_stands_there(drawn):
    report = replace(drawn({0: [1]}), chain=Chain(reason="there is no graph"))
    assert said(chain(report, ROOM)) == ["the chain rule: no way to show, there is no graph"]


def keeping(drawn, *kept, storages=(8, 24), full=False):
    report = drawn({0: [1], 1: [2]})
    nodes = list(report.graph.nodes)
    for number, *saved_ in kept:
        nodes[number] = nodes[number]._replace(saved=tuple(saved_))
    graph = replace(report.graph, nodes=tuple(nodes))
    report = replace(report, graph=graph, saved=Keeping(sum(storages), storages))
    return said([saved(report, replace(ROOM, full=full))])


def test_shared_memory_is_said_with_whom_and_counted_once(drawn):
    one, whole = Saved("self", (2,), "float32", 8, 0), Saved("result", (2,), "float32", 8, 1)
    assert keeping(drawn, (0, one, whole), (1, one)) == [
        "what backward keeps",
        "0|n0|AddBackward0|self|(2,)|float32|8 B|",
        "|||result|(2,)|float32|8 B|part of 24 B",
        "1|n1|AddBackward0|self|(2,)|float32|8 B|the same as self of row 0",
        "together 32 B in 2 pieces of memory, shared memory counted once; 1 node keeps nothing",
    ]


def test_a_tensor_that_repeats_its_memory_says_how_much_there_is(drawn):
    told = keeping(drawn, (0, Saved("self", (100,), "float32", 400, 0)), storages=(4,))
    assert told[1].endswith("|400 B|4 B, repeated")


def test_many_rows_are_cut_short_with_what_the_others_keep(drawn):
    many = [Saved("self", (), "float32", 4, number) for number in range(100)]
    told = keeping(drawn, (0, *many), storages=(4,) * 100)
    assert told[-2] == "… 40 more, which keep another 160 B; --full shows all"
    assert len(keeping(drawn, (0, *many), storages=(4,) * 100, full=True)) == 102


def test_nothing_kept_is_said(drawn):
    assert keeping(drawn, storages=()) == ["what backward keeps", "no node keeps a tensor"]


def test_of_many_ways_each_has_fewer_rows(drawn):
    links = tuple(Link(0, 0, (), "", 1.0, passed=1.0) for _ in range(100))
    way = Way((*([0] * 100), 1), links, 1.0)
    ways = Ways("n1", 1, (), 4, 0.6, (way,) * 4, total=4.0, autograd=4.0)
    told = block_of(replace(drawn({0: [1]}), chain=Chain((ways,) * 10)))
    rows = [line for line in said(told) if line.count("|") == 4]
    assert len(rows) == 6 * 4 * (6 + 1)
    assert "… 4 more leaves; --full shows all" in said(told)
