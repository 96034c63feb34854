"""A column that was made for a target in a statement of its own, and meets a row of predictions."""

import pytest

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

HEAD = """import torch
torch.manual_seed(0)
t = torch.linspace(0, 1, 8)
coef = torch.tensor([0.1, 0.2], requires_grad=True)
fit = coef[0] + coef[1] * t
"""

TARGETS = {
    "reshape": "goal = torch.sin(t).reshape(8, 1)\nloss = ((goal - fit) ** 2).sum() / 8",
    "view": "goal = torch.sin(t).view(-1, 1)\nloss = (fit - goal).abs().mean()",
    "unsqueeze": "goal = torch.sin(t)\ngoal = goal.unsqueeze(1)\ne = fit - goal\nloss = (e * e).mean()",
    "None": "goal = torch.sin(t)[:, None]\nloss = (goal - fit).square().mean()",
    "a function": (
        "def mse(a, b):\n    return ((a - b) ** 2).mean()\n"
        "goal = torch.sin(t).reshape(-1, 1)\nloss = mse(fit, goal)"
    ),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_loss_over_all_pairs_with_a_target_made_a_column_is_warned_of(name):
    report = explore(Source(f"{HEAD}{TARGETS[name]}\nloss.backward()\nprint(coef.grad)\n"), [])
    (finding,) = report.findings
    assert (finding.code, finding.severity, report.status) == ("AGX407", "warning", 0)
    assert any(line.startswith("the loss is") for line in finding.cause)
    assert finding.fix[0].passed
    assert explore(Source(finding.fix[0].program), []).findings == ()


MEANT = {
    "a kernel": "grid = t.reshape(-1, 1)\nphi = torch.exp(-(grid - fit) ** 2)\nloss = (phi @ t).mean()",
    "the nearest": "grid = t.unsqueeze(1)\nloss = (grid - fit).abs().min(1)[0].mean()",
    "both of the leaf": "column = fit.unsqueeze(1)\nloss = ((column - fit) ** 2).mean()",
    "in the same expression": "loss = ((t[:, None] - fit) ** 2).mean()",
    "an outer product": "column = t.view(-1, 1)\nloss = (column * fit).sum()",
}


@pytest.mark.parametrize("name", MEANT)
def test_pairs_that_are_meant_are_left_alone(name):
    source = f"{HEAD}{MEANT[name]}\nloss.backward()\nprint(coef.grad)\n"
    assert not [each for each in explore(Source(source), []).findings if each.severity == "warning"]
