"""The console's way in and the process's way out.

Everything runs in a thread with a large stack: freeing a chain of grad_fn nodes, and
parsing deep brackets, recurse in C, and the main thread's 8 MB would overflow. The
garbage collector rests while modules load, and the process ends without Python's
teardown; together that makes a cold start shorter than importing torch.
"""

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from autograd_cli.errors import ExitStatus

STACK = 512 * 2**20
"""Bytes of address space for the worker's stack; only what is used becomes memory."""

_ARENA = ((-8, 1), (-2, 64 << 20), (-1, 1 << 30))
"""M_ARENA_MAX, M_TOP_PAD and M_TRIM_THRESHOLD of mallopt(3), with their values."""

_UNWIND = 1.0
"""Seconds that an interrupted command has to remove a half-written file."""


def main() -> None:
    """Run agx on the arguments of the process and end the process with its status."""
    worker = None
    try:
        gc.disable()
        _take_memory_in_large_pieces()
        worker = _Worker()
        worker.start()
        worker.serve()
        status = worker.status
    except KeyboardInterrupt:
        status = ExitStatus.INTERRUPTED
        _unwind(worker)
    _end(status)


class _Worker(threading.Thread):
    """The command, in a thread of its own; `status` is how it ended."""

    def __init__(self) -> None:
        super().__init__(name="agx", daemon=True)
        self.status = int(ExitStatus.FAILED)
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def serve(self) -> None:
        """Wait for the command to end, and do meanwhile what it asks of this thread, the main one."""
        while (work := self._asked.get()) is not None:
            work()
        self.join()

    def in_main(self, work: Callable[[], None]) -> None:
        """Have the main thread do `work`, and wait until it is done; raises what it raises."""
        done = threading.Event()
        failed: list[BaseException] = []

        def worked() -> None:
            try:
                work()
            except BaseException as error:
                failed.append(error)
            finally:
                done.set()

        self._asked.put(worked)
        done.wait()
        for error in failed:
            raise error

    def start(self) -> None:
        """Start with a stack of STACK bytes, or the largest that this system grants."""
        for size in (STACK, STACK // 8, 0):
            threading.stack_size(size)
            try:
                super().start()
                break
            except RuntimeError:
                continue
        threading.stack_size(0)

    def run(self) -> None:
        """Run the command line of the process."""
        try:
            from autograd_cli.cli.dispatch import run
            from autograd_cli.cli.environment import of_process

            environment = of_process()
            environment.may_fork = hasattr(os, "fork")
            environment.in_main = self.in_main
            self.status = int(run(sys.argv[1:], environment))
        except KeyboardInterrupt:
            self.status = int(ExitStatus.INTERRUPTED)
        except ImportError as error:
            sys.stderr.write(f"error: agx is not installed whole: {error}\n")
            self.status = int(ExitStatus.MISSING)
        finally:
            self._asked.put(None)


def modules_loaded() -> None:
    """Let the garbage collector work again, on what is made from here on only."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _take_memory_in_large_pieces() -> None:
    """Have glibc serve every thread from one arena that grows by 64 MiB and is not trimmed.

    A thread's own arena grows page by page, which costs a seventh of a cold start.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for parameter, value in _ARENA:
            mallopt(parameter, value)


def _unwind(worker: threading.Thread | None) -> None:
    """Raise KeyboardInterrupt in the worker too and wait a moment for its `finally` blocks."""
    if worker is None or worker.ident is None or not worker.is_alive():
        return
    interrupt = ctypes.py_object(KeyboardInterrupt)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), interrupt)
    try:
        worker.join(_UNWIND)
    except KeyboardInterrupt:
        return


def _end(status: int) -> None:
    """End the process now: output is flushed, files are closed, nothing is torn down."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(status)
