"""What is kept of a log: bounded, wherever the chunks end and whatever the lines are."""

import random
import tracemalloc

import pytest

from autograd_cli.diagnose.logs import stream

QUIET = b"2031-05-04 10:00:00 INFO step 12 of 90, loss 0.25, error rate 3.1\n"
HEAD = b"RuntimeError: shapes of no kind\n"


def heads(reading):
    return [window.content[: window.at].rpartition(b"\n")[2] for window in reading.windows]


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 16])
def test_chunks_may_end_anywhere(size):
    log = QUIET * 300 + HEAD + QUIET * 20
    reading = stream.read(log[at : at + size] for at in range(0, len(log), size))
    assert heads(reading) == [b"RuntimeError:"]
    assert (reading.windows[0].line, reading.lines) == (301, 321)


@pytest.mark.parametrize("before", [stream.STRETCH - 9, stream.STRETCH, stream.STRETCH - stream.AFTER - 5])
def test_a_head_across_two_stretches_is_found_once(before):
    rest = QUIET * (2 * stream.STRETCH // len(QUIET))
    log = b"x" * (before - 1) + b"\n" + HEAD + rest
    reading = stream.read([log])
    assert heads(reading) == [b"RuntimeError:"]
    assert reading.windows[0].line == 2
    assert reading.windows[0].content[reading.windows[0].at :].startswith(b" shapes of no kind\n2031")


def test_words_in_passing_are_no_heads():
    assert stream.read([b"Errors: 3\nTest Error rate\nno Warnings\nwhat() is this\n"]).windows == ()


def test_of_many_alike_the_first_and_the_last_are_kept():
    log = b"".join(b"step %d\nValueError: batch %d is bad\n" % (at, at) for at in range(50_000))
    lines = [window.line for window in stream.read([log]).windows]
    assert lines == [2, 100_000]


def test_an_endless_line_and_many_kinds_of_errors_take_no_more_memory():
    def chunks():
        numbers = random.Random(0)
        yield from (b"x" * 65_536 for _ in range(200))
        yield b"ValueError: in the middle of a line "
        yield from (b"y" * 65_536 for _ in range(200))
        for _ in range(4_000):
            word = "".join(numbers.choices("abcdefgh", k=9)).encode()
            yield b"\n" + b"z" * 500 + b"\nKeyError: " + word

    tracemalloc.start()
    reading = stream.read(chunks())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 24 << 20
    assert reading.lines == 8_001
    assert len(reading.windows) <= 256


def test_the_last_line_needs_no_end():
    assert stream.read([b"a\nb"]).lines == 2
    assert stream.read([b"a\nb\n"]).lines == 2
    assert stream.read([]).lines == 0
    assert heads(stream.read([b"RuntimeError: cut off"])) == [b"RuntimeError:"]


def test_a_head_may_be_coloured():
    log = b"\x1b[31mValueError\x1b[0m: odd\n\x1b[1;35mValueError\x1b[0m: \x1b[35modd\x1b[0m\n"
    assert len(stream.read([log]).windows) == 2


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_utf_16_is_read_by_its_mark(name, size):
    log = ("\ufeff" + (QUIET * 3 + HEAD).decode()).encode(name)
    reading = stream.read(log[at : at + size] for at in range(0, len(log), size))
    assert heads(reading) == [b"RuntimeError:"]
    assert reading.lines == 4


def test_of_one_kind_each_rank_is_kept():
    log = b"[rank1]: ValueError: odd\n[rank0]: ValueError: odd\n" * 50
    assert [window.line for window in stream.read([log]).windows] == [1, 2, 99, 100]


def test_nothing_but_errors_is_bounded_too():
    log = b"ValueError: odd\n" * 9 + b"Error: " * 400_000 + b"\n" + HEAD
    reading = stream.read([log])
    assert heads(reading)[-1] == b"RuntimeError:"
    assert len(reading.windows) <= 256


def test_bytes_that_are_no_text_and_nulls_are_passed_over():
    noise = random.Random(0).randbytes(200_000)
    assert heads(stream.read([noise + b"\n" + HEAD + b"\0" * 5_000]))[-1] == b"RuntimeError:"
