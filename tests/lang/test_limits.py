"""Limits of a text: the last size that is taken and the first that is not, quickly and by name."""

import threading

import pytest

from autograd_cli.errors import ExitStatus, LimitError, Span
from autograd_cli.lang.nodes import walk
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source


def nested(kind: str, depth: int) -> str:
    opening, closing = {"brackets": ("(", ")"), "lists": ("[", "]"), "calls": ("f(", ")"), "signs": ("-", ""),
                        "not": ("not ", ""), "powers": ("x**", ""), "branches": ("x if y else ", ""),
                        "indices": ("x[", "]")}[kind]  # fmt: skip
    return opening * depth + "x" + closing * depth


KINDS = ["brackets", "lists", "calls", "signs", "not", "powers", "branches", "indices"]


@pytest.mark.parametrize("kind", KINDS)
def test_nesting_of_the_limit_is_read(kind, read):
    assert read(nested(kind, 200)) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_nesting_beyond_the_limit_is_refused_with_the_limit(kind, refused):
    error = refused(nested(kind, 201))
    assert (type(error), error.code, error.status) == (LimitError, "AGX108", ExitStatus.LIMIT)
    assert "more than 200 deep" in error.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_full_of_nesting_is_refused(kind, refused):
    assert refused(nested(kind, 5000)).code == "AGX108"


def test_ten_thousand_brackets_are_refused_at_the_first_that_is_too_deep(refused):
    error = refused("(" * 10_000)
    assert (error.code, error.span) == ("AGX108", Span(200, 201))
    assert error.sentence == "Brackets nest more than 200 deep here."


CHAINS = ["+".join(["x"] * 5000), "x" + ".T" * 5000, "x" + "[0]" * 3000, "x<" * 5000 + "x"]


@pytest.mark.parametrize("text", CHAINS, ids=["sum", "attributes", "indices", "comparison"])
def test_a_long_chain_is_no_nesting(text, read):
    assert sum(1 for _ in walk(read(text))) > 5000


@pytest.mark.parametrize("text", ["x" + "+0" * 1000, "x" + ".T" * 1000, "x" + ".sin()" * 500], ids=len)
def test_a_chain_of_very_many_links_is_refused(text, refused):
    error = refused(text, "x")
    assert (type(error), error.code) == (LimitError, "AGX108")
    assert error.sentence == "The source has a chain of more than 800 operators or calls."


def test_a_chain_of_as_many_links_as_may_be_is_read(refused):
    assert parse(Source("x" + "+0" * 800)).body is not None


def test_a_long_chain_is_read_on_a_thread_with_a_small_stack(read):
    before = threading.stack_size(8 << 20)
    found: list[object] = []
    try:
        thread = threading.Thread(target=lambda: found.append(read("+".join(["x"] * 5000))))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(found) == 1


def test_a_text_of_the_limit_is_read_and_one_byte_more_is_not(refused):
    limits = TextLimits(max_text=8)
    assert parse(Source("x + 1234"), limits).body is not None
    error = refused("x + 12345", limits=limits)
    assert (error.code, error.status) == ("AGX108", ExitStatus.LIMIT)
    assert error.sentence == "The source is 9 bytes long; the limit is 8."
    assert error.hint == "Put numbers into a file and bind them, `--x @data.npy`, or raise --max-text."


def test_the_size_of_a_text_is_counted_in_bytes_before_anything_else(refused):
    assert (
        refused("é" * 5, limits=TextLimits(max_text=9)).sentence
        == "The source is 10 bytes long; the limit is 9."
    )
    assert refused("\udcff" * 40_000).code == "AGX108"


def test_nodes_of_the_limit_are_read_and_one_more_is_not(refused):
    limits = TextLimits(max_nodes=5)
    assert parse(Source("x + y + 1"), limits).body is not None
    error = refused("x + y + 1 + 2", limits=limits)
    assert (error.code, error.sentence) == ("AGX108", "The source has more than 5 expression nodes.")


def test_the_default_limit_of_nodes_is_ten_thousand(refused):
    assert refused(f"cat([{'x,' * 11_000}])").sentence == "The source has more than 10,000 expression nodes."


@pytest.mark.parametrize("text", ["9" * 1300, "9" * 5000, "0x" + "f" * 1100, "0b" + "1" * 4097])
def test_an_integer_of_too_many_bits_is_refused(text, refused):
    error = refused(f"x + {text}")
    assert (error.code, error.span) == ("AGX110", Span(4, 4 + len(text)))
    assert "4,096 bits" in error.sentence


@pytest.mark.parametrize("text", ["0b" + "1" * 4096, "1e999", "0." + "1" * 2000, "9" * 1200])
def test_numbers_within_the_limit_are_read(text, read):
    assert read(text) is not None


FAULTY = {
    "continued": "x \\\n" * 9000 + "+ ",
    "blank lines": "x +" + "\n" * 50_000 + " y",
    "quotes": "'" * 59_999,
    "escapes": "'\\" * 30_000,
    "products": "2x " * 9000,
    "powers": "x²" * 9000,
    "bars": "|" * 9000,
    "names": "x " * 9000,
    "ticks": "`" * 9000,
}


@pytest.mark.parametrize("text", FAULTY.values(), ids=FAULTY)
def test_a_long_faulty_text_ends_in_an_error_of_ours(text, refused):
    assert refused(text).code in ("AGX101", "AGX104", "AGX108")


@pytest.mark.parametrize("text", ["x + 1 # a comment\rimport os", "x\r", "'a\rb'"])
def test_a_carriage_return_alone_is_refused_for_it_hides_what_follows(text, refused):
    error = refused(text, "x")
    assert (error.code, text[error.span.start]) == ("AGX101", "\r")


def test_a_line_may_end_as_on_windows(refused):
    assert parse(Source("x +\\\r\n 1\r\n")).body is not None
