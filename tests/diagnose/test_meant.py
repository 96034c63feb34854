"""Repairs of writes through another name: the first that is told computes what the program was to compute.

Each program is told beside one that never writes in place and means the same.
"""

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

SIX = "import torch\nw = torch.randn(6, requires_grad=True)\nh = w.exp()\n"
HEAD = "import torch\nw = torch.randn(4, 6, requires_grad=True)\n"

THROUGH = {
    "an element": (
        "h = torch.sigmoid(w)\nv = h[0]\nv += 1\nloss = h.sum()\nloss.backward()",
        "h = torch.sigmoid(w)\nloss = torch.cat([h[:1] + 1, h[1:]]).sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it",
    ),
    "a slice": (
        "h = w.exp()\nrows = h[1:3]\nrows.mul_(2)\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = torch.cat([h[:1], h[1:3] * 2, h[3:]]).sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it",
    ),
    "a view that is set to 0": (
        "h = w.tanh()\nflat = h.view(-1)\nflat[:6].zero_()\nloss = h.sum()\nloss.backward()",
        "h = w.tanh()\nloss = h[1:].sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it",
    ),
    "a transposed view of a view": (
        "h = w.exp()\na = h.T\nb = a[1:]\nb *= 3\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = h[:, 0].sum() + (h[:, 1:] * 3).sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it",
    ),
    "a row in each round": (
        "h = w.exp()\nfor k in range(4):\n    row = h[k]\n    row *= 2\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = (h * 2).sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it",
    ),
    "a row by what it holds": (
        "h = w.tanh()\nfor k in range(4):\n    r = h[k]\n    r /= r.norm()\nloss = h.sum()\nloss.backward()",
        "h = w.tanh()\nloss = (h / h.norm(dim=1, keepdim=True)).sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 6:  r /= r.clone().norm()",
    ),
    "a slice that a function takes": (
        "def bump(t):\n    top = t[:1]\n    top += 1\nh = w.exp()\nbump(h)\nloss = h.mean()\nloss.backward()",
        "h = w.exp()\nloss = torch.cat([h[:1] + 1, h[1:]]).mean()\nloss.backward()",
        "line 7:  h = h.clone()  before it",
    ),
    "one of two chunks": (
        "h = torch.sigmoid(w)\na, b = h.chunk(2)\na += b\nloss = h.sum()\nloss.backward()",
        "h = torch.sigmoid(w)\nloss = (h[:2] + h[2:]).sum() + h[2:].sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 4:  a, b = h[:2], h[2:]",
    ),
    "a split along the columns, times the other": (
        "h = w * 2\na, b = torch.split(h, 3, dim=1)\na.mul_(b)\nloss = (h**2).mean()\nloss.backward()",
        "h = w * 2\na, b = h[:, :3], h[:, 3:]\nloss = (torch.cat([a * b, b])**2).mean()\nloss.backward()",
        "line 4:  a, b = h[:, :3], h[:, 3:].clone()",
    ),
    "rows taken apart": (
        "h = w.exp()\na, b, c, d = h.unbind(0)\nb.zero_()\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = h[0].sum() + h[2:].sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 4:  a, b, c, d = h[0], h[1], h[2], h[3]",
    ),
    "columns of a list": (
        "h = w * 3\ncolumns = h.unbind(1)\ncolumns[2].mul_(2)\nloss = h.sum()\nloss.backward()",
        "h = w * 3\nloss = h.sum() + h[:, 2].sum()\nloss.backward()",
        "line 4:  columns = h[:, 0], h[:, 1], h[:, 2], h[:, 3], h[:, 4], h[:, 5]",
    ),
    "a loop over rows": (
        "h = w.exp()\nfor row in h:\n    row *= 2\nloss = h.mean()\nloss.backward()",
        "h = w.exp()\nloss = (h * 2).mean()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 4:  for i in range(len(h)):; line 5:  row = h[i]  before it",
    ),
    "another name": (
        "h = w.cos()\ng = h.exp()\nskip = g\nskip += h\nloss = g.sum()\nloss.backward()",
        "h = w.cos()\nloss = (h.exp() + h).sum()\nloss.backward()",
        "line 6:  g = g + h",
    ),
    "a detached alias": (
        "h = torch.sigmoid(w)\nd = h.detach()\nd.clamp_(max=0.5)\nloss = h.sum()\nloss.backward()",
        "h = torch.sigmoid(w)\nloss = h.clamp(max=0.5).sum()\nloss.backward()",
        "line 5:  h = h.clamp(max=0.5)",
    ),
    "a part of a detached alias": (
        "h = w.exp()\nd = h.detach()[:2]\nd *= 2\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = (h[:2] * 2).sum() + h[2:].sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 4:  d = h[:2]",
    ),
    "data": (
        "h = w.exp()\nh.data.mul_(2)\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = (h * 2).sum()\nloss.backward()",
        "line 4:  h = h.mul(2)",
    ),
    "a view of data": (
        "h = w.exp()\nflat = h.data.view(3, 8)\nflat[0] = 0.\nloss = h.sum()\nloss.backward()",
        "h = w.exp()\nloss = h.view(-1)[8:].sum()\nloss.backward()",
        "line 4:  h = h.clone()  before it; line 4:  flat = h.view(3, 8)",
    ),
}


