"""What `agx diagnose script.py` tells, beside what the script itself writes; `--watch`."""

import json
import re

import pytest

from autograd_cli.diagnose.scripts import inside
from tests.cli.scripts import AGX, FAILING, PYTHON, both, ran


def test_a_finding_comes_after_what_the_script_wrote(tmp_path):
    python, agx = (ran(line, tmp_path, FAILING) for line in (PYTHON, AGX))
    assert (python.returncode, agx.returncode) == (1, 1)
    assert agx.stdout == python.stdout == b"begun\n"
    assert agx.stderr.startswith(python.stderr + b"error matmul-shape-mismatch (AGX301)\n")
    assert b"  fit.py:4   (a @ b).sum()\n" in agx.stderr


IN_THREAD = """\
import threading, torch
def load():
    a = torch.zeros(2, 3)
    a @ a
thread = threading.Thread(target=load)
thread.start()
thread.join()
"""


def test_an_error_that_ends_a_thread_is_told_and_the_status_is_the_scripts(tmp_path):
    text = IN_THREAD
    python, agx = (ran(line, tmp_path, text) for line in (PYTHON, AGX))
    same = [re.sub(rb"0x[0-9a-f]+", b"", one.stderr) for one in (python, agx)]
    assert (python.returncode, agx.returncode, same[1].startswith(same[0])) == (0, 0, True)
    assert b"warning matmul-shape-mismatch (AGX301)\n  fit.py:4 in load   a @ a\n" in agx.stderr
    assert b"  it ended a thread, and the script went on without it\n" in agx.stderr
    assert b"    a  (2,3)  float32  cpu  no grad\n" in agx.stderr


def test_an_error_that_ends_the_script_is_told_before_one_that_ended_a_thread(tmp_path):
    text = f"{IN_THREAD}torch.ones(2, requires_grad=True).exp().backward()\n"
    agx = ran(AGX, tmp_path, text, "--json", "fit.py")
    (found,) = json.loads(agx.stdout)["findings"]
    assert (agx.returncode, found["code"], found["severity"]) == (1, "AGX401", "error")
    failed = ran(AGX, tmp_path, f"{IN_THREAD}raise SystemExit(4)\n", "--json", "fit.py")
    (found,) = json.loads(failed.stdout)["findings"]
    assert (failed.returncode, found["code"], found["severity"]) == (4, "AGX301", "warning")


CAUGHT = """\
import sys, torch
try:
    torch.zeros(2, 3) @ torch.zeros(2, 3)
except RuntimeError as error:
    print("failed", error)
    {}
"""


@pytest.mark.parametrize(
    ("text", "status", "found"),
    [
        ("sys.exit(7)", 1, True),
        ("sys.exit('words')", 1, True),
        ("sys.exit((3,))", 1, True),
        ("sys.exit((0,))", 0, False),
        ("raise SystemExit(7)", 1, True),
        ("raise SystemExit(7) from error", 1, True),
        ("raise SystemExit(7) from None", 7, False),
        ("exit(7)", 1, True),
        ("class Left(SystemExit):\n        pass\n    raise Left(7)", 1, True),
        ("def left():\n        quit('words')\n    left()", 1, True),
        ("import threading\n    threading.Thread(target=sys.exit, args=(7,)).start()", 0, False),
        ("sys.exit()", 0, False),
        ("pass\nsys.exit(7)", 7, False),
        ("try:\n        sys.exit(7)\n    except SystemExit:\n        pass", 0, False),
        ("try:\n        sys.exit(7)\n    except SystemExit:\n        pass\nsys.exit(5)", 5, False),
    ],
)
def test_a_script_that_catches_its_error_and_leaves_is_told_of_it(text, status, found, tmp_path):
    python, agx = both(tmp_path, CAUGHT.format(text))
    assert (agx[0], agx[1], agx[2].startswith(python[2])) == (status, python[1], True)
    assert ("(AGX301)" in agx[2]) is found


