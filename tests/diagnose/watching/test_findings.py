from math import inf, isnan

import pytest

from autograd_cli.report import Severity

LOOP = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
{body}
"""


STEP = "opt.zero_grad()\nloss.backward()\nopt.step()"
LOSS = "loss = net(torch.randn(4, 3)).pow(2).mean()\nloss.backward()\n"
SUM = "net(torch.randn(4, 3)).sum().backward()\nopt.step()\n"


def loop(body):
    return LOOP.format(body="\n".join(f"    {line}" for line in body.splitlines()))


# Gradients that are not finite


NAN = {
    "sqrt at 0": ("x = torch.tensor([4., 0.], requires_grad=True)\n(x.sqrt() * x).sum().backward()", "Sqrt"),
    "pow below 1": ("x = torch.tensor([4., 0.], requires_grad=True)\n(x**0.5 * x).sum().backward()", "Pow"),
    "log at 0": (
        "x = torch.tensor([4., 0.], requires_grad=True)\ntorch.where(x > 0, x.log(), x).sum().backward()",
        "Log",
    ),
    "norm": ("x = torch.zeros(3, requires_grad=True)\n(x**2).sum().sqrt().backward()", "Sqrt"),
    "hypotenuse": (
        "x, y = (torch.zeros(2, requires_grad=True) for _ in 'xy')\n(x**2 + y**2).sqrt().sum().backward()",
        "Sqrt",
    ),
    "unit": ("x = torch.zeros(3, requires_grad=True)\n(x / x.norm()).nansum().backward()", "Div"),
    "0 × inf": (
        "x = torch.rand(2, requires_grad=True)\n(x * 0 * torch.tensor([torch.inf, 1.])).nansum().backward()",
        "Mul",
    ),
}


@pytest.mark.parametrize("case", NAN)
def test_a_gradient_that_is_not_finite_is_an_error_with_the_product_that_made_it(found, case):
    text, node = NAN[case]
    (one,) = found(f"import torch\n{text}\n")
    birth = one.evidence["birth"]
    assert (one.code, one.severity) == ("AGX502", Severity.ERROR)
    assert birth["node"].startswith(node)
    assert isnan(birth["gradient"]) or abs(birth["gradient"]) == inf
    product = birth["arriving"] * birth["factor"]
    assert product == birth["gradient"] or isnan(product)
    assert one.evidence["leaves"][0]["nan"] + one.evidence["leaves"][0]["inf"] > 0


def test_the_branch_that_where_did_not_take_is_told_with_element_and_input(found):
    (one,) = found(
        "import torch\nx = torch.rand(1000) + 1\nx[417] = 0\nx.requires_grad_()\n"
        "loss = torch.where(x > 0, torch.sqrt(x), torch.zeros(1000)).sum()\nloss.backward()\n"
    )
    assert one.name == "nan-grad-masked-branch"
    assert one.line == 5
    leaf = one.evidence["leaves"][0]
    assert (leaf["name"], leaf["nan"], leaf["index"], leaf["value"]) == ("x", 1, [417], 0.0)
    assert "arriving 0 × local factor inf = nan at [417]" in "\n".join(one.cause)


def test_the_first_one_is_told_though_the_next_rounds_only_inherit_it(found):
    (one,) = found(
        loop(
            "x = torch.randn(4, 3)\nif step == 1:\n    x[2] = 0\n    net.bias.data.zero_()\n"
            "loss = net(x).pow(2).sum(1).sqrt().mean()\nopt.zero_grad()\nloss.backward()\nopt.step()"
        )
    )
    assert one.name == "nan-grad-sqrt-at-zero"
    assert one.evidence["birth"]["index"] == [2]
    assert any("then arriving inf × local factor 0 = nan" in line for line in one.cause)


DIVERGED = {
    "loss = torch.log(x * 0).sum()": ("nan-grad-log-at-zero", 3, "self", 0.0),
    "loss = (x / (x - x)).sum()": ("nan-gradient", 3, "other", 0.0),
    "loss = ((x * 1e30) * (x * 1e30)).sum()": ("value-overflow", 3, "self", None),
}


@pytest.mark.parametrize("line", DIVERGED)
def test_a_loss_that_is_not_finite_is_told_with_the_first_value_that_is_not(found, line):
    name, at, operand, value = DIVERGED[line]
    (one,) = found(
        f"import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n{line}\nloss.backward()\n"
    )
    assert (one.name, one.line, one.severity) == (name, at, Severity.ERROR)
    assert value is None or one.evidence["values"][operand] == value


def test_parameters_that_were_broken_before_are_told_so(found):
    body = f"net.bias.data.fill_(torch.nan)\nloss = net(torch.ones(2, 3)).sum()\n{STEP}"
    (one,) = found(loop(body))
    assert one.name == "gradient-diverged"


THROWN_AWAY = (
    "if not torch.isnan(nn.utils.clip_grad_norm_(net.parameters(), 1.0)):\n    opt.step()",
    "if (net.bias.grad != net.bias.grad).any():\n    opt.zero_grad()\nelse:\n    opt.step()",
    "if net.bias.grad.norm().item() < 1e9:\n    opt.step()",
    "for p in net.parameters():\n    p.data -= 0.1 * p.grad.nan_to_num(0.0)",
    "ok = all(bool(torch.isfinite(p.grad).all()) for p in net.parameters())\nif ok:\n    opt.step()",
    "for p in net.parameters():\n    torch.nan_to_num_(p.grad, 0.0, 0.0, 0.0)\nopt.step()",
)


@pytest.mark.parametrize("then", THROWN_AWAY)
def test_what_the_script_looks_for_itself_is_no_mistake(found, then):
    x = "torch.zeros(2, 3) if step == 1 else torch.ones(2, 3)"
    body = (
        f"opt.zero_grad()\nloss = (net({x}) - net.bias).norm()\nloss = loss.sqrt()\nloss.backward()\n{then}"
    )
    assert found(loop(body)) == []
    assert found(loop(body.replace(then, "opt.step()"))) != []


SQRT = "import torch\nw = torch.ones(2, requires_grad=True)\n"
ROUNDS = SQRT + "for i in (1, 0, 1):\n    loss = (w * i).sum().sqrt()\n"
USED = {
    "by nothing": SQRT + "(w * 0).sum().sqrt().backward()\nprint(w.grad.isnan().any())\n",
    "by nothing, of several": "import torch\nfor v in (1.0, 0.0, 1.0):\n"
    "    w = torch.tensor(v, requires_grad=True)\n    w.sqrt().backward()\n    print(w.grad)\n",
    "by nothing, given back": "import torch\nfor v in (1.0, 0.0, 1.0):\n"
    "    w = torch.tensor(v, requires_grad=True)\n    print(torch.autograd.grad(w.sqrt(), w))\n",
    "by an error": ROUNDS + "    w.grad = None\n    loss.backward()\n"
    "    assert w.grad.isfinite().all()\n    w.data -= 0.1 * w.grad\n",
    "by a step after the next backward": SQRT + "opt = torch.optim.Adam([w])\n"
    "(w * 0).sum().sqrt().backward()\nw.sum().sqrt().backward()\nopt.step()\nopt.zero_grad()\n",
    "by a step that is written out": ROUNDS + "    w.grad = None\n    loss.backward()\n"
    "    with torch.no_grad():\n        w -= 0.1 * w.grad\n",
    "by a write, given back": ROUNDS + "    (g,) = torch.autograd.grad(loss, w)\n    w.data -= 0.1 * g\n",
    "by a new leaf": ROUNDS + "    (g,) = torch.autograd.grad(loss, w)\n"
    "    w = (w - 0.1 * g).detach().requires_grad_()\n",
}


@pytest.mark.parametrize("how", USED)
def test_a_gradient_that_is_not_finite_and_is_used_or_all_that_there_is_is_told(found, how):
    (one,) = found(USED[how])
    assert (one.code, one.name) == ("AGX502", "nan-grad-sqrt-at-zero")
    assert one.evidence["birth"]["text"].endswith("sqrt()")


def test_a_step_that_is_left_out_in_the_last_round_is_no_mistake(found):
    skip = "x = torch.rand(2, 3) * (step < 3)\nopt.zero_grad()\nloss = (x @ net.weight.T).norm().sqrt()\n"
    assert found(loop(skip + "loss.backward()\nif step < 3:\n    opt.step()")) == []
    assert found(loop(skip + "loss.backward()\nopt.step()")) != []


def test_a_layer_is_looked_at_whatever_its_function_is_called(found):
    (one,) = found(
        "import torch\nx = torch.ones(2, 3, requires_grad=True)\n"
        "torch.nn.functional.layer_norm(x * 2, (3,), eps=0.0).nansum().backward()\n"
    )
    assert one.evidence["birth"]["node"] == "NativeLayerNormBackward0"
    assert "eps" in one.fix[0].text


def test_a_leaf_that_only_a_function_of_ones_own_was_called_on_is_looked_at(found):
    (one,) = found(
        "import torch\nclass Relu(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
        "        return x.clone()\n    @staticmethod\n    def backward(ctx, g):\n"
        "        return g / ctx.saved_tensors[0]\n"
        "x = torch.tensor([4.0, 0.0], requires_grad=True)\nRelu.apply(x).sum().backward()\n"
    )
    assert one.evidence["leaves"][0]["name"] == "x"


# Losses over all pairs


def test_a_column_that_meets_a_row_in_the_loss_is_drawn_with_both_gradients(found):
    body = f"pred = net(torch.randn(6, 3))\ny = torch.randn(6)\nloss = ((pred - y) ** 2).mean()\n{STEP}"
    (one,) = found(loop(body))
    assert (one.code, one.severity, one.line) == ("AGX407", Severity.WARNING, 10)
    assert one.evidence["shapes"] == [[6, 1], [6]]
    assert one.evidence["result"] == [6, 6]
    as_it_is, meant = one.evidence["gradient"]
    assert as_it_is != pytest.approx(meant)
    assert any(line.startswith("pred") for line in one.cause)
    assert "y[:, None]" in one.fix[0].text


def test_an_operand_with_an_operator_of_its_own_is_put_in_brackets(found):
    (one,) = found(
        "import torch\nX, y = torch.randn(6, 3), torch.randn(6)\nw = torch.ones(3, 1, requires_grad=True)\n"
        "loss = ((X @ w - (y if len(y) else X)) ** 2).mean()\nloss.backward()\n"
    )
    column, row = (fix.text for fix in one.fix)
    assert column.endswith("as a column: (y if len(y) else X)[:, None]")
    assert row.endswith("as a row: (X @ w).squeeze(-1)")
    assert any(line.startswith("d/d (X @ w)") for line in one.cause)


PAIRED = (
    "nn.functional.mse_loss(pred, y)",
    "nn.L1Loss(reduction='sum')(pred, y)",
    "nn.SmoothL1Loss()(y, pred) + net.weight.square().sum()",
    "(y - pred).abs().mean()",
    "torch.mean(torch.square(torch.sub(pred, y)))",
    "((pred - y) ** 2).sum() / 6",
    "torch.sqrt(((pred - y) ** 2).mean())",
)


@pytest.mark.parametrize("loss", PAIRED)
def test_each_form_of_it_is_told_once(found, loss):
    body = f"pred = net(torch.randn(6, 3))\ny = torch.randn(6)\nloss = {loss}\n{STEP}"
    (one,) = found(loop(body))
    assert one.code == "AGX407"
    assert len(one.evidence["gradient"]) == 2


MEANT = (
    "(pred[:, :, None] - y).pow(2).mean()",
    "(pred.squeeze(1) - y).pow(2).mean()",
    "(pred - y[:, None]).pow(2).mean()",
    "(y.unsqueeze(1) - y + pred.mean()).pow(2).mean()",
    "(pred - y).detach().mean() + pred.mean()",
    "(pred / pred.sum(1, keepdim=True).detach()).mean() + pred.mean()",
    "(pred - y).argmax(1).float().mean() * pred.mean()",
)


@pytest.mark.parametrize("loss", MEANT)
def test_what_is_meant_or_not_in_the_loss_is_not_told(found, loss):
    body = f"pred = net(torch.randn(6, 3))\ny = torch.randn(6)\nloss = {loss}\n{STEP}"
    assert found(loop(body)) == []


# Gradients of steps before


ADDED = (
    "net(torch.randn(4, 3)).pow(2).mean().backward()\nopt.step()",
    f"{LOSS}nn.utils.clip_grad_norm_(net.parameters(), 1.0)\nopt.step()",
    f"{LOSS}with torch.no_grad():\n    for p in net.parameters():\n        p -= 0.1 * p.grad",
    f"{LOSS}for p in net.parameters():\n    p.data.add_(p.grad.data, alpha=-0.1)",
    "if step == 0:\n    opt.zero_grad()\nnet(torch.randn(4, 3)).sum().backward()\nopt.step()",
)


@pytest.mark.parametrize("body", ADDED)
def test_a_step_with_the_gradient_of_a_step_before_is_told(found, body):
    (one,) = found(loop(body))
    assert (one.code, one.severity) == ("AGX410", Severity.WARNING)
    assert "backward" in one.cause[1]


def test_the_optimizer_that_clears_is_called_by_its_name(found):
    (one,) = found(loop(ADDED[0].replace("opt.step", "main_opt.step")).replace("opt = ", "main_opt = opt = "))
    assert one.fix[0].text.endswith(": `main_opt.zero_grad()`")


CLEARED = (
    f"net.zero_grad()\n{SUM}",
    f"{SUM}for p in net.parameters():\n    p.grad = None",
    f"{SUM}for p in net.parameters():\n    p.grad.data.zero_()",
    f"{SUM}for p in net.parameters():\n    p.grad *= 0",
    f"{LOSS}if step % 2:\n    opt.step()\n    opt.zero_grad()",
    f"{LOSS}if step == 3:\n    opt.step()",
    "(g,) = torch.autograd.grad(net(torch.randn(4, 3)).sum(), [net.weight])\nnet.weight.data -= 0.1 * g",
)


@pytest.mark.parametrize("body", CLEARED)
def test_gradients_that_are_cleared_or_add_up_on_purpose_are_not_told(found, body):
    assert found(loop(body)) == []


# Values that were changed unseen


def test_new_memory_for_a_leaf_between_forward_and_backward_is_told(found):
    script = (
        "import torch\nw = torch.randn(3, 3, requires_grad=True)\nx = torch.randn(4, 3, requires_grad={})\n"
        "h = (x @ w).sum()\nw.data = w.data * 2\nh.backward()\n"
    )
    assert found(script.format(False)) == []  # nothing kept `w`: its input needs no gradient
    (one,) = found(script.format(True))
    assert (one.code, one.severity, one.line) == ("AGX415", Severity.WARNING, 5)
    assert [each["line"] for each in one.evidence["needed"]] == [4]


UNSEEN_AND_FINE = (
    f"opt.zero_grad()\n{LOSS}net.weight.data.mul_(0.9)\nopt.step()",
    f"net.weight.data.clamp_(-1, 1)\nopt.zero_grad()\n{LOSS}",
    f"loss = net(torch.randn(4, 3)) * 2\nloss.data.clamp_(-1, 1)\nloss = loss.sum()\n{STEP}",
    f"net.weight.data = net.weight.data.float()\nopt.zero_grad()\n{LOSS}",
)


@pytest.mark.parametrize("body", UNSEEN_AND_FINE)
def test_writes_through_data_that_no_call_needed_the_old_value_of_are_not_told(found, body):
    assert found(loop(body)) == []


OF_A_TENSOR = """import torch
x = torch.rand(3, requires_grad=True)
a = x.detach().numpy()
y = x**3
a[1] = 10
y.sum().backward()
"""
OF_AN_ARRAY = """import torch, numpy
a = numpy.ones((4, 3), dtype="float32")
net = torch.nn.Linear(3, 1)
x = torch.from_numpy(a)
y = net(x)
a *= 0
y.sum().backward()
"""


@pytest.mark.parametrize(("script", "changed"), [(OF_A_TENSOR, 5), (OF_AN_ARRAY, 6)])
def test_an_array_of_numpy_that_changes_what_a_call_kept_is_told(found, script, changed):
    (one,) = found(script)
    assert (one.code, one.line) == ("AGX415", changed)
    assert "NumPy" in one.sentence
    assert [each["line"] for each in one.evidence["needed"]] == [changed - 1]


BEFORE = """import torch
import numpy as np
x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
y = x.sqrt()
a = y.detach().numpy()
{}
y.sum().backward()
"""
WRITTEN = (
    "a *= 3",
    "a[0] = 5",
    "np.clip(a, 0.5, None, out=a)",
    "np.add(a, 1, out=(a,))",
    "np.copyto(a, 1)",
    "a.fill(2)",
    "b = a[1:]; b += 1",
    "y.detach().numpy()[:] = 2",
)


@pytest.mark.parametrize("statement", WRITTEN)
def test_an_array_that_was_made_after_the_call_that_kept_its_memory_is_told(found, statement):
    (one,) = found(BEFORE.format(statement))
    assert (one.code, one.line) == ("AGX415", 6)
    assert one.sentence.startswith(
        "`y` (3,), the result of script.py:4, was changed through an array of NumPy"
    )
    assert [each["line"] for each in one.evidence["needed"]] == [4]


UNHARMED = (
    "b = a * 3",
    "a = a.copy(); a *= 3",
    "a[0] = a[0]",
    "z = (x * 2)[:2].exp().detach().numpy(); z[:] = 0",
    "y.detach()[1:].numpy().sum(); np.sort(a)",
)


@pytest.mark.parametrize("statement", UNHARMED)
def test_an_array_that_does_not_change_what_a_call_kept_is_not_told(found, statement):
    assert found(BEFORE.format(statement)) == []


def test_a_function_that_is_handed_the_array_and_writes_into_it_is_told_where_it_is_called(found):
    script = BEFORE.format("spoil(a)") + "a[:] = 0\n"
    (one,) = found(script.replace("x = ", "def spoil(b):\n    b[::2] = 1\nx = ", 1))
    assert one.line == 8


def test_elements_that_no_call_kept_may_be_changed_through_an_array(found):
    script = "import torch\nw = torch.ones(6)\nx = torch.ones(3, requires_grad=True)\n"
    script += "y = (x * w[:3]).sum()\na = w.numpy()\na[{}] = 5\ny.backward()\n"
    assert found(script.format(4)) == []
    assert [one.line for one in found(script.format(1))] == [6]


def test_a_parameter_that_an_array_changes_after_the_backward_is_not_told(found):
    body = f"loss = net(torch.ones(2, 3)).pow(2).sum()\n{STEP}\nview = net.weight.detach().numpy()\n"
    assert found(loop(f"{body}view *= 0.9")) == []


FILLED = (
    "import torch, numpy\na = numpy.ones(4, dtype='float32')\nx = torch.from_numpy(a)\n"
    "w = torch.ones(4, requires_grad=True)\ny = (w * x).sum()\n"
)


def test_a_call_after_the_change_is_not_blamed(found):
    (one,) = found(FILLED + "a[0] = 5\nz = (w * x).sum()\n(y + z).backward()\n")
    assert (one.line, [each["line"] for each in one.evidence["needed"]]) == (6, [5])
    assert ".copy()" in one.fix[0].text


def test_the_backward_of_another_graph_leaves_a_change_to_be_told(found):
    script = FILLED + "z = (w * x).sum()\n{}.backward()\na[0] = 5\n{}.backward()\n"
    assert [each["line"] for each in found(script.format("z", "y"))[0].evidence["needed"]] == [5]
    assert found(script.format("(y + z)", "(w * x).sum()")) == []


def test_what_the_optimizer_of_ones_own_changed_unseen_is_told_as_its_step(found):
    own = (
        "class Own(torch.optim.SGD):\n    def step(self, closure=None):\n"
        "        for p in self.param_groups[0]['params']:\n            p.data.add_(p.grad.data, alpha=-0.1)\n"
    )
    body = "view = net.weight.detach().numpy()\nloss = net(x).sum()\nlate = net(x).sum()\n"
    body += "opt.zero_grad()\nloss.backward()\n{}\nlate.backward()"
    start = own + "opt = Own(net.parameters(), lr=0.1)\nx = torch.ones(2, 3, requires_grad=True)\nfor step"
    (one,) = found(loop(body.format("opt.step()")).replace("for step", start, 1))
    assert one.code == "AGX415"
    assert [each["text"] for each in one.evidence["changed"]] == ["opt.step()"]
    assert found(loop(body.format("pass")).replace("for step", start, 1)) == []


def test_an_array_that_is_filled_again_after_the_backward_is_not_told(found):
    body = (
        "a[:] = step\nloss = net(torch.from_numpy(a)).pow(2).sum()\nopt.zero_grad()\nloss.backward()\na *= 0"
    )
    script = loop(body).replace("opt =", "import numpy\na = numpy.ones((2, 3), dtype='float32')\nopt =")
    assert found(script) == []


def test_a_view_that_torch_no_longer_tells_of_is_no_fault(found):
    every = found(
        "import torch\nw = torch.ones(2, 3, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(3):\n    y = w * 2\n    a, b = y.unbind(0)\n    y[1] = a\n"
        "    (y ** 2).sum().backward()\n    opt.step()\n"
    )
    assert [(one.code, one.line) for one in every] == [("AGX410", 8)]
