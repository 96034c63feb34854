"""Every differentiable function of the language, checked on its example."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients import suite as examining
from autograd_cli.gradients.suite import chosen, examine, suite
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Example
from autograd_cli.report import Verdict, Witness
from autograd_cli.run import callees
from autograd_cli.run.settings import Settings

DOUBLE = Settings(dtype="float64")


@pytest.mark.parametrize("part", range(4))
def test_every_function_is_right(part):
    rows = list(chosen())[part::4]
    assert len(rows) > 100
    found = [examine(row, DOUBLE) for row in rows]
    assert [(one.function.path, one.failure, one.verdict) for one in found if one.failed] == []
    assert [(one.function.path, one.unchecked) for one in found if one.unchecked] == []


@pytest.mark.parametrize("name", ["sqrt", "acosh", "asin", "log", "linalg.cholesky", "special.i1e", "xlogy"])
def test_random_points_lie_in_the_domain_and_are_right_there(name):
    found = examine(by_path[f"torch.{name}"], DOUBLE, 3)
    assert (found.points, found.verdict, found.failed) == (3, Verdict.OK, False)
    assert len(found.nearby) == 3 * len(found.gradients)
    assert len({one.autograd for one in (*found.gradients, *found.nearby)}) == 4 * len(found.gradients)


@pytest.mark.parametrize("name", ["dropout", "rrelu", "gumbel_softmax", "scaled_dot_product_attention"])
def test_functions_that_draw_are_judged(name):
    found = examine(by_path[f"torch.nn.functional.{name}"], DOUBLE)
    assert found.function.draws
    assert {gradient.verdict for gradient in found.gradients} == {Verdict.OK}


def test_a_gradient_without_a_verdict_is_not_checked(monkeypatch):
    own = examining.check

    def silent(*given):
        return tuple(replace(one, verdict=None, sentence="it cannot be drawn again") for one in own(*given))

    monkeypatch.setattr(examining, "check", silent)
    found = examine(by_path["torch.sin"], DOUBLE)
    assert (found.verdict, found.failed, found.unchecked) == (None, False, "it cannot be drawn again")


def test_an_example_without_a_leaf_is_not_checked():
    found = examine(with_example("zeros(2).requires_grad_()"), DOUBLE)
    assert (found.failure, found.verdict, found.unchecked) == ("", None, "its example has no gradient")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_low_precision_is_no_failure(dtype):
    found = suite(dtype=dtype, only="*ex*")
    assert len(found) > 10
    assert [one.function.path for one in found if one.failed] == []


def test_a_pattern_chooses_by_name_path_or_spelling():
    assert "torch.sin" in [row.path for row in chosen("sin")]
    assert all(row.name == "sin" for row in chosen("sin"))
    assert {row.path for row in chosen("F.relu*")} == {
        row.path for row in chosen("torch.nn.functional.relu*")
    }
    assert list(chosen("nothing at all")) == []


def test_functions_without_a_gradient_are_not_chosen():
    assert by_path["torch.argmax"] not in list(chosen())


def test_progress_is_told_before_each_function():
    told = []
    found = suite(only="sin*", progress=lambda *given: told.append(given))
    assert [(number, count) for number, count, _ in told] == [(i, len(found)) for i in range(len(found))]
    assert [row for _, _, row in told] == [one.function for one in found]


def test_the_cotangent_is_random_so_that_softmax_shows_its_slope():
    (found,) = examine(by_path["torch.softmax"], DOUBLE).gradients
    assert found.verdict is Verdict.OK
    assert max(abs(v) for row in found.autograd for v in (row if isinstance(row, tuple) else (row,))) > 0.01


def test_a_wrong_backward_fails(monkeypatch):
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            made = x.exp()
            ctx.save_for_backward(made)
            return made

        @staticmethod
        def backward(ctx, cotangent):
            return cotangent * ctx.saved_tensors[0] * 1.0005

    own = callees.callable_for
    monkeypatch.setattr(
        callees, "callable_for", lambda f, **how: Exponential.apply if f.name == "exp" else own(f, **how)
    )
    found = suite(only="torch.exp")
    assert [(one.failed, one.verdict) for one in found] == [(True, Verdict.WRONG)]
    assert found[0].gradients[0].odd is Witness.AUTOGRAD


def with_example(source, **bindings):
    return by_path["torch.sin"]._replace(example=Example(source, bindings))


@pytest.mark.parametrize(
    ("source", "bindings", "failure"),
    [
        ("x @ x", {"x": "[[1.,2.]]"}, "mat1 and mat2 shapes cannot be multiplied (1x2 and 1x2)"),
        ("x.shape", {"x": "[1.,2.]"}, "the example gives a Size, not a tensor"),
        ("sin(x", {"x": "1."}, "The `(` at column 4 is never closed."),
    ],
)
def test_an_example_that_does_not_run_is_a_failure(source, bindings, failure):
    found = examine(with_example(source, **bindings), DOUBLE)
    assert (found.failure, found.failed, found.missing) == (failure, True, False)


def test_an_example_without_a_gradient_fails():
    found = examine(with_example("x.detach()", x="1."), DOUBLE)
    assert (found.failure, found.verdict, found.failed) == ("", Verdict.NO_GRAPH, True)


def test_a_fault_in_one_row_is_told_and_goes_no_further(monkeypatch):
    def broken(*given):
        raise KeyError("lost")

    monkeypatch.setattr(examining, "check", broken)
    assert examine(by_path["torch.sin"], DOUBLE).failure == "KeyError: 'lost'"


def test_a_dtype_that_torch_lacks_is_no_failure():
    found = examine(by_path["torch.linalg.det"], Settings(dtype="float16"))
    assert (found.missing, found.failed) == (True, False)
    assert "not implemented for 'Half'" in found.failure
