"""The parameters of modules are checked by name, and named in the tree."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

OWN = """
import torch
from torch import nn


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, 0.5 * (g * x).sum(0)


class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.norm = nn.BatchNorm1d(2)
        self.drop = nn.Dropout(0.5)
        self.held = nn.Parameter(torch.ones(2), requires_grad=False)

    def forward(self, x, scale=1):
        return self.drop(self.norm(self.layer(x))) * self.held * scale


class Wrong(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        return Halved.apply(x, self.w)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        w = self.w * 1
        w.register_hook(lambda gradient: 2 * gradient)
        return x * w


class Stopped(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        with torch.no_grad():
            size = self.w.norm()
        return x * self.w * self.w.detach().exp() / size


class Bare(nn.Module):
    def forward(self, x):
        return x * 2
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The report of a source with `f` from the file."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)

    def report(attribute, source, check=True, **bound):
        options = Options(use=(Use("f", "own.py", attribute),), check=check)
        return explore(source, list(bound.items()), options)

    return report


def test_every_parameter_that_requires_grad_is_checked_by_its_name(made):
    report = made("Right", "f(x, 2).sum()", x="randn(4,3)")
    (found,) = report.examined
    names = ["f.layer.weight", "f.layer.bias", "f.norm.weight", "f.norm.bias"]
    assert [slot.name for slot in found.slots] == names
    assert {slot.verdict for slot in found.slots} == {Verdict.OK}
    assert (found.function, found.next) == ("Right", "")


def test_a_wrong_gradient_of_a_parameter_is_seen_though_that_of_the_input_is_right(made):
    report = made("Wrong", "f(x).sum()", x="randn(4,3)")
    function, module = report.examined
    assert report.gradients[0].verdict is Verdict.OK
    assert [(slot.name, slot.verdict) for slot in module.slots] == [("f.w", Verdict.WRONG)]
    assert (function.function, module.next) == ("Halved", "")
    assert (report.status, [finding.evidence["function"] for finding in report.findings]) == (1, ["Halved"])


def test_what_no_function_explains_has_a_finding_of_its_own(made):
    report = made("Hooked", "f(x).sum()", x="randn(4,3)")
    (module,) = report.examined
    assert module.slots[0].verdict is Verdict.WRONG
    assert module.next.startswith("mend own.py:")
    assert [finding.evidence["function"] for finding in report.findings] == ["Hooked"]


def test_what_a_module_cuts_off_counts_as_a_constant(made):
    report = made("Stopped", "f(x).sum()", x="randn(4,3)")
    assert [slot.verdict for slot in report.examined[0].slots] == [Verdict.OK]


def test_a_module_without_parameters_is_not_looked_at(made):
    assert made("Bare", "f(x).sum()", x="randn(3)").examined == ()


def test_parameters_are_named_in_the_graph(made):
    graph = made("Wrong", "f(x).sum()", check=False, x="randn(4,3)").graph
    assert [node.name for node in graph.nodes if node.op == "AccumulateGrad" and not node.leaf] == ["f.w"]