@pytest.mark.parametrize("name", THROUGH)
def test_the_first_repair_computes_what_the_program_was_to_compute(program, name):
    source, right, words = THROUGH[name]
    finding = explore(Source(HEAD + source), []).findings[0]
    assert finding.code in ("AGX409", "AGX432", "AGX415")
    first = finding.fix[0]
    assert first.passed
    assert first.text == words
    made, meant = program(first.program), program(HEAD + right)
    assert made.failure is meant.failure is None
    torch.testing.assert_close(made.names["loss"].value, meant.names["loss"].value)
    torch.testing.assert_close(made.names["w"].value.grad, meant.names["w"].value.grad)


def test_a_repair_with_which_the_backward_starts_elsewhere_says_where():
    head = "import torch\nw = torch.ones(2, requires_grad=True)\nh = w.exp()\n"
    source = f"{head}v = h[0]\nv += 1\nh.sum().backward()\n"
    finding = explore(Source(source), []).findings[0]
    assert [fix.text for fix in finding.fix] == [
        "line 4:  h = h.clone()  before it",
        "line 5:  v = v + 1, h.sum() is then 5.437, not 6.437",
        "line 4:  v = h[0].clone(), h.sum() is then 5.437, not 6.437",
    ]


ALONE = {
    "read afterwards": "h = w.exp()\nd = h.detach()\nd -= d.mean()\nprint(d.std())\nh.sum().backward()",
    "an array": "h = w.exp()\na = h.detach().numpy()\na += 1\nprint(a.sum())\nh.sum().backward()",
}


@pytest.mark.parametrize("name", ALONE)
def test_an_alias_outside_the_graph_that_is_read_itself_gets_a_copy_first(name):
    finding = explore(Source(HEAD + ALONE[name]), []).findings[0]
    first = next(fix for fix in finding.fix if "moved" not in fix.text)
    assert ".clone()" in first.text.split(";")[0]
    assert first.text.startswith("line 4:  ")
    assert " is then " not in first.text


def test_a_leaf_is_never_copied_under_its_own_name():
    head = "import torch\nx = torch.ones(2, requires_grad=True)\n"
    source = f"{head}y = (x**2).sum()\nd = x.detach()\nd += 1\ny.backward()"
    finding = explore(Source(source), []).findings[0]
    assert finding.fix
    assert not any("x = x.clone()" in fix.text for fix in finding.fix)


BEHIND_TORCH = [
    "d = h.data.view(2, 3)\nd.mul_(2)",
    "d = h.data.view(2, 3)\nd[0] = 0.",
    "d = h.data[:2]\nd += 1",
    "d = h.data.view(2, 3)\ne = d.T\ne *= 2",
    "a, b = h.data.chunk(2)\na.zero_()",
    "h.data.view(2, 3)[0].fill_(1.)",
    "d = h.detach().view(2, 3).numpy()[1]\nd += 1",
    "d = h.detach().numpy()\nd[2:4][:1] = 7.",
]


@pytest.mark.parametrize("write", BEHIND_TORCH)
def test_a_write_through_a_view_of_data_or_of_an_array_is_seen(write):
    source = f"{SIX}{write}\nloss = h.sum()\nloss.backward()"
    findings = explore(Source(source), []).findings
    assert [(each.code, each.severity.value) for each in findings] == [("AGX415", "warning")]
    assert findings[0].fix[0].passed


@pytest.mark.parametrize(
    "write",
    ["c = h.clone().data\nc += 1", "d = h.data + 0\nd[:2] += 1", "n = h.data.clone().view(-1)\nn *= 2"],
)
def test_a_write_into_a_copy_of_data_is_none_of_that(write):
    source = f"{SIX}{write}\nloss = h.sum()\nloss.backward()"
    assert explore(Source(source), []).findings == ()
