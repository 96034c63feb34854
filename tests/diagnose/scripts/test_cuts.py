"""A backward without a graph: the statement that cut it, and which kind of cut that is."""

import pytest

from autograd_cli.diagnose.scripts import inside

HEAD = """\
import numpy as np, torch, torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.helper = Helper() if "Helper" in globals() else None
    def forward(self, x):
        return self.fc(x)
x, y = torch.randn(8, 4), torch.rand(8, 3)
net = Net()
"""
LINE = HEAD.count("\n") + 1

CASES = {
    "argmax": ("p = net(x).argmax(1).float()\nloss = p.mean()\n", 1, "nondifferentiable-op-in-loss"),
    "compared": ("a = (net(x) > 0) == (y > 0)\nloss = a.float().mean()\n", 1, "nondifferentiable-op-in-loss"),
    "cast": ("loss = net(x).to(torch.int64).sum()\nloss = loss.float()\n", 1, "nondifferentiable-op-in-loss"),
    "detach": ("out = net(x).detach()\nloss = (out - y).pow(2).mean()\n", 1, "detached-prediction-in-loss"),
    "data": ("w = net.fc.weight.data\nloss = (x @ w.T).sum()\n", 1, "detached-prediction-in-loss"),
    "item": ("out = net(x).sum().item()\nloss = torch.tensor(out)\n", 1, "detached-prediction-in-loss"),
    "numpy": (
        "out = net(x)\nm = np.abs(out.detach().numpy())\nloss = torch.from_numpy(m).mean()\n",
        2,
        "detached-prediction-in-loss",
    ),
    "total": (
        "total = 0.\nfor _ in range(2):\n    total += net(x).sum().item()\nloss = torch.tensor(total)\n",
        3,
        "detached-prediction-in-loss",
    ),
    "with": ("with torch.no_grad():\n    out = net(x)\nloss = out.mean()\n", 2, "no-grad-around-trainable"),
    "by a value": (
        (
            "phase = 'val'\nwith torch.set_grad_enabled(phase == 'train'):\n    out = net(x)\n"
            "    loss = out.mean()\n"
        ),
        3,
        "no-grad-around-trainable",
    ),
    "on by a value": (
        (
            "phase = 'train'\nwith torch.set_grad_enabled(phase == 'train'):\n    out = net(x)\n"
            "    hard = out.argmax(1)\n    loss = hard.float().mean()\n"
        ),
        4,
        "nondifferentiable-op-in-loss",
    ),
    "switched": (
        "torch.set_grad_enabled(False)\nout = net(x)\nloss = out.mean()\n",
        2,
        "no-grad-around-trainable",
    ),
    "switched back": (
        (
            "torch.set_grad_enabled(mode=False)\ntorch.set_grad_enabled(True)\nout = net(x)\n"
            "loss = torch.tensor(out.mean())\n"
        ),
        4,
        "detached-prediction-in-loss",
    ),
    "inference": (
        "with torch.inference_mode():\n    out = net(x)\nloss = out.mean().clone()\n",
        2,
        "no-grad-around-trainable",
    ),
    "inference switched off": (
        (
            "with torch.inference_mode(False):\n    out = net(x)\n    loss = float(out.mean())\n"
            "loss = torch.tensor(loss)\n"
        ),
        3,
        "detached-prediction-in-loss",
    ),
    "named alike": (
        "def no_grad_noise(o):\n    return o\nout = no_grad_noise(net(x))\nloss = out.mean().detach()\n",
        4,
        "detached-prediction-in-loss",
    ),
    "decorated": (
        "@torch.no_grad()\ndef out(x):\n    return net(x)\nloss = out(x).mean()\n",
        1,
        "no-grad-around-trainable",
    ),
    "in a function": (
        "def f(model, x):\n    h = model(x)\n    h = h.detach()\n    return h\nloss = f(net, x).mean()\n",
        3,
        "detached-prediction-in-loss",
    ),
    "in a return": (
        "def f(o):\n    return o.argmax(1).float()\nloss = f(net(x)).mean()\n",
        2,
        "nondifferentiable-op-in-loss",
    ),
}  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(text)
        (found,) = inside.run("fit.py").findings
        return found.finding

    return made


@pytest.mark.parametrize("case", CASES)
def test_the_statement_that_cuts_is_named(run, case):
    text, line, name = CASES[case]
    found = run(f"{HEAD}{text}loss.backward()\n")
    assert found.name == name
    where = LINE - 1 + line
    statement = text.splitlines()[line - 1].strip()
    assert found.cause[0] == f"cut at  fit.py:{where}  {statement}"
    assert found.cause[1].endswith("lets no gradient through")


def test_a_cut_in_a_module_is_found_from_a_method(run):
    found = run(
        HEAD.replace("return self.fc(x)", "h = self.fc(x)\n        h = h.detach()\n        return h")
        + "class Trainer:\n    def __init__(self):\n        self.net = Net()\n    def step(self, x):\n"
        "        out = self.net(x)\n        out.sum().backward()\nTrainer().step(x)\n"
    )
    assert (found.name, found.cause[0]) == (
        "detached-prediction-in-loss",
        "cut at  fit.py:10  h = h.detach()",
    )


@pytest.mark.parametrize(
    "text",
    [
        "net.requires_grad_(False)\nloss = F.cross_entropy(net(x), y.argmax(1).long())\n",
        "loss = (x.detach() > 0).float().mean()\n",
        "acc = (net(x) > 0).float().mean()\nnet.requires_grad_(False)\nloss = net(x).mean()\n",
    ],
)
def test_what_lies_on_no_way_from_what_is_trained_is_not_blamed(run, text):
    found = run(f"{HEAD}{text}loss.backward()\n")
    assert found.code == "AGX402"
    assert not found.cause[0].startswith("cut")
