"""Heads that are often seen are passed over, and none that is new, wherever it stands among them."""

import random

import pytest

from autograd_cli.diagnose.logs import stream
from autograd_cli.diagnose.logs.heads import Heads

MANY = 3_000
NEEDLE = b"RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n"


def lines(log):
    return [window.line for window in stream.read([log]).windows]


def looked_at(log):
    return len(Heads().find(log, 0, len(log)))


@pytest.mark.parametrize(
    "line",
    [
        b"RuntimeError: CUDA out of memory at step %d\n",
        b"10:%05d RuntimeError: retry\n",
        b"\x1b[31mRuntimeError\x1b[0m: odd batch %d\n",
        b"/srv/train.py:%d: UserWarning: odd\n",
        b"what():  odd %d\n",
        b"[0,0,%d] Assertion `t >= 0` failed.\n",
    ],
)
def test_one_among_thousands_of_others_is_kept(line):
    log = b"".join(line % at for at in range(MANY))
    found = lines(log + NEEDLE + log)
    assert MANY + 1 in found
    assert found[0] == 1
    assert found[-1] == 2 * MANY + 1
    assert looked_at(log) < MANY / 4


def test_what_begins_like_a_line_that_is_passed_over_is_another():
    log = b"ValueError: odd\n" * MANY
    assert MANY + 1 in lines(log + b"ValueError: odd number of heads\n" + log)
    assert MANY + 1 in lines(log + b"TypeError: odd\n" + log)
    assert MANY + 1 in lines(log + b"step 3 ValueError: odd\n" + log)


def test_a_rank_that_says_it_later_is_kept_too():
    log = b"[rank0]: ValueError: odd\n" * MANY
    assert MANY + 1 in lines(log + b"[rank1]: ValueError: odd\n" + log)


def test_of_many_that_are_alike_the_oldest_give_way_and_no_others():
    log = b"".join(b"KeyError: 'sample-%s'\n" % word for word in words())
    assert lines(NEEDLE + log)[0] == 1
    assert lines(log + NEEDLE + log).count(MANY + 1) == 1
    assert looked_at(log) < MANY / 4


def test_of_those_that_are_all_unlike_as_many_as_can_be_are_looked_at():
    log = b"".join(b"%sError: %s\n" % (word, word) for word in words())
    assert looked_at(log) < MANY
    assert MANY in lines(log)


def test_the_last_is_found_wherever_it_stands():
    log = b"ValueError: odd\n" * MANY
    quiet = b"step\n" * 60_000
    assert lines(log + quiet)[-1] == MANY
    assert lines(log + b"TypeError: odd\n" + quiet)[-1] == MANY + 1


def test_what_a_progress_bar_wrote_over_is_in_order():
    log = (
        b"\r".join(b"%d%%| ValueError: odd" % at for at in range(9))
        + b"\r"
        + NEEDLE.strip()
        + b"\rValueError: odd"
    )
    contents = [window.content[: window.at].rpartition(b"\r")[2] for window in stream.read([log]).windows]
    assert contents[-2:] == [b"RuntimeError:", b"ValueError:"]


def words():
    letters = random.Random(0)
    return ["".join(letters.choices("abcdefghijklmnop", k=9)).encode() for _ in range(MANY)]
