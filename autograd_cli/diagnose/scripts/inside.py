"""A script in this process, which has torch already: how it ends, in milliseconds, and no trace of it."""

import contextlib
import io
import os
import random
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import numpy
import torch
import torch.utils._device

from autograd_cli.diagnose.scripts import told
from autograd_cli.diagnose.scripts.ended import errors
from autograd_cli.diagnose.scripts.leaving import failure, status
from autograd_cli.diagnose.scripts.records import Happened
from autograd_cli.diagnose.scripts.taking import warning
from autograd_cli.diagnose.scripts.threads import Threads
from autograd_cli.diagnose.scripts.warned import Warned
from autograd_cli.diagnose.watching.watch import Watch
from autograd_cli.report import Severity
from autograd_cli.report.diagnosis import Placed


@dataclass(frozen=True)
class Done:
    """How a script ended: its own status, what is told of it, what it wrote and the error that it ended with.

    `error` is the class and the words of what it raised, empty where it came to its end.
    """

    status: int
    findings: tuple[Placed, ...]
    out: str
    error: str

    @property
    def failed(self) -> bool:
        """Whether an error was found."""
        return any(one.finding.severity is Severity.ERROR for one in self.findings)


def run(path: str, words: Sequence[str] = (), watch: bool = False) -> Done:
    """Run the script at `path` as `python path words…` would, its output taken, and tell of it."""
    out, running = io.StringIO(), set(threading.enumerate())
    with _as_main(path, words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        with (
            _warned() as warned,
            _ending_threads() as threads,
            Watch() if watch else contextlib.nullcontext() as watching,
        ):
            error = _raised(path)
            _await(running)
            if watching is not None and error is not None:
                watching.cleaned(error)
            watched = watching.findings() if watching is not None else ()
        seen = tuple(map(warning, warned.found))
        failed = failure(error)
        of_threads = tuple(errors(one, None) for one in threads.errors)
        found = told.findings(Happened(errors(failed, None), seen, watched, threads=of_threads))
    words_of = "" if failed is None else f"{type(failed).__name__}: {failed}"
    return Done(status(error), found, out.getvalue(), words_of)


def _raised(path: str) -> BaseException | None:
    """What the script raised, its traceback from the module's frame on."""
    main = sys.modules["__main__"]
    try:
        code = compile(Path(path).read_bytes(), str(main.__file__), "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except BaseException as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error
    return None


def _await(others: set[threading.Thread]) -> None:
    """Wait for the threads that the script began, as Python does at its end."""
    for thread in set(threading.enumerate()) - others:
        if not thread.daemon:
            thread.join()


@contextlib.contextmanager
def _ending_threads() -> Iterator[Threads]:
    """Note the errors that end threads."""
    threads, before = Threads(), threading.excepthook
    threading.excepthook = threads.noting(threading.__excepthook__)
    try:
        yield threads
    finally:
        threading.excepthook = before


@contextlib.contextmanager
def _as_main(path: str, words: Sequence[str]) -> Iterator[None]:
    """A `__main__` of its own, its arguments and its folder on the path; all as it was after that."""
    before = sys.argv, sys.path, sys.modules["__main__"], set(sys.modules), Path.cwd()
    sys.argv, sys.path = [path, *words], [str(Path(path).resolve().parent), *sys.path]
    sys.modules["__main__"] = _module(path)
    try:
        with _torch_as_it_was():
            yield
    finally:
        sys.argv, sys.path, sys.modules["__main__"], modules, folder = before
        os.chdir(folder)
        for name in _from_beside(path, set(sys.modules) - modules):
            del sys.modules[name]


def _from_beside(path: str, names: set[str]) -> list[str]:
    """Of modules those that were found in the script's folder."""
    folder = Path(path).resolve().parent
    files = [(name, getattr(sys.modules[name], "__file__", None)) for name in names]
    return [name for name, file in files if file and folder in Path(file).resolve().parents]


def _module(path: str) -> types.ModuleType:
    """`__main__` as Python makes it for a script."""
    module = types.ModuleType("__main__")
    file = str(Path.cwd() / path)
    extra: dict[str, Any] = {"__annotations__": {}, "__file__": file, "__cached__": None}
    module.__dict__.update(extra, __loader__=SourceFileLoader("__main__", file))
    return module


@contextlib.contextmanager
def _warned() -> Iterator[Warned]:
    """Warnings shown and noted as Python does by default, each time they are made."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        warnings._showwarnmsg_impl = _show  # type: ignore[attr-defined]
        warned = Warned()
        warned.start()
        try:
            yield warned
        finally:
            warned.stop()


def _show(warning: warnings.WarningMessage) -> None:
    what = warning.message, warning.category, warning.filename, warning.lineno
    sys.stderr.write(warnings.formatwarning(*what))


@contextlib.contextmanager
def _torch_as_it_was() -> Iterator[None]:
    """Settings and random numbers that a script may change, as they were after it.

    What C++ warns of once it warns of each time.
    """
    kept = [(put, get()) for get, put in _SETTINGS]
    torch.set_warn_always(True)
    try:
        with torch.enable_grad():
            yield
    finally:
        for put, value in kept:
            put(value)


_SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], Any]], ...] = (
    (lambda: sys.excepthook, lambda hook: setattr(sys, "excepthook", hook)),  # torch.distributed sets one
    (random.getstate, random.setstate),
    (numpy.random.get_state, numpy.random.set_state),
    (torch.get_rng_state, torch.set_rng_state),
    (torch.get_default_dtype, torch.set_default_dtype),
    (lambda: torch.utils._device.CURRENT_DEVICE, torch.set_default_device),  # None where none is set
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    (torch.get_num_threads, torch.set_num_threads),
)
"""How each setting is read and put back."""
