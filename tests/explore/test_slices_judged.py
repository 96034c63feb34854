"""What a replay holds and what it makes again: writes in place, cuts, loops, functions, second orders."""

import pytest

LEGAL = {
    "on the way": """\
y = x ** 2
y.mul_(3)
z = y.clone()
z[0] = 100
out = (z * y).sum()
""",
    "through a view of a constant": """\
z = torch.zeros(3)
v = z[0:2]
v.add_(x[1:])
z[2] = x[0] * x[1]
out = (z ** 2).sum()
""",
    "through a view that has no name": """\
y = x * 2
y[1:].mul_(x[:2])
out = (y ** 2).sum()
""",
    "a constant written before": """\
z = torch.zeros(3)
v = z[0:2]
v[0] = 5
z[1] = x[1]
out = (z ** 2).sum() + x[0] * z[0]
""",
    "activations": """\
h = x * 2
h.sigmoid_()
h = h * 1
h += 1
out = (h * x).sum()
""",
    "several times": """\
h = x * 1
for k in range(3):
    h = h * x
    h.add_(k)
out = h.sum()
""",
}


@pytest.mark.parametrize("body", LEGAL.values(), ids=LEGAL)
def test_legal_writes_in_place_agree(explored, only, body):
    report = explored(f"x = torch.tensor([1., 2., 3.], requires_grad=True)\n{body}out.backward()\n")
    (gradient,) = only(report).gradients
    assert str(gradient.verdict) == "OK"
    assert gradient.numeric == pytest.approx(gradient.autograd, rel=1e-5)
    assert "changed in place" in gradient.no_formula
    assert report.status == 0


SILENT = {
    "data of the leaf": ("y = x ** 2\nx.data.fill_(5)\nout = y.sum()\n", (2.0, 4.0, 6.0)),
    "data on the way": ("y = x * 1\nout = (y ** 2).sum()\ny.data.fill_(5)\n", (2.0, 4.0, 6.0)),
    "an alias made by detach": (
        "y = x * 1\nz = y.detach()\nz[0] = 100\nout = (y * 3).sum()\n",
        (0.0, 3.0, 3.0),
    ),
    "an alias without a name": ("y = x * 1\ny.detach()[0] = 7\nout = (y * 3).sum()\n", (0.0, 3.0, 3.0)),
    "no_grad": ("y = x * 1\nwith torch.no_grad():\n    y[0] = 7\nout = (y * 3).sum()\n", (0.0, 3.0, 3.0)),
}


@pytest.mark.parametrize(("body", "slope"), SILENT.values(), ids=SILENT)
def test_a_silent_wrong_gradient_is_wrong_and_warned_of(explored, only, body, slope):
    report = explored(f"x = torch.tensor([1., 2., 3.], requires_grad=True)\n{body}out.backward()\n")
    (gradient,) = only(report).gradients
    assert str(gradient.verdict) == "WRONG"
    assert gradient.numeric == pytest.approx(slope)
    assert [(each.code, str(each.severity)) for each in report.findings] == [("AGX415", "warning")]
    assert report.status == 0


def test_what_is_cut_is_held_as_recorded(explored, only):
    source = """\
x = torch.tensor(2., requires_grad=True)
k = (x * 3).item()
m = (x * 2).detach()
with torch.no_grad():
    n = x + 1
y = x * k + m * x + n * x
y.backward()
"""
    (gradient,) = only(explored(source)).gradients
    assert (gradient.autograd, gradient.numeric) == (13.0, pytest.approx(13.0))
    assert gradient.formula == "n + m + 6.0"
    assert str(gradient.verdict) == "OK"


def test_a_leaf_that_moves_between_two_uses(explored, only):
    source = """\
w = torch.tensor(2., requires_grad=True)
y = w * w
with torch.no_grad():
    w.add_(0)
    v = w + 1
z = v * w + w ** 2
z.backward()
w2 = torch.tensor(2., requires_grad=True)
"""
    (gradient,) = only(explored(source)).gradients
    assert gradient.autograd == 7.0
    assert str(gradient.verdict) == "OK"
    moved = """\
w = torch.tensor(2., requires_grad=True)
y = w * 3
with torch.no_grad():
    w += 1
z = w ** 2 + y
z.backward()
"""
    (gradient,) = only(explored(moved)).gradients
    assert (gradient.autograd, gradient.numeric) == (9.0, pytest.approx(9.0))
    assert gradient.no_formula == "`w` was written between two uses"


