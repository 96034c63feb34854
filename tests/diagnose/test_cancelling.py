"""Digits lost to cancellation: measured, blamed, and kept by the form that is equal on paper."""

import math
import re

import pytest
import torch

from autograd_cli.explore import Options, explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding

HEAD = "import torch\nimport torch.nn.functional as F\n"


def found(source: str, *bindings: tuple[str, str], **options: object) -> list[Finding]:
    """The findings of this kind in a report."""
    report = explore(Source(source), bindings, Options(**options))
    assert not (report.findings and report.findings[0].severity == "error")
    return [each for each in report.findings if each.code == "AGX506"]


CASES = [
    ("log(1+x)", 1e-6, "log1p(x)", math.log1p),
    ("log(x+1)", 1e-7, "log1p(x)", math.log1p),
    ("(1+x).log()", 1e-6, "log1p(x)", math.log1p),
    ("exp(x)-1", 1e-6, "expm1(x)", math.expm1),
    ("x.exp()-1", -1e-6, "expm1(x)", math.expm1),
    ("1-exp(-x)", 1e-6, "-expm1(-x)", lambda x: -math.expm1(-x)),
    ("log(exp(x)+1)-x", 12.0, "F.softplus(-x)", lambda x: math.log1p(math.exp(-x))),
    ("sqrt(x+1)-sqrt(x)", 1e6, "1/(sqrt(x + 1) + sqrt(x))", lambda x: 1 / (math.sqrt(x + 1) + math.sqrt(x))),
    ("(x+1)**0.5-x**0.5", 1e6, "1/(sqrt(x + 1) + sqrt(x))", lambda x: 1 / (math.sqrt(x + 1) + math.sqrt(x))),
    ("1-cos(x)", 1e-3, "2*sin(x/2)**2", lambda x: 2 * math.sin(x / 2) ** 2),
    ("cos(x)-1", 1e-3, "-2*sin(x/2)**2", lambda x: -2 * math.sin(x / 2) ** 2),
    ("1-tanh(x)", 8.0, "2*sigmoid(-2*x)", lambda x: 2 / (1 + math.exp(2 * x))),
    ("1-sigmoid(x)", 15.0, "sigmoid(-x)", lambda x: 1 / (1 + math.exp(x))),
    ("1-erf(x)", 3.5, "erfc(x)", math.erfc),
    ("1/x-1/(x+1)", 1e5, "1/(x*(x + 1))", lambda x: 1 / (x * (x + 1))),
    ("sqrt(x**2+1)-x", 1e4, "1/(sqrt(x**2 + 1) + x)", lambda x: 1 / (math.sqrt(x * x + 1) + x)),
    ("(exp(x)-exp(-x))/2", 1e-5, "sinh(x)", math.sinh),
    ("(x+1e8)-1e8", 3.25, "x", lambda x: x),
]  # fmt: skip


@pytest.mark.parametrize(("source", "x", "better", "exact"), CASES, ids=[case[0] for case in CASES])
def test_a_known_expression_is_measured_and_given_its_better_form(source, x, better, exact):
    (finding,) = found(source, ("x", repr(x)))
    assert (finding.name, finding.severity) == ("cancellation", "warning")
    (fix,) = finding.fix
    assert (fix.program, fix.passed) == (better, True)
    held = torch.tensor(x)
    names = {**vars(torch), "F": torch.nn.functional, "x": held}
    wanted = exact(float(held))
    before = abs(float(eval(source, names)) - wanted) / abs(wanted)
    after = abs(float(eval(better, names)) - wanted) / abs(wanted)
    assert after < before / 10
    assert finding.evidence["off"] >= 0.99 * before
    assert finding.evidence["after"] < 1e-5


def test_the_softplus_of_the_study_is_told_by_its_numbers():
    (finding,) = found("log(exp(x)+1)-x", ("x", "12."))
    assert finding.sentence == (
        "`log(exp(x)+1)-x` loses digits in float32: the value is 5.722046e-06, "
        "where float64 has 6.144193e-06: 6.9 % off."
    )
    assert finding.cause == (
        "`log(exp(x)+1)-x` is 5.7220459e-06, where `log(exp(x)+1)` is 12.0000057 and `x` is 12",
        "float32 keeps about 7 digits of each: of those that they share nothing is left in the difference",
        "so the gradient of `x` is -6.198883e-06, where float64 has -6.144175e-06: 0.89 % off",
    )


