"""Backwards from where no way leads back: the operation that cut it, and what does not mend it."""

import pytest

HEAD = """import numpy as np
import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
x = torch.tensor([.5, 1., 2.])
"""

CUTS = {
    "detach": ("pred = (w * x).detach()\nloss = pred.sum()", "AGX453", 5, "(w * x).detach()"),
    "data": ("loss = (w.data * x).sum()", "AGX453", 5, "w.data"),
    "in place": ("loss = w * x\nloss.detach_()\nloss = loss.sum()", "AGX453", 6, "loss.detach_()"),
    "item": ("loss = (w * x).sum().item()\nloss = torch.tensor(loss)", "AGX403", 5, "(w * x).sum().item()"),
    "item in a product": ("s = (w * x).sum()\nloss = x.sum() * s.item()", "AGX403", 6, "s.item()"),
    "float": ("loss = torch.tensor(float((w * x).sum()))", "AGX403", 5, "float((w * x).sum())"),
    "tolist": ("v = (w * x).tolist()\nloss = torch.tensor(v).sum()", "AGX403", 5, "(w * x).tolist()"),
    "numpy": (
        "a = (w * x).detach().numpy()\nloss = torch.from_numpy(a).sum()", "AGX453", 5, "(w * x).detach()"
    ),
    "torch.tensor": (
        "parts = [(w * x).sum(), (w ** 2).sum()]\nloss = torch.tensor(parts).sum()",
        "AGX403", 6, "torch.tensor(parts)",
    ),
    "argmax": ("pred = (w * x).argmax()\nloss = (pred - 1.).abs()", "AGX403", 5, "(w * x).argmax()"),
    "places of max": ("v, i = (w * x).max(0)\nloss = i.float()", "AGX403", 5, "(w * x).max(0)"),
    "places of topk": (
        "i = torch.topk(w * x, 2)[1]\nloss = (i - 1.).sum()", "AGX403", 5, "torch.topk(w * x, 2)[1]"
    ),
    "int cast": ("pred = (w * x).long()\nloss = (pred - 1.5).sum()", "AGX403", 5, "(w * x).long()"),
    "to int": ("p = (w * x).to(torch.int64)\nloss = p.float().sum()", "AGX403", 5, "(w * x).to(torch.int64)"),
    "comparison": ("loss = 1 - ((w * x) > 1).float().mean()", "AGX403", 5, "(w * x) > 1"),
    "in a function": (
        "def model(w, x):\n    h = w * x\n    return h.detach()\nloss = model(w, x).sum()",
        "AGX453", 7, "h.detach()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CUTS)
def test_the_operation_that_cut_is_named(why_it_failed, name):
    lines, code, line, text = CUTS[name]
    source = f"{HEAD}{lines}\nloss.backward()\n"
    (finding,) = why_it_failed(source)
    assert (finding.code, finding.line) == (code, line)
    assert finding.span is not None
    assert source[slice(*finding.span)] == text
    assert finding.cause[-1].startswith("`loss.requires_grad = True` cures nothing: ")
    for fix in finding.fix:
        assert fix.passed or (not fix.program and name.startswith("places"))


def test_further_cuts_on_the_way_are_told(why_it_failed):
    lines, *_ = CUTS["item"]
    (finding,) = why_it_failed(f"{HEAD}{lines}\nloss.backward()\n")
    assert finding.cause[0] == (
        "so does `torch.tensor(loss)` on line 6: it makes a new tensor of the values, outside the graph"
    )
    assert finding.fix[0].text == "line 5:  loss = (w * x).sum(); line 6:  loss = loss"


MODES = ["no_grad", "inference_mode"]


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_that_records_nothing_is_named(why_it_failed, mode):
    (finding,) = why_it_failed(
        f"{HEAD}with torch.{mode}():\n    pred = w * x\nloss = pred.sum()\nloss.backward()\n"
    )
    assert (finding.code, finding.name) == ("AGX402", "no-grad-around-trainable")
    assert f"under `torch.{mode}()` of line 5" in finding.sentence
    assert finding.cause[-1].startswith("`loss.requires_grad = True` cures nothing: ")
    assert finding.fix[0].passed


def test_a_leaf_that_requires_grad_is_never_said_not_to(why_it_failed):
    (finding,) = why_it_failed(f"{HEAD}loss = (x * 2).sum()\nloss.backward()\n")
    assert finding.sentence.endswith("requires grad: `x` does not require grad.")


@pytest.mark.parametrize(
    ("cut", "smooth"),
    [
        ("((w * x) > 1).float().mean()", "(torch.sigmoid((w * x) - 1)).float().mean()"),
        ("((w * x) < x).float().mean()", "(torch.sigmoid(x - (w * x))).float().mean()"),
        ("w.argmax().float()", "(torch.softmax(w.flatten(), 0) * torch.arange(w.flatten().shape[0])).sum(0)"),
        ("w.argmin(0).float()", "(torch.softmax(-w, 0) * torch.arange(w.shape[0])).sum(0).float()"),
    ],
)
def test_something_smooth_is_put_in_the_place_of_steps(why_it_failed, cut, smooth):
    (finding,) = why_it_failed(f"{HEAD}loss = {cut}\nloss.backward()\n")
    assert finding.fix[0].passed
    assert f"loss = {smooth}" in finding.fix[0].program


def test_a_loss_told_to_require_grad_under_a_mode_names_the_mode(explore_report):
    report = explore_report(
        f"{HEAD}with torch.no_grad():\n    loss = (w * x).sum()\nloss.requires_grad = True\nloss.backward()\n"
    )
    (finding,) = report.findings
    assert finding.code == "AGX419"
    assert "it is computed under `torch.no_grad()` of line 5" in finding.sentence
    assert finding.fix[0].passed


TWICE = {
    "one loss": ("loss = (w ** 2).sum()\nloss.backward()\nloss.backward()", "`w ** 2` of line 5"),
    "a part of both": (
        "h = w.exp()\na, b = h.sum(), (h ** 2).sum()\na.backward()\nb.backward()",
        "`h` of line 5",
    ),
    "a generator": (
        "f = (w * x).sigmoid()\nd = f.sum()\ng = (1 - f).log().sum()\nd.backward()\ng.backward()",
        "`f` of line 5",
    ),
    "a root without a name": (
        "h = w.exp()\nb = (h ** 2).sum()\nh.sum().backward()\nb.backward()",
        "`h` of line 5",
    ),
    "in a loop": (
        "h = w.tanh()\nfor i in range(2):\n    loss = h.sum()\n    loss.backward()",
        "`h` of line 5",
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_what_both_backwards_go_through_is_named(why_it_failed, name):
    lines, through = TWICE[name]
    (finding,) = why_it_failed(f"{HEAD}{lines}\n")
    assert finding.code == "AGX411"
    assert finding.cause[0].startswith(f"both go through {through}, by ")
    assert all(fix.passed for fix in finding.fix)
    assert any("retain_graph=True" in fix.program for fix in finding.fix)


def test_two_backwards_on_one_line_and_in_one_function_are_told_apart(why_it_failed):
    (finding,) = why_it_failed(f"{HEAD}a = (w**2).sum(); a.backward(); a.backward()\n")
    assert finding.sentence.startswith("The first backward of line 5 freed the graph that the second goes")
    (finding,) = why_it_failed(f"{HEAD}def step(v):\n    v.backward()\na = (w**2).sum()\nstep(a)\nstep(a)\n")
    assert "the backward of the first call freed its graph" in finding.sentence
