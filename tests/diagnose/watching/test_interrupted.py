"""What interrupts a script while the watch is at work interrupts the script, and nothing else."""

import inspect
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
import torch

from autograd_cli.diagnose.watching.accumulated import Accumulation
from autograd_cli.diagnose.watching.mode import apart
from autograd_cli.diagnose.watching.stack import Stack
from autograd_cli.diagnose.watching.watch import Watch


class Late(Exception):
    """What a script's handler of a signal raises."""


class Handler:
    """An object that is called where a signal arrives."""

    def __call__(self, number, frame):
        raise Late


def late(number, frame):
    raise Late


@pytest.mark.parametrize(
    "handler", [late, Handler(), Handler().__call__], ids=["function", "object", "method"]
)
def test_what_a_handler_of_a_signal_raises_is_the_scripts(monkeypatch, handler):
    monkeypatch.setattr(Accumulation, "before", lambda self: signal.raise_signal(signal.SIGUSR1))
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with Watch() as watch, pytest.raises(Late):
            torch.ones(2, requires_grad=True).sum().backward()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert watch.trouble == ""


class Hashed:
    """A function whose hash is interrupted."""

    def __hash__(self):
        signal.raise_signal(signal.SIGUSR1)
        return 0


def test_what_a_handler_raises_where_a_function_is_looked_up_is_the_scripts():
    before = signal.signal(signal.SIGUSR1, late)
    try:
        with Watch(), pytest.raises(Late):
            torch.overrides._get_current_function_mode().__torch_function__(Hashed(), ())
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_fault_of_the_watch_itself_ends_it(monkeypatch):
    monkeypatch.setattr(Accumulation, "before", lambda self: late(0, None))
    with Watch() as watch:
        torch.ones(2, requires_grad=True).sum().backward()
    assert "Late" in watch.trouble


class Interrupting:
    """A trace that raises where the function it is asked about is called or returns for the `count`th time.

    Where a generator gives a value no signal is taken.
    """

    def __init__(self, count):
        self.left = count

    def __call__(self, frame, event, argument):
        is_step = event == "return" and not frame.f_code.co_flags & inspect.CO_GENERATOR
        if (event == "call" or is_step) and frame.f_code.co_filename != __file__:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


def test_an_interrupt_leaves_gradients_enabled():
    def interrupted(count):
        before = sys.gettrace()
        sys.settrace(Interrupting(count))
        try:
            with apart():
                pass
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    with torch.enable_grad():
        is_enabled = [torch.is_grad_enabled() for count in range(1, 40) if interrupted(count)]
    assert len(is_enabled) > 5
    assert all(is_enabled)


def test_a_script_as_deep_as_python_goes_is_watched_after_that(found):
    (one,) = found(
        "import sys, torch\nx = torch.rand(3, requires_grad=True)\nnet = torch.nn.Linear(3, 1)\n"
        "def deep(n):\n    return net(x).sum() if n == 0 else deep(n - 1)\n"
        "for n in range(sys.getrecursionlimit() - 200, sys.getrecursionlimit()):\n"
        "    try:\n        deep(n)\n    except RecursionError:\n        pass\n"
        "h = x.exp()\nh += 1\nh.sum().backward()\n"
    )
    assert (one.code, one.line) == ("AGX409", 12)


LATE = """
import sys, threading
from autograd_cli.diagnose.watching.watch import Watch
def first():
    import torch
    h = torch.rand(3, requires_grad=True).exp()
    h += 1
    try:
        h.sum().backward()
    except RuntimeError:
        pass
with Watch() as watch:
    thread = threading.Thread(target=first)
    thread.start()
    thread.join()
    import torch
    w = torch.rand(3, requires_grad=True)
    (w * 2).sum().backward()
    h = w.exp()
    h += 1
    try:
        h.sum().backward()
    except RuntimeError:
        pass
    kept = len(torch.overrides._get_current_function_mode_stack())
found = [each.finding.evidence["changed"] != [] for each in watch.findings()]
sys.exit(watch.trouble or (found, kept) != ([True, True], 1))
"""


def test_threads_that_began_before_torch_was_imported_are_watched():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_watch_returns_where_the_last_of_two_threads_has_compiled():
    returned, begun, over = [], threading.Event(), threading.Event()
    stack = Stack(SimpleNamespace(is_over=True), SimpleNamespace(mode=None))
    stack._common.is_over = False
    stack.push, stack.returns = lambda: None, lambda: returned.append(len(returned))
    switch = stack.compiled(lambda callback: None)

    def compile_long():
        switch(print)
        begun.set()
        over.wait()
        switch(None)

    def compile_short():
        switch(print)
        switch(None)

    thread = threading.Thread(target=compile_long)
    thread.start()
    begun.wait()
    compile_short()
    assert returned == []
    over.set()
    thread.join()
    assert returned == [0]
