"""The comparison sees what it is there to see: each kind of difference is told."""

import pytest

from tests.same.outcomes import differences
from tests.same.runs import in_agx, in_python

X = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
PAIRS = [
    ("x = 1", "x = 1.0", "`x` is ('int', 1) in Python"),
    ("x = 0.0", "x = -0.0", "`x` is ('float', "),
    ("x = True", "x = 1", "`x` is ('bool', True)"),
    ("x = [1, 2]", "x = (1, 2)", "`x` is ('list', "),
    ("x = 1", "y = 1", "`x` is ('int', 1) in Python, 'nothing' in agx"),
    ("print(1)", "print(2)", "prints '1\\n' in Python, '2\\n' in agx"),
    ("n = 1 / 0", "pass", "ends with ZeroDivisionError at lines 1 to 1 in Python, with its last line in agx"),
    ("n = 1 / 0", "n = [1][1]", "ends with ZeroDivisionError at lines 1 to 1 in Python, with IndexError"),
    ("pass\n1 / 0", "1 / 0\npass", "with ZeroDivisionError at lines 1 to 1 in agx"),
    (X, X.replace("2.0", "2.0000002"), "value ('[1.0, 2.0]'"),
    (
        X,
        X.replace("]", "], dtype=torch.float64", 1),
        "dtype 'torch.float32' in Python, 'torch.float64' in agx",
    ),
    (X, X.replace("True", "False"), "requires_grad True in Python, False in agx"),
    (X + "y = x * 2", X + "y = x + x", "graph ['0 MulBackward0'"),
    (X + "y = x * 2", X + "y = (x * 2).detach()", "is_leaf False in Python, True in agx"),
    (X + "x.sum().backward()", X + "(x * 2).sum().backward()", "grad {"),
    ("x = torch.ones(2, 2)", "x = torch.ones(2, 2).T", "stride (2, 1) in Python, (1, 2) in agx"),
    (X + "y = x", X + "y = x.clone().detach().requires_grad_()", "`(shared)` is "),
    (X + "y = x.detach()", X + "y = x.detach().clone()", "`(shared)` is "),
]


@pytest.mark.parametrize(("text", "other", "told"), PAIRS)
def test_a_difference_is_told(text: str, other: str, told: str) -> None:
    assert told in "\n".join(differences(in_python(text), in_agx(other)))


@pytest.mark.parametrize("text", sorted({text for pair in PAIRS for text in pair[:2]}))
def test_the_same_is_the_same(text: str) -> None:
    assert differences(in_python(text), in_agx(text)) == []


def test_nan_is_nan_and_an_address_is_no_difference() -> None:
    text = "x = torch.tensor([float('nan')], requires_grad=True)\ny = float('nan')\nprint((x * 2).grad_fn)\n"
    assert differences(in_python(text), in_agx(text)) == []
    assert in_agx(text).printed == "<MulBackward0>\n"
