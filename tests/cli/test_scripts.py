"""`agx diagnose script.py`: the script runs as `python script.py` runs it, to the last byte."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import autograd_cli

PYTHON = [sys.executable]
AGX = [sys.executable, "-P", "-m", "autograd_cli", "diagnose"]


def ran(line, folder, text="", *words, stdin=b"", **variables):
    """What a script ends with, prints and says, in a folder that begins with it alone."""
    folder.mkdir(exist_ok=True)
    if text:
        (folder / "fit.py").write_text(text)
    return subprocess.run(
        [*line, *(words or ["fit.py"])],
        cwd=folder,
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )


def both(folder, text, *words, **more):
    """The same script under Python and under agx: status, stdout and stderr of each."""
    found = [ran(line, folder, text, *words, **more) for line in (PYTHON, AGX)]
    return [(one.returncode, _same(one.stdout), _same(one.stderr)) for one in found]


def _same(text):
    """What was written, without the addresses of objects."""
    return re.sub(r"0x[0-9a-f]+", "0x…", text.decode())


SURROUNDINGS = """\
import os, pickle, sys
print(sys.argv, sys.path, os.getcwd(), __name__, __file__, __spec__, sorted(globals()), __loader__.path)
print(sys.orig_argv[1:], sys.flags, sys.warnoptions, sys.excepthook is sys.__excepthook__)
print(sorted(sys.path_importer_cache), "sitecustomize" in sys.modules, "torch" in sys.modules)
print({name: text for name, text in os.environ.items() if name not in ("_",)})
print(pickle.loads(pickle.dumps(sys.exit)) is sys.exit, sys.exit.__doc__)
try:
    sys._getframe(1)
except ValueError as error:
    print(error)
