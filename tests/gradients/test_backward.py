"""One backward: gradients of the leaves, cotangents at the nodes, nothing left behind."""

import torch

from autograd_cli.gradients.backward import backward


def nodes_under(fn: torch.autograd.graph.Node) -> list[torch.autograd.graph.Node]:
    return [fn, *(n for below, _ in fn.next_functions if below is not None for n in nodes_under(below))]


def test_cotangents_arrive_at_every_node(traced) -> None:
    run = traced("sin(x**2)", dtype="float32", x="2.")
    nodes = nodes_under(run.output.grad_fn)
    made = backward(run, None, nodes)
    arrived = [float(made.cotangents[node][0]) for node in nodes]
    assert [node.name() for node in nodes][:2] == ["SinBackward0", "PowBackward0"]
    assert arrived[0] == 1.0
    assert abs(arrived[1] + 0.6536436) < 1e-6
    assert abs(arrived[2] + 2.6145744) < 1e-6
    assert float(made.leaves["x"]) == arrived[2]
    assert made.error is None


def test_the_cotangent_of_a_result_with_two_outputs_keeps_their_order(traced) -> None:
    run = traced("max(x, 0).values.sum()", x="[[1.,2.],[3.,0.]]")
    nodes = nodes_under(run.output.grad_fn)
    made = backward(run, None, nodes)
    assert made.cotangents[nodes[1]][0].tolist() == [1.0, 1.0]


def test_a_cotangent_is_what_backward_starts_from(traced) -> None:
    made = backward(traced("x*2", x="[1.,2.,3.]"), torch.tensor([1.0, 0.0, 10.0], dtype=torch.float64))
    assert made.leaves["x"].tolist() == [2.0, 0.0, 20.0]


def test_an_output_of_several_elements_starts_from_ones(traced) -> None:
    assert backward(traced("x*2", x="[1.,2.,3.]"), None).leaves["x"].tolist() == [2.0, 2.0, 2.0]


def test_a_leaf_that_is_not_reached_has_none(traced) -> None:
    assert backward(traced("x*y.detach()", x="2.", y="3."), None).leaves["y"] is None


def test_an_output_without_a_graph_gives_none(traced) -> None:
    made = backward(traced("x.detach()*2", x="2."), None)
    assert (made.leaves, made.cotangents, made.error) == ({"x": None}, {}, None)


def test_an_output_that_is_the_leaf_itself_has_slope_one(traced) -> None:
    assert float(backward(traced("x", x="2."), None).leaves["x"]) == 1.0


def test_the_graph_is_freed_as_torch_frees_it_and_holds_no_hook(traced) -> None:
    run = traced("sin(x)*x", x="2.")
    backward(run, None, nodes_under(run.output.grad_fn))
    error = backward(run, None).error
    assert "Trying to backward through the graph a second time" in str(error)


def test_the_gradient_is_of_this_backward_alone(traced) -> None:
    run = traced("x*3", x="2.")
    run.leaves["x"].grad = torch.tensor(100.0, dtype=torch.float64)
    assert float(backward(run, None).leaves["x"]) == 3.0


def test_zeros_without_memory_are_written_out(traced) -> None:
    run = traced("round(x)", x="[0.2,1.7]")
    made = backward(run, None, nodes_under(run.output.grad_fn))
    assert made.leaves["x"].tolist() == [0.0, 0.0]
    assert all(g is None or not g._is_zerotensor() for given in made.cotangents.values() for g in given)


def test_an_error_of_torch_is_kept(traced) -> None:
    made = backward(traced("x*2", x="[1.,2.]"), torch.ones(3, dtype=torch.float64))
    assert "must match the size of tensor b (3)" in str(made.error)
    assert made.leaves["x"] is None