def test_functions_and_loops(explored, only):
    source = """\
def block(h, w):
    a = h @ w
    return torch.tanh(a)
torch.manual_seed(0)
x = torch.randn(2, 3)
ws = [torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)]
h = x
for w in ws:
    h = block(h, w)
loss = h.pow(2).mean()
loss.backward()
"""
    report = explored(source)
    gradients = only(report).gradients
    assert [(g.name, str(g.verdict)) for g in gradients] == [("ws_0", "OK"), ("ws_1", "OK")]
    assert gradients[1].formula.startswith("2/6 * torch.tanh(x@ws_0).T @")
    lines = [(n.op, n.name, n.line) for n in report.graph.nodes[:4]]
    assert lines == [
        ("MeanBackward0", "loss", 10),
        ("PowBackward0", "", 10),
        ("TanhBackward0", "h", 3),
        ("MmBackward0", "a", 2),
    ]


def test_a_name_that_stands_for_two_values(explored, only):
    source = """\
x = torch.tensor(2., requires_grad=True)
c = torch.tensor(3.)
y = x * c
c = torch.tensor(5.)
z = y * c * x
z.backward()
"""
    (gradient,) = only(explored(source)).gradients
    assert gradient.no_formula == "`c` stands for two values"
    assert (gradient.autograd, gradient.numeric) == (60.0, pytest.approx(60.0))


@pytest.mark.parametrize("kept", ["(x * k).detach()", "torch.ones(3) * k", "(x > k).float()"])
def test_what_a_list_holds_of_each_round_is_called_by_its_place(explored, only, kept):
    report = explored(
        "x = torch.tensor([1., 2., 3.], requires_grad=True)\nv = torch.ones(3, requires_grad=True)\n"
        f"rows = []\nfor k in range(3):\n    rows.append({kept})\n"
        "out = (torch.stack(rows) * v).sum()\nout.backward()\n"
    )
    (gradient,) = [one for one in only(report).gradients if one.name == "v"]
    assert gradient.formula == "torch.stack([rows_0, rows_1, rows_2]).sum(0)"
    assert gradient.symbolic == pytest.approx(gradient.autograd, rel=1e-5)
    assert (str(gradient.verdict), report.status) == ("OK", 0)


def test_gradients_that_are_asked_for(explored, rows):
    source = """\
x = torch.tensor(2., requires_grad=True)
y = x ** 3
g, = torch.autograd.grad(y, x, create_graph=True)
g2, = torch.autograd.grad(g, x)
print(g2)
"""
    report = explored(source)
    assert [b.call for b in report.backwards] == ["grad", "grad"]
    assert rows(report) == [(3, "y", [("x", 12.0, "OK")]), (4, "g", [("x", 12.0, "OK")])]
    second = report.backwards[1].gradients[0]
    assert second.numeric == pytest.approx(12.0)
    assert second.no_formula == "it is made of a gradient that the program asked torch for"
    assert report.graph.nodes[0].name == "g"


def test_a_gradient_by_a_value_on_the_way(explored, rows):
    source = """\
x = torch.tensor([1., 2.], requires_grad=True)
u = x ** 2
y = (u ** 2).sum()
gu, = torch.autograd.grad(y, u, create_graph=True)
gu.sum().backward()
"""
    report = explored(source)
    assert rows(report) == [
        (4, "y", [("u", (2.0, 8.0), "OK")]),
        (5, "gu.sum()", [("x", (4.0, 8.0), "OK")]),
    ]
    assert report.backwards[0].gradients[0].formula == "2*u"


def test_a_grad_that_has_a_graph_cannot_be_replayed(explored):
    source = """\
x = torch.tensor(2., requires_grad=True)
y = x ** 3
y.backward(create_graph=True)
gx = x.grad
gx.backward()
"""
    gradient = explored(source).backwards[1].gradients[0]
    assert gradient.autograd == 12.0
    assert gradient.verdict is None
    assert "create_graph=True" in gradient.sentence


def test_several_roots_and_inputs(explored, only):
    source = """\
x = torch.tensor(2., requires_grad=True)
w = torch.tensor([1., 3.], requires_grad=True)
a = x * w
b = x ** 2
torch.autograd.backward([a, b], [torch.tensor([1., 10.]), None])
"""
    gradients = only(explored(source)).gradients
    assert [(g.name, g.autograd, str(g.verdict)) for g in gradients] == [
        ("x", 35.0, "OK"), ("w", (2.0, 20.0), "OK"),
    ]  # fmt: skip
    source = source.replace(
        "torch.autograd.backward([a, b], [torch.tensor([1., 10.]), None])", "a.sum().backward(inputs=[w])"
    )
    gradients = only(explored(source)).gradients
    assert [(g.name, g.autograd, str(g.verdict)) for g in gradients] == [("w", (2.0, 2.0), "OK")]


def test_a_cotangent_of_the_program(explored, only):
    source = """\
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
y.backward(gradient=torch.tensor([1., 1., 10.]))
"""
    report = explored(source)
    assert only(report).gradients[0].autograd == (2.0, 2.0, 20.0)
    assert report.output.gradient == (1.0, 1.0, 10.0)
    assert str(only(report).gradients[0].verdict) == "OK"
