"""The layer of a model that an error came from, as the script's own code reaches it."""

import pytest

from autograd_cli.diagnose.scripts import inside

HEAD = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(5, 2))
    def forward(self, x):
        return self.body(x)
"""


@pytest.fixture
def causes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(HEAD + text)
        (found,) = inside.run("fit.py").findings
        return found.finding.cause

    return made


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("Block()(torch.zeros(6, 3))\n", "self.body[2]: Linear, given (6,4)"),
        ("nets = [Block().body]\nnets[0](torch.zeros(6, 3))\n", "nets[0][2]: Linear, given (6,4)"),
        (
            "d = nn.ModuleDict({'a': Block().body})\nd['a'](torch.zeros(3))\n",
            "d.a[2]: Linear, given (4,)",
        ),
        (
            "class Own(nn.Linear):\n    pass\nnet = nn.Sequential(Own(2, 3))\nnet(torch.zeros(1, 3))\n",
            "net[0]: Own, given (1,3)",
        ),
        (
            "e = nn.TransformerEncoderLayer(8, 2)\ne.linear1 = nn.Linear(9, 4)\ne(torch.zeros(2, 1, 8))\n",
            "e.linear1: Linear, given (2,1,8)",
        ),
    ],
)
def test_the_layer_is_named(causes, text, layer):
    assert causes(text)[0] == f"in  {layer}"


@pytest.mark.parametrize(
    "text",
    [
        "torch.zeros(2, 3) @ torch.zeros(2, 3)\n",
        "Block().body[2](torch.zeros(6, 3))\n",
        "class Own(nn.Module):\n    def forward(self, x):\n        return x @ x\nOwn()(torch.zeros(2, 3))\n",
    ],
)
def test_what_no_layer_of_the_script_failed_in_has_none(causes, text):
    assert not causes(text)[0].startswith("in ")
