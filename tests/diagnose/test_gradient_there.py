"""Repairs of a gradient that is None: run, they show one that is there."""

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

MEANT = (
    "import torch\nv = torch.full((2,), 3., requires_grad=True) / 2\n(v**2).sum().backward()\n{}\n",
    "(torch.full((2,), 3., requires_grad=True) / 2).detach().requires_grad_()",
)


def only(text, code):
    """The one finding of a code, and what its first repair prints or leaves in `v`."""
    (finding,) = [each for each in explore(Source(text), ()).findings if each.code == code]
    assert all(fix.passed for fix in finding.fix)
    names = {}
    exec(finding.fix[0].program, names)
    return finding, names["v"].grad


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("v.data -= v.grad", "AGX417"),
        ("print(v.grad.abs().max())", "AGX417"),
        ("print(v.grad)", "AGX416"),
    ],
)
def test_what_is_computed_from_a_leaf_without_a_name_is_made_one(line, code):
    finding, gradient = only(MEANT[0].format(line), code)
    assert finding.fix[0].text.split(";")[0] == f"line 2:  v = {MEANT[1]}"
    assert torch.equal(gradient, torch.tensor([3.0, 3.0]))


def test_what_is_computed_from_a_named_leaf_keeps_its_gradient():
    text = "import torch\nu = torch.ones(2, requires_grad=True)\nv = u * 5\n(v**2).sum().backward()\n"
    finding, gradient = only(text + "print(v.grad.norm())\n", "AGX417")
    assert finding.fix[0].text.startswith("before line 4:  v.retain_grad()")
    assert torch.equal(gradient, torch.tensor([10.0, 10.0]))


def test_a_second_backward_through_what_was_meant_to_be_a_leaf_is_mended_with_a_gradient():
    text = (
        "import torch\nv = torch.ones(2, requires_grad=True) * 0.5\n"
        "for _ in range(3):\n    (v * v).sum().backward()\n    print(v.grad)\n"
    )
    finding, gradient = only(text, "AGX411")
    assert [fix.text.split(";")[0] for fix in finding.fix] == [
        "line 2:  v = (torch.ones(2, requires_grad=True) * 0.5).detach().requires_grad_()"
    ]
    assert "None" not in finding.fix[0].text
    assert torch.equal(gradient, torch.tensor([3.0, 3.0]))
