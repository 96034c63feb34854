import pytest
from torch import eye, ones


def test_torchs_words_stand_with_the_operands(why):
    finding = why("linalg.cholesky(-A).sum()", A=eye(2))
    words = (
        "linalg.cholesky: The factorization could not be completed because the input is not "
        "positive-definite (the leading minor of order 1 is not positive-definite)."
    )
    assert (finding.code, finding.name) == ("AGX307", "torch-error")
    assert finding.sentence == "`linalg.cholesky(-A)` cannot be evaluated: torch raises LinAlgError."
    assert finding.torch == words
    assert finding.cause == ("-A  (2,2) float32 on cpu",)
    assert finding.span == (0, 19)


def test_pythons_words_are_not_taken_for_torchs(why):
    finding = why("range(x.sum().item() / 4)", x=ones(2))
    assert (finding.code, finding.name) == ("AGX344", "argument-type")
    assert finding.sentence.startswith("`x.sum().item() / 4` is a float; ")


def test_pythons_words_stand_once_and_are_not_torchs(why_it_failed):
    (finding,) = why_it_failed("import torch\nx = torch.ones(1)\ny = max([])")
    assert (finding.code, finding.torch) == ("AGX307", "")
    assert finding.sentence == "`max([])` cannot be evaluated; Python says: max() arg is an empty sequence"


@pytest.mark.parametrize(
    "source",
    [
        "torch.linalg.cholesky(-torch.eye(2))",
        "int('a')",
        "F.one_hot(x.long(), -3)",
        "x.view(2, 2).unfold(0, 3, 1)",
        "F.pad(x, (1, 2, 3))",
        "torch.fft.fft(x, n=0)",
        "x.reshape(2, 2) @ x.reshape(4, 1)",
        "F.conv2d(x.view(1, 1, 2, 2), x.view(1, 1, 2, 2), stride=0)",
    ],
)
def test_what_torch_says_is_said_once(why_it_failed, source):
    head = "import torch\nimport torch.nn.functional as F\nx = torch.eye(2).flatten()\n"
    (finding,) = why_it_failed(f"{head}{source}")
    assert finding.torch
    words = finding.torch.split(" (Could this")[0]
    told = [finding.sentence, *finding.cause]
    assert not any(words[:30] in line or words[-30:] in line for line in told)
