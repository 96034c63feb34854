"""A script in this process: what it ends with, what is told, and that nothing of it stays."""

import os
import random
import sys
import warnings

import pytest
import torch

from autograd_cli.diagnose.scripts import inside
from autograd_cli.report.diagnosis import Frame

FAILING = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x)

print("begun")
Net()(torch.zeros(5, 7)).sum().backward()
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text, *words, watch=False, **beside):
        for name, other in beside.items():
            (tmp_path / f"{name}.py").write_text(other)
        (tmp_path / "fit.py").write_text(text)
        return inside.run("fit.py", words, watch)

    return made


def names(outcome):
    return [(one.finding.code, one.finding.name) for one in outcome.findings]


def test_an_error_of_torch_is_told_with_the_scripts_own_frame(run, tmp_path):
    outcome = run(FAILING)
    assert names(outcome) == [("AGX326", "linear-in-features-mismatch")]
    (told,) = outcome.findings
    assert told.frame == Frame(str(tmp_path / "fit.py"), 10, "forward", "return self.fc(x)")
    assert (outcome.status, outcome.failed, outcome.out) == (1, True, "begun\n")
    assert outcome.error == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x7 and 3x4)"


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("import torch\ntorch.zeros(2) + 1\n", 0, ""),
        ("import sys\nsys.exit(7)\n", 7, ""),
        ("raise SystemExit('no')\n", 1, ""),
        ("{}['a']\n", 1, "KeyError: 'a'"),
        ("def\n", 1, "SyntaxError: invalid syntax (fit.py, line 1)"),
    ],
)
def test_what_is_no_error_of_torch_is_left_alone(run, text, status, error):
    outcome = run(text)
    assert (outcome.findings, outcome.failed, outcome.status, outcome.error) == ((), False, status, error)


MATMUL = "import torch\ntry:\n    torch.zeros(2, 3) @ torch.zeros(2, 3)\nexcept RuntimeError as error:\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{MATMUL}    raise ValueError('batch 3') from error\n", ["AGX301"]),
        (f"{MATMUL}    raise KeyError('batch 3')\n", ["AGX301"]),
        (f"{MATMUL}    raise error\n", ["AGX301"]),
        (f"{MATMUL}    raise\n", ["AGX301"]),
        (f"{MATMUL}    raise KeyError('batch 3') from None\n", []),
        (f"{MATMUL}    pass\n{{}}['x']\n", []),
        (f"{MATMUL}    print(error)\n    raise SystemExit(2)\n", ["AGX301"]),
        (f"{MATMUL}    raise SystemExit(0)\n", []),
        ("raise RuntimeError('mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)')\n", []),
        ("assert False, 'mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)'\n", []),
    ],
)
def test_what_the_script_raises_itself_is_not_torchs_but_may_come_from_it(run, text, found):
    assert [one.finding.code for one in run(text).findings] == found


def test_an_error_of_another_process_is_found_in_the_words_of_the_one_that_ends_the_script(run):
    text = """\
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, at):
        return torch.zeros(2, 3) @ torch.zeros(2, 3)
for batch in DataLoader(Data(), num_workers=1):
    pass
"""
    outcome = run(text)
    assert names(outcome) == [("AGX301", "matmul-shape-mismatch")]
    assert outcome.findings[0].frame.line == 7


def test_an_error_that_ends_a_thread_is_a_warning_and_the_script_goes_on(run):
    text = """\
import threading, torch
def probe():
    torch.ones(2) @ torch.ones(3)
threading.Thread(target=probe).start()
print("result ok")
"""
    outcome = run(text)
    (told,) = outcome.findings
    assert (outcome.status, outcome.failed, "result ok\n" in outcome.out) == (0, False, True)
    assert (told.finding.code, told.finding.severity.value, told.frame.line) == ("AGX301", "warning", 3)
    assert told.finding.sentence == "`torch.ones(2) @ torch.ones(3)` multiplies vectors of 2 and 3 elements."


def test_a_warning_of_torch_is_told_each_time(run):
    text = """\
import torch, torch.nn.functional as F
F.mse_loss(torch.zeros(5, 1, requires_grad=True), torch.zeros(5)).backward()
"""
    for _ in range(2):
        outcome = run(text)
        assert names(outcome) == [("AGX407", "silent-loss-broadcast")]
        assert (outcome.status, outcome.failed) == (0, False)


def test_what_torch_warned_of_before_tells_which_mistake_an_error_is(run):
    text = """\
import torch
from torch.utils.checkpoint import checkpoint
checkpoint(torch.nn.Linear(3, 1), torch.ones(2, 3), use_reentrant=True).sum().backward()
"""
    assert names(run(text)) == [("AGX439", "checkpoint-reentrant-no-grad-input")]


def test_a_warning_that_the_script_takes_itself_is_not_told(run):
    text = """\
import warnings, torch, torch.nn.functional as F
with warnings.catch_warnings(record=True) as seen:
    F.mse_loss(torch.zeros(5, 1, requires_grad=True), torch.zeros(5)).backward()
print(len(seen))
"""
    assert (run(text).findings, run(text).out) == ((), "1\n")


def test_a_script_has_its_words_and_what_lies_beside_it(run):
    outcome = run("import sys, beside\nprint(sys.argv, __name__, beside.a)\n", "-x", "--n=3", beside="a = 4")
    assert outcome.out == "['fit.py', '-x', '--n=3'] __main__ 4\n"
    assert run("import beside\nprint(beside.a)\n", beside="a = 55").out == "55\n"


CHANGED = """\
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def test_of_one_mistake_the_watch_tells_with_the_words_and_the_tensors_of_the_error(run):
    (plain,) = run(CHANGED).findings
    outcome = run(CHANGED, watch=True)
    (watched,) = outcome.findings
    assert (plain.finding.code, plain.frame.line) == ("AGX409", 5)
    assert (watched.finding.code, watched.frame.line, outcome.status) == ("AGX409", 4, 1)
    assert "modified by an inplace operation" in watched.finding.torch
    assert [one.name for one in watched.tensors] == [one.name for one in plain.tensors] == ["y", "x"]


def test_the_watch_tells_of_a_script_that_comes_to_its_end(run):
    text = CHANGED.replace("y += 1", "y.data += 1")
    assert (run(text).findings, run(text).status) == ((), 0)
    outcome = run(text, watch=True)
    assert ([one.finding.code for one in outcome.findings], outcome.status) == (["AGX415"], 0)


def test_nothing_of_a_script_stays(run, tmp_path):
    def state():
        mode = torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_anomaly_enabled()
        return (
            *mode,
            *(sys.argv, list(sys.path), sys.modules["__main__"], os.getcwd(), warnings.WarningMessage),
            *(torch.get_rng_state().tolist(), random.getstate(), torch.zeros(1).device.type, sys.stdout),
        )

    before = state()
    text = """\
import os, sys, random, torch
os.makedirs("deeper")
os.chdir("deeper")
sys.argv.append("x")
sys.path.insert(0, "y")
torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.set_grad_enabled(False)
torch.autograd.set_detect_anomaly(True)
random.random(), torch.rand(1, device="cpu")
torch.manual_seed(3)
1/0
"""
    assert run(text).error == "ZeroDivisionError: division by zero"
    assert state() == before
