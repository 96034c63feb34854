"""What a process in front ends with, where the system tells who sent a signal and where it does not."""

import os
import signal
import sys

import pytest

from autograd_cli.diagnose.scripts import waiting

WAYS = [waiting.waited, waiting._simply]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os; raise SystemExit(os.environ['A'] != 'b')", 0),
    ],
)
def test_it_gives_the_code_or_minus_the_signal(way, text, code):
    assert way([sys.executable, "-c", text], {**os.environ, "A": "b"}, None) == code


@pytest.mark.parametrize("way", WAYS)
def test_its_output_may_go_elsewhere(way, tmp_path):
    with (tmp_path / "out").open("wb") as file:
        way([sys.executable, "-c", "print(1)"], os.environ, file.fileno())
    assert (tmp_path / "out").read_text() == "1\n"


@pytest.mark.parametrize("way", WAYS)
def test_it_has_the_signals_that_this_process_has(way):
    text = "import signal; raise SystemExit(len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
    assert way([sys.executable, "-c", text], os.environ, None) == 0
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()


def test_an_interrupt_is_the_terminals_where_nobody_says_whose_it_is():
    """The child sends one to this process, and goes on."""
    text = (
        "import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(.2); raise SystemExit(4)"
    )
    assert waiting._simply([sys.executable, "-c", text], os.environ, None) == 4
