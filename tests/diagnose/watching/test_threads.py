"""Scripts of several threads: none sees what another is in the midst of."""

import subprocess
import sys


def test_calls_in_other_threads_are_watched_too(found):
    (one,) = found(
        "import threading, torch\nx = torch.rand(3, requires_grad=True)\nh = x.exp()\n"
        "def change():\n    with torch.no_grad():\n        h.add_(1)\n"
        "thread = threading.Thread(target=change)\nthread.start()\nthread.join()\nh.sum().backward()\n"
    )
    assert one.evidence["changed"][0]["line"] == 6


BUSY = """
import sys, threading, torch
from autograd_cli.diagnose.watching.watch import Watch
w = [torch.zeros(3, requires_grad=True) for _ in range(3)]
def train(own):
    opt = torch.optim.SGD([own], lr=0.1)
    for _ in range(1500):
        opt.zero_grad()
        ((own - 1) ** 2).sum().backward()
        opt.step()
with Watch() as watch:
    for each in w:
        (each * 2).sum()
    threads = [threading.Thread(target=train, args=(each,)) for each in w]
    for thread in threads:
        thread.start()
    for _ in range(300):
        (torch.ones(3, requires_grad=True) * 2).sum().backward()
    for thread in threads:
        thread.join()
sys.exit(watch.trouble or len(watch.findings()))
"""


def test_a_gradient_is_not_read_while_another_thread_replaces_it():
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", BUSY], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


TRAINING = """import threading, torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
{warm}
def train():
    loss = x.sqrt().sum()
    loss.backward()
    with torch.no_grad():
        x.sub_(x.grad)
thread = threading.Thread(target=train)
thread.start()
thread.join()
"""


def test_a_gradient_that_is_not_finite_is_found_in_the_thread_that_made_it(found):
    (one,) = found(TRAINING.format(warm="y = x * 2"))
    assert (one.code, one.line) == ("AGX502", 5)


def test_what_another_thread_left_is_told_at_the_end(found):
    script = "\n".join(TRAINING.format(warm="").splitlines()[:6] + TRAINING.splitlines()[-3:])
    (one,) = found(script)
    assert (one.code, one.line) == ("AGX502", 5)


def test_calls_of_two_threads_that_have_the_same_numbers_are_told_apart(found):
    (one,) = found(
        "import threading, torch\nx = torch.rand(3, requires_grad=True)\n"
        "def other():\n    x.exp()\n"
        "def fail():\n    h = x.tanh()\n    h += 1\n"
        "    inner = threading.Thread(target=other)\n    inner.start()\n    inner.join()\n"
        "    try:\n        h.sum().backward()\n    except RuntimeError:\n        pass\n"
        "thread = threading.Thread(target=fail)\nthread.start()\nthread.join()\n"
    )
    assert one.evidence["changed"][0]["line"] == 7
    assert [each["line"] for each in one.evidence["needed"]] == [6]


def test_gradients_that_add_up_are_found_in_each_thread(found):
    every = found(
        "import threading, torch\n"
        "def train(scale):\n"
        "    w = torch.ones(2, requires_grad=True)\n    opt = torch.optim.SGD([w], lr=0.1)\n"
        "    for _ in range(3):\n        (scale * w).sum().backward()\n        opt.step()\n"
        "for scale in (1, 2):\n"
        "    thread = threading.Thread(target=train, args=(scale,))\n    thread.start()\n    thread.join()\n"
    )
    assert [(one.code, one.line) for one in every] == [("AGX410", 6)]


def test_an_array_that_one_thread_changes_is_seen_by_the_backward_of_another(found):
    (one,) = found(
        "import threading, numpy, torch\nvalues = numpy.ones(3, 'float32')\nx = torch.from_numpy(values)\n"
        "w = torch.ones(3, requires_grad=True)\n"
        "def train():\n    loss = (w * x).sum()\n    values[:] = 5\n    loss.backward()\n"
        "thread = threading.Thread(target=train)\nthread.start()\nthread.join()\n"
    )
    assert (one.code, one.line) == ("AGX415", 7)


FORKING = """
import os, signal, sys, threading, torch
from autograd_cli.diagnose.watching import arrays
from autograd_cli.diagnose.watching.watch import Watch
begun, is_over, before = threading.Event(), threading.Event(), arrays._memory
def slow(storage):
    if threading.current_thread() is thread:
        begun.set()
        is_over.wait()
    return before(storage)
arrays._memory = slow
thread = threading.Thread(target=lambda: torch.ones(8).numpy())
with Watch() as watch:
    kept = torch.ones(8).numpy()
    thread.start()
    begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(10)
        (torch.ones(8, requires_grad=True) * torch.from_numpy(kept)).sum()
        os._exit(0)
    code = os.waitpid(child, 0)[1]
    is_over.set()
    thread.join()
sys.exit(watch.trouble or code)
"""


def test_a_process_that_is_forked_while_a_thread_shares_an_array_goes_on():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
