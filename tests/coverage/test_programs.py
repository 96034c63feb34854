"""Whole programs: attributes, memory that is shared, backwards that add up, and grad modes."""

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


# Attributes, before and after a backward


def test_a_named_value_is_inspected_before_and_after_a_backward(run):
    source = X + "y = x * 3\ny.backward()\n"
    seen = run(source, Options(inspect="x")).inspected
    before, after = dict(seen.before), dict(seen.after)
    assert (before["grad"], after["grad"]) == ("None", "3")
    assert (before["is_leaf"], before["requires_grad"], before["grad_fn"]) == ("True", "True", "None")


def test_an_image_is_inspected(run):
    source = "import torch\nimage = torch.randn(3, 224, 224)\n"
    rows = dict(run(source, Options(inspect="image")).inspected.rows)
    assert rows["numel"] == "150528"
    assert rows["ndim"] == "3"
    assert rows["dtype"] == "float32"
    assert rows["requires_grad"] == "False"
    assert rows["stride"] == "(50176, 224, 1)"
    assert rows["is_contiguous"] == "True"


def test_a_summary_tells_range_and_what_is_not_finite(run):
    source = "import torch\nz = torch.tensor([0.5, float('nan'), -2.0, float('inf'), 1.0])\n"
    rows = dict(run(source, Options(inspect="z")).inspected.rows)
    assert (rows["nan"], rows["inf"], rows["shape"], rows["device"]) == ("1", "1", "(5,)", "cpu")
    assert rows["range"].startswith("-2 … 1")


# In-place changes and shared memory


@pytest.mark.parametrize(
    ("source", "shares"),
    [
        ("b = a.view(2, 2)", ("b",)),
        ("b = a.reshape(2, 2)", ("b",)),
        ("b = a[1:]", ("b",)),
        ("b = a.detach()", ("b",)),
        ("b = a.unsqueeze(0)", ("b",)),
        ("b = a", ("b",)),
        ("b = a.clone()", ()),
        ("b = a.reshape(2, 2).t().contiguous()", ()),
        ("b = a * 1", ()),
        ("b = a[a > 1]", ()),
    ],
)
def test_a_change_tells_who_shares_the_memory(run, source, shares):
    report = run(f"import torch\na = torch.tensor([1.0, 2.0, 3.0, 4.0])\n{source}\na.add_(10)\n")
    (change,) = report.statements[-1].changed
    assert (change.name, change.kind) == ("a", "in-place")
    assert (change.before, change.after) == ((1, 2, 3, 4), (11, 12, 13, 14))
    assert change.shares == shares


def test_a_write_through_detach_is_seen_in_its_source(run):
    report = run(V + "y = v**2\nz = y.detach()\nz[0] = 100\nprint(y[0].item(), z.requires_grad, z.grad_fn)\n")
    (change,) = report.statements[4].changed
    assert (change.name, change.shares) == ("z", ("y",))
    assert lines(report) == ["100.0 False None"]


def test_a_detached_clone_is_independent(run):
    report = run(V + "y = v**2\nz = y.detach().clone()\nz[0] = 100\nprint(y[0].item())\n")
    assert report.statements[4].changed[0].shares == ()
    assert lines(report) == ["1.0"]


# Backwards


def test_the_kept_gradient_of_a_value_in_the_middle(run):
    report = run(X + "u = x**2\nu.retain_grad()\nz = torch.sin(u)\nz.backward()\nprint(u.grad, x.grad)\n")
    assert lines(report) == ["tensor(-0.6536) tensor(-2.6146)"]
    assert (codes(report), report.status) == ([], 0)
    (once,) = report.backwards
    assert once.value == pytest.approx(-0.7568, abs=5e-5)


def test_two_cells_give_twice_the_gradient_and_are_told(run, found):
    cells = "z = torch.sin(x**2)\nz.backward()\nprint(x.grad)\n"
    cells += "u = x**2\nz = torch.sin(u)\nz.backward()\nprint(x.grad)\n"
    report = run(X + cells)
    assert lines(report) == ["tensor(-2.6146)", "tensor(-5.2291)"]
    assert [one.gradients[0].autograd for one in report.backwards] == pytest.approx([-2.6146] * 2, abs=5e-5)
    assert report.backwards[1].grad_after["x"] == pytest.approx(-5.2291, abs=5e-5)
    finding = found(report, "AGX410")
    assert (finding.line, finding.severity, report.status) == (8, "warning", 0)


ADDED = """y1 = x ** 2
y1.backward()
print(x.grad)  # tensor(4.)
y2 = x ** 3
y2.backward()
print(x.grad)  # tensor(31.)
x.grad.zero_()
y3 = x ** 4
y3.backward()
print(x.grad)  # tensor(32.)
"""


