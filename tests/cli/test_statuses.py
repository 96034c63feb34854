"""Each exit status, as a process ends with it."""

import os
import signal
import subprocess
import sys
import time

import pytest

AGX = [sys.executable, "-m", "autograd_cli"]


def agx(*words, **settings):
    settings = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 120, **settings}
    return subprocess.run([*AGX, *words], check=False, **settings)


def said(process):
    """The last lines of a process, for a failing assertion."""
    return process.stdout[-500:] + process.stderr[-500:]


def test_0_when_nothing_is_wrong():
    process = agx("trace", "sin(x**2)", "--x", "2.")
    assert process.returncode == 0, said(process)
    assert "-0.7568025" in process.stdout
    assert process.stderr == ""


def test_0_with_a_warning_and_1_with_strict():
    words = ("trace", "sin(x)", "--x", "2.", "--unrelated", "3.")
    assert agx(*words).returncode == 0
    assert agx(*words, "--strict").returncode == 1


def test_1_when_torch_refuses():
    process = agx("trace", "x@y", "--x", "randn(2,3)", "--y", "randn(2,3)")
    assert process.returncode == 1, said(process)
    assert "Traceback" not in process.stdout + process.stderr


def test_2_when_a_source_cannot_be_understood():
    process = agx("trace", "sin(x", "--x", "2")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("error syntax-error (AGX101)\n")


def test_3_when_something_is_missing():
    process = agx("trace", "sin(x)", "--x", "@missing.npy")
    assert (process.returncode, process.stdout) == (3, "")
    assert "(AGX206)" in process.stderr


def test_3_when_a_device_is_not_usable():
    process = agx("trace", "sin(x)", "--x", "2.", "--device", "cuda:99")
    assert (process.returncode, process.stdout) == (3, "")
    assert "(AGX601)" in process.stderr


def test_4_when_a_limit_is_reached():
    process = agx("trace", "zeros(100000, 100000).sum() * x", "--x", "2.")
    assert (process.returncode, process.stdout) == (4, "")
    assert "(AGX604)" in process.stderr


def test_4_when_the_time_is_over_even_while_torch_holds_the_lock():
    words = ("--x", "randn(1500,1500)", "--timeout", "0.2")
    process = agx("trace", "linalg.svd(x@x@x)[1].sum() + linalg.svd(x)[1].sum()", *words)
    assert process.returncode == 4, said(process)
    assert (process.stdout + process.stderr).count("The run took longer than 0.2 seconds.") == 1


def test_4_is_told_once_where_a_report_of_what_came_before_has_it():
    process = agx("trace", "y = x*2\nfor i in range(500000): y = y + 1", "--x", "2.", "--timeout", "2")
    assert process.returncode == 4, said(process)
    assert (process.stdout + process.stderr).count("(AGX603)") == 1


@pytest.mark.parametrize("source", ["f/no\x1b.py", "/dev/stdin", "/dev/zero", "/"])
def test_3_when_a_path_is_no_file_that_can_be_read(source):
    process = agx("trace", source, "--x", "2.")
    assert (process.returncode, process.stdout) == (3, "")
    assert "(AGX206)" in process.stderr


@pytest.mark.parametrize("to_the_group", [True, False], ids=["terminal", "kill"])
@pytest.mark.parametrize("source", ["-", "linalg.svd(x@x@x)[1].sum()"], ids=["reading", "running"])
def test_130_when_interrupted(source, to_the_group):
    process = subprocess.Popen(
        [*AGX, "trace", source, "--x", "randn(3000,3000)"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in a background job
    )
    time.sleep(1)  # wherever it is by then, an interrupt ends it in the same way
    (os.killpg if to_the_group else os.kill)(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (130, "", "")


def test_a_reader_that_stops_reading_is_no_error():
    process = subprocess.run(
        f"{sys.executable} -m autograd_cli explain | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.splitlines()[-1] == "0"
    assert process.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_3_when_stdout_is_full():
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [*AGX, "explain", "AGX101"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert process.returncode == 3
    assert process.stderr == "error: No space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_encoding_of_stdout_works(encoding):
    process = agx(
        "trace", "sin(x**2)", "--x", "2.", encoding=encoding, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert process.returncode == 0, said(process)
    assert "SinBackward0" in process.stdout


def test_without_arguments_the_help():
    process = agx()
    assert process.returncode == 0
    assert process.stdout.startswith("Usage: agx")


def test_the_version_names_torch():
    process = agx("--version")
    assert process.returncode == 0
    assert process.stdout.startswith("agx 0.1.0 (torch 2.")
