"""What is remembered of a text is not taken for another: the same text under other names and limits."""

import pytest

from autograd_cli.errors import LanguageError, LimitError
from autograd_cli.lang.check import check
from autograd_cli.lang.nodes import Number
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.same import SHORT, Same, remembered
from autograd_cli.lang.source import Source


def test_a_result_is_kept_once_it_is_asked_for_twice():
    made = []
    asked = remembered(lambda *key: made.append(key) or len(made))
    assert [asked("a", 1), asked("a", 1), asked("a", 1), asked("a", 1)] == [1, 2, 2, 2]
    assert [asked("b", 1), asked("a", 1), asked("b", 1), asked("b", 1)] == [3, 2, 4, 4]


def test_only_the_last_results_are_kept():
    made = []
    asked = remembered(lambda key: made.append(key) or len(made))
    for key in range(1000):
        assert [asked(key), asked(key)] == [2 * key + 1, 2 * key + 2]
    assert asked(999) == 2000
    assert asked(0) == 2001
    for key in range(1000, 6000):
        asked(key)
    assert asked(1000) == 7002


def test_an_error_is_no_result():
    def fails(key):
        raise ValueError(key)

    asked = remembered(fails)
    for _ in range(3):
        with pytest.raises(ValueError, match="a"):
            asked("a")


def test_a_short_text_is_remembered_and_a_long_one_is_not():
    short, long = Source("x + 1.5"), Source("x + " * SHORT + "1")
    parse(short)
    assert parse(short) is parse(Source("x + 1.5"))
    parse(long)
    assert parse(long) is not parse(long)


def test_a_program_keeps_the_spans_and_the_name_of_its_own_source():
    for _ in range(3):
        spaced, named = parse(Source("x  + 1")), parse(Source("x + 1", "--x"))
        assert parse(Source("x + 1")).body == spaced.body
        assert (spaced.span.end, named.span.end) == (6, 5)
        assert named.source.name == "--x"
        assert parse(Source("x + 1")).source.name == ""


def test_numbers_that_are_equal_stay_what_they_are():
    for _ in range(3):
        values = [parse(Source(text)).body.value for text in ("1", "1.0", "True")]
        assert [type(value) for value in values] == [int, float, bool]


def test_limits_hold_for_a_text_that_was_read_under_larger_ones():
    source = Source("x + 1 + 1 + 1")
    for _ in range(3):
        parse(source)
    with pytest.raises(LimitError):
        parse(source, TextLimits(max_nodes=3))
    with pytest.raises(LimitError):
        parse(source, TextLimits(max_text=3))


def test_names_are_looked_up_under_the_bindings_at_hand():
    program = parse(Source("sin(x)*e"))
    for _ in range(3):
        assert check(program, ["x"]).unbound == ()
        assert check(program, []).unbound == ("x",)
        assert set(check(program, ["x", "e"]).names) == {"x", "e"}
        with pytest.raises(LanguageError):
            check(program, ["x", "sin"])
        assert set(check(program, ["x", "sin"], ["sin"]).names) >= {"x"}
        assert set(check(program, ["x"]).names) == {"x"}


def test_only_the_very_same_thing_is_the_same():
    one, like = Number(2), Number(2)
    assert one == like
    assert Same(one) == Same(one)
    assert Same(one) != Same(like)
    assert Same(1) != Same(True)
    assert len({Same(one), Same(like), Same(one)}) == 2
