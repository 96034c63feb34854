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
    """The report of a class of the file above, called on no leaves unless a source says so."""
    (tmp_path / "changes.py").write_text(TEXT)

    def made(name, source="f(x*1, y).sum()", x="randn(3)", check=True):
        use = Use("f", str(tmp_path / "changes.py"), f"{name}.apply")
        bound = [("x", x), ("y", "randn(3)")]
        return explore(source, bound, Options(use=(use,), check=check))

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


class TestGivenALeaf:
    """The leaf itself is changed, which torch does not see either."""

    @pytest.mark.parametrize("name", ["Data", "InPlace"])
    def test_the_leaf_is_shown_as_it_was_bound(self, examined, name):
        made = examined(name, "f(x, y).sum()", "[1., 2.5, -3.]", check=False)
        assert list(made.bindings[0].value) == [1.0, 2.5, -3.0]
        (leaf,) = [node for node in made.graph.nodes if node.leaf == "x"]
        assert list(leaf.value) == [1.0, 2.5, -3.0]

    def test_the_slope_is_taken_at_what_was_bound(self, examined):
        made = examined("InPlace", "(f(x, y) + x**2).sum()", "[1., 2., 3.]")
        gradient = made.gradients[0]
        # f is (2x)² + y: its backward gives 4x for 8x, and that of x² twice what it is at x.
        assert gradient.numeric == pytest.approx([10.0, 20.0, 30.0])
        assert gradient.autograd == pytest.approx([8.0, 16.0, 24.0])
        assert (made.status, gradient.verdict) == (1, Verdict.WRONG)
        assert [each.name for each in made.examined[0].concerns if each.wrong] == ["changes-input"]
