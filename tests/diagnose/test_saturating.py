"""What is flat at most of its elements is told as a note; what is flat at few, or hands on enough, is not."""

import pytest

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

HEAD = "import torch\nimport torch.nn.functional as F\n"


def told(lines):
    """The findings on what is flat in a program."""
    return [each for each in explore(Source(HEAD + lines), ()).findings if each.code == "AGX505"]


MOST = [
    ("[30., -45., 0.5, 60.]", "((v.sigmoid() - 0.5)**2).sum()", "v.sigmoid()", "3 of the 4"),
    ("[12., -14., 1., 20., 33.]", "torch.tanh(v * 2).mean()", "torch.tanh(v * 2)", "4 of the 5"),
    ("[[70., 0.], [0., 80.]]", "(F.softmax(v, 1)[:, 0] - 0.7).abs().sum()", "F.softmax(v, 1)", "all 2"),
]
FEW = [
    ("[30., 0.5, 1.]", "torch.sigmoid(v).sum()"),
    ("[3., -4., 1.]", "torch.tanh(v).sum()"),
    ("[-25., -26., -24.]", "F.binary_cross_entropy(torch.sigmoid(v), torch.ones(3))"),
    ("[-25., -26., -24.]", "-torch.sigmoid(v).log().sum()"),
    ("[-4., -5., 60.]", "torch.relu(v).sum()"),
    ("[[90., 0.], [0., 80.]]", "F.cross_entropy(v, torch.tensor([1, 0]))"),
    ("[0.4, 0.7]", "(v * torch.sigmoid(torch.full((2,), 90.))).sum()"),
]


def program(values, loss):
    """A program whose leaf has these values."""
    return f"v = torch.tensor({values}, requires_grad=True)\nloss = {loss}\nloss.backward()\n"


@pytest.mark.parametrize(("values", "loss", "text", "which"), MOST)
def test_what_is_flat_at_most_elements_is_a_note(values, loss, text, which):
    (finding,) = told(program(values, loss))
    assert (finding.name, finding.severity) == ("saturated-activation", "note")
    assert finding.sentence == (
        f"`{text}` is flat at {which} elements at which a gradient arrives: its slope is below 1.2e-07 "
        "there, and next to nothing passes."
    )


@pytest.mark.parametrize(("values", "loss"), FEW)
def test_look_alikes_are_silent(values, loss):
    assert told(program(values, loss)) == []
