"""The script of `-f python`: run by CPython it comes to the same values and gradients, bit for bit."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from autograd_cli.explore import explore
from autograd_cli.explore.options import Options
from autograd_cli.report.records import Binding
from autograd_cli.views import render
from autograd_cli.views.python import PRELUDE

ROOM = Path(__file__).parent

CASES = {
    "scalar": ("sin(x**2)", {"x": "2"}, {}),
    "random": ("mean((X@w+b-y)**2)", {
        "X": "randn(10,3)", "w": "randn(3,1)", "b": "zeros(1)", "y": "randn(10,1)"}, {"wrt": ("w", "b")}),
    "earlier names": ("(x*y).sum()", {"x": "[1, 2, 3]", "y": "2*x + 1"}, {}),
    "double": ("exp(x)/3 + ones(2)", {"x": "[0.1, 16777217]"}, {"dtype": "float64"}),
    "digits": ("x*y.sum() + z + c*k.sum()", {
        "x": "0.1", "y": "[0.1, 100000001]", "z": "2*pi", "c": "1/3", "k": "[0.1]"},
        {"dtype": "float64", "const": ("c", "k")}),
    "digits of earlier names": ("x*y.sum() + z*c", {
        "x": "0.1", "c": "0.3", "y": "[0.1, x]", "z": "3*c"}, {"dtype": "float64", "const": ("c",)}),
    "digits of a cotangent": ("x*x", {"x": "[1., 2.]"}, {"grad_output": "[0.1, 2]", "dtype": "float64"}),
    "half": ("(x*x).sum()", {"x": "[0.1, 0.2]"}, {"dtype": "float16"}),
    "no scalar": ("x*x", {"x": "randn(2,3)"}, {}),
    "cotangent": ("x*x", {"x": "[1., 2., 3.]"}, {"grad_output": "[1, 0, 2]"}),
    "index": ("x[i].sum() + x.sum(dim=d).max()", {"x": "randn(4,3)", "i": "[0, 2]", "d": "1"}, {}),
    "constant": ("x**n", {"x": "1.5", "n": "3"}, {"const": ("n",)}),
    "draws": ("F.dropout(x, 0.5).sum()", {"x": "ones(100)"}, {"seed": 7}),
    "several": ("x.max(0)", {"x": "randn(3,2)"}, {}),
    "lines": ("(x\n + 1) * 2", {"x": "3."}, {}),
    "comment": ("x*y", {"x": "[2.] # a 'b", "y": "[1., # z\n3.]"}, {"grad_output": "[1., # g\n2.]"}),
    "complex": ("(z*z).abs()", {"z": "[1+2j, 3j]"}, {}),
    "out": ("out * 2", {"out": "3."}, {}),
    "files": ("(a*b + c).sum() + d.sum() + e", {
        "a": "@a.npy", "b": "@b.npz:w", "c": "@c.csv:second", "d": "@d.json", "e": "@f.csv:0"}, {}),
}  # fmt: skip

PROGRAMS = {
    "prelude": ("x = randn(3, requires_grad=True)\n(x**2).sum().backward()\nprint(x.grad.tolist())", {}, {}),
    "imports": ("import torch\nw = torch.ones(2) * k\nprint(w.tolist(), sum([1, 2]))", {"k": "rand(2)"}, {}),
    "double": ("print(ones(1).dtype, (x + ones(1)).tolist())", {"x": "0.1"}, {"dtype": "float64"}),
    "mode": ("x = ones(2, requires_grad=True)\nprint((x * 2).requires_grad)", {}, {"no_grad": True}),
}  # fmt: skip

RUN = """
import io, json, sys, torch
from contextlib import redirect_stdout
shown = {}
for name, script in json.load(sys.stdin).items():
    names, printed = {}, io.StringIO()
    with redirect_stdout(printed):
        exec(compile(script, name, "exec"), names)
    torch.set_default_dtype(torch.float32)
    if name.startswith("program "):
        shown[name] = printed.getvalue()
        continue
    out = names["out_" if name == "out" else "out"].detach()
    tensors = {k: v for k, v in names.items() if isinstance(v, torch.Tensor) and v.is_leaf}
    plain = lambda t: torch.view_as_real(t.detach()).tolist() if t.is_complex() else t.detach().tolist()
    shown[name] = [plain(out), {k: plain(v.grad) for k, v in tensors.items() if v.grad is not None}]
