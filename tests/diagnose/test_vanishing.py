"""Gradients that are 0: too small for the dtype, by a run in float64, or stopped by a flat function."""

import pytest
import torch

from autograd_cli.explore import Options, explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Verdict

HEAD = "import torch\nimport torch.nn.functional as F\n"


def found(source: str, *bindings: tuple[str, str], **options: object) -> list[Finding]:
    """The findings of this kind in a report."""
    report = explore(Source(source), bindings, Options(**options))
    return [each for each in report.findings if each.code == "AGX505"]


def test_a_loss_under_autocast_is_told_where_zeros_begin_and_which_scales_mend_it():
    pairs = [("x", "randn(8192,256)*0.05"), ("w", "randn(256)*0.05")]
    (finding,) = found("sigmoid(x@w-14).mean()", *pairs, autocast="float16", const=("x",))
    assert (finding.name, finding.severity) == ("gradient-underflow", "warning")
    assert finding.sentence.startswith(
        "Every element of the gradient of `w` is 0 in float16; in float64 none is 0"
    )
    assert finding.cause[0].startswith("lost at `sigmoid(x@w-14)`: 0.000122 arrives, 1.2e-10 leaves")
    assert finding.cause[0].endswith("float16 holds nothing between 0 and 6e-08: 8192 of 8192 became 0")
    assert finding.evidence["zeros"] == 256
    lost = {power: zeros for power, zeros, _, _ in finding.evidence["scales"]}
    assert (lost[1], lost[14]) == (256, 0)
    assert finding.cause[-1].startswith("so scale by 2^")


def test_each_scale_is_what_torch_itself_gives_by_it():
    program = HEAD + (
        "x = torch.linspace(0.5, 3, 40, requires_grad=True)\n"
        "h = torch.exp(-4 * x.half())\nloss = (h * 1e-4).mean()\nloss.backward()\n"
    )
    (finding,) = found(program)
    for power, zeros, finite, off in finding.evidence["scales"]:
        x = torch.linspace(0.5, 3, 40, requires_grad=True)
        loss = (torch.exp(-4 * x.half()) * 1e-4).mean()
        (slope,) = torch.autograd.grad(loss, x, torch.tensor(2.0**power).half())
        exact = torch.linspace(0.5, 3, 40).double().requires_grad_()
        (wide,) = torch.autograd.grad((torch.exp(-4 * exact) * 1e-4).mean(), exact)
        assert int((slope == 0).sum()) == zeros
        assert bool(slope.isfinite().all()) == finite
        if finite:
            assert float((slope / 2**power - wide).norm() / wide.norm()) == pytest.approx(
                off, rel=0.02, abs=1e-4
            )


@pytest.mark.parametrize(
    ("lines", "place", "leaf"),
    [
        ("h = x.half()\ny = (h * h * 1e-4).sum()", "h * h", "x"),
        (
            "with torch.autocast('cpu', dtype=torch.float16):\n    h = x @ x\n    y = (h * 1e-8).sum()",
            "h * 1e-8",
            "x",
        ),
        (
            "def f(v):\n    return (v.to(torch.float16) * 1e-4 * 1e-5).sum()\ny = f(x)",
            "v.to(torch.float16) * 1e-4",
            "x",
        ),
        ("y = 0\nfor i in range(2):\n    y = y + (x.half() * 1e-4 * 1e-5).sum()", "x.half() * 1e-4", "x"),
    ],
)
def test_a_program_is_told_the_line_where_zeros_begin(lines, place, leaf):
    text = f"{HEAD}x = torch.tensor([1e-4, 2e-4], requires_grad=True)\n{lines}\ny.backward()\n"
    (finding,) = found(text)
    assert finding.name == "gradient-underflow"
    assert finding.evidence["leaves"] == [leaf]
    assert f"lost at `{place}`" in finding.cause[0]
    mended = [fix for fix in finding.fix if fix.program]
    assert all(fix.passed for fix in mended)
    for fix in mended:
        names: dict[str, torch.Tensor] = {}
        exec(fix.program, names)
        assert bool((names["x"].grad != 0).all())


