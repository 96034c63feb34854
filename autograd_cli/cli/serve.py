"""One process for many runs, so that torch is imported once: a new one where one had to be ended.

Tasks go to it one by one, each a text; the next is sent when the report of the last is written.
"""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Condition, Thread
from time import sleep

from autograd_cli.cli.environment import Environment
from autograd_cli.cli.supervise import (
    Bounds,
    Late,
    Supervisor,
    Wire,
    be_the_child,
    kill,
    killed,
    send,
    stop,
)
from autograd_cli.errors import ExitStatus

_MOMENT = 0.05
"""Seconds that a run goes on before its report so far is written."""

Serve = Callable[[str, Wire], ExitStatus]
"""Does a task and writes its report."""


class Ended(Exception):
    """The process ended by itself, so that no more can be done; `status` is what it ended with."""

    def __init__(self, status: ExitStatus) -> None:
        super().__init__(status)
        self.status = status


class PatientWire(Wire):
    """A wire on which a report so far goes out only once its run has gone on for a moment.

    Most runs of a batch are over sooner than such a report is written.
    """

    def __init__(self, end: int) -> None:
        super().__init__(end)
        self._make: Callable[[], str] | None = None
        self._news = Condition()
        Thread(target=self._watch, daemon=True).start()

    def tell(self, make: Callable[[], str]) -> None:
        """Have the report so far written if the run still goes on in a moment."""
        with self._news:
            self._make = make
            self._news.notify()

    def done(self) -> None:
        """The run is over; what was to be told of it is not."""
        with self._news:
            self._make = None
            super().done()

    def _watch(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._make is not None)
                made = self._make
            sleep(_MOMENT)
            with self._news:
                if made is not None and self._make is made:
                    self.progress(made())
                    self._make = None


@dataclass
class Server:
    """Does tasks in a process of its own, within bounds that hold for each."""

    environment: Environment
    bounds: Bounds
    serve: Serve
    _child: Supervisor | None = None
    _tasks: int = -1

    def do(self, task: str, late: Late) -> ExitStatus:
        """The status of a task, or of `late` where it reached a bound or the process died of it.

        Raises Ended where the process gave up, as for a full disk.
        """
        if not self.environment.may_fork:
            return self.serve(task, Wire())
        child = self._child or self._start()
        child.finished, child.so_far = None, ""
        content = task.encode("utf-8", "surrogatepass")
        try:
            send(self._tasks, len(content).to_bytes(8, "big") + content)
        except BrokenPipeError:  # it died between two tasks
            return self._fallen(child, late)
        while child.listen():
            if child.finished is not None:
                return child.finished
            reached = child.reached()
            if reached is not None:
                kill(child.child)
                self._forget()
                return late(child.so_far, reached)
        return self._fallen(child, late)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._child is not None:
            stop(self._child.child)
            self._forget()

    def _fallen(self, child: Supervisor, late: Late) -> ExitStatus:
        """What to make of a process that has ended by itself."""
        _, code = os.waitpid(child.child, 0)
        self._forget()
        number = -os.waitstatus_to_exitcode(code)
        if number <= 0:
            raise Ended(ExitStatus(-number))
        if number == signal.SIGINT:
            raise Ended(ExitStatus.INTERRUPTED)
        return late(child.so_far, killed(number))

    def _forget(self) -> None:
        assert self._child is not None
        os.close(self._child.end)
        os.close(self._tasks)
        self._child = None

    def _start(self) -> Supervisor:
        """Start the process, with a pipe each way."""
        self.environment.flush()
        (ours, theirs), (todo, tasks) = os.pipe(), os.pipe()
        process = os.fork()
        if process == 0:
            os.close(ours)
            os.close(tasks)
            be_the_child(self.environment, lambda wire: self._all(todo, PatientWire(theirs)), Wire(theirs))
        os.close(theirs)
        os.close(todo)
        self._tasks = tasks
        self._child = Supervisor(self.environment, process, ours, self.bounds)
        return self._child

    def _all(self, todo: int, wire: Wire) -> ExitStatus:
        """In the process: one task after another."""
        for task in _received(todo):
            wire.finished(self.serve(task, wire))
            if self.environment.reader_gone:
                break
        return ExitStatus.OK


def _received(todo: int) -> Iterator[str]:
    """The tasks that come through a pipe, until it is closed."""
    with os.fdopen(todo, "rb") as stream:
        while len(head := stream.read(8)) == 8:
            yield stream.read(int.from_bytes(head, "big")).decode("utf-8", "surrogatepass")