sys.stdout.write("\\n" + json.dumps(shown))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of each kind."""
    where = tmp_path_factory.mktemp("data")
    numpy.save(where / "a.npy", numpy.array([1.5, 2.5, 3.5], dtype=">f8"))
    numpy.savez(where / "b.npz", w=numpy.array([1, 2, 3], dtype="f4"), v=numpy.zeros(2))
    (where / "c.csv").write_text("first,second\n1,0.1\n2,0.2\n3,0.3\n")
    (where / "d.json").write_text("[[1, 2], [3, 4.5]]")
    (where / "f.csv").write_text("7.25\n")
    return where


@pytest.fixture(scope="module")
def reports(folder):
    """The report of every case."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        cases = CASES | {f"program {name}": case for name, case in PROGRAMS.items()}
        return {
            name: explore(source, list(bindings.items()), Options(**options, full=True))
            for name, (source, bindings, options) in cases.items()
        }


@pytest.fixture(scope="module")
def ended(reports, folder):
    """What every script came to, all run in one process."""
    scripts = {name: render(report, "python", width=None, colour=False) for name, report in reports.items()}
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(scripts), capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    assert done.stderr == ""
    return json.loads(done.stdout.splitlines()[-1])


def parts(values):
    """Nested values as a script's run writes them: a complex number as its two parts."""
    if isinstance(values, tuple):
        return [parts(value) for value in values]
    return [values.real, values.imag] if isinstance(values, complex) else values


@pytest.mark.parametrize("name", CASES)
def test_a_script_comes_to_the_same_value_and_gradients(name, reports, ended):
    report = reports[name]
    assert report.output is not None
    value, gradients = ended[name]
    assert value == parts(report.output.value)
    assert gradients == {one.name: parts(one.autograd) for one in report.gradients}


@pytest.mark.parametrize("name", [f"program {name}" for name in PROGRAMS])
def test_a_script_of_a_program_prints_the_same(name, reports, ended):
    assert reports[name].printed
    assert ended[name] == "".join(reports[name].printed)


def test_the_prelude_is_that_of_the_language():
    assert (ROOM.parent / "prelude.txt").read_text() == PRELUDE


def script(report):
    return render(report, "python", width=None, colour=False)


def test_a_source_with_imports_stands_as_it_is(stored):
    text = script(stored("loop"))
    assert "from torch import *" not in text
    assert text.startswith("# fit.py · float32 · cpu · seed 0: this run, under torch alone\n\nimport torch\n")
    assert text.endswith(stored("loop").source)


def test_bindings_beside_imports_leave_python_its_names(stored):
    binding = Binding("k", "randn(3)", (3,), "float32", "cpu", False, (0.0, 0.0, 0.0), "constant")
    text = script(replace(stored("loop"), bindings=(binding,)))
    assert text.index("k = ") < text.index("from builtins import abs, all") < text.index("X = torch.randn")


def test_a_source_without_imports_stands_under_the_prelude(stored):
    text = script(stored("accumulate"))
    assert f"\n{PRELUDE}\ntorch.manual_seed(0)\n\n" in text
    assert text.endswith(stored("accumulate").source)


def test_modes_and_defaults_are_set_for_the_source_alone(stored):
    report = replace(
        stored("accumulate"), default_dtype="float64", mode="no_grad", autocast="bfloat16", device="cuda:1"
    )
    text = script(report)
    assert "torch.set_default_dtype(torch.float64)\ntorch.set_default_device('cuda:1')\n" in text
    assert (
        "with torch.autocast('cuda', dtype=torch.bfloat16):\n    with torch.no_grad():\n        # b" in text
    )
    compile(text, "script", "exec")


def test_numbers_from_standard_input_are_written_out(stored):
    binding = Binding("x", "@-", (3,), "float32", "cpu", True, (1.0, float("nan"), float("-inf")), "leaf")
    text = script(replace(stored("sin"), bindings=(binding,)))
    assert "x = torch.as_tensor([1.0, math.nan, -math.inf], dtype=torch.float32).requires_grad_()\n" in text


def test_a_failed_expression_is_evaluated_and_no_more(stored):
    text = script(stored("failed"))
    assert ".backward(" not in text
    assert "\nout = mean(relu(X @ w) + b)\n" in text


def test_a_name_that_is_none_makes_no_code(stored):
    report = stored("sin")
    text = script(replace(report, bindings=(replace(report.bindings[0], name="x\nimport os"),)))
    assert "\nimport os" not in text
    assert "# x import os is no name\n" in text
