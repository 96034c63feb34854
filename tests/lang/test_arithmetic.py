"""Python's arithmetic under bounds: the same as Python's where it is allowed, refused before it costs."""

import math
import operator
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from autograd_cli.errors import LanguageError, LimitError
from autograd_cli.lang.arithmetic import (
    MAX_ITEMS,
    apply_binary,
    apply_index,
    apply_unary,
    items,
    python_function,
)

# Repeats from run to run, and takes the time that a busy machine needs.
steady = partial(settings, deadline=None, derandomize=True)

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
SMALL = st.integers(-9, 9)
NUMBERS = st.one_of(SMALL, st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.complex_numbers())


def refusal(function: Callable[..., Any], *args: Any) -> str:
    """The code of the error of ours in which a call ends, nothing where it ends well."""
    try:
        function(*args)
    except LanguageError as error:
        return error.code
    return ""


@steady()
@given(st.sampled_from(sorted(OPERATORS)), NUMBERS, NUMBERS)
def test_the_result_is_pythons_or_an_error_of_ours(op: str, left: Any, right: Any) -> None:
    code = refusal(apply_binary, op, left, right)
    assert code in ("", "AGX107", "AGX110")
    if not code:
        found, expected = apply_binary(op, left, right), OPERATORS[op](left, right)
        assert (repr(found), type(found)) == (repr(expected), type(expected))


@steady()
@given(st.sampled_from(["-", "+", "~", "not"]), NUMBERS)
def test_a_sign_gives_what_python_gives_or_an_error_of_ours(op: str, value: Any) -> None:
    if op == "~" and isinstance(value, float | complex):
        assert refusal(apply_unary, op, value) == "AGX107"
    else:
        assert repr(apply_unary(op, value)) == repr(eval(f"{op} value", {"value": value}))


LARGE = [
    ("**", 9, 9**9),
    ("**", 10, 100_000),
    ("**", -10, 10**12),
    ("<<", 1, 10**12),
    ("*", 2**4000, 2**4000),
]
MANY = [
    ("*", [0], 10**9), ("*", 10**9, (0,)), ("*", [[0] * 1000] * 1000, 2), ("+", [0] * MAX_ITEMS, [0]),
]  # fmt: skip


@pytest.mark.parametrize(("op", "left", "right"), LARGE)
def test_what_would_be_too_large_is_refused_before_it_is_computed(op, left, right):
    with pytest.raises(LanguageError, match=r"4,096 bits") as caught:
        apply_binary(op, left, right)
    assert caught.value.code == "AGX110"


@pytest.mark.parametrize(("op", "left", "right"), MANY)
def test_a_list_too_long_is_refused_before_it_is_made(op, left, right):
    with pytest.raises(LimitError, match=r"makes a list of .* items; the limit is 1,000,000") as caught:
        apply_binary(op, left, right)
    assert caught.value.code == "AGX606"
    assert "--max-items" in caught.value.hint


@pytest.mark.parametrize(("op", "left", "right"), [("*", [0], 4), ("*", 4, [0]), ("+", [0, 1], (2, 3))])
def test_the_longest_list_is_what_the_caller_says(op, left, right):
    with pytest.raises(LimitError, match=r"makes a list of 4 items; the limit is 3\."):
        apply_binary(op, left, right, 3)


@pytest.mark.parametrize(("op", "left", "right"), [("*", "ab", 2), ("*", 2, "ab"), ("+", "ab", "cd")])
def test_the_longest_string_is_what_the_caller_says(op, left, right):
    with pytest.raises(LimitError, match=r"makes a string of 4 characters; the limit is 3\."):
        apply_binary(op, left, right, 3)
    assert len(apply_binary(op, left, right, 4)) == 4


def test_a_range_counts_as_the_items_it_gives():
    assert items(range(5), 10) == 5
    assert items([range(5), 1], 10) == 7
    assert items(range(10**40), 10) > 10


FITTING = [
    ("**", 2, 1024, 2**1024), ("**", 1, 10**12, 1), ("**", -1, 10**12 + 1, -1), ("**", 0, 10**12, 0),
    ("**", 2, -(10**10), 0.0), ("<<", 0, 10**12, 0), (">>", 5, 10**12, 0), ("*", [1], 0, []),
    ("*", [1], -5, []), ("+", (1,), (2, 3), (1, 2, 3)), ("*", 2, [1, 2], [1, 2, 1, 2]),
    ("in", 1, (1, 2), True), ("is", None, None, True), ("not in", 3, [1], True), ("is not", 1, None, True),
    ("**", 2.0, 0.5, math.sqrt(2)),
]  # fmt: skip


