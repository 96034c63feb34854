"""Sources, values and files made to break the tool: each kind ends in its status, and nothing is done.

The sources go through the command line, as a person's would; a folder that was empty stays so.
"""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import torch
from typer.testing import CliRunner

from autograd_cli import cli

COLOURS = re.compile(r"\x1b\[[\d;]*m")
ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal acts on; a tab and a line break lay out text."""


@pytest.fixture
def agx(tmp_path, monkeypatch):
    """Runs agx in an empty folder, which it must leave as it was."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)

    def run(*words, stdin=None, written=()):
        before = {*os.listdir(), *written}
        result = CliRunner().invoke(cli.app, words, input=stdin, env={"COLUMNS": "100", "NO_COLOR": "1"})
        assert set(os.listdir()) <= before
        assert not (tmp_path / "a" / "AGX_CANARY").exists()
        told = result.stdout + result.stderr
        assert "Traceback" not in told
        assert "agx itself failed" not in told
        return result

    return run


def report(result):
    return json.loads(result.stdout)


# What would reach beyond the run: by name, by attribute, by a file, by a process-wide setting.
REACHING = [
    "open('AGX_CANARY', 'w')",
    "print(x, file=open('AGX_CANARY', 'w'))",
    "exec('1')",
    "eval('x')",
    "compile('x', '', 'eval')",
    "globals()",
    "getattr(x, 'data')",
    "setattr(x, 'a', 1)",
    "vars(x)",
    "input()",
    "breakpoint()",
    "exit()",
    "__builtins__",
    "x.__class__.__mro__",
    "x.__reduce__()",
    "(1).__class__",
    "''.__class__",
    "'{0.__class__}'.format(x)",
    "f'{x.__class__}'",
    "print.__self__",
    "import os\nos.system('touch AGX_CANARY')",
    "from os import system\nsystem('touch AGX_CANARY')",
    "import torch\ntorch.os.system('touch AGX_CANARY')",
    "import torch\ntorch.save(x, 'AGX_CANARY')",
    "import torch\ntorch.load('x.pt')",
    "import torch\ntorch.hub.load('a/b', 'c')",
    "import torch\ntorch.ops.load_library('x.so')",
    "import torch\ntorch.jit.script(x)",
    "import torch\ntorch.compile(x)",
    "import torch\ntorch.set_default_dtype(torch.float64)",
    "import torch\ntorch.set_num_threads(1)",
    "import torch\ntorch.use_deterministic_algorithms(True)",
    "import torch\ntorch.utils.cpp_extension.load('a', ['b'])",
    "import numpy as np\nnp.save('AGX_CANARY', 1)",
    "import numpy as np\nnp.load('x.npy', allow_pickle=True)",
    "import numpy as np\nnp.fromfile('x')",
    "x.share_memory_()",
    "x.register_hook(print)",
    "x.untyped_storage()",
    "x.storage().data_ptr()",
    "x.set_(x)",
    "x.resize_(10**9)",
    "x.numpy().tofile('AGX_CANARY')",
    "x.numpy().ctypes",
    "torch.from_file('x', size=1)",
    "lambda: x",
    "[y for y in x]",
    "class A: pass",
    "while True: pass",
    "global x",
    "del x[0]",
    "del x.grad",
    "type(x).__mro__",
    "type(x).__subclasses__()",
    "f = print\nf.__self__",
    "f = torch.sin\nf.__globals__",
    "t = type(x)\nt('a')",
    "print(id(x))",
    "before = id(x)\nprint(before)",
    "async def f(): pass",
    "yield x",
    "@staticmethod\ndef f(): pass",
    "(y := x)",
    "match x:\n case 1: pass",
    "raise ValueError",
    "with open('AGX_CANARY', 'w') as f:\n    pass",
    "try:\n    import os\n    os.system('touch AGX_CANARY')\nexcept Exception:\n    pass",
    "def f():\n    return __import__('os')\nf()",
]


@pytest.mark.parametrize("source", REACHING)
def test_what_reaches_beyond_the_run_is_refused_before_anything_runs(agx, source):
    result = agx("trace", f"print('began')\n{source}", "--x", "2.", "--json")
    assert (result.exit_code, result.stdout) == (2, ""), source
    assert re.match(r"error [a-z-]+ \(AGX[12]\d\d\)", result.stderr)


