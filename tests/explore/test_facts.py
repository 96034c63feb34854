"""What is said of one value, and of a statement."""

import torch

from autograd_cli.explore.inspection import facts
from autograd_cli.explore.statements import header
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source


def test_all_facts_of_a_tensor():
    x = torch.tensor([[1.0, float("nan")], [float("inf"), -2.5]], requires_grad=True)
    told = dict(facts(x))
    assert told["shape"] == "(2, 2)"
    assert (told["dtype"], told["numel"], told["ndim"], told["stride"]) == ("float32", "4", "2", "(2, 1)")
    assert (told["range"], told["nan"], told["inf"]) == ("-2.5 … 1", "1", "1")
    assert (told["requires_grad"], told["is_leaf"], told["grad_fn"], told["grad"]) == (
        "True",
        "True",
        "None",
        "None",
    )
    assert told["bytes"] == "16"


def test_large_tensors_are_counted():
    told = dict(facts(torch.randn(3, 224, 224)))
    assert (told["numel"], told["ndim"], told["values"]) == ("150528", "3", "150,528 elements")


def test_odd_tensors_are_told_of_too():
    for value in (
        torch.ones(2, device="meta"),
        torch.zeros(0),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j]),
        torch.tensor(3),
        2.5,
        "text",
        None,
    ):
        assert facts(value)
    with torch.inference_mode():
        inside = torch.ones(2)
    assert dict(facts(inside))["version"] == "not counted in inference mode"


def test_memory_is_shared():
    x = torch.arange(4.0)
    assert dict(facts(x, {"v": x[:2], "y": x.clone(), "x": x}))["shares memory with"] == "v"


def test_a_statement_is_told_without_its_block():
    source = "for i in range(3):  # rounds\n    # inside\n    x = i\nif x:\n    pass\n"
    program = parse(Source(source))
    assert [header(program, s) for s in program.statements] == ["for i in range(3):", "if x:"]
