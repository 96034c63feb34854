"""Each vjp, rule and cotangent made 0.05 % wrong is caught in float64, and its node is named."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.gradients import check as checking, suite as examining
from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.grounds.gather import Gatherer
from autograd_cli.gradients.suite import chosen, examine
from autograd_cli.report import Verdict, Witness
from autograd_cli.run import callees
from autograd_cli.run.settings import Settings
from autograd_cli.symbolic import derive
from autograd_cli.symbolic.terms import Term

DOUBLE = Settings(dtype="float64")
CASTS = {"float", "double", "half", "bfloat16", "cfloat", "cdouble", "chalf"}
"""Functions in whose place a replay in float64 puts others, which do not lie."""
MOVES = {"torch.Tensor.cpu", "torch.Tensor.cuda"}
"""Functions that make no node where the tensor is already there, as on the CPU: nothing can be named."""
ROWS = [row for row in chosen() if not row.writes and row.path not in MOVES]


class Lie(torch.autograd.Function):
    """The same value, with a backward that is 0.05 % off."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * 1.0005


def lying(value):
    if isinstance(value, torch.Tensor):
        return Lie.apply(value) if value.requires_grad else value
    return tuple(map(lying, value)) if isinstance(value, tuple | list) else value


def gathering(monkeypatch):
    """Have the suite look for the grounds of its verdicts."""

    def check(run, made, cotangent, options):
        return checking.check(run, made, cotangent, replace(options, gather=Gatherer()))

    monkeypatch.setattr(examining, "check", check)


def is_blind(gradients):
    """Whether every gradient is 0, so that no factor can be seen in it."""

    def numbers(values):
        return [n for v in values for n in numbers(v)] if isinstance(values, tuple) else [values]

    return all(value == 0 for one in gradients for value in numbers(one.autograd))


@pytest.mark.parametrize("part", range(4))
def test_a_wrong_vjp_is_caught_and_named(part, monkeypatch):
    gathering(monkeypatch)
    real, missed, looked_at = callees.callable_for, [], 0
    for row in ROWS[part::4]:
        told: list[str] = []

        def liar(function, row=row, told=told, **how):
            call = real(function, **how)
            if function.path != row.path:
                return call
            told.append(row.path)
            return lambda *args, **kwargs: lying(call(*args, **kwargs))

        monkeypatch.setattr(callees, "callable_for", liar)
        found = examine(row, DOUBLE)
        monkeypatch.setattr(callees, "callable_for", real)
        if not told or found.failure or is_blind(found.gradients) or row.name in CASTS:
            continue
        wrong = [one for one in found.gradients if one.verdict is Verdict.WRONG]
        texts = [guilty.text for one in wrong for guilty in one.grounds.guilty]
        if not any(row.name.split(".")[-1] in text for text in texts):
            missed.append((row.path, row.example.source, [one.verdict for one in found.gradients], texts))
        looked_at += 1
    assert not missed, "\n".join(map(str, missed))
    assert looked_at > 100


@pytest.mark.parametrize("part", range(4))
def test_a_wrong_rule_is_caught_and_named(part, monkeypatch):
    gathering(monkeypatch)
    monkeypatch.setattr(checking, "differentiate", derive.differentiate)  # what is remembered does not lie
    real, missed, looked_at = derive._passed, [], 0
    for row in [one for one in ROWS if one.key][part::4]:

        def liar(made, came, row=row):
            factor = Term(2001, 2000)
            found = real(made, came)
            if made.step.key != row.key:
                return found
            return [(o, replace(v, terms=tuple(factor.times(t) for t in v.terms))) for o, v in found]

        monkeypatch.setattr(derive, "_passed", liar)
        found = examine(row, DOUBLE)
        monkeypatch.setattr(derive, "_passed", real)
        known = [one for one in found.gradients if one.symbolic is not None]
        if not known or is_blind(known):
            continue
        odd = [one for one in known if one.odd is not Witness.AUTOGRAD and one.verdict is Verdict.WRONG]
        texts = [guilty.text for one in odd for guilty in one.grounds.guilty]
        if not texts:
            missed.append((row.path, row.example.source, [one.verdict for one in known], len(odd)))
        looked_at += 1
    assert not missed, "\n".join(map(str, missed))
    assert looked_at > 70


@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_a_cotangent_changed_on_its_way_is_caught_and_named(traced, place):
    run = traced("sum(exp(sin(x**2)*x))", x="[0.3,1.1]")
    step = [one for one in run.steps if one.kind == "call" and one.value.requires_grad][place - 1]
    step.value.register_hook(lambda grad: grad * 1.0005)
    nodes = [node for one in run.steps for node in one.grad_fns]
    made = backward(run, None, nodes)
    (found,) = checking.check(run, made, None, checking.Options(gather=Gatherer()))
    assert found.verdict is Verdict.WRONG
    (guilty,) = found.grounds.guilty
    span = step.expr.span
    assert guilty.text == run.program.source[span]
    assert guilty.relative == pytest.approx(5e-4, rel=1e-2)
    assert "something changes it on the way" in guilty.sentence
