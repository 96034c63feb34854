"""Signals, terminals and ends that a script under `agx diagnose` shares with agx."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.scripts import AGX

WAITING = """\
import signal, sys, time
def told(number, frame):
    print(signal.Signals(number).name, flush=True)
for name in sys.argv[1:]:
    signal.signal(signal.Signals[name], told)
print("ready", flush=True)
time.sleep(0.2 if len(sys.argv) < 2 else 60)
"""


def begun(folder, text, *words):
    (folder / "fit.py").write_text(text)
    process = subprocess.Popen(
        [*AGX, "fit.py", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.PIPE,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"])
def test_a_signal_goes_to_the_script(name, tmp_path):
    with begun(tmp_path, WAITING, name) as process:
        process.send_signal(signal.Signals[name])
        assert process.stdout.readline() == f"{name}\n"
        assert process.poll() is None
        process.terminate() if name != "SIGTERM" else process.kill()
        assert process.wait(60) in (143, -9)


def test_a_signal_that_ends_the_script_is_the_status(tmp_path):
    with begun(tmp_path, WAITING, "SIGUSR2") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("KeyboardInterrupt\n")
    assert "agx" not in err


def test_the_script_ends_with_agx(tmp_path):
    text = "import os\nopen('pid', 'w').write(str(os.getpid()))\nprint('ready', flush=True)\nos.read(0, 1)\n"
    with begun(tmp_path, text) as process:
        process.kill()
    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes():
            return
        time.sleep(0.05)
    pytest.fail("the script goes on")


ON_A_TERMINAL = """\
import os, signal, time
count = 0
def told(number, frame):
    global count
    count += 1
signal.signal(signal.SIGINT, told)
print([os.isatty(at) for at in range(3)], os.get_terminal_size(), input("name? "), flush=True)
while not count:
    time.sleep(0.01)
time.sleep(0.3)
print("interrupts:", count, flush=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
print("again", flush=True)
while True:
    time.sleep(0.01)
"""


def test_a_terminal_is_the_scripts_own(tmp_path):
    (tmp_path / "fit.py").write_text(ON_A_TERMINAL)
    child, ours = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [*AGX, "fit.py"])
    seen = b""
    for wanted, answer in (
        (b"name? ", b"me\n"),
        (b"[True, True, True] os.terminal_size", b"\x03"),
        (b"interrupts: 1\r\nagain\r\n", b"\x03"),
    ):
        while wanted not in seen:
            assert select.select([ours], [], [], 60)[0], seen
            seen += os.read(ours, 1000)
        os.write(ours, answer)
    _, code = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(code) == 130
