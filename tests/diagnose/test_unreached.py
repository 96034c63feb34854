"""A .grad that is None since something cut its way: the statement that did is named, with a repair."""

import pytest

HEAD = """import torch
import numpy as np
w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 1.0], requires_grad=True)
"""
AFTER = "\nloss = (h * v).sum()\nloss.backward()\n"

CUTS = {
    "detach": ("h = w.detach() ** 2", "`w.detach()` on line 5"),
    "data": ("h = w.data * 3", "`w.data` on line 5"),
    "item": ("h = w.sum().item()", "`w.sum().item()` on line 5"),
    "float": ("h = float(w[0])", "`float(w[0])` on line 5"),
    "numpy": ("a = np.exp(w.detach().numpy())\nh = torch.from_numpy(a)", "`torch.from_numpy(a)` on line 6"),
    "argmax": ("h = w.argmax()", "`w.argmax()` on line 5"),
    "int": ("h = (w * 2).int()", "`(w * 2).int()` on line 5"),
    "comparison": ("h = (w > 1).float()", "`w > 1` on line 5"),
    "no_grad": ("with torch.no_grad():\n    h = w ** 2", "`w ** 2` on line 6"),
    "no_grad of two": ("with torch.no_grad():\n    a = w * 2\n    h = a.exp()", "`w * 2` on line 6"),
    "switched off": (
        "torch.set_grad_enabled(False)\nh = w ** 2\ntorch.set_grad_enabled(True)",
        "`w ** 2` on line 6",
    ),
    "inference_mode": (
        "with torch.inference_mode():\n    h = (w ** 2).sum().item()",
        "`(w ** 2).sum().item()` on line 6",
    ),
    "a copy": (
        "h = torch.tensor(w.tolist(), requires_grad=True)",
        "`torch.tensor(w.tolist(), requires_grad=…`",
    ),
    "a function": ("def enc(t):\n    return t.detach() * 3\nh = enc(w)", "`t.detach()` on line 6"),
    "in place": ("h = w * 2\nh.detach_()", "`h.detach_()` on line 6"),
    "places": ("h = w.argsort()", "`w.argsort()` on line 5"),
    "places beside values": ("values, h = torch.sort(w)", "`torch.sort(w)` on line 5"),
}

WITHOUT_A_REPAIR = {"places", "places beside values"}


@pytest.mark.parametrize("read", ["print(w.grad.sum())", "step = 0.1 * w.grad", "w.grad.zero_()"])
@pytest.mark.parametrize("name", CUTS)
def test_a_use_of_what_no_backward_filled_names_what_cut_its_way(explore_report, name, read):
    cut, told = CUTS[name]
    report = explore_report(f"{HEAD}{cut}{AFTER}{read}\n")
    found = [each for each in report.findings if each.severity == "error"]
    assert [each.code for each in found] == ["AGX417"]
    assert f"no backward so far has reached `w`, since {told}" in found[0].sentence
    if name not in WITHOUT_A_REPAIR:
        assert found[0].fix[0].passed
        assert explore_report(found[0].fix[0].program).status == 0


@pytest.mark.parametrize("name", CUTS)
def test_a_gradient_that_is_read_as_none_is_warned_of_at_what_cut_its_way(explore_report, name):
    cut, told = CUTS[name]
    report = explore_report(f"{HEAD}{cut}{AFTER}print(w.grad)\n")
    (found,) = [each for each in report.findings if each.severity == "warning"]
    assert found.sentence.startswith(f"`w` gets no gradient from the backward: {told}")
    assert (name in WITHOUT_A_REPAIR) or found.fix[0].passed
    assert report.status == 0


ROOTS = [
    "torch.autograd.backward([(w.detach() * v).sum(), (v ** 2).sum()])",
    "((w.detach() * v).sum() + (v ** 2).sum()).backward()",
    "one = (w.detach() * v).sum()\ntwo = (v ** 2).sum()\none.backward()\ntwo.backward()",
]


@pytest.mark.parametrize("backward", ROOTS)
def test_of_several_roots_too(explore_report, backward):
    (found,) = explore_report(f"{HEAD}{backward}\nprint(w.grad)\n").findings[:1]
    assert (found.code, found.severity) == ("AGX453", "warning")
    (found,) = explore_report(f"{HEAD}{backward}\nprint(w.grad.sum())\n").findings[:1]
    assert (found.code, found.severity) == ("AGX417", "error")
    assert "since `w.detach()` on line 5" in found.sentence


TOO_EARLY = {
    "a backward that comes later": (
        "h = w.detach()\nloss = (h * v).sum()\nprint(w.grad.norm())\nloss.backward()",
        "no backward has run yet, and none would reach it: `w.detach()` on line 5 gives",
    ),
    "no backward at all": (
        "y = (w.detach() * 2).sum()\nprint(w.grad.norm())",
        "no backward has run yet, and none would reach it: `w.detach()` on line 5 gives",
    ),
    "a backward to come, without a cut": (
        "loss = (w ** 2).sum()\nprint(w.grad.norm())\nloss.backward()",
        "no backward has run yet.",
    ),
    "a graph without a backward": ("loss = (w ** 2).sum()\nprint(w.grad.sum())", "no backward has run yet."),
    "grad": (
        "loss = (w ** 2).sum()\ng, = torch.autograd.grad(loss, [w])\nprint(w.grad.sum())",
        "torch.autograd.grad gives its gradients back, and fills no .grad.",
    ),
}


@pytest.mark.parametrize("name", TOO_EARLY)
def test_a_use_before_any_backward_says_so_first(explore_report, name):
    source, told = TOO_EARLY[name]
    (found,) = explore_report(HEAD + source).findings[:1]
    assert found.code == "AGX417"
    assert told in found.sentence


FINE = [
    "print(w.grad)  # None\n(w ** 2).sum().backward()\nprint(w.grad)",
    "(w.detach() * v).sum().backward()\nprint(v.grad)",
    "target = w.detach()\n((v - target) ** 2).sum().backward()\nprint(v.grad, w.grad)  # None for the target",
    "(w * v.detach()).sum().backward()\nprint(w.grad)\nif v.grad is None:\n    print('none')",
]


@pytest.mark.parametrize("source", FINE)
def test_a_cut_that_is_meant_is_left_alone(explore_report, source):
    assert not [each for each in explore_report(HEAD + source).findings if each.severity == "warning"]
