"""A backward that comes through a function without a derivative is told at that function."""

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

HEAD = "import torch\nv = torch.tensor([-1., 2.], requires_grad=True)\n"


@pytest.mark.parametrize("step", ["torch.heaviside(v, torch.zeros(()))", "v.heaviside(torch.tensor(1.))"])
def test_a_step_in_a_loss_is_named_and_taken_as_a_constant(step):
    report = explore(Source(f"{HEAD}s = {step}\n(s * v).sum().backward()\n"), ())
    (finding,) = [each for each in report.findings if each.severity == "error"]
    assert (finding.code, finding.line) == ("AGX403", 3)
    assert finding.sentence.startswith(f"`{step}` has no slope to pass on: torch has no derivative of")
    (fix,) = finding.fix
    assert fix.passed
    names = {}
    exec(fix.program, names)
    assert torch.equal(names["v"].grad, torch.tensor([0.0, 1.0]))
