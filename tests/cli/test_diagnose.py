"""`agx diagnose`: what it reads, what it prints where, what it ends with."""

import json
import os
import pty
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from autograd_cli import cli

AGX = [sys.executable, "-m", "autograd_cli", "diagnose"]

FAILED = b"""\
epoch 1 \xe2\x96\x88\xe2\x96\x88 50%\repoch 1 done
[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/me/fit.py", line 8, in step
[rank1]:     total.backward()
[rank1]:     ~~~~~~~~~~~~~~^^
[rank1]:   File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward
[rank1]:     torch.autograd.backward(
[rank1]: RuntimeError: grad can be implicitly created only for scalar outputs
"""

WARNED = b"""\
/home/me/fit.py:7: UserWarning: Using a target size (torch.Size([9])) that is different \
to the input size (torch.Size([9, 1])). This will likely lead to incorrect results due to broadcasting. \
Please ensure they have the same size.
  loss = F.mse_loss(out, y)
epoch 1 done
"""

NOT_OURS = b"""\
Traceback (most recent call last):
  File "/home/me/fit.py", line 2, in <module>
    open("data.csv")
FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'
"""


def agx(*words, log=FAILED):
    return subprocess.run([*AGX, *words], input=log, capture_output=True, timeout=120, check=False)


def test_an_error_is_told_with_the_persons_own_line():
    process = agx()
    text = process.stdout.decode()
    assert (process.returncode, process.stderr) == (1, b"")
    assert text.startswith("error nonscalar-loss-backward (AGX401)")
    assert "rank 1 · log line 8\n  /home/me/fit.py:8 in step   total.backward()\n" in text
    assert "  torch says  RuntimeError: grad can be implicitly created only for scalar outputs\n" in text
    assert text.endswith("  agx explain AGX401\n")


def test_json_has_the_finding_its_frame_and_its_rank():
    process = agx("--json")
    data = json.loads(process.stdout)
    assert (data["schema"], data["file"], data["lines"], data["status"]) == ("agx.diagnosis/1", "-", 8, 1)
    (finding,) = data["findings"]
    assert finding["name"] == "nonscalar-loss-backward"
    assert (finding["severity"], finding["line"], finding["rank"]) == ("error", 8, "1")
    assert finding["frame"] == {
        "file": "/home/me/fit.py", "line": 8, "function": "step", "text": "total.backward()",
    }  # fmt: skip


def test_a_warning_ends_with_0():
    process = agx(log=WARNED)
    assert (process.returncode, process.stderr) == (0, b"")
    assert process.stdout.decode().startswith("warning silent-loss-broadcast (AGX407)")


@pytest.mark.parametrize("log", [NOT_OURS, b"", b"all is well\n"])
def test_what_is_none_of_ours_is_left_alone(log):
    process = agx(log=log)
    assert (process.returncode, process.stdout) == (0, b"")
    assert b"no error or warning of torch" in process.stderr
    assert agx("-q", log=log).stderr == b""
    assert json.loads(agx("--json", "-q", log=log).stdout)["findings"] == []


def test_a_file_and_standard_input_give_the_same(tmp_path):
    path = tmp_path / "fit.log"
    path.write_bytes(FAILED)
    assert agx(str(path), log=b"").stdout == agx("-").stdout == agx().stdout


def test_tee_passes_the_log_on_as_it_is():
    log = FAILED + b"\xff\x00\x1b[31m no text, no end"
    process = agx("--tee", log=log)
    assert process.stdout == log
    assert process.stderr == agx(log=log).stdout
    assert process.returncode == 1


def test_tee_passes_on_what_has_come_before_more_comes():
    with subprocess.Popen([*AGX, "--tee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"step 1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"step 1\n"
        process.stdin.close()
    assert process.returncode == 0


def test_tee_goes_on_reading_where_nobody_reads_it():
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [*AGX, "--tee"], stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE
    ) as process:
        os.close(write)
        _, said = process.communicate(b"step\n" * 400_000 + FAILED, timeout=120)
    assert process.returncode == 1
    assert b"(AGX401)" in said


def test_a_terminal_is_no_log():
    ours, theirs = pty.openpty()
    process = subprocess.run(AGX, stdin=theirs, capture_output=True, timeout=120, check=False)
    os.close(ours)
    os.close(theirs)
    assert (process.returncode, process.stdout) == (2, b"")
    assert b"standard input is a terminal" in process.stderr


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("missing.log",), 3, "AGX206"),
        (("a.log", "b.log"), 2, "AGX215"),
        (("--json", "-f", "plain"), 2, "AGX208"),
        (("-f", "dot"), 2, "AGX208"),
        (("--watc",), 2, "AGX205"),
    ],
)
def test_what_cannot_be_done_is_refused(words, status, code):
    result = CliRunner().invoke(cli.app, ["diagnose", *words], input="", env={"NO_COLOR": "1"})
    assert (result.exit_code, result.stdout) == (status, "")
    assert f"({code})" in result.stderr
