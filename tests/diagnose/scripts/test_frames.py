"""What the tensors and modules of the failing frames add to what is told of an error."""

import pytest

from autograd_cli.diagnose.scripts import inside

HEAD = "import torch\nfrom torch import nn\n"

REASSIGNED = """\
w = torch.randn(3, requires_grad=True)
x = torch.randn(10, 3)
for i in range(3):
    (x @ w).mean().backward()
    step = 0.1 * w.grad
    w = w - step
"""

COMPUTED = """\
w = torch.randn(3, requires_grad=True)
y = w * 2
y.sum().backward()
print(y.grad.abs())
"""

NEVER = """\
w = torch.randn(3, requires_grad=True)
w = w - 0.1 * w.grad
"""

FROZEN = """\
model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
for p in model.parameters():
    p.requires_grad = {}
loss = model(torch.randn(5, 3)).mean(){}
loss.backward()
"""

TARGET = """\
scores = torch.randn(8, 3, requires_grad=True)
labels = torch.zeros({}, dtype=torch.long)
nn.CrossEntropyLoss()(scores, labels)
"""

CONVOLVED = """\
conv = nn.Conv2d({}, 8, 3)
img = torch.randn({})
print(conv(img).shape)
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(HEAD + text)
        return next(
            one.finding for one in inside.run("fit.py").findings if one.finding.severity.value == "error"
        )

    return made


@pytest.mark.parametrize(
    ("text", "name", "fix"),
    [
        (
            REASSIGNED,
            "leaf-name-lost",
            "keep the leaf: with torch.no_grad(): w -= step, and w.grad = None behind it",
        ),
        (COMPUTED, "nonleaf-grad-access", "call y.retain_grad() before backward"),
        (NEVER, "grad-is-none", "skip it: if w.grad is not None: ..."),
    ],
)
def test_why_a_grad_is_none_is_told_by_its_tensor(told, text, name, fix):
    finding = told(text)
    assert (finding.name, finding.fix[0].text) == (name, fix)


def test_frozen_parameters_are_told_outright(told):
    finding = told(FROZEN.format(False, ""))
    assert finding.cause[0] == "every parameter of `model` has requires_grad False: nothing is left to train"
    assert finding.fix[0].text.startswith("call model.requires_grad_()")


def test_parameters_that_are_trained_are_not_called_frozen(told):
    assert not any("False" in line for line in told(FROZEN.format(True, ".detach()")).cause)


@pytest.mark.parametrize(
    ("shape", "sentence", "fix"),
    [
        (
            "8, 1",
            "The target `labels` has shape (8,1), where one class number a place is (8,).",
            "drop the dimension of one: labels.squeeze(1)",
        ),
        (
            "8, 3, 1",
            None,
            "give the loss one class number a place, or of one-hot rows labels.argmax(1)",
        ),
    ],
)
def test_the_target_of_a_cross_entropy_is_told_with_its_shape(told, shape, sentence, fix):
    finding = told(TARGET.format(shape))
    assert finding.name == "cross-entropy-target-shape"
    assert sentence is None or finding.sentence == sentence
    assert finding.fix[0].text == fix


@pytest.mark.parametrize(
    ("channels", "shape", "fix"),
    [
        (3, "32, 32, 3", "bring the channels forward: img.permute(2, 0, 1)"),
        (3, "1, 32, 32, 3", "bring the channels forward: img.permute(0, 3, 1, 2)"),
        (1, "16, 28, 28", "give each image its channel: img.unsqueeze(1)"),
        (1, "1, 16, 28, 28", "make the layer nn.Conv2d(16, 8, …)"),
        (1, "8, 8", "give it its channel: img.unsqueeze(0), of a batch img.unsqueeze(1)"),
    ],
)
def test_a_convolution_is_mended_by_the_shape_that_it_was_given(told, channels, shape, fix):
    assert told(CONVOLVED.format(channels, shape)).fix[0].text == fix


def test_a_device_that_is_not_there_is_told_of_a_script(told):
    finding = told("torch.ones(2).to('cuda')\n")
    assert finding.code == "AGX601"
