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

REFUSING = '''
import torch

class Refusing(torch.autograd.Function):
    """2x with a backward of {factor}, that takes no other numbers than those given."""

    @staticmethod
    def forward(ctx, x):
        if float(x.sum()) != 1.1:
            raise ValueError("only of what adds up to 1.1")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * {factor}
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
def refusing(tmp_path):
    """A file with a function that refuses all but one sum of its values, as what --use takes."""

    def make(factor=3):
        file = tmp_path / "refusing.py"
        file.write_text(REFUSING.replace("{factor}", str(factor)))
        return (Use("f", str(file), "Refusing.apply"),)

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
