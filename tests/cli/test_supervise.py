import ctypes
import faulthandler
import io
import os
import signal
import time

import pytest

from autograd_cli.cli.environment import Environment
from autograd_cli.cli.supervise import Bounds, supervised
from autograd_cli.errors import ExitStatus, InputError, LimitError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def surroundings():
    return Environment(io.StringIO(), io.StringIO(), io.StringIO(), {}, may_fork=True)


def never(so_far, reached):
    raise AssertionError("no bound is reached")


def hold_the_lock(seconds):
    """Sleep in C without giving up the interpreter's lock, as a long call of torch may."""
    ctypes.PyDLL(None).sleep(seconds)


@pytest.mark.parametrize("status", ExitStatus)
def test_the_status_of_the_work_comes_back(surroundings, status):
    assert supervised(surroundings, Bounds(), lambda wire: status, never) == status


def test_the_work_happens_in_another_process(surroundings, tmp_path):
    def work(wire):
        (tmp_path / "pid").write_text(str(os.getpid()))
        return ExitStatus.OK

    supervised(surroundings, Bounds(), work, never)
    assert int((tmp_path / "pid").read_text()) != os.getpid()


def test_without_fork_the_work_happens_here(surroundings):
    surroundings.may_fork = False
    where = []

    def work(wire):
        wire.started()
        wire.progress("so far")
        wire.done()
        where.append(os.getpid())
        return ExitStatus.OK

    assert supervised(surroundings, Bounds(1), work, never) == ExitStatus.OK
    assert where == [os.getpid()]


def test_work_that_holds_the_lock_is_ended_and_what_it_told_last_is_kept(surroundings, tmp_path):
    def work(wire):
        (tmp_path / "pid").write_text(str(os.getpid()))
        wire.started()
        wire.progress("early")
        wire.progress("late " * 100_000)
        hold_the_lock(60)
        return ExitStatus.OK

    kept = []
    status = supervised(
        surroundings, Bounds(0.3), work, lambda so_far, _: kept.append(so_far) or ExitStatus.LIMIT
    )
    assert status == ExitStatus.LIMIT
    assert kept == ["late " * 100_000]
    with pytest.raises(ProcessLookupError, match="No such process"):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_loading_modules_does_not_count(surroundings):
    def work(wire):
        time.sleep(1.5)
        wire.started()
        wire.done()
        return ExitStatus.OK

    assert supervised(surroundings, Bounds(1), work, never) == ExitStatus.OK


def test_writing_the_report_does_not_count(surroundings):
    def work(wire):
        wire.started()
        wire.done()
        time.sleep(1.5)
        return ExitStatus.OK

    assert supervised(surroundings, Bounds(1), work, never) == ExitStatus.OK


@pytest.mark.parametrize(
    ("number", "status", "words"),
    [
        (signal.SIGKILL, ExitStatus.LIMIT, "killed by the system"),
        (signal.SIGSEGV, ExitStatus.FAILED, "torch ended the run with SIGSEGV"),
        (signal.SIGABRT, ExitStatus.FAILED, "torch ended the run with SIGABRT"),
    ],
)
def test_a_death_by_signal_is_told(surroundings, capfd, number, status, words):
    def work(wire):
        faulthandler.disable()
        os.kill(os.getpid(), number)
        time.sleep(60)
        return ExitStatus.OK

    surroundings.stderr = io.StringIO()
    assert supervised(surroundings, Bounds(), work, never) == status
    assert words in surroundings.stderr.getvalue()


def test_a_refusal_of_the_work_is_its_status(surroundings):
    def work(wire):
        raise InputError("AGX202", "The value is none.")

    assert supervised(surroundings, Bounds(), work, never) == ExitStatus.USAGE


def test_a_refusal_of_the_late_is_for_the_caller(surroundings):
    def work(wire):
        wire.started()
        time.sleep(60)
        return ExitStatus.OK

    def late(so_far, reached):
        raise reached

    with pytest.raises(LimitError, match=r"The run took longer than 0\.1 seconds\."):
        supervised(surroundings, Bounds(0.1), work, late)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_work_that_takes_too_much_memory_is_ended(surroundings):
    def work(wire):
        wire.started()
        time.sleep(0.2)
        held = bytearray(b"x" * (200 << 20))
        time.sleep(60)
        return ExitStatus(held[0])

    def late(so_far, reached):
        return ExitStatus.LIMIT if reached.code == "AGX604" else ExitStatus.OK

    assert supervised(surroundings, Bounds(30, 128 << 20), work, late) == ExitStatus.LIMIT
