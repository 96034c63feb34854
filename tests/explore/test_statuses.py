"""What a report ends with: a warning that tells why a gradient is no number counts for its verdict."""

import pytest

from autograd_cli.explore import Options, explore

HEAD = "import torch\nx = torch.tensor([{}], requires_grad=True)\n"
BROKEN = {
    "sqrt at 0": ("sqrt(x).sum()", "[0.,4.]"),
    "log of a negative": ("log(x).sum()", "[-2.,3.]"),
    "0 / 0": ("(x/x.norm()).sum()", "[0.,0.]"),
    "program, sqrt at 0": (HEAD.format("0., 4.") + "y = torch.sqrt(x).sum()\ny.backward()\n", None),
    "program, log of a negative": (HEAD.format("-2., 4.") + "y = torch.log(x).sum()\ny.backward()\n", None),
    "program, root of its own": (HEAD.format("0., 4.") + "y = torch.sqrt(x).sum()\n", None),
    "program, two backwards": (
        HEAD.format("0., 4.") + "x.sum().backward()\nx.grad = None\nx.sqrt().sum().backward()\n",
        None,
    ),
}


@pytest.mark.parametrize(("source", "value"), BROKEN.values(), ids=BROKEN)
def test_nan_that_is_explained_is_a_warning(source, value):
    bindings = [("x", value)] if value else []
    report = explore(source, bindings)
    assert [str(each.verdict) for each in report.gradients] == ["DOMAIN EDGE"]
    assert [(each.code, str(each.severity)) for each in report.findings] == [("AGX502", "warning")]
    assert report.status == 0
    assert explore(source, bindings, Options(strict=True)).status == 1
    assert explore(source, bindings, Options(check=True)).status == 1


def test_only_the_gradients_that_it_names_are_excused():
    report = explore("sqrt(x).sum() + floor(y)", [("x", "[0.,4.]"), ("y", "2.")])
    assert [(each.name, str(each.verdict)) for each in report.gradients] == [
        ("x", "DOMAIN EDGE"), ("y", "JUMP"),
    ]  # fmt: skip
    assert report.status == 1


def test_without_a_warning_a_verdict_counts():
    assert explore("floor(y)", [("y", "2.")]).status == 1


NOWHERE = """import torch
a = torch.tensor([2., 0.], dtype=torch.float64, requires_grad=True)
b = torch.tensor([0.5, 1e200], dtype=torch.float64, requires_grad=True)
out = (a * b**2).sum()
out.backward()
"""


@pytest.mark.parametrize(
    ("source", "bindings"),
    [("(a*b.exp()).sum()", [("a", "[0., 2.]"), ("b", "[800., 0.5]")]), (NOWHERE, [])],
)
def test_a_value_that_is_none_counts_alike_by_every_leaf(source, bindings):
    report = explore(source, bindings)
    assert [str(each.verdict) for each in report.gradients] == ["DOMAIN EDGE"] * 2
    assert [(each.code, str(each.severity)) for each in report.findings] == [("AGX502", "warning")]
    assert report.status == 0


def test_an_edge_by_another_leaf_is_not_excused_by_a_warning():
    report = explore("sqrt(x).sum() + y**1.5", [("x", "[0.,4.]"), ("y", "0.")])
    (edge,) = (each for each in report.gradients if each.name == "y")
    assert (str(edge.verdict), report.status) == ("DOMAIN EDGE", 1)
