"""The walls of the house: who loads torch, who imports whom, how long a function is."""

import ast
import importlib
import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import autograd_cli

PACKAGE = Path(autograd_cli.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))

PROBE = """
import sys
from autograd_cli.cli import run
from autograd_cli.cli.environment import of_process
status = run(sys.argv[1:], of_process())
heavy = [name for name in ("torch", "sympy", "numpy") if name in sys.modules]
sys.stderr.write(f"\\nstatus {int(status)} loaded {heavy}")
"""

STORED = {
    "schema": "agx.report/1",
    "source": "x",
    "device": "cpu",
    "dtype": "float32",
    "seed": 0,
    "kept_bytes": 0,
    "versions": {},
    "bindings": [],
    "output": None,
    "graph": None,
    "gradients": [],
    "findings": [],
    "status": 0,
}


def probed(*words, stdin=""):
    """What a command ended with and which heavy modules it left behind."""
    process = subprocess.run(
        [sys.executable, "-c", PROBE, *words], input=stdin, capture_output=True, text=True, check=True
    )
    return process.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 0),
        (["--help"], 0),
        (["--version"], 0),
        (["trace", "--help"], 0),
        (["gradcheck", "--help"], 0),
        (["explain"], 0),
        (["explain", "AGX101"], 0),
        (["explain", "rhubarb"], 2),
        (["show", "-"], 0),
        (["show", "-", "-f", "dot"], 0),
        (["show", "-", "--json"], 0),
        (["trace", "sin(x", "--x", "2"], 2),
        (["trace", "sin(x)*y", "--x", "2"], 2),
        (["trace", "nosuch(x)", "--x", "2"], 2),
        (["trace", "x.__class__", "--x", "2"], 2),
        (["trace", "sin(x)", "--x", "2+"], 2),
        (["trace", "sin(x)", "--x", "2", "--devise", "cuda"], 2),
        (["trace", "sin(x)", "--x", "2", "-o", "x.doc"], 2),
        (["trace", "y = x.__class__; y", "--x", "2"], 2),
        (["trace", "y = x*2; y", "--x", "2", "--root", "q"], 2),
        (["trace", "x*2", "--x", "2", "--grad-output", "1+"], 2),
        (["trace", "x*2", "--x", "2", "--no-grad", "--inference-mode"], 2),
        (["trace", "--lines", "missing.txt"], 3),
        (["ops"], 0),
        (["ops", "tanh", "--json"], 0),
        (["trace", "missing.py"], 3),
        (["trace", "x" * 70_000, "--x", "2"], 4),
        (["gradcheck", "sin(x", "--x", "2"], 2),
    ],
)
def test_torch_stays_out(words, status):
    assert probed(*words, stdin=json.dumps(STORED)) == f"status {status} loaded []"


LOG = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/me/fit.py", line 8, in step
[rank1]:     total.backward()
[rank1]: RuntimeError: grad can be implicitly created only for scalar outputs
"""


@pytest.mark.parametrize(
    ("words", "log", "status"),
    [
        ((), LOG, 1),
        (("--tee",), LOG, 1),
        (("-", "--json"), LOG, 1),
        (("--format", "rich"), LOG, 1),
        ((), "all is well\n", 0),
    ],
)
def test_torch_stays_out_of_what_is_said_of_a_log(words, log, status):
    assert probed("diagnose", *words, stdin=log) == f"status {status} loaded []"


@pytest.mark.parametrize("words", [(), ("--watch",), ("--json",)])
def test_torch_stays_out_of_what_is_said_of_a_script(words, tmp_path):
    (tmp_path / "fit.py").write_text("import torch\ntorch.zeros(2, 3) @ torch.zeros(2, 3)\n")
    assert probed("diagnose", *words, str(tmp_path / "fit.py")) == "status 1 loaded []"


def test_a_script_without_torch_is_run_without_it(tmp_path):
    (tmp_path / "fit.py").write_text("import sys\nsys.exit('torch' in sys.modules)\n")
    assert probed("diagnose", "--watch", str(tmp_path / "fit.py")) == "status 0 loaded []"


def test_a_system_without_resource_limits_runs():
    script = (
        "import sys; sys.modules['resource'] = None; sys.platform = 'win32'\n"
        "from autograd_cli.cli import running; running.limit_memory(1 << 30)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_check_for_torch_can_fail():
    assert "'torch'" in probed("devices", "-q")


def test_a_trace_leaves_out_what_torch_can_do_without():
    assert "sympy" not in probed("trace", "sin(x**2)", "--x", "2.")


def imports(path):
    """Every module that a file imports, also inside functions, except for annotations alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("room", ["lang", "errors.py"])
def test_the_lowest_rooms_import_the_standard_library_alone(room):
    own = ("autograd_cli.errors", f"autograd_cli.{room.removesuffix('.py')}")
    place = PACKAGE / room
    for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
        for name in imports(path):
            assert name.partition(".")[0] in sys.stdlib_module_names or name.startswith(own), (path, name)


def test_nobody_imports_the_command_line():
    outside = [
        path for path in FILES if "cli" not in path.relative_to(PACKAGE).parts and path.stem != "__main__"
    ]
    assert [path for path in outside if any(n.startswith("autograd_cli.cli") for n in imports(path))] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_each_room_says_what_it_takes_gives_and_imports(room):
    text = importlib.import_module(f"autograd_cli.{room.name}").__doc__
    for word in ("Takes", "Gives", "ay import", "ust not import"):
        assert word in text


def lengths():
    """The number of lines of every function of the package, by its place."""
    return {
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_functions_are_short():
    found = lengths()
    assert {place: length for place, length in found.items() if length > 60} == {}
    assert statistics.median(found.values()) < 10
    assert sum(length < 30 for length in found.values()) >= 0.9 * len(found)


def test_no_file_is_long():
    long = {str(path): count for path in FILES if (count := len(path.read_text("utf-8").splitlines())) > 400}
    assert long == {}