@pytest.mark.parametrize("watch", [False, True])
def test_what_leaves_in_a_process_leaves_in_this_one(watch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("raise SystemExit(7)", "sys.exit((0,))", "exit(2)", "sys.exit(1 << 70)", "pass"):
        (tmp_path / "fit.py").write_text(CAUGHT.format(text))
        python = ran(PYTHON, tmp_path)
        done = inside.run("fit.py", watch=watch)
        assert (done.status, done.failed) == (python.returncode, python.returncode != 0)


def test_json_is_alone_on_stdout(tmp_path):
    agx = ran(AGX, tmp_path, FAILING, "--json", "fit.py")
    data = json.loads(agx.stdout)
    assert (agx.returncode, data["status"], data["file"], data["lines"]) == (1, 1, "fit.py", None)
    (found,) = data["findings"]
    assert (found["code"], found["line"], found["frame"]["line"]) == ("AGX301", 4, 4)
    assert agx.stderr.startswith(b"begun\n") or b"\nbegun\n" in agx.stderr
    calm = ran(AGX, tmp_path, "print(1)\nraise SystemExit(5)\n", "--json", "fit.py")
    assert (calm.returncode, json.loads(calm.stdout)["findings"], calm.stderr) == (5, [], b"1\n")


CHANGED = """\
import torch
torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.data += 1
y.sum().backward()
print(x.grad, torch.rand(2))
"""


FROZEN = """\
import dataclasses, threading, torch
@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    why: str
def work(*given):
    raise Frozen("no")
thread = threading.Thread(target=torch.ones(2).apply_, args=(work,))
thread.start()
thread.join()
try:
    torch.ones(2).apply_(work)
except Frozen as error:
    raise ExceptionGroup("all", [error])
"""


def test_errors_of_any_class_are_shown_with_a_watch_as_they_are_alone(tmp_path):
    alone, watched = ran(PYTHON, tmp_path, FROZEN), ran(AGX, tmp_path, FROZEN, "--watch", "fit.py")
    assert b"Frozen: no" in alone.stderr
    assert b"ExceptionGroup" in alone.stderr
    assert (watched.returncode, watched.stderr) == (1, alone.stderr)


def test_a_watched_script_prints_what_it_prints_alone(tmp_path):
    alone, watched = ran(PYTHON, tmp_path, CHANGED), ran(AGX, tmp_path, CHANGED, "--watch", "fit.py")
    assert (alone.returncode, watched.returncode) == (0, 0)
    assert watched.stdout == alone.stdout
    assert watched.stderr.startswith(alone.stderr + b"warning ")
    assert b"  fit.py:5   y.data += 1\n" in watched.stderr


def test_a_change_in_place_is_told_with_the_command_that_watches(tmp_path):
    agx = ran(AGX, tmp_path, CHANGED.replace("y.data += 1", "y += 1"), "fit.py", "-x")
    assert b"\n    agx diagnose --watch fit.py -x   names the statement" in agx.stderr


def test_a_watched_error_has_the_traceback_that_it_has_alone(tmp_path):
    text = CHANGED.replace("y.data += 1", "y += 1")
    alone, watched = ran(PYTHON, tmp_path, text), ran(AGX, tmp_path, text, "--watch", "--json", "fit.py")
    assert (alone.returncode, watched.returncode, watched.stderr) == (1, 1, alone.stderr)
    (found,) = json.loads(watched.stdout)["findings"]
    assert (found["code"], found["line"]) == ("AGX409", 5)
    assert [one["name"] for one in found["tensors"]] == ["y", "x"]


def test_a_watch_says_that_a_script_left_without_its_end(tmp_path):
    agx = ran(AGX, tmp_path, "import os, torch\nos._exit(3)\n", "--watch", "fit.py")
    assert (agx.returncode, agx.stdout) == (3, b"")
    assert agx.stderr.startswith(b"the watch has nothing to tell")


def test_an_interrupted_script_is_told_of_what_the_watch_saw(tmp_path):
    agx = ran(AGX, tmp_path, f"{CHANGED}raise KeyboardInterrupt\n", "--watch", "fit.py")
    assert agx.returncode == 130
    assert b"KeyboardInterrupt\nwarning " in agx.stderr


def test_a_log_cannot_be_watched(tmp_path):
    agx = ran(AGX, tmp_path, "", "--watch", "fit.log")
    assert (agx.returncode, agx.stdout) == (2, b"")
    assert b"(AGX208)" in agx.stderr


def test_a_warning_in_a_call_that_is_watched_is_told_at_the_scripts_line(tmp_path):
    text = (
        "import torch\nw = torch.ones(3, requires_grad=True)\nfor _ in range(3):\n"
        "    (w**2).sum().backward()\n    if w.grad is not None: w = w - 0.1 * w.grad\n"
    )
    done = ran(AGX, tmp_path, text, "--watch", "fit.py")
    assert b"AGX416" in done.stderr
    assert b"  fit.py:5   if w.grad is not None: w = w - 0.1 * w.grad\n" in done.stderr
    assert b"mode.py" not in done.stderr


STARTING = """\
import subprocess, sys
done = subprocess.run([sys.executable, "-c", "import torch; torch.ones(2, 3) @ torch.ones(2, 3)"])
sys.exit({})
"""


def test_an_error_of_a_process_that_the_script_started_is_told_by_its_log(tmp_path):
    found = ran(AGX, tmp_path, STARTING.format("done.returncode"))
    assert (found.returncode, found.stdout) == (1, b"")
    said = found.stderr.decode().splitlines()[-1]
    assert said.endswith("what they write is read by: python fit.py 2>&1 | agx diagnose")
    assert b"agx diagnose" not in ran(AGX, tmp_path, STARTING.format("0")).stderr
    assert b"agx diagnose" not in ran(AGX, tmp_path, "import sys\nsys.exit(1)\n").stderr


def test_the_files_of_all_frames_are_named_as_from_here(tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "net.py").write_text("def go(a, b):\n    return a @ b\n")
    text = "import torch\nfrom pack.net import go\nx = torch.ones(2, 3)\ngo(x, x + 1)\n"
    lines = ran(AGX, tmp_path, text).stderr.decode().splitlines()
    assert "  pack/net.py:2 in go   return a @ b" in lines
    assert "  tensors at pack/net.py:2 in go" in lines