def test_the_variance_by_the_mean_of_squares():
    (finding,) = found("(x**2).mean()-x.mean()**2", ("x", "[1000.,1000.1,1000.3]"))
    assert finding.fix[0].program == "x.var(correction=0)"
    (rows,) = found("(x*x).mean(1,keepdim=True)-x.mean(1,keepdim=True)**2", ("x", "[[1000.,1000.1],[1.,9.]]"))
    assert rows.fix[0].program == "x.var(dim=1, keepdim=True, correction=0)"
    assert " at [0, 0], " in rows.sentence


def test_a_difference_of_squares():
    (finding,) = found("x**2-y**2", ("x", "1000.01"), ("y", "1000."))
    assert finding.fix[0].program == "(x - y)*(x + y)"


@pytest.mark.parametrize(
    ("lines", "mended"),
    [
        ("e = torch.exp(x)\ny = torch.log(e + 1) - x\nloss = y.sum()", "y = F.softplus(-x)"),
        ("a = torch.exp(-x)\nb = 1 + a\nloss = b.log().sum()", "loss = F.softplus(-x).sum()"),
        (
            "def f(v):\n    return torch.sqrt(v + 1) - torch.sqrt(v)\nloss = f(x * 1e5).sum()",
            "return 1/(torch.sqrt(v + 1) + torch.sqrt(v))",
        ),
        ("s = torch.sigmoid(x)\nloss = (1 - s).sum()", "loss = (torch.sigmoid(-x)).sum()"),
    ],
)
def test_a_program_is_mended_in_its_own_line(lines, mended):
    text = f"{HEAD}x = torch.tensor([13.0, 14.0], requires_grad=True)\n{lines}\nloss.backward()\n"
    (finding,) = found(text)
    (fix,) = finding.fix
    assert fix.passed
    assert mended in fix.program
    gradients = []
    for program in (text, fix.program):
        names: dict[str, torch.Tensor] = {}
        exec(program, names)
        gradients.append(names["x"].grad)
    assert gradients[0].shape == gradients[1].shape


def test_in_float64_the_better_form_is_the_measure():
    (finding,) = found("exp(x)-1", ("x", "1e-11"), dtype="float64")
    assert "where the better form has" in finding.sentence
    assert found("x**2-y**2", ("x", "1.00001"), ("y", "1."), dtype="float64") == []


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_loses_sooner(dtype):
    (finding,) = found("log(1+x)", ("x", "1e-4"), dtype=dtype)
    assert f"loses digits in {dtype}" in finding.sentence


def test_digits_lost_are_told_once():
    report = explore(Source("log(exp(x)+1)-x"), [("x", "12.")], Options())
    assert [each.code for each in report.findings] == ["AGX506"]


