"""Tensors that are given another shape in place: they are told as they were when they were read."""

import weakref

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Report
from autograd_cli.report.kinds import Verdict
from autograd_cli.run.mutations import Mutations
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.views.formats import render

HEAD = "import torch\nx = torch.arange(1., 7.).reshape(2, 1, 3).requires_grad_()\nh = x.exp()\n"

SHAPES = {
    "t_": ("h = h[:, 0] * 1\n", "h.t_()", (2, 3), (3, 2)),
    "transpose_": ("", "h.transpose_(0, 2)", (2, 1, 3), (3, 1, 2)),
    "swapaxes_": ("", "h.swapaxes_(0, 1)", (2, 1, 3), (1, 2, 3)),
    "swapdims_": ("", "h.swapdims_(1, 2)", (2, 1, 3), (2, 3, 1)),
    "squeeze_": ("", "h.squeeze_()", (2, 1, 3), (2, 3)),
    "a dimension squeezed": ("", "h.squeeze_(1)", (2, 1, 3), (2, 3)),
    "unsqueeze_": ("", "h.unsqueeze_(0)", (2, 1, 3), (1, 2, 1, 3)),
}


def told(source: str) -> tuple[Report, str]:
    report = explore(Source(source), [])
    return report, render(report, "plain", width=120, colour=False)


@pytest.mark.parametrize("name", SHAPES)
def test_what_read_it_before_shows_the_shape_of_then(name):
    begun, call, before, after = SHAPES[name]
    report, text = told(f"{HEAD}{begun}k = h * h\n{call}\nloss = (h * 3).sum() + k.sum()\nprint(loss)")
    assert "stretched" not in text
    shapes = {node.text: node.shape for node in report.graph.nodes}
    assert shapes["h * h"] == before
    assert shapes["h * 3"] == after
    assert shapes["h[:, 0] * 1" if begun else "x.exp()"] == before


@pytest.mark.parametrize("name", SHAPES)
def test_a_backward_that_needs_it_is_explained(name):
    begun, call, before, _ = SHAPES[name]
    report, text = told(f"{HEAD}{begun}loss = (h * h).sum()\n{call}\nloss.backward()")
    assert [finding.code for finding in report.findings] == ["AGX409"]
    assert call in report.findings[0].sentence
    assert report.findings[0].fix[0].passed
    assert f"({','.join(map(str, before))}) float32" in report.findings[0].cause[0]
    assert "stretched" not in text


def test_in_a_loop_longer_than_is_remembered():
    head = "import torch\nx = torch.ones(2, 3, requires_grad=True)\nh = x * 2\nk = h + 1\n"
    body = "for i in range(300):\n    h.unsqueeze_(0)\n    h.squeeze_(0)\n"
    report, text = told(f"{head}{body}h.unsqueeze_(0)\nprint(k.sum())")
    assert report.findings == ()
    assert "stretched" not in text


def test_a_gradient_through_it_agrees():
    report, _ = told(f"{HEAD}h = h * 1\nh.squeeze_()\nh.t_()\nk = h @ torch.ones(2, 2)\nk.sum().backward()")
    assert [gradient.verdict for gradient in report.gradients] == [Verdict.OK]


def test_data_that_is_transposed_between_two_uses():
    report, text = told(
        "import torch\nx = torch.ones(2, 3)\nw = torch.ones(3, 2, requires_grad=True)\ny = (x * 2) @ w\n"
        "x.t_()\nz = (x * w).sum() + y.sum()\nz.backward()"
    )
    assert report.findings == ()
    assert "disagree" not in text


def test_other_memory_between_two_shapes():
    source = "import torch\nx = torch.ones(2, 3)\nx.t_()\nx.data = torch.zeros(2, 2)\nx + 1\nx.unsqueeze_(0)"
    with torch_state(Settings()):
        ran = run_program(parse(Source(source)), (), Settings())
    first, second = (ran.sites[place].first.changed[0] for place in (2, 5))
    assert first.before == ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    assert first.after == ((1.0, 1.0), (1.0, 1.0), (1.0, 1.0))
    assert second.before == ((0.0, 0.0), (0.0, 0.0))
    assert second.after == (((0.0, 0.0), (0.0, 0.0)),)
    x = ran.names["x"].value
    assert [tuple(ran.mutations.value_at(x, number).shape) for number in (0, 1, 3, 9)] == [
        (2, 3),
        (3, 2),
        (2, 2),
        (1, 2, 2),
    ]


def test_what_was_reshaped_is_not_kept():
    mutations, kept = Mutations(), torch.ones(2, 3)
    mutations.about_to_reshape(kept, 0)
    gone = torch.ones(2, 3)
    mutations.about_to_reshape(gone, 1)
    alive = weakref.ref(gone)
    del gone
    assert alive() is None
    assert mutations.reshapes(kept) == [0]
