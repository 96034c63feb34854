"""Functions that cast to single precision inside are right within rounding, wrong where they are wrong."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

CASTS = """
import torch
from torch.autograd import Function


class Result(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.float() ** 3

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0].to(torch.float32) ** 2


class Inside(Function):
    @staticmethod
    def forward(ctx, x):
        x = x.to(dtype=torch.float32)
        ctx.save_for_backward(x)
        return (x**3).to(torch.float64)

    @staticmethod
    def backward(ctx, g):
        return g.float() * 3 * ctx.saved_tensors[0] ** 2


class Wrong(Result):
    @staticmethod
    def backward(ctx, g):
        return g * 3.003 * ctx.saved_tensors[0].float() ** 2


class Steep(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.float()
        ctx.save_for_backward(y)
        return ((1 + y).log() * 300).sin().double()

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return (g.float() * ((1 + y).log() * 300).cos() * 300 / (1 + y)).double()


class SteepWrong(Steep):
    @staticmethod
    def backward(ctx, g):
        return 1.001 * Steep.backward(ctx, g)


def plain(x):
    return torch.sin(x.float()) * torch.ones(3, dtype=torch.float32)
"""


@pytest.fixture
def examined(tmp_path):
    """The report of a callable of the file above in a source."""
    (tmp_path / "casts.py").write_text(CASTS)

    def made(attribute, source, **options):
        use = Use("f", str(tmp_path / "casts.py"), attribute)
        return explore(source, [("x", "[0.3,1.7,2.9]")], Options(use=(use,), check=True, **options))

    return made


@pytest.mark.parametrize("source", ["f(x).sum()", "(f(x)*x).sum()", "f(x*x).prod()"])
@pytest.mark.parametrize("attribute", ["Result.apply", "Inside.apply", "plain"])
def test_a_cast_inside_is_a_matter_of_rounding(examined, attribute, source):
    made = examined(attribute, source, order=2)
    right = {Verdict.OK, Verdict.PRECISION}
    assert made.status == 0
    assert made.gradients[0].verdict in right
    assert {block.verdict for block in made.second.blocks} <= right
    assert {slot.verdict for found in made.examined for slot in found.slots} <= {Verdict.OK}


def test_a_wrong_one_with_casts_is_wrong(examined):
    made = examined("Wrong.apply", "f(x).sum()")
    assert (made.status, made.gradients[0].verdict) == (1, Verdict.WRONG)
    assert made.examined[0].slots[0].patterns == ("a constant factor: it is 1.001 times what it should be",)


def test_that_a_gradient_is_cast_is_told_all_the_same(examined):
    said = [each.sentence for each in examined("Result.apply", "f(x).sum()").examined[0].concerns]
    assert "its 1st return value is float32 where x is float64" in said


def test_casts_inside_of_a_run_in_float64_lose_digits(examined):
    made = examined("Steep.apply", "f(x).sum()", dtype="float64")
    assert (made.status, made.gradients[0].verdict) == (0, Verdict.PRECISION)
    assert made.gradients[0].grounds.next == "write f(x) in a form that loses less"
    assert "in float32" in made.gradients[0].sentence


def test_what_is_wrong_beside_its_casts_is_wrong_in_float64_too(examined):
    made = examined("SteepWrong.apply", "f(x).sum()", dtype="float64")
    assert (made.status, made.gradients[0].verdict) == (1, Verdict.WRONG)
