"""What ends Python in a person's code, and calls of their Functions by any name."""

import sys

import pytest
import torch

from autograd_cli.run.applies import install, leaving, staying, watched


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


@pytest.mark.parametrize(("status", "said"), [(3, "3"), ("no", "'no'"), (None, "None")])
def test_an_exit_is_an_error_with_its_status(status, said):
    with pytest.raises(RuntimeError) as caught, staying():
        sys.exit(status)
    assert str(caught.value) == f"it ends Python (sys.exit, {said})"


def test_an_interrupt_of_theirs_is_an_error_and_one_from_outside_is_not():
    with pytest.raises(RuntimeError, match=r"^it raises KeyboardInterrupt$"), staying():
        raise KeyboardInterrupt
    assert leaving(KeyboardInterrupt()) == ""
    assert leaving(ValueError("exit")) == ""


def test_calls_are_seen_by_the_innermost_that_watches_and_by_none_afterwards():
    install()
    seen = []

    def watching(name):
        def see(apply, cls, args, kwargs):
            seen.append((name, cls))
            return apply(cls, *args, **kwargs)

        return see

    call, x = Double.apply, torch.tensor(1.5, requires_grad=True)
    with watched(watching("outer")):
        with watched(watching("inner")):
            made = call(x)
        call(x)
    call(x)
    assert seen == [("inner", Double), ("outer", Double)]
    made.backward()
    assert (made.item(), x.grad.item()) == (3.0, 2.0)
