"""Lists in lists, however deep, shared or circular."""

import sys

import pytest

from autograd_cli.errors import LimitError
from autograd_cli.run.nested import check_depth, is_nested, pieces, rebuilt, usual_recursion
from autograd_cli.run.texts import begun, written


def of_depth(depth: int) -> list:
    made: list = []
    for _ in range(depth):
        made = [made]
    return made


def doubled(times: int) -> tuple:
    made: tuple = ()
    for _ in range(times):
        made = (made, made)
    return made


@pytest.mark.parametrize("value", [[], (), [1, (2,)], ((), [()]), [[["a"], "'"]], ([1], (2, 3))])
def test_it_is_written_as_python_writes_it(value):
    assert "".join(pieces(value)) == repr(value)


def test_what_is_shared_or_holds_itself_stays_so():
    inner = [1]
    held = (inner, inner)
    inner.append(held)
    made = rebuilt([held, inner], lambda item: item + 1)
    (first, second), last = made
    assert first is second is last
    assert last[1] is made[0]
    assert (last[0], inner[0]) == (2, 1)


def test_a_list_is_rebuilt_however_deep_it_is():
    made = rebuilt(of_depth(50_000), lambda item: item)
    for _ in range(50_000):
        (made,) = made
    assert made == []


def test_lists_too_deep_for_recursion_are_refused():
    check_depth(of_depth(100))
    check_depth(doubled(20))
    own: list = []
    own.append(own)
    for value in (of_depth(2000), own):
        with pytest.raises(RecursionError):
            check_depth(value)


def test_items_that_a_call_would_go_through_again_and_again_are_counted():
    with pytest.raises(LimitError, match="An argument holds"):
        check_depth(doubled(60))


def test_only_lists_in_lists_are_nested():
    assert [is_nested(each) for each in ([[]], ((),), [1, "a"], "ab")] == [True, True, False, False]


def test_a_text_without_end_is_refused_or_cut():
    with pytest.raises(LimitError, match="string of"):
        written(doubled(60))
    assert len(begun(doubled(60), 100)) == 100
    assert begun(of_depth(5000), 10) == "[" * 10


def test_the_room_for_recursion_comes_back():
    before = sys.getrecursionlimit()
    with usual_recursion():
        assert sys.getrecursionlimit() <= before
    assert sys.getrecursionlimit() == before
