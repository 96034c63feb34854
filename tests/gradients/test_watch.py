"""Backwards watched from outside, and runs made again."""

import torch

from autograd_cli.gradients.again import again
from autograd_cli.gradients.watch import Watch
from autograd_cli.graph.read import glance
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.slices import sliced


def nodes(*roots):
    return glance(roots).walk.nodes


def test_a_backward_is_told_apart_from_what_was_there():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    out = (x**2).sum()
    watch = Watch(nodes(out), None)
    out.backward()
    watch.end(stays=False)
    x.grad.zero_()
    assert watch.own(x).tolist() == [2.0, 4.0]
    assert [grad.tolist() for grad in watch.before] == [[3.0, 3.0]]
    assert [grad.tolist() for grad in watch.after] == [[5.0, 7.0]]


def test_cotangents_stand_by_node():
    x = torch.tensor(2.0, requires_grad=True)
    out = torch.sin(x**2)
    watch = Watch(nodes(out), None)
    out.backward()
    watch.end()
    assert [round(float(given[0]), 4) for given in watch.arrived().values()] == [1.0, -0.6536, -2.6146]


def test_inputs_that_are_asked_for():
    x = torch.tensor(2.0, requires_grad=True)
    u = x**2
    out = u**2
    watch = Watch(nodes(out), [u])
    torch.autograd.grad(out, u)
    watch.end()
    assert float(watch.own(u)) == 8.0
    assert watch.own(x) is None
    assert x.grad is None


def test_no_hook_stays_on_a_leaf():
    x = torch.tensor(2.0, requires_grad=True)
    out = x**2
    watch = Watch(nodes(out), None)
    out.backward()
    watch.end(stays=False)
    (x**3).backward()
    assert float(watch.own(x)) == 4.0
    assert float(x.grad) == 16.0


def test_a_run_made_again_has_a_graph_of_its_own():
    source = "x = torch.tensor([1., 2.], requires_grad=True)\ny = (x.detach() * x).exp()\ny.sum().backward()"
    with torch_state(Settings()):
        ran = run_program(parse(Source(source)), (), Settings())
    made = again(sliced(ran, ran.names["y"]))
    assert torch.equal(made.output, ran.names["y"].value)
    made.output.sum().backward()
    assert made.leaves["x"].grad.tolist() == ran.names["x"].value.grad.tolist()