@pytest.mark.parametrize(
    "source",
    [
        "log(1+x).sum()", "(exp(x)-1).sum()", "log(exp(x)+1).sum()", "(1-cos(x)).sum()",
        "(x**2).mean()-x.mean()**2", "log(softmax(x,0))[0]", "log(exp(x).sum())",
        "((x-x.mean())**2).mean()", "(x-1)**2", "(sqrt(x+1)-sqrt(x)).sum()",
        "(x-x.detach()).sum()", "1-sigmoid(x)", "x-x", "(x+0.1)-0.1", "1e-9*x", "x-sin(x)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_loses_nothing_is_silent(source, dtype):
    assert found(source, ("x", "[0.5,1.,2.]"), dtype=dtype) == []


@pytest.mark.parametrize(
    ("source", "bindings", "blamed"),
    [
        ("x-sin(x)", {"x": "1e-3"}, "x-sin(x)"),
        ("tan(x)-sin(x)", {"x": "1e-3"}, "tan(x)-sin(x)"),
        ("(x+y)**2-x**2-2*x*y", {"x": "1e4", "y": "1e-2"}, "(x+y)**2-x**2"),
    ],
)
def test_without_a_better_form_the_difference_is_named_and_that_none_is_known(source, bindings, blamed):
    (finding,) = found(source, *bindings.items())
    assert finding.sentence.startswith(f"`{blamed}`")
    assert finding.fix[0].text.endswith("which keeps 16 digits: no better form is known")


RIGHT = """\
w = torch.tensor(0.0, requires_grad=True)
x = torch.linspace(-1, 1, 20)
y = 2 * x
for i in range(300):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
    w.grad = None
---
q = torch.randn(4, 8, requires_grad=True)
k = torch.randn(4, 8)
mask = torch.triu(torch.ones(4, 4), diagonal=1) > 0
s = (q @ k.T).masked_fill(mask, float('-inf'))
out = torch.softmax(s, dim=-1) @ k
loss = (out ** 2).mean()
loss.backward()
---
x = torch.randn(32, 10)
w1 = (torch.randn(10, 16) * 0.3).requires_grad_()
h = torch.relu(x @ w1)
mu = h.mean(1, keepdim=True)
var = h.var(1, keepdim=True, correction=0)
loss = (((h - mu) / torch.sqrt(var + 1e-5)) ** 4).mean()
loss.backward()
---
x = torch.randn(64, 32)
w = (torch.randn(32, 1) * 0.1).requires_grad_()
h = x.half() @ w.half()
loss = (h.float() ** 2).mean()
loss.backward()
---
z = torch.randn(8, requires_grad=True)
mu = z[:4]
lv = z[4:]
kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum()
kl.backward()
---
p = torch.softmax(torch.randn(5), 0).requires_grad_()
H = -(p * torch.log(p)).sum()
H.backward()
---
B = torch.zeros(2, 8, requires_grad=True)
x = torch.randn(5, 8)
loss = ((x @ B.T - 1) ** 2).mean()
loss.backward()
---
x = torch.randn(5, 3, requires_grad=True)
n = x / x.norm(dim=1, keepdim=True)
loss = -(n @ n.T).mean() + torch.cdist(x, x).mean()
loss.backward()
---
w = torch.randn(3, requires_grad=True)
x = torch.randn(10, 3)
m = torch.clamp(1 - x @ w, min=0).mean() + 0.01 * (w ** 2).sum()
m.backward()
---
x = torch.randn(6, requires_grad=True)
with torch.autocast('cpu', dtype=torch.bfloat16):
    loss = (torch.randn(6, 6) @ x).float().pow(2).mean()
loss.backward()
"""


@pytest.mark.parametrize("program", RIGHT.split("---\n"))
def test_programs_whose_numbers_are_right_are_silent(program):
    report = explore(Source(f"{HEAD}torch.manual_seed(0)\n{program}"), [])
    assert [each.code for each in report.findings if each.severity != "note"] == []


@pytest.mark.parametrize(
    ("lines", "step"),
    [
        ("y = ((torch.exp(v) - 1) / v).sum() * 3", "torch.exp(v) - 1"),
        ("y = ((1 - torch.cos(v)) / v**2).mean()", "1 - torch.cos(v)"),
        ("y = torch.log(1 + v).prod()", "torch.log(1 + v)"),
    ],
)
def test_the_figures_are_of_the_expression_that_is_named(lines, step):
    text = f"import torch\nv = torch.tensor([2e-2, 3e-5], requires_grad=True)\n{lines}\ny.backward()\n"
    report = explore(Source(text), (), Options())
    (finding,) = [each for each in report.findings if each.code == "AGX506"]
    v = torch.tensor([2e-2, 3e-5])
    own, exact = (float(eval(step, {"torch": torch, "v": value})[1]) for value in (v, v.double()))
    assert finding.sentence.startswith(
        f"`{step}` loses digits in float32: the value is {own:.7g} at [1], where float64 has {exact:.7g}: "
    )
    assert any(line.startswith("so the value of `y` is ") for line in finding.cause)
    assert re.search(r" is the same number: the \w+ of `[vy]` is then [\d.e-]+ % off$", finding.fix[0].text)
