"""`agx diagnose script.py`: the script runs as `python script.py` runs it, to the last byte."""

import signal
import subprocess
from pathlib import Path

import pytest

import autograd_cli
from tests.cli.scripts import AGX, FAILING, both, ran

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
