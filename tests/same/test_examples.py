"""Every example of the function table comes to the same in agx as in Python, and so do its gradients."""

import ast

import pytest

from autograd_cli.lang.functions import FUNCTIONS, OPERATORS
from autograd_cli.lang.functions.rows import Example
from tests.same.outcomes import Outcome
from tests.same.runs import compared, in_python

EXAMPLES = {f.operator or f.path: f.example for f in (*FUNCTIONS, *OPERATORS.values()) if f.example}

UNINITIALISED = {"torch.empty", "torch.empty_like", "torch.Tensor.new_empty"}
"""What gives memory as it is: no two runs are the same."""


def program(example: Example) -> str:
    """A program that gives the value of an example a name, unless it is a program already."""
    try:
        ast.parse(example.source, mode="eval")
    except SyntaxError:
        return f"{example.source}\n"
    return f"out = {example.source}\n"


def backward(text: str, python: Outcome) -> str:
    """`text`, and a backward from its value where there is one."""
    out = python.names.get("out")
    graded = isinstance(out, dict) and out["requires_grad"]
    return f"{text}out.backward(torch.ones_like(out))\n" if graded else text


@pytest.mark.parametrize("path", sorted(EXAMPLES.keys() - UNINITIALISED))
def test_an_example_comes_to_the_same(path: str) -> None:
    text, bindings = program(EXAMPLES[path]), EXAMPLES[path].bindings
    text = backward(text, in_python(text, bindings))
    assert compared(text, bindings) == []
