"""Sources checked as `agx gradcheck` checks them, with functions of a file of their own."""

import pytest

from autograd_cli import explore
from autograd_cli.explore import agreeing
from autograd_cli.run.settings import Use

WRONG = '''
import torch

class Off(torch.autograd.Function):
    """sin with a backward that is {factor} times what it should be."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos() * {factor}
'''


@pytest.fixture
def off(tmp_path):
    """A file with a sin whose backward is off by a factor, as what --use takes."""

    def make(factor=1.03):
        file = tmp_path / "off.py"
        file.write_text(WRONG.replace("{factor}", str(factor)))
        return (Use("off", str(file), "Off.apply"),)

    return make


@pytest.fixture
def checked(monkeypatch):
    """The report of gradcheck on a source with its bindings as text.

    What is found of a person's Functions by themselves does not take the place of the grounds in it.
    """
    monkeypatch.setattr(agreeing, "agreed", lambda report, *rest: report)

    def check(source, bindings, **chosen):
        return explore.explore(source, list(bindings.items()), explore.Options(check=True, **chosen))

    return check
