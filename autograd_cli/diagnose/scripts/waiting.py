"""A process in front: it has the terminal, and signals that were meant for it come to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

_MOMENT = 1.0
"""Seconds between two looks at the process, in case nobody says that it has ended."""

_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_AS_AT_START = ("SIGPIPE", "SIGXFSZ")
"""Signals that Python ignores: its children get them as it did."""


def waited(words: Sequence[str], variables: Mapping[str, str], stdout: int | None = None) -> int:
    """What a process ends with, below 0 for a signal; called in the main thread, with `held` in all others.

    It keeps what descriptors this process was started with; `stdout` is one that it has for its own.
    """
    if sys.platform != "linux":
        return _simply(words, variables, stdout)
    with held() as before:
        process = os.posix_spawn(
            words[0],
            list(words),
            variables,
            file_actions=() if stdout is None else [(os.POSIX_SPAWN_DUP2, stdout, 1)],
            setsigmask=before,
            setsigdef=_numbers(_AS_AT_START),
        )
        return _passing_on(process)


@contextmanager
def held() -> Iterator[set[int]]:
    """Keep signals from this thread; gives those that were kept from it before."""
    if sys.platform == "win32":
        yield set()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [*_numbers(_PASSED_ON), signal.SIGCHLD])
    try:
        yield {int(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _passing_on(process: int) -> int:
    """Wait for a process, and send it what somebody sends to this one.

    What comes from the terminal comes to both, so it is not sent on: the kernel says which it is.
    """
    assert sys.platform == "linux"
    numbers = [*_numbers(_PASSED_ON), signal.SIGCHLD]
    while True:
        found = signal.sigtimedwait(numbers, _MOMENT)
        ended, code = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(code)
        if found is not None and found.si_signo != signal.SIGCHLD and found.si_code <= 0:
            os.kill(process, found.si_signo)


def _simply(words: Sequence[str], variables: Mapping[str, str], stdout: int | None) -> int:
    """Wait for a process where the system does not say who sent a signal: interrupts are the terminal's."""
    with subprocess.Popen(words, env=variables, stdout=stdout, close_fds=False) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def _numbers(names: Sequence[str]) -> list[signal.Signals]:
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]
