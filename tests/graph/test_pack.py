"""The Graph of a report: nodes tied to their text, slots, constants, factors, paths."""

import pytest
import torch

from autograd_cli.gradients.backward import backward
from autograd_cli.graph.pack import graph, with_cotangents
from autograd_cli.graph.read import read
from autograd_cli.report import Graph, Stretch


@pytest.fixture
def drawn(made: object) -> object:
    def draw(source: str, **bound: str) -> Graph:
        run = made(source, **bound)
        assert run.failure is None
        reading = read(run, run.output)
        passed = backward(run, None, reading.walk.nodes)
        return with_cotangents(graph(run, reading), reading, passed.cotangents)

    return draw


def rows(drawn_graph: Graph) -> list[tuple[str, str]]:
    return [(node.text, node.op) for node in drawn_graph.nodes if not node.constant]


def test_each_node_is_tied_to_the_text_that_made_it(drawn: object) -> None:
    assert rows(drawn("sin(x**2)", x="2")) == [
        ("sin(x**2)", "SinBackward0"),
        ("x**2", "PowBackward0"),
        ("x", "AccumulateGrad"),
    ]


def test_a_leaf_reached_twice_stands_once(drawn: object) -> None:
    made = drawn("x*y + sin(x)", x="2", y="3")
    assert [node.leaf for node in made.nodes if node.leaf] == ["x", "y"]
    assert [(e.from_, e.to, e.slot) for e in made.edges] == [
        (0, 1, 0),
        (0, 4, 1),
        (1, 2, 0),
        (1, 3, 1),
        (4, 2, 0),
    ]


def test_parallel_edges_have_a_factor_each(drawn: object) -> None:
    made = drawn("x*x", x="3")
    assert [(e.to, e.slot, e.local.formula, e.local.value) for e in made.edges] == [
        (1, 0, "x", 3.0),
        (1, 1, "x", 3.0),
    ]


def test_local_factors_carry_formula_and_torchs_own_number(drawn: object) -> None:
    made = drawn("sin(x**2)", x="2")
    first, second, leaf = made.nodes
    assert (first.local.formula, round(first.local.value, 6)) == ("cos(x**2)", -0.653644)
    assert (second.local.formula, second.local.value) == ("2*x", 4.0)
    assert leaf.local is None


def test_cotangents_are_what_arrived(drawn: object) -> None:
    made = drawn("sin(x**2)", x="2")
    assert [round(node.gradient, 4) for node in made.nodes] == [1.0, -0.6536, -2.6146]


def test_nodes_inside_one_call_belong_to_it(drawn: object) -> None:
    made = drawn("F.cross_entropy(x, t)", x="randn(3,4)", t="[0,1,2]")
    assert [(n.op, n.text, n.inside) for n in made.nodes[:2]] == [
        ("NllLossBackward0", "F.cross_entropy(x, t)", False),
        ("LogSoftmaxBackward0", "F.cross_entropy(x, t)", True),
    ]
    assert made.nodes[1].value is None
    assert made.nodes[1].shape == (3, 4)


def test_constant_operands_have_nodes_after_the_others_at_their_slot(drawn: object) -> None:
    made = drawn("tensor([[1.,2.]]) @ w + y.long()", w="randn(2,1)", y="[1.]")
    constants = [node for node in made.nodes if node.constant]
    assert [(n.text, n.id) for n in constants] == [("y.long()", 3), ("tensor([[1.,2.]])", 4)]
    assert {(e.from_, e.to, e.slot) for e in made.edges} == {(0, 1, 0), (0, 3, 1), (1, 4, 0), (1, 2, 1)}


def test_a_stretched_operand_is_named_with_its_shapes(drawn: object) -> None:
    made = drawn("(X + b).sum()", X="ones(10,1)", b="zeros(1)")
    assert made.stretched == (Stretch(1, "b", (1,), (10, 1)),)


def test_an_operand_of_the_full_shape_is_not_stretched(drawn: object) -> None:
    assert drawn("(X + b).sum()", X="ones(2,2)", b="zeros(2,2)").stretched == ()


def test_saved_tensors_count_shared_storage_once(made: object) -> None:
    run = made("x*x", x="[1.,2.,3.]")
    reading = read(run, run.output)
    (first, second) = reading.saved[0]
    assert (first.storage, first.bytes, second.bytes) == (second.storage, 12, 12)
    assert reading.kept_bytes == 12


@pytest.mark.parametrize(
    ("source", "bound", "kept"),
    [
        ("sin(x**2)", {"x": "2"}, 8),
        (
            "mean((X@w+b-y)**2)",
            {"X": "randn(10,3)", "w": "randn(3,1)", "b": "zeros(1)", "y": "randn(10,1)"},
            172,
        ),
        ("x + 1", {"x": "2"}, 0),
    ],
)
def test_kept_bytes(made: object, source: str, bound: dict[str, str], kept: int) -> None:
    run = made(source, **bound)
    assert read(run, run.output).kept_bytes == kept


def test_paths_multiply_to_the_gradient(drawn: object) -> None:
    made = drawn("x*y + sin(x)", x="2", y="3")
    assert [(p.leaf, p.nodes, round(p.product, 4)) for p in made.paths] == [
        ("x", (0, 1, 2), 3.0),
        ("y", (0, 1, 3), 2.0),
        ("x", (0, 4, 2), -0.4161),
    ]


def test_more_than_four_paths_are_not_written_out(drawn: object) -> None:
    assert drawn("(x*x)*(x*x)*x", x="2").paths == ()


def test_tensors_have_no_chain_lines(drawn: object) -> None:
    assert drawn("x*2", x="[1.,2.]").paths == ()


def test_a_source_that_is_a_leaf_has_one_node(drawn: object) -> None:
    assert rows(drawn("x", x="2")) == [("x", "AccumulateGrad")]


def test_reading_changes_nothing(made: object) -> None:
    """The graph that is shown is the one torch made: reading adds no node and frees nothing."""
    run = made("sin(x**2)*x", x="2")
    fn, version = run.output.grad_fn, run.output._version
    read(run, run.output)
    assert run.output.grad_fn is fn
    assert run.output._version == version
    assert torch.autograd.grad(run.output, run.leaves["x"])[0].item() == pytest.approx(-5.98594, abs=1e-4)


def test_a_long_chain_of_sums_is_packed(drawn: object) -> None:
    made = drawn("+".join(["x"] * 3000), x="1")
    assert len(made.nodes) == 3000


def test_a_node_inside_a_call_has_its_number_too(drawn: object) -> None:
    made = drawn("2/x", x="4.")
    assert [(n.op, n.inside, n.local.value if n.local else None) for n in made.nodes] == [
        ("MulBackward0", False, 2.0),
        ("ReciprocalBackward0", True, -0.0625),
        ("AccumulateGrad", False, None),
    ]
    assert [path.product for path in made.paths] == [-0.125]


def test_a_complex_factor_is_the_derivative_not_its_conjugate(drawn: object) -> None:
    factor = drawn("sin(z)", z="1+2j").nodes[0].local
    assert factor.formula == "cos(z)"
    assert abs(factor.value - (2.032723 - 3.051898j)) < 1e-5


@pytest.mark.parametrize(
    ("source", "number"),
    [("x.half()*2.0**16", 65536.0), ("x.half()*0.5", 0.5), ("x.half()**0.5", float("inf"))],
)
def test_a_factor_larger_than_half_can_hold_is_a_number(drawn: object, source: str, number: float) -> None:
    assert drawn(source, x="0.").nodes[0].local.value == number