@pytest.mark.parametrize("source", REACHING)
def test_what_reaches_beyond_the_run_is_no_value_either(agx, source):
    result = agx("trace", "x*2", f"--x={source}")
    assert (result.exit_code, result.stdout) == (2, "")


LARGE = [
    "x.repeat(10**5, 10**5)",
    "torch.outer(torch.ones(10**5), torch.ones(10**5))",
    "cartesian_prod(arange(2000), arange(2000), arange(2000))",
    "F.one_hot(arange(10**5))",
    "einsum('i,j,k->ijk', ones(2000), ones(2000), ones(2000))",
    "arange(10**10)",
    "x.expand(10**10).contiguous()",
    "x.expand(10**10).clone()",
    "x.expand(10**10) + 1",
    "stack([ones(10**6)]*1000)",
    "ones(10**5, 1) - ones(1, 10**5)",
    "ones(10**5, 1) @ ones(1, 10**5)",
    "kron(ones(1000, 1000), ones(1000, 1000))",
    "combinations(arange(5000), 3)",
    "tril_indices(10**6, 10**6)",
    "F.pad(ones(1), (0, 10**10))",
    "F.interpolate(ones(1, 1, 2), scale_factor=1e10)",
    "bincount(tensor([10**10]))",
    "ones(2).repeat_interleave(tensor([10**10, 1]))",
    "diag(ones(10**6))",
    "cdist(ones(10**5, 1), ones(10**5, 1))",
    "ones(1, 10**6)[zeros(10**5, dtype=int64)]",
    "fft.fft(ones(2), n=10**10)",
    "x.new_zeros(10**10)",
    "import numpy as np\nnp.zeros(10**11)",
    "y = ones(1000)\nfor i in range(100):\n    y = cat([y, y])",
    "y = ones(10)\nfor i in range(100):\n    y = y.repeat(2)",
]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the address space")
@pytest.mark.parametrize("chunk", [LARGE[i::4] for i in range(4)], ids=range(4))
def test_a_tensor_beyond_the_memory_limit_is_refused_before_it_is_made(chunk):
    lines = [json.dumps({"source": f"print('began')\n{each}"}) for each in chunk]
    process = subprocess.run(
        [sys.executable, "-m", "autograd_cli", "trace", "--lines", "-", "--x", "ones(1)", "--json"],
        input="\n".join(lines), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found = [json.loads(line) for line in process.stdout.splitlines()]
    codes = {
        each: (one["findings"][-1]["code"], one["printed"]) for each, one in zip(chunk, found, strict=True)
    }
    assert codes == dict.fromkeys(chunk, ("AGX604", ["began\n"]))
    assert process.returncode == 4


ENDLESS = [
    "for i in range(1000):\n    for j in range(1000):\n        for k in range(1000):\n            pass",
    "def f(a):\n    for i in range(999):\n        a = a + 1\n    return a\nfor i in range(999):\n    f(x)",
    "l = [1]\nfor i in l:\n    l.append(i)",
    "l = [1]\nfor i in range(60):\n    l = l + l",
    "l = [1]\nfor i in range(60):\n    l = l*2",
    "l = [0]*10**9",
    "range(10**12)[0] + list(range(10**12))[0]",
    "s = 'a'\nfor i in range(60):\n    s = s + s",
    "s = 'a'*10**10",
    "for i in range(10**6):\n    print('x'*1000)",
    "print(ones(10**7).tolist())",
    "print(f'{1:>1000000000}')",
    "print(f'{2.5:.999999999f}')",
    "try:\n    for i in range(10**6):\n        i = i + 1\nexcept Exception:\n    pass",
]


@pytest.mark.parametrize("source", ENDLESS)
def test_what_has_no_end_meets_a_limit_that_names_its_option(agx, source):
    result = agx("trace", f"print('began')\n{source}", "--x", "ones(1)", "--max-steps", "100_000", "--json")
    assert result.exit_code == 4
    found = report(result)
    assert found["printed"][0] == "began\n"
    assert found["findings"][-1]["code"] == "AGX606"


INTEGERS = ["9**9**9", "10**5000", "1 << 10**9", "n=2\nfor i in range(100):\n    n = n*n", "10**5000 % 7"]


@pytest.mark.parametrize("source", INTEGERS)
def test_an_integer_of_very_many_digits_is_not_computed(agx, source):
    result = agx("trace", source)
    assert result.exit_code in (2, 4)
    assert "AGX110" in result.stdout + result.stderr


NESTED = [
    "(" * 5000 + "x" + ")" * 5000,
    "-" * 5000 + "x",
    "not " * 5000 + "x",
    "[" * 5000 + "x" + "]" * 5000,
    "x" + "[None]" * 5000,
    "x" + "+0" * 5000,
    "x" + "**1" * 5000,
    "x if x else " * 3000 + "x",
    "sin(" * 1000 + "x" + ")" * 1000,
    "".join(" " * i + "if x:\n" for i in range(300)) + " " * 300 + "pass",
    "".join(" " * i + "for i in range(1):\n" for i in range(60)) + " " * 60 + "pass",
]


@pytest.mark.parametrize("source", NESTED, ids=lambda source: source[:8])
def test_what_nests_too_deep_is_refused(agx, source):
    result = agx("trace", source, "--x", "2.")
    assert result.exit_code in (2, 4)
    assert result.stdout == ""
    assert len(result.stderr) < 1500


ESCAPES = [
    ("x*2 # \x1b[2J\x1b]0;title\x07", ()),
    ("print('\x1b[31m\x9b31m\x07\x08')", ()),
    ("print('\\x1b[2J', '\\r', '\\x9b', '\\u202e')", ()),
    ("assert False, '\\x1b[31mred'", ()),
    ("y = x*2; print(f'{y}\\x1b]8;;http://a\\x07')", ()),
    ("x*2\n# [bold red]x[/] [/bold] [link=http://a]", ()),
    ("print('[bold]', '[/]', '<script>alert(1)</script>', '\"')", ()),
    ("print('label=\"x\"; } digraph { a -> b')", ()),
    ("x.abc\x1b[31m", ()),
    ("'\x1b[31m' + x", ()),
    ("x @ zeros(3)  # \x85 \u2028 \u202e", ()),
    ("x*2", ("--root", "\x1b[31m")),
    ("x*2", ("--device", "\x1b[31m")),
    ("x*2", ("--y", "@\x1b[31m.npy")),
    ("x*2", ("-o", "\x1b[31m.txt")),
    ("y = x*2", ("--inspect", "\x1b[31m")),
    ("\x1b[31m.py", ()),
    ("x*y", ("--y", "\x1b[31m")),
    ("x*2", ("\x1b[31m",)),
    ("x*2", ("--\x1b[31m", "2")),
]


@pytest.mark.parametrize("form", ["rich", "plain", "json", "tsv", "dot", "python"])
@pytest.mark.parametrize(("source", "words"), ESCAPES, ids=range(len(ESCAPES)))
def test_nothing_that_a_person_types_acts_on_the_terminal(agx, source, words, form):
    result = agx("trace", source, "--x", "2.", "-f", form, "--color", "always", *words)
    assert not ACTING.search(COLOURS.sub("", result.stdout + result.stderr))
    if form == "json" and result.stdout:
        assert result.stdout.isascii()
        report(result)


@pytest.mark.parametrize(
    "source", [source for source, words in ESCAPES if not words and ".py" not in source], ids=range(11)
)
def test_a_picture_is_xml_whatever_its_source_holds(agx, source, tmp_path):
    pytest.importorskip("pygraphviz")
    result = agx("trace", f"y = x*3\n{source}\ny*2", "--x", "2.", "-o", "x.svg", written=["x.svg"])
    if result.exit_code == 2:
        return
    tree = ElementTree.parse("x.svg")
    assert not [element for element in tree.iter() if element.tag.endswith("script")]
    assert not [key for element in tree.iter() for key in element.attrib if key.endswith("href")]


def test_the_process_is_left_as_it_was(agx):
    torch.manual_seed(7)
    before = torch.get_rng_state()
    result = agx(
        "trace",
        "import torch\ntorch.manual_seed(1)\ntorch.set_grad_enabled(False)\nx = torch.randn(2)\nprint(x)",
        "--dtype", "float64", "--autocast", "bfloat16",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert not torch.is_autocast_enabled("cpu")