"""

CASES = {
    "surroundings": SURROUNDINGS,
    "nothing": "",
    "status": "import sys\nprint('a'); sys.exit(7)\n",
    "status in words": "import sys\nsys.exit('no data')\n",
    "status as of a signal": "raise SystemExit(143)\n",
    "status that is large": "raise SystemExit(300)\n",
    "status from a thread that is awaited": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()\n"
    ),
    "os._exit": "import os\nprint('lost'); os._exit(5)\n",
    "abort": "import os, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.abort()\n",
    "error": "def f(x):\n    return x['a'] + (\n        1)\nprint('a', flush=True)\nf({})\n",
    "chained": (
        "try:\n    try:\n        1/0\n    except ZeroDivisionError as e:\n"
        "        raise ValueError('é') from e\nfinally:\n    {}['x']\n"
    ),
    "groups and notes": (
        "e = ValueError('a')\ne.add_note('a note')\nraise ExceptionGroup('g', [e, KeyError(3)])\n"
    ),
    "endless": "def f():\n    f()\nf()\n",
    "no str": "class E(Exception):\n    def __str__(self):\n        raise OSError\nraise E\n",
    "syntax": "print('never')\ndef f(:\n    pass\n",
    "no Python": "\x7fELF\n",
    "tabs": "if 1:\n\tx = 1\n        y = 2\n",
    "at exit": "import atexit\natexit.register(print, 'bye')\n1/0\n",
    "at exit, failing": "import atexit\natexit.register(lambda: 1/0)\nprint('a')\n",
    "own hook": "import sys\nsys.excepthook = lambda *a: print('mine', a[0], file=sys.stderr)\n1/0\n",
    "own warnings": (
        "import warnings, traceback, sys\n"
        "def show(*a, **k):\n    traceback.print_stack(file=sys.stderr)\n    print(a, k, file=sys.stderr)\n"
        "warnings.showwarning = show\nwarnings.warn('w')\n"
    ),
    "warnings": (
        "import warnings\nwarnings.warn('one', stacklevel=3)\nwarnings.warn('two')\n"
        "for _ in range(3):\n    warnings.warn('three', RuntimeWarning)\n"
        "with warnings.catch_warnings(record=True) as seen:\n    warnings.warn('four')\n"
        "print(seen[0], seen)\nprint(warnings.WarningMessage.__name__, type(seen[0]))\n"
    ),
    "logged": (
        "import logging, warnings\nlogging.captureWarnings(True)\n"
        "logging.basicConfig(format='%(name)s %(message)s')\n"
        "warnings.warn('x')\nlogging.warning('y', stack_info=True)\n"
    ),
    "order": (
        "import sys\nfor i in range(4):\n"
        "    print(i, end=' ', file=(sys.stdout, sys.stderr)[i % 2], flush=True)\n"
    ),
    "input": "import sys\nprint(sys.stdin.read(), input.__name__)\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "interrupt after a warning": "import warnings\nwarnings.warn('w')\nraise KeyboardInterrupt\n",
    "signal": "import os, signal\nprint('a', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)\n",
    "fork": "import os, sys\nif not os.fork():\n    print('child'); sys.exit(3)\nos.wait()\nprint('one')\n",
    "spawn": (
        "import multiprocessing as m\nfrom beside import twice\ndef f(x):\n    return twice(x), __name__\n"
        "if __name__ == '__main__':\n    m.set_start_method('spawn')\n    with m.Pool(1) as p:\n"
        "        print(p.map(f, [1, 2]))\n"
    ),
    "process": (
        "import subprocess, sys\nline = [sys.executable, '-c', 'import sys; print(sys.path, sys.argv)']\n"
        "print(subprocess.check_output(line).decode())\n"
    ),
    "pickled": (
        "import pickle\nclass A:\n    pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A, A.__module__)\n"
    ),
    "printing late": "import sys\nsys.stdout.close()\n",
    "shadowing": "import json\nprint(json.mine)\n1/0\n",
}  # fmt: skip

BESIDE = {
    "beside.py": "def twice(x):\n    return 2*x\n",
    "json.py": "mine = 1\n",
    "dis.py": "print('!')",
}


@pytest.mark.parametrize("case", CASES)
def test_a_script_runs_as_python_runs_it(case, tmp_path):
    for name, text in BESIDE.items():
        (tmp_path / name).write_text(text)
    python, agx = both(
        tmp_path, CASES[case] or "\n", "fit.py", "-x", "--lr", "-1e-3", "a b", stdin=b"line 1\n"
    )
    status = 128 - python[0] if python[0] < 0 else python[0]
    killed = python[0] < 0 and -python[0] != signal.SIGINT
    said = f"the script was ended by {signal.Signals(-python[0]).name}\n" if killed else ""
    assert agx == (status, python[1], python[2] + said)


FAILING = """\
import sys, torch
print("begun")
a, b = torch.zeros(2, 3), torch.zeros(2, 3)
(a @ b).sum()
"""


def test_a_finding_comes_after_what_the_script_wrote(tmp_path):
    python, agx = (ran(line, tmp_path, FAILING) for line in (PYTHON, AGX))
    assert (python.returncode, agx.returncode) == (1, 1)
    assert agx.stdout == python.stdout == b"begun\n"
    assert agx.stderr.startswith(python.stderr + b"error matmul-shape-mismatch (AGX301)\n")
    assert b"  fit.py:4   (a @ b).sum()\n" in agx.stderr


def test_an_error_that_ends_a_thread_is_told(tmp_path):
    text = """\
import threading, torch
def load():
    a = torch.zeros(2, 3)
    a @ a
