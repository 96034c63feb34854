"""Whole programs: fitting, NumPy, gradients checked by hand, and what tutorials claim."""

import pytest

from autograd_cli.explore import Options
from autograd_cli.report import Verdict

X = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n"
V = "import torch\nv = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"


def lines(report):
    """What a program printed, line by line."""
    return "".join(report.printed).splitlines()


def codes(report):
    return [finding.code for finding in report.findings]


# Fitting


BY_HAND = """import torch
torch.manual_seed(42)
X = torch.linspace(-1, 1, 100).reshape(100, 1)
y = 2 * X + 1 + 0.1 * torch.randn(100, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(500):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(f"{w.item():.4f} {b.item():.4f} {loss.item():.4f}")
"""

WITH_OPTIMIZER = """import torch
w_true = torch.tensor([2.0, -3.0, 1.5])
X = torch.randn(200, 3)
y = X @ w_true + 0.5 + 0.1 * torch.randn(200)
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.{name}([w, b], lr=0.1)
for step in range(300):
    optimizer.zero_grad()
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print((w - w_true).abs().max().item() < 0.1, abs(b.item() - 0.5) < 0.1)
"""


def test_a_line_fitted_by_hand(run):
    report = run(BY_HAND)
    assert lines(report) == ["1.9125 1.0059 0.0121"]
    assert [(one.number, one.count) for one in report.backwards] == [(1, 500), (500, 500)]
    assert all(gradient.verdict is Verdict.OK for one in report.backwards for gradient in one.gradients)
    assert (codes(report), report.status) == ([], 0)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_a_plane_fitted_by_an_optimizer(run, name):
    report = run(WITH_OPTIMIZER.format(name=name))
    assert (lines(report), codes(report), report.status) == (["True True"], [], 0)


# NumPy


def test_numpy_shares_its_memory_and_brings_its_dtype(run, found):
    source = "import numpy as np\nimport torch\na = np.array([1.0, 2.0])\nt = torch.from_numpy(a)\n"
    source += "a[0] = 7\nprint(t)\n"
    report = run(source + "w = torch.ones(2)\nprint((t * w).dtype)\n")
    assert lines(report) == ["tensor([7., 2.], dtype=torch.float64)", "torch.float64"]
    assert found(report, "AGX305").sentence.startswith("`w` is float32 and is promoted")


def test_a_file_of_numpy_is_a_binding(run, tmp_path):
    import numpy

    numpy.save(tmp_path / "x.npy", numpy.array([1.0, 2.0]))
    (binding,) = run("(x**2).sum()", x=f"@{tmp_path / 'x.npy'}").bindings
    assert (binding.dtype, binding.value) == ("float64", (1, 2))


# The check of gradients by hand


CHECK = """import torch
torch.manual_seed(0)
X = torch.randn(10, 3, dtype={dtype})
y = torch.randn(10, 1, dtype={dtype})
W = torch.randn(3, 1, dtype={dtype}, requires_grad=True)
b = torch.zeros(1, dtype={dtype}, requires_grad=True)
def loss_of(W, b):
    return torch.mean((X @ W + b - y) ** 2)
loss_of(W, b).backward()
worst = 0.0
with torch.no_grad():
    for i in range(3):
        e = torch.zeros(3, 1, dtype={dtype})
        e[i] = 1e-4
        slope = (loss_of(W + e, b) - loss_of(W - e, b)) / 2e-4
        worst = max(worst, abs((slope - W.grad[i]).item()))
print(worst)
"""


def test_differences_by_hand_agree_in_float64(run):
    report = run(CHECK.format(dtype="torch.float64"))
    assert float(lines(report)[0]) <= 1e-9
    assert [gradient.verdict for gradient in report.gradients] == [Verdict.OK, Verdict.OK]


def test_differences_by_hand_drown_in_float32_and_the_gradient_is_right_all_the_same(run):
    report = run(CHECK.format(dtype="torch.float32"))
    assert 1e-6 < float(lines(report)[0]) <= 3.5e-3
    assert [gradient.verdict for gradient in report.gradients] == [Verdict.OK, Verdict.OK]


def test_a_step_that_is_too_small_for_float32_is_told(run):
    source, bound = (
        "mean((X@W+b-y)**2)",
        {"X": "randn(10,3)", "W": "randn(3,1)", "b": "zeros(1)", "y": "randn(10,1)"},
    )
    gradients = run(source, Options(eps=1e-4, wrt=("W", "b")), **bound).gradients
    assert any("float32" in gradient.plain_sentence for gradient in gradients)


# What tutorials claim


def test_a_node_has_no_grad_fn_of_its_own(run):
    report = run(X + "y = x**2\nprint(y.grad_fn.grad_fn)\n")
    assert report.status == 1
    assert report.findings[0].severity == "error"


def test_writing_to_data_spoils_only_what_was_kept(run):
    harmless = run(V + "w = v * 2\nv.data.fill_(7.0)\nw.sum().backward()\nprint(v.grad)\n")
    assert (lines(harmless), codes(harmless)) == (["tensor([2., 2., 2.])"], [])


def test_writing_to_data_that_was_kept_gives_a_wrong_gradient_and_is_told(run, found):
    report = run(V + "w = v * v\nv.data.fill_(7.0)\nw.sum().backward()\nprint(v.grad)\n")
    assert lines(report) == ["tensor([14., 14., 14.])"]
    assert found(report, "AGX415").severity == "warning"


def test_two_floating_dtypes_can_be_added(run):
    report = run("import torch\nprint((torch.ones(2) + torch.ones(2, dtype=torch.float64)).dtype)\n")
    assert (lines(report), report.status) == (["torch.float64"], 0)


def test_a_gradient_that_underflows_in_a_program(run, found):
    source = "import torch\nw = torch.tensor(1.0, dtype=torch.float16, requires_grad=True)\n"
    report = run(source + "loss = w * 1e-4 * 1e-4\nloss.backward()\nprint(w.grad)\n")
    assert lines(report) == ["tensor(0., dtype=torch.float16)"]
    assert found(report, "AGX505").severity == "warning"