@pytest.mark.parametrize(("op", "left", "right", "value"), FITTING)
def test_what_fits_is_computed(op, left, right, value):
    assert apply_binary(op, left, right) == value


SENTENCES = [
    ("/", 1, 0, "`1 / 0` divides by zero, which Python's numbers cannot."),
    ("//", 1.5, 0, "`1.5 // 0` divides by zero, which Python's numbers cannot."),
    ("**", 0.0, -1, "`0.0 ** -1` divides by zero, which Python's numbers cannot."),
    ("**", 10.0, 400, "`10.0 ** 400` is beyond the largest float, 1.8e308."),
    ("/", 2**2000, 3, "`an integer of 2,001 bits / 3` is beyond the largest float, 1.8e308."),
    ("<<", 1, -1, "`1 << -1` shifts by a negative number of bits."),
    ("^", 2.5, 2, "`^` has no meaning between a float and an integer."),
    ("@", 2, 3, "`@` has no meaning between an integer and an integer."),
    ("+", [1], 2, "`+` has no meaning between a list and an integer."),
    ("+", "a", 2, "`+` has no meaning between a string and an integer."),
    ("*", "a", "b", "`*` has no meaning between a string and a string."),
    ("%", "%s", 1, "`%` is applied to a string, which has `+` with another string and `*` by a number."),
    ("<", 1j, 2, "`<` has no meaning between a complex number and an integer."),
    ("+", None, True, "`+` has no meaning between None and a truth value."),
    ("**", 9, 9**9, "`9 ** 387420489` is an integer of more than 4,096 bits."),
]


@pytest.mark.parametrize(("op", "left", "right", "sentence"), SENTENCES)
def test_what_python_cannot_compute_is_said_in_a_sentence(op, left, right, sentence):
    with pytest.raises(LanguageError, match=re.escape(sentence)) as caught:
        apply_binary(op, left, right)
    assert caught.value.sentence == sentence
    assert caught.value.hint


def test_inner_lists_count_when_a_list_is_repeated():
    laughs: list[Any] = [1]
    for _ in range(10):
        laughs = [laughs, laughs]
    with pytest.raises(LimitError, match="makes a list of"):
        apply_binary("*", laughs, 1, 1000)


@pytest.mark.parametrize(
    ("value", "index", "found"), [([1, 2], -1, 2), ((1, 2, 3), slice(1, None), (2, 3)), ([[1], [2]], 0, [1])]
)
def test_an_index_gives_pythons_element(value, index, found):
    assert apply_index(value, index) == found


@pytest.mark.parametrize(
    ("value", "index", "sentence"),
    [
        ([1, 2], 2, "The index 2 is outside of a list of length 2."),
        ((), 0, "The index 0 is outside of a tuple of length 0."),
        (3, 0, "An index is applied to an integer, which has no elements."),
        ("abc", 0, "An index is applied to a string, which has no elements."),
        (None, 0, "An index is applied to None, which has no elements."),
        ([1], 0.5, "A list cannot be indexed so: list indices must be integers or slices, not float."),
    ],
)
def test_an_index_that_finds_nothing_is_said_in_a_sentence(value, index, sentence):
    with pytest.raises(LanguageError, match=re.escape(sentence)) as caught:
        apply_index(value, index)
    assert (caught.value.code, caught.value.sentence) == ("AGX107", sentence)


def test_pythons_own_functions_are_bounded_too():
    assert python_function("max")(1, 3, 2) == 3
    assert python_function("sum")([1, 2]) == 3
    assert python_function("pow")(2, 10) == 1024
    assert python_function("pow")(3, 2, 5) == 4
    with pytest.raises(LanguageError, match="more than 4,096 bits"):
        python_function("pow")(9, 9**9)
    with pytest.raises(LanguageError, match="Python's `max` cannot take this"):
        python_function("max")(1)
    with pytest.raises(LanguageError, match="Python's `pow` cannot take this"):
        python_function("pow")(2, -1, 4)
    with pytest.raises(LanguageError, match="Python's `sum` cannot take this: a list to start from"):
        python_function("sum")([[1], [2]], [])
    with pytest.raises(LanguageError, match="Python's `sum` cannot take this: a list to start from"):
        python_function("sum")([[1], [2]], start=[])


def test_lists_that_hold_each_other_are_counted_once():
    own: list[object] = [1]
    own.append(own)
    assert items(own, 100_000) < 20
    shared: tuple[object, ...] = ()
    for _ in range(60):
        shared = (shared, shared)
    assert items(shared, 100_000) == 120
