"""What agx gets wrong itself is blamed on nobody else."""

import pytest
import torch

from autograd_cli.errors import InputError
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run import calls, expressions
from autograd_cli.run.faults import is_fault
from autograd_cli.run.inputs import value_of
from autograd_cli.run.record import run
from autograd_cli.run.settings import Settings


class Broken:
    """Has nothing that is asked for; a class of agx by its module."""

    __module__ = "autograd_cli.run.state"


def lacking(*given, **named):
    return Broken().nothing


@pytest.fixture
def broken(monkeypatch):
    """agx with a fault in what stands around each call."""
    monkeypatch.setattr(calls, "_blanked", lacking)


@pytest.mark.usefixtures("broken")
def test_a_fault_while_a_value_is_read_is_no_bad_value():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        value_of("x", "empty(3)", (), Settings(), None)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("source", ["empty(3)", "y = empty(3); y = y*2"])
def test_a_fault_in_a_run_is_no_failure_of_the_source(source):
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        run(parse(Source(source)), (), Settings())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("zeros(3).grad.shape", "'NoneType' object has no attribute 'shape'"),
        ("zeros(2) @ zeros(3)", "inconsistent tensor size"),
        ("zeros(3)[5]", "index 5 is out of bounds"),
    ],
)
def test_what_python_and_torch_raise_is_a_bad_value(text, why):
    with pytest.raises(InputError, match="The value of `x` cannot be computed") as caught:
        value_of("x", text, (), Settings(), None)
    assert caught.value.code == "AGX202"
    assert why in caught.value.sentence


def test_names_that_agx_lacks_are_told_from_others():
    with pytest.raises(AttributeError) as module:
        expressions.nothing  # noqa: B018
    with pytest.raises(AttributeError) as tensor:
        torch.zeros(3).nothing  # noqa: B018
    assert (is_fault(module.value), is_fault(tensor.value)) == (True, False)
    assert not is_fault(NameError("name 'x' is not defined"))
    assert not is_fault(ValueError("x"))
    there = {"__name__": "autograd_cli.run.state"}
    with pytest.raises(NameError) as name:
        exec("nothing", there)
    assert is_fault(name.value)
