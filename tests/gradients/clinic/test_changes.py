"""Functions whose forward writes into its arguments: told as the cause, unless torch is told of it."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

TEXT = """
import torch
from torch.autograd import Function


class Data(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.data.mul_(2)
        ctx.save_for_backward(x)
        return x * x + y

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0], g


class InPlace(Data):
    @staticmethod
    def forward(ctx, x, y):
        x.mul_(2)
        ctx.save_for_backward(x)
        return x * x + y


class Marked(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.mul_(2).add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2, g
"""


@pytest.fixture
def examined(tmp_path):
    """The report of a class of the file above, called on values that are no leaves."""
    (tmp_path / "changes.py").write_text(TEXT)

    def made(name):
        use = Use("f", str(tmp_path / "changes.py"), f"{name}.apply")
        bound = [("x", "randn(3)"), ("y", "randn(3)")]
        return explore("f(x*1, y).sum()", bound, Options(use=(use,), check=True))

    return made


@pytest.mark.parametrize("name", ["Data", "InPlace"])
def test_a_forward_that_changes_its_input_is_named_as_the_cause(examined, name):
    made = examined(name)
    (found,) = made.examined
    assert (made.status, [slot.verdict for slot in found.slots]) == (1, [Verdict.WRONG, Verdict.OK])
    (cause,) = [each for each in found.concerns if each.wrong]
    assert (cause.name, cause.wrong) == ("changes-input", True)
    assert cause.sentence.startswith("forward changes its argument x in place, and torch is not told")
    line = TEXT[: TEXT.index("def forward", TEXT.index(f"class {name}"))].count("\n")
    assert cause.place.endswith((f"changes.py:{line}", f"changes.py:{line + 1}"))
    assert not [each for each in found.concerns if each.name == "saves-intermediate"]
    assert made.gradients[0].verdict is Verdict.WRONG


def test_one_that_marks_what_it_changes_is_right(examined):
    made = examined("Marked")
    assert (made.status, {slot.verdict for slot in made.examined[0].slots}) == (0, {Verdict.OK})
    assert [each.name for each in made.examined[0].concerns if each.wrong] == []
