"""A run in a process of its own, so that it can be ended whatever it does.

A call in torch can hold the interpreter's lock for as long as it likes, so no thread
can be trusted to end it in time, and a fault in native code takes its process along.
The run therefore happens in a fork, made before torch is imported; this process waits,
with what the run has reported so far in its hands.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from autograd_cli.cli.environment import Environment
from autograd_cli.cli.progress import clear
from autograd_cli.cli.telling import out_of_memory, status_of
from autograd_cli.errors import AgxError, ExitStatus, LimitError

_STARTED, _PROGRESS, _DONE, _FINISHED = b"S", b"P", b"D", b"F"
_HEAD = 9
"""Bytes in front of a message: its kind, and its length in eight."""

_GLANCE = 0.02
"""Seconds between two looks at the memory, and at whether this process was interrupted."""

_BETWEEN = 64 << 20
"""Bytes that a run may take between two looks; so much under the limit it is ended."""


class Wire:
    """What a run tells its supervisor; says nothing where there is none."""

    def __init__(self, end: int | None = None) -> None:
        self.end = end

    def started(self) -> None:
        """Modules are loaded: the clock runs from here."""
        self._send(_STARTED)

    def progress(self, so_far: str) -> None:
        """The report so far, in case there comes no other."""
        self._send(_PROGRESS, so_far.encode("utf-8", "surrogatepass"))

    def tell(self, make: Callable[[], str]) -> None:
        """The report so far, as `make` writes it; nothing is written where nobody listens."""
        if self.end is not None:
            self.progress(make())

    def done(self) -> None:
        """The run is over: writing its report has no limit."""
        self._send(_DONE)

    def finished(self, status: int) -> None:
        """One piece of work is over, its report written; the process waits for the next."""
        self._send(_FINISHED, bytes([status]))

    def _send(self, kind: bytes, content: bytes = b"") -> None:
        if self.end is not None:
            send(self.end, kind + len(content).to_bytes(8, "big") + content)


def send(end: int, content: bytes) -> None:
    """Write all of `content` into a pipe."""
    message = memoryview(content)
    while message:
        message = message[os.write(end, message) :]


Work = Callable[[Wire], ExitStatus]
Late = Callable[[str, AgxError], ExitStatus]


@dataclass(frozen=True)
class Bounds:
    """What a run may take once its modules are loaded: seconds, and bytes of memory."""

    seconds: float | None = None
    memory: int | None = None


def supervised(environment: Environment, bounds: Bounds, work: Work, late: Late) -> ExitStatus:
    """The status of `work`, or of `late`, given the report so far and the bound that was reached.

    Where the process may not fork (a test, a system without it) `work` runs here and
    without a limit.
    """
    if not environment.may_fork:
        return work(Wire())
    environment.flush()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        be_the_child(environment, work, Wire(theirs))
    os.close(theirs)
    return Supervisor(environment, child, ours, bounds).wait(late)


def be_the_child(environment: Environment, work: Work, wire: Wire) -> None:
    """Do the work and end this process with its status."""
    status: int = ExitStatus.INTERRUPTED
    try:
        _die_with_parent()
        status = status_of(environment, lambda: work(wire))
        environment.flush()
    except KeyboardInterrupt:
        status = ExitStatus.INTERRUPTED
    finally:
        os._exit(status)


def _die_with_parent() -> None:
    """On Linux: have the kernel end this process when its supervisor is killed."""
    if sys.platform == "linux":
        import ctypes

        set_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_signal, signal.SIGKILL)


@dataclass
class Supervisor:
    """Waits for a child: its messages, its end, or the end of its time.

    `finished` is the status of the piece of work that it did last, None while it does one.
    """

    environment: Environment
    child: int
    end: int
    bounds: Bounds
    deadline: float | None = None
    most: int | None = None
    so_far: str = ""
    held: bytes = b""
    finished: ExitStatus | None = None

    def wait(self, late: Late) -> ExitStatus:
        """The child's status; it is dead when this returns, however it returns."""
        ended = False
        try:
            while self.listen():
                reached = self.reached()
                if reached is not None:
                    kill(self.child)
                    ended = True
                    clear(self.environment)
                    return late(self.so_far, reached)
            _, code = os.waitpid(self.child, 0)
            ended = True
        finally:
            os.close(self.end)
            if not ended:
                stop(self.child)
        return self._status(os.waitstatus_to_exitcode(code))

    def reached(self) -> LimitError | None:
        """The bound that the child has reached, if it has reached one."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            return time_is_up(self.bounds.seconds or 0)
        if self.most is not None and _resident(self.child) > self.most:
            return out_of_memory()
        return None

    def _start(self) -> None:
        """Count time and memory from here."""
        if self.bounds.seconds is not None:
            self.deadline = time.monotonic() + self.bounds.seconds
        if self.bounds.memory is not None:
            room = max(self.bounds.memory - _BETWEEN, self.bounds.memory // 2)
            self.most = _resident(self.child) + room

    def listen(self) -> bool:
        """Take what the child says within a moment; False once it has closed its end."""
        readable, _, _ = select.select([self.end], [], [], _GLANCE)
        if not readable:
            return True
        chunk = os.read(self.end, 1 << 16)
        self.held += chunk
        while self._message():
            continue
        return bool(chunk)

    def _message(self) -> bool:
        """Take one whole message from what is held; False where there is none."""
        length = int.from_bytes(self.held[1:_HEAD], "big")
        if len(self.held) < _HEAD + length:
            return False
        kind, content = self.held[:1], self.held[_HEAD : _HEAD + length]
        self.held = self.held[_HEAD + length :]
        if kind == _STARTED:
            self._start()
        elif kind == _PROGRESS:
            self.so_far = content.decode("utf-8", "surrogatepass")
        elif kind == _DONE:
            self.deadline = self.most = None
        elif kind == _FINISHED:
            self.finished = ExitStatus(content[0])
        return True

    def _status(self, code: int) -> ExitStatus:
        """The child's own status, or what its death by a signal means."""
        if code >= 0:
            return ExitStatus(code)
        if -code == signal.SIGINT:
            return ExitStatus.INTERRUPTED
        return ExitStatus(status_of(self.environment, lambda: _raise(killed(-code))))


def _resident(process: int) -> int:
    """Bytes of memory that a process holds, 0 where the system does not tell."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _raise(error: Exception) -> NoReturn:
    raise error


def killed(number: int) -> AgxError:
    """What the death of a run by a signal means."""
    if number == signal.SIGKILL:
        return LimitError(
            "AGX604",
            "The run was killed by the system, which does that when memory runs out.",
            hint="Make the tensors smaller, or lower --max-memory so that the run is refused in time.",
        )
    error = AgxError(
        "AGX608",
        f"torch ended the run with {signal.Signals(number).name}: its native code failed.",
        hint="Run it under Python too, and report it to PyTorch if it ends there as well.",
    )
    error.status = ExitStatus.FAILED
    return error


def stop(child: int) -> None:
    """End a child that is still there: it may clean up on an interrupt, and is killed after that."""
    try:
        os.kill(child, signal.SIGINT)
        for _ in range(25):
            if os.waitpid(child, os.WNOHANG)[0]:
                return
            time.sleep(0.02)
        kill(child)
    except (ProcessLookupError, ChildProcessError):
        return


def kill(child: int) -> None:
    """End a child at once."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def time_is_up(seconds: float) -> LimitError:
    """The refusal of a run that takes longer than it may."""
    return LimitError(
        "AGX603",
        f"The run took longer than {seconds:g} seconds.",
        hint="Allow it more with --timeout.",
    )