thread = threading.Thread(target=load)
thread.start()
thread.join()
"""
    python, agx = (ran(line, tmp_path, text) for line in (PYTHON, AGX))
    same = [re.sub(rb"0x[0-9a-f]+", b"", one.stderr) for one in (python, agx)]
    assert (python.returncode, agx.returncode, same[1].startswith(same[0])) == (0, 1, True)
    assert b"error matmul-shape-mismatch (AGX301)\n  fit.py:4 in load   a @ a\n" in agx.stderr
    assert b"    a  (2,3)  float32  cpu  no grad\n" in agx.stderr


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


def test_json_is_alone_on_stdout(tmp_path):
    agx = ran(AGX, tmp_path, FAILING, "--json", "fit.py")
    data = json.loads(agx.stdout)
    assert (agx.returncode, data["status"], data["file"], data["lines"]) == (1, 1, "fit.py", None)
    (found,) = data["findings"]
    assert (found["code"], found["line"], found["frame"]["line"]) == ("AGX301", 4, 4)
    assert agx.stderr.startswith(b"begun\n") or b"\nbegun\n" in agx.stderr
    calm = ran(AGX, tmp_path, "print(1)\nraise SystemExit(5)\n", "--json", "fit.py")
    assert (calm.returncode, json.loads(calm.stdout)["findings"], calm.stderr) == (5, [], b"1\n")


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["fit.py", "--epochs", "3", "-x", "--lr=1"], ["--epochs", "3", "-x", "--lr=1"]),
        (["-q", "fit.py", "a", "--color", "never", "b"], ["a", "b"]),
        (["fit.py", "a", "--", "-q", "--json", "--", "c"], ["a", "-q", "--json", "--", "c"]),
        (["--", "fit.py", "--help", "-f"], ["--help", "-f"]),
        (["-f", "plain", "fit.py", "--form", "x.py", "--", "-f"], ["--form", "x.py", "-f"]),
    ],
)
def test_what_is_no_option_of_agx_goes_to_the_script(words, own, tmp_path):
    agx = ran(AGX, tmp_path, "import sys\nprint(sys.argv[1:])\n", *words)
    assert (agx.returncode, agx.stdout.decode(), agx.stderr) == (0, f"{own}\n", b"")


def test_a_script_may_be_called_like_an_option(tmp_path):
    (tmp_path / "-c.py").write_text("import sys\nprint(sys.argv)\n")
    agx = ran(AGX, tmp_path, "", "--", "-c.py", "x")
    assert (agx.returncode, agx.stdout) == (0, b"['./-c.py', 'x']\n")


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["missing.py"], 3, "AGX206"),
        (["folder.py"], 3, "AGX206"),
        (["--tee", "fit.py"], 2, "AGX208"),
        (["--json", "-f", "plain", "fit.py"], 2, "AGX208"),
        (["--watc", "fit.py"], 2, "AGX205"),
        (["fit.log", "fit.py"], 2, "AGX215"),
    ],
)
def test_what_cannot_be_done_is_refused_before_it_runs(words, status, code, tmp_path):
    (tmp_path / "folder.py").mkdir()
    agx = ran(AGX, tmp_path, "print('ran')\n", *words)
    assert (agx.returncode, agx.stdout) == (status, b"")
    assert f"({code})".encode() in agx.stderr


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


def test_descriptors_go_to_the_script(tmp_path):
    (tmp_path / "fit.py").write_text("import os\nprint(os.read(7, 100).decode())\n")
    line = " ".join([*AGX, "fit.py", "7<fit.py"])
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "import os\nprint(os.read(7, 100).decode())\n\n"


def test_what_the_environment_says_of_the_path_is_kept(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "sitecustomize.py").write_text(
        "import sys\nif sys.orig_argv[1:] == ['fit.py']:\n    print('theirs', __name__)\n"
    )
    text = "import os, sys\nprint(os.environ.get('PYTHONPATH'), sys.path, sys.modules.get('sitecustomize'))\n"
    root = Path(autograd_cli.__file__).parents[1]
    for place in (str(tmp_path / "more"), f":{tmp_path}/more:", f"{root}:{tmp_path}/more", ""):
        python, agx = both(tmp_path, text, PYTHONPATH=place)
        assert agx == python
        assert ("theirs sitecustomize" in python[1]) is bool(place)


def test_no_file_is_left(tmp_path):
    places = tmp_path / "places"
    places.mkdir()
    ran(AGX, tmp_path, FAILING, TMPDIR=str(places))
    assert list(places.iterdir()) == []


CHANGED = """\
import torch
torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.data += 1
y.sum().backward()
print(x.grad, torch.rand(2))
"""


def test_a_watched_script_prints_what_it_prints_alone(tmp_path):
    alone, watched = ran(PYTHON, tmp_path, CHANGED), ran(AGX, tmp_path, CHANGED, "--watch", "fit.py")
    assert (alone.returncode, watched.returncode) == (0, 0)
    assert watched.stdout == alone.stdout
    assert watched.stderr.startswith(alone.stderr + b"warning ")
    assert b"  fit.py:5   y.data += 1\n" in watched.stderr


def test_a_change_in_place_is_told_with_the_command_that_watches(tmp_path):
    agx = ran(AGX, tmp_path, CHANGED.replace("y.data += 1", "y += 1"), "fit.py", "-x")
    assert b"  fix  agx diagnose --watch fit.py -x   names the statement" in agx.stderr


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