def test_gradients_that_add_up(run, found):
    report = run(X + ADDED)
    assert lines(report) == ["tensor(4.)", "tensor(16.)", "tensor(32.)"]
    own = [(one.gradients[0].autograd, one.gradients[0].verdict) for one in report.backwards]
    assert own == [(4, Verdict.OK), (12, Verdict.OK), (32, Verdict.OK)]
    assert [one.grad_after["x"] for one in report.backwards] == [4, 16, 32]
    assert [one.grad_before["x"] for one in report.backwards] == [None, 4, 0]
    assert [found(report, "AGX410").line, found(report, "AGX320").line] == [7, 8]
    assert [s.claim for s in report.statements if s.claim] == ["tensor(31.)"]
    assert (len(report.findings), report.status) == (2, 0)


def test_the_fix_of_gradients_that_add_up_was_run(run, found):
    (fix,) = found(run(X + ADDED), "AGX410").fix
    assert (fix.ran, fix.passed) == (True, True)
    assert lines(run(fix.program)) == ["tensor(4.)", "tensor(12.)", "tensor(32.)"]


def test_the_same_backward_three_times(run):
    report = run(X + "for i in range(3):\n    y = x * 2\n    y.backward()\n    print(x.grad)\n")
    assert lines(report) == ["tensor(2.)", "tensor(4.)", "tensor(6.)"]
    assert [(one.number, one.count) for one in report.backwards] == [(1, 3), (3, 3)]
    assert codes(report) == ["AGX410"]


@pytest.mark.parametrize("between", ["x.grad.zero_()", "x.grad = None", "x.grad.data.zero_()"])
def test_a_gradient_that_is_cleared_is_not_warned_about(run, between):
    report = run(X + f"(x**2).backward()\nprint(x.grad)\n{between}\n(x**3).backward()\nprint(x.grad)\n")
    assert lines(report) == ["tensor(4.)", "tensor(12.)"]
    assert codes(report) == []


def test_a_leaf_that_is_reached_twice_in_a_program(run):
    report = run(X + "y = torch.tensor(3.0, requires_grad=True)\nz = x*y + torch.sin(x)\nz.backward()\n")
    of_x, of_y = report.backwards[0].gradients
    assert (of_x.autograd, of_y.autograd) == (pytest.approx(2.5839, abs=5e-5), 2)
    leaves = [node.leaf for node in report.graph.nodes if node.leaf]
    assert sorted(leaves) == ["x", "y"]


def test_a_square_in_steps(run):
    source = "a = torch.tensor(1.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\n"
    source += "c = a * b\nd = c + 1\ne = d**2\ne.backward()\nprint(e.item(), a.grad, b.grad)\n"
    report = run("import torch\n" + source)
    assert lines(report) == ["9.0 tensor(12.) tensor(6.)"]
    assert [gradient.autograd for gradient in report.gradients] == [12, 6]


def test_a_bare_backward_from_a_vector_ends_the_program(run, found):
    report = run(V + "y = v * 2\nprint(y)\ny.backward()\n")
    assert (found(report, "AGX401").line, report.status) == (5, 1)
    assert len(lines(report)) == 1
    assert report.statements[-1].failed


def test_a_vector_goes_back_with_what_each_element_counts(run):
    report = run(V + "y = v * 2\ny.backward(gradient=torch.tensor([1.0, 1.0, 1.0]))\nprint(v.grad)\n")
    assert lines(report) == ["tensor([2., 2., 2.])"]
    assert (codes(report), report.gradients[0].autograd) == ([], (2, 2, 2))


# Modes and freezing


@pytest.mark.parametrize(
    ("mode", "requires_grad"),
    [
        ("torch.no_grad()", False),
        ("torch.enable_grad()", True),
        ("torch.set_grad_enabled(False)", False),
        ("torch.set_grad_enabled(True)", True),
        ("torch.inference_mode()", False),
    ],
)
def test_what_is_recorded_under_a_mode(run, mode, requires_grad):
    report = run(X + f"with {mode}:\n    y = x * 2\nprint(y.requires_grad, y.is_inference())\n")
    assert lines(report) == [f"{requires_grad} {'inference' in mode}"]
    assert report.statements[3].made[0].requires_grad is requires_grad


def test_under_no_grad_nothing_is_kept_for_a_backward(run):
    assert run(X + "y = torch.sin(x)\n").kept_bytes == 4
    assert run(X + "y = torch.sin(x)\n", Options(no_grad=True)).kept_bytes == 0


def test_an_inference_tensor_in_training_is_an_error(run, found):
    report = run(X + "with torch.inference_mode():\n    f = x * 2\nloss = x * f\n")
    assert (found(report, "AGX414").line, report.status) == (5, 1)


def test_a_frozen_parameter_gets_no_gradient(run):
    source = (
        "import torch\nbody = torch.randn(4, 4)\nhead = torch.randn(4, 1, requires_grad=True)\n"
        "out = (torch.randn(2, 4) @ body).tanh() @ head\nout.sum().backward()\n"
        "print(body.grad, head.grad.shape)\n"
    )
    report = run(source)
    assert lines(report) == ["None torch.Size([4, 1])"]
    assert ([gradient.name for gradient in report.gradients], codes(report)) == (["head"], [])
