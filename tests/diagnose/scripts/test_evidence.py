"""What an error of a script is taken for rests on the tensors of its frames."""

import pytest

from autograd_cli.diagnose.scripts import inside

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"

JOINED = "a = torch.ones({})\nb = torch.ones({})\n{}\n"
MATRICES = ("64, 8", "63, 8", "skip = torch.cat([a, b], 1)")
MAPS = ("2, 8, 6, 6", "2, 8, 5, 5", "x = torch.cat([a, b], 1)")
BESIDE = (
    "64, 8",
    "63, 8",
    "conv = nn.Conv2d(3, 4, 3)\nimage = torch.ones(1, 3, 9, 9)\nskip = torch.cat([a, b], 1)",
)
SUMMED = ("3, 4", "3, 7", "residual = a + b")

ON_META = """\
w = torch.randn(3, 2, device="meta", requires_grad=True)
x = torch.randn(4, 3)
y = (x @ w).relu()
y.sum().backward()
"""

TWO_DEVICES = """\
def affine(z, weight, bias):
    z *= weight
    return torch.add(z, bias)
a = torch.ones(3, device="meta")
affine(a, a, torch.ones(3))
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(HEAD + text)
        (found,) = inside.run("fit.py").findings
        return found.finding

    return made


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (JOINED.format(*MATRICES), "joined-size-mismatch"),
        (JOINED.format(*BESIDE), "joined-size-mismatch"),
        (JOINED.format(*MAPS), "skip-connection-size-mismatch"),
        (JOINED.format(*SUMMED), "broadcast-shape-mismatch"),
        ("torch.ones(2, 3).mv(torch.ones(2))", "matmul-shape-mismatch"),
        ("half = torch.ones(2, 3).__matmul__(torch.ones(2, 3))", "matmul-shape-mismatch"),
        ("F.linear(torch.ones(2, 3), torch.ones(4, 2))", "linear-in-features-mismatch"),
        (TWO_DEVICES, "device-mismatch-input-not-moved"),
        (ON_META, "device-mismatch-input-not-moved"),
    ],
)
def test_the_tensors_of_the_frame_tell_what_it_is(told, text, name):
    assert told(text).name == name


def test_what_is_apart_is_named_where_the_backward_says_so(told):
    assert told(ON_META).fix[0].text.endswith("`w` is on meta")