def test_a_value_that_is_lost_itself_is_mended_by_no_scale():
    text = "x = torch.tensor([-20.0, -30.0], requires_grad=True)\n"
    text = f"{HEAD}{text}y = torch.exp(x.half()).sum()\ny.backward()\n"
    (finding,) = found(text)
    assert finding.cause[0].startswith("lost at `torch.exp(x.half())`: its value is 2.06e-09 in float64")
    assert finding.cause[-1] == "no scale mends it: `torch.exp(x.half())` is 0 itself, before any gradient is"
    assert [fix.passed for fix in finding.fix] == [True, None]


def test_half_of_the_elements_are_enough_in_half_precision():
    source = "(x*tensor([1.,1e-4,1e-4])*1e-4).sum()"
    (finding,) = found(source, ("x", "[1.,2.,3.]"), dtype="float16")
    assert finding.sentence == (
        "2 of 3 elements of the gradient of `x` are 0 in float16; "
        "in float64 none is 0 and the largest is 0.0001."
    )


def test_float32_has_an_end_too():
    (finding,) = found("(x*1e-30*1e-20).sum()", ("x", "[1.,2.]"))
    assert "float32 holds nothing between 0 and 1.4e-45" in finding.cause[0]


@pytest.mark.parametrize(
    ("source", "x", "name", "cause"),
    [
        ("sigmoid(x).sum()", "[200.,300.]", "saturated-activation", "its operand `x` is 200 to 300"),
        ("tanh(x).sum()", "[50.,-50.]", "saturated-activation", "its operand `x` is -50 to 50"),
        ("relu(x).sum()", "[-1.,-2.]", "saturated-activation", "its operand `x` is -2 to -1"),
        ("(x**2-9).clamp(0,1).sum()", "[1.,2.]", "saturated-activation", "its operand `x**2-9` is -8 to -5"),
        (
            "softmax(x,0).square().sum()",
            "[0.,900.]",
            "saturated-activation",
            "its operand `x` is 0 to 900",
        ),
        ("softmax(x,0).sum()", "[1.,2.]", "constant-sum", None),
    ],
)
def test_a_flat_function_is_named_with_what_it_is_given(source, x, name, cause):
    (finding,) = found(source, ("x", x))
    assert finding.name == name
    assert finding.sentence.startswith("Every element of the gradient of `x` is 0: ")
    assert finding.cause == () if cause is None else finding.cause[0].startswith(cause)


@pytest.mark.parametrize(
    "source",
    [
        "relu(x).sum()", "((x-x.detach())**2).sum()", "softmax(x,0)", "(x*0).sum()", "sigmoid(x).sum()",
        "F.margin_ranking_loss(x,x-9,tensor(1.))", "(relu(x)-x).sum()", "(x-x.mean()).sum()",
        "tanh(x/9).mean()",
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_look_alikes_are_silent(source, dtype):
    assert found(source, ("x", "[1.,2.,4.]"), dtype=dtype) == []


def test_what_rounds_in_the_forward_is_measured_apart_from_the_backward():
    pairs = [("x", "randn(8192,256)*0.05"), ("w", "randn(256)*0.05")]
    (finding,) = found("sigmoid(x@w-14).mean()", *pairs, autocast="float16", const=("x",))
    torch.manual_seed(0)
    x, w = torch.randn(8192, 256) * 0.05, torch.randn(256) * 0.05
    with torch.autocast("cpu", dtype=torch.float16):
        kept = torch.sigmoid(x @ w - 14).double()
    exact = torch.sigmoid(x.double() @ w.double() - 14)
    by_rounded, by_exact = (x.double().T @ (s * (1 - s)) for s in (kept, exact))
    off = float((by_rounded - by_exact).norm() / by_exact.norm())
    assert off > 0.01
    said = f"what float16 rounds in the forward makes the gradient {100 * off:.2g} % off: no scale mends that"
    assert finding.cause[-1].endswith(said)


@pytest.mark.parametrize("offset", [13, 15, 17])
def test_what_partly_underflows_is_lost_digits_and_no_fault_of_torch(offset):
    text = f"""{HEAD}torch.manual_seed(3)
rows = torch.randn(5000, 12)
w = torch.randn(12, 1, requires_grad=True)
with torch.autocast('cpu', dtype=torch.float16):
    loss = torch.sigmoid(rows @ w - {offset}).mean()
loss.backward()
"""
    report = explore(Source(text), (), Options())
    (gradient,) = report.gradients
    assert gradient.verdict is Verdict.PRECISION
    assert report.status == 0
    assert not [finding for finding in report.findings if finding.severity == "error"]
