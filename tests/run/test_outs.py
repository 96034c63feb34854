"""`out=`: every function listed takes it in torch, and what cannot be written is refused."""

import inspect

import numpy
import pytest
import torch

from autograd_cli.errors import AgxError
from autograd_cli.explore import explore
from autograd_cli.lang.functions.outs import OUT
from autograd_cli.run.operations import at_path
from tests.same.runs import in_agx


@pytest.mark.parametrize("path", sorted(OUT))
def test_torch_takes_it(path: str) -> None:
    if path.startswith("numpy."):
        function = at_path(path)
        assert isinstance(function, numpy.ufunc) or "out" in inspect.signature(function).parameters
        return
    name = "_softmax" if path == "torch.softmax" else path.removeprefix("torch.")
    name = {"log_softmax": "_log_softmax", "true_divide": "div", "divide": "div"}.get(name, name)
    overloads = getattr(torch.ops.aten, name).overloads()
    assert any("out" in each for each in overloads)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = zeros(2)\ntorch.add(ones(3), 1, out=x)", "`out` has shape (2,)"),
        ("x = 3\ntorch.add(ones(3), 1, out=x)", "`out` is a int here"),
        ("v = zeros(1), zeros(1)\ntorch.amax(ones(3, 3), 0, out=v)", "`out` is a tuple here"),
        ("x = zeros(2)\nx.add(1, out=x)", "`.add` has no argument called `out`"),
        ("x = zeros(2)\ntorch.rand(2, out=x)", "`rand` has no argument called `out`"),
    ],
)
def test_what_cannot_be_written_is_refused(text: str, words: str) -> None:
    with pytest.raises(AgxError) as caught:
        in_agx(text)
    assert words in caught.value.sentence


def test_what_is_written_under_no_grad_is_held_and_the_witnesses_agree() -> None:
    text = (
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\nbuf = torch.zeros(2)\n"
        "torch.add(buf, 3, out=buf)\nwith torch.no_grad():\n    torch.mul(x, buf, out=buf)\n"
        "loss = (x * buf).sum()\nloss.backward()\n"
    )
    report = explore(text, [])
    assert [finding.name for finding in report.findings if finding.severity.value == "error"] == []
    [gradient] = report.gradients
    assert gradient.autograd == (3.0, 6.0)
    assert gradient.verdict.value == "OK"
