"""What stands still inside of a person's own callable is recorded, and given back."""

import pytest
import torch

from autograd_cli.run.inside import Recording, Replaying

HERE = ("own.py", 3)


def recorded(function, x):
    """What stood still in a call, with where the graph was cut."""
    recording = Recording(lambda value: None, lambda: False, lambda: HERE)
    with recording:
        function(x)
    return recording


def replayed(held, function, x, double=False):
    """The function at other values, with what stood still."""
    with Replaying(held, lambda: False, double):
        return function(x)


def test_what_is_detached_stays_as_it_was_and_is_a_cut():
    def function(x):
        return x * x.detach()

    seen = recorded(function, torch.tensor([1.0, 2.0], requires_grad=True))
    assert list(seen.cuts.values()) == [HERE]
    moved = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    made = replayed(seen.held, function, moved, double=True)
    assert (made.tolist(), made.dtype) == ([3.0, 8.0], torch.float64)


def test_a_question_stays_as_it_was_and_is_no_cut():
    def function(x):
        return 2 * x if (x > 0).all() else x

    seen = recorded(function, torch.tensor([1.0], requires_grad=True))
    assert seen.cuts == {}
    assert replayed(seen.held, function, torch.tensor([-3.0], requires_grad=True)).tolist() == [-6.0]


def test_another_way_than_was_recorded_is_refused():
    seen = recorded(lambda x: x * x.detach(), torch.tensor([1.0], requires_grad=True))
    with pytest.raises(RuntimeError, match=r"^it takes another way on other values$"):
        replayed(seen.held, lambda x: x.exp(), torch.tensor([1.0], requires_grad=True))
