"""Programs to their reports: what each backward adds, judged on its own slice."""

import time

import pytest

from autograd_cli.errors import InputError
from autograd_cli.report import Verdict

ACCUMULATION = """\
x = torch.tensor(2.0, requires_grad=True)

# first
y1 = x ** 2
y1.backward()
print(x.grad)  # tensor(4.)
y2 = x ** 3
y2.backward()
print(x.grad)
x.grad.zero_()
y3 = x ** 4
y3.backward()
print(x.grad)
"""

CHAIN = """\
x = torch.tensor(2.0, requires_grad=True)
u = x ** 2
z = torch.sin(u)
z.backward()
print(x.grad)
u = x ** 2
u.retain_grad()
z = torch.sin(u)
z.backward()
print(u.grad)
print(x.grad)
"""

LINE = """\
torch.manual_seed(42)
X = torch.linspace(-1, 1, 100).reshape(100, 1)
y = 2 * X + 1 + 0.1 * torch.randn(100, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.01
for epoch in range(ROUNDS):
    pred = X @ w + b
    loss = ((pred - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(f"{w.item():.4f} {b.item():.4f} {loss.item():.4f}")
"""


def test_gradients_that_add_up(explored, rows):
    report = explored(ACCUMULATION)
    assert "".join(report.printed) == "tensor(4.)\ntensor(16.)\ntensor(32.)\n"
    assert rows(report) == [
        (5, "y1", [("x", 4.0, "OK")]),
        (8, "y2", [("x", 12.0, "OK")]),
        (12, "y3", [("x", 32.0, "OK")]),
    ]
    assert [b.gradients[0].formula for b in report.backwards] == ["2*x", "3*x**2", "4*x**3"]
    assert [(b.grad_before["x"], b.grad_after["x"]) for b in report.backwards] == [
        (None, 4.0), (4.0, 16.0), (0.0, 32.0),
    ]  # fmt: skip
    assert report.root == "y3"
    assert report.status == 0


def test_the_graph_of_the_root_names_variables_and_lines(explored):
    report = explored(ACCUMULATION)
    assert [(n.op, n.name, n.text, n.line, n.value, n.gradient) for n in report.graph.nodes] == [
        ("PowBackward0", "y3", "x ** 4", 11, 16.0, 1.0),
        ("AccumulateGrad", "", "x", 11, 2.0, 32.0),
    ]
    assert report.output.value == 16.0
    assert report.kept_bytes == 4
    assert report.gradients[0].formula == "4*x**3"


def test_statements_hold_what_was_done(explored):
    report = explored(ACCUMULATION)
    lines = [(s.line, s.text, s.count) for s in report.statements]
    assert lines[0] == (1, "x = torch.tensor(2.0, requires_grad=True)", 1)
    assert lines[3] == (6, "print(x.grad)", 1)
    changed = [(c.name, c.before, c.after, c.added) for s in report.statements for c in s.changed]
    assert changed == [
        ("x.grad", None, 4.0, 4.0),
        ("x.grad", 4.0, 16.0, 12.0),
        ("x.grad", 16.0, 0.0, None),
        ("x.grad", 0.0, 32.0, 32.0),
    ]
    assert [s.line for s in report.statements if "AGX410" in s.findings] == [8]


@pytest.mark.parametrize(("root", "line", "value"), [("y1", 4, 4.0), ("y2", 7, 8.0), ("y3", 11, 16.0)])
def test_any_root_is_shown_as_it_was_at_its_backward(explored, root, line, value):
    report = explored(ACCUMULATION, root=root)
    assert (report.root, report.graph.nodes[0].line, report.graph.nodes[0].value) == (root, line, value)
    assert report.gradients[0].autograd == {"y1": 4.0, "y2": 12.0, "y3": 32.0}[root]


def test_a_root_that_was_freed_is_computed_anew(explored):
    report = explored(CHAIN, root="u", inspect="u")
    assert [(n.op, n.value, n.gradient) for n in report.graph.nodes] == [
        ("PowBackward0", 4.0, 1.0), ("AccumulateGrad", 2.0, 4.0),
    ]  # fmt: skip
    assert report.graph.nodes[0].local.value == 4.0
    assert dict(report.inspected.rows)["grad"] == "-0.6536436"


def test_an_unknown_root_is_refused_with_the_nearest(explored):
    with pytest.raises(InputError, match="--root losss") as caught:
        explored("x = torch.ones(2, requires_grad=True)\nloss = x.sum()\nloss.backward()", root="losss")
    assert caught.value.hint == "Did you mean --root loss?"


def test_two_backwards_of_a_chain(explored, rows):
    report = explored(CHAIN)
    assert "".join(report.printed) == "tensor(-2.6146)\ntensor(-0.6536)\ntensor(-5.2291)\n"
    assert [b.grad_after["x"] for b in report.backwards] == pytest.approx([-2.6145744, -5.2291489])
    assert [row[2][0][1:] for row in rows(report)] == [(pytest.approx(-2.6145744), "OK")] * 2
    names = [(n.name, n.local.formula if n.local else "") for n in report.graph.nodes]
    assert names == [("z", "cos(u)"), ("u", "2*x"), ("", "")]


def test_a_line_is_fitted(explored, rows):
    report = explored(LINE.replace("ROUNDS", "500"))
    assert "".join(report.printed) == "1.9125 1.0059 0.0121\n"
    assert [(b.number, b.count) for b in report.backwards] == [(1, 500), (500, 500)]
    assert all(verdict == "OK" for row in rows(report) for _, _, verdict in row[2])
    assert [g.formula for g in report.gradients] == [
        "2/100 * X.T @ (X@w + b - y)",
        "2/100 * (X@w + b - y).sum(0)",
    ]
    body = [s for s in report.statements if s.depth == 1]
    assert {s.count for s in body} == {500}
    assert report.statements[6].text == "for epoch in range(500):"


def test_long_loops_are_quick(explored):
    explored(LINE.replace("ROUNDS", "2"))
    began = time.process_time()
    explored(LINE.replace("ROUNDS", "50"))
    short = time.process_time() - began
    began = time.process_time()
    explored(LINE.replace("ROUNDS", "500"))
    assert time.process_time() - began < 10 * short + 2


def test_without_a_backward_one_is_made(explored):
    source = "x = torch.tensor([1., 2.], requires_grad=True)\nu = x * 2\ny = u.exp()\nprint(x.grad)"
    report = explored(source, inspect="x")
    assert report.printed == ("None\n",)
    assert report.backwards == ()
    assert report.root == "y"
    assert report.output.gradient == (1.0, 1.0)
    assert report.gradients[0].formula == "2*(x*2).exp()"
    assert str(report.gradients[0].verdict) == "OK"
    assert dict(report.inspected.rows)["grad"] == "None"


def test_a_cotangent_for_the_backward_that_is_made(explored):
    source = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2"
    report = explored(source, grad_output="[1., 10.]")
    assert report.gradients[0].autograd == (2.0, 20.0)


def test_a_program_without_a_graph(explored):
    report = explored("a = torch.tensor([1, 2])\nb = a * 2\nprint(b)")
    assert report.graph is None
    assert report.gradients == ()
    assert report.status == 0


def test_a_failure_keeps_what_came_before(explored):
    source = "x = torch.tensor(2., requires_grad=True)\ny = x ** 2\ny.backward()\ny.backward()\nprint(1)"
    report = explored(source)
    assert report.status == 1
    assert [f.code for f in report.findings if f.severity == "error"] == ["AGX411"]
    assert [b.gradients[0].autograd for b in report.backwards] == [4.0]
    assert [s.count for s in report.statements] == [1, 1, 1, 1, 0]
    assert report.graph.nodes[1].gradient == 4.0


def test_a_leaf_that_is_not_reached_has_no_row(explored, only):
    source = """\
torch.manual_seed(0)
body = torch.randn(4, 4, requires_grad=True)
head = torch.randn(4, 1, requires_grad=True)
body.requires_grad_(False)
out = (torch.randn(2, 4) @ body).tanh() @ head
out.sum().backward()
print(body.grad, head.grad.shape)
"""
    report = explored(source)
    assert [g.name for g in only(report).gradients] == ["head"]
    assert report.printed == ("None torch.Size([4, 1])\n",)
    assert report.status == 0


def test_modes_for_the_whole_run(explored):
    report = explored("x = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()", no_grad=True)
    assert report.graph is None
    assert not report.statements[1].made[0].requires_grad


def test_progress_is_told_before_the_long_stage(explored):
    from autograd_cli.explore import explore

    told = []
    explore(ACCUMULATION, [], progress=told.append)
    assert told[0].printed == ("tensor(4.)\n", "tensor(16.)\n", "tensor(32.)\n")
    assert len(told[0].statements) == 11


def test_check_judges_every_backward(explored):
    assert explored(ACCUMULATION, check=True).status == 0
    wrong = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x ** 2\nx.data.fill_(5)\ny.sum().backward()"
    assert explored(wrong, check=True).status == 1


def test_an_import_of_elsewhere_is_stepped_over_and_said_so(explored):
    report = explored("import torch\nimport matplotlib.pyplot as plt\nx = torch.ones(2)")
    assert [each.remark for each in report.statements] == ["", "stepped over: `plt` is not used", ""]
    assert report.findings == ()


def test_a_statement_whose_error_was_handled_says_so(explored):
    text = "y = torch.ones(2, requires_grad=True) * 2\ntry:\n    y.backward()\nexcept RuntimeError:\n    pass"
    told = [each.remark for each in explored(text).statements]
    assert told == ["", "", "raised RuntimeError", ""]


def test_a_leaf_without_a_variable_is_called_leaf(explored):
    made = "torch.ones(3, requires_grad=True)"
    (backward,) = explored(f"w = {made} * 2\nv = {made} * w\nv.sum().backward()").backwards
    assert sorted(each.name for each in backward.gradients) == ["leaf", "leaf_2"]
    assert all(each.formula for each in backward.gradients)


def test_a_variable_told_to_require_grad_keeps_its_name(explored):
    report = explored("x = torch.tensor(2.0)\ny = x**2\nx.requires_grad_(True)\ny.backward()")
    assert report.graph.nodes[0].text == "x"


def test_a_function_is_no_value_to_inspect(explored):
    with pytest.raises(InputError, match="`--inspect f` names no value") as caught:
        explored("def f(v): return v\ny = ones(2)", inspect="f")
    assert caught.value.hint == "Its names: y."


def test_a_list_is_inspected_with_the_values_in_it(explored):
    report = explored("kept = [1, [ones(2)]]\nkept.append(kept)", inspect="kept")
    assert report.inspected.rows == (("type", "list"), ("value", "[1, [tensor([1., 1.])], [...]]"))


@pytest.mark.parametrize("option", ["no_grad", "inference_mode"])
def test_an_option_that_records_nothing_is_why_there_is_no_gradient(explored, option):
    asked = f"the option --{option.replace('_', '-')} is why torch records nothing."
    told = explored("sigmoid(w*x+b)", ("w", "1."), ("x", "2."), ("b", "3."), **{option: True}).findings
    assert [(each.code, each.sentence) for each in told] == [("AGX402", f"Nothing has a gradient: {asked}")]
    program = "x = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\ny.backward()"
    told = explored(program, **{option: True}).findings
    assert [(each.code, each.sentence) for each in told] == [("AGX402", f"`y` has no graph: {asked}")]


def test_a_cotangent_is_called_by_the_variable_that_holds_it(explored, only):
    source = "x = torch.tensor([1.0, 2.0], requires_grad=True)\nv = torch.tensor([0.1, 0.7])\ny = x*x\n"
    (gradient,) = only(explored(f"import torch\n{source}y.backward(v)")).gradients
    assert (gradient.formula, str(gradient.verdict)) == ("2*x*v", "OK")
    (gradient,) = only(explored(f"import torch\n{source}y.backward(torch.tensor([0.5, 1.0]))")).gradients
    assert gradient.formula == "2*x*torch.tensor([0.5, 1.0])"
    (gradient,) = only(explored(f"import torch\n{source}y.backward(x)")).gradients
    assert (gradient.formula, str(gradient.verdict)) == ("2*x**2", "OK")


def test_a_binding_as_the_cotangent_of_an_expression_is_called_by_its_name(explored):
    report = explored("x*x", ("x", "[1.,2.]"), ("v", "[0.1,0.7]"), grad_output="v", const=("v",))
    assert [g.formula for g in report.gradients if g.name == "x"] == ["2*x*v"]


@pytest.mark.parametrize(
    ("program", "formula"),
    [
        ("def net(inp, v):\n    return ((inp@v)**2).sum()\nloss = net(X, w)", "2 * X.T @ (X@w)"),
        ("def net(inp, v):\n    return ((inp@v)**2).sum()\nA = X*2\nloss = net(A, w)", "2 * A.T @ (A@w)"),
        ("def net(w, X):\n    return ((w@X)**2).sum()\nloss = net(X, w)", "2 * X.T @ (X@w)"),
        ("def train(inp):\n    ((inp@w)**2).sum().backward()\ntrain(X)", "2 * X.T @ (X@w)"),
        ("def train(inp):\n    k = inp*2\n    ((k@w)**2).sum().backward()\ntrain(X)", "2 * k.T @ (k@w)"),
        ("Y = X\nloss = ((Y@w)**2).sum()", "2 * Y.T @ (Y@w)"),
    ],
)
def test_a_formula_has_the_names_of_the_caller(explored, program, formula):
    report = explored(program, ("X", "randn(2,3)"), ("w", "randn(3,1)"), const=("X",))
    (found,) = report.gradients
    assert (found.formula, found.verdict) == (formula, Verdict.OK)


def test_several_results_in_the_last_statement_show_the_graph_of_one(explored):
    report = explored("x = torch.ones(2, 3, requires_grad=True)\na, b = x.exp().unbind(0)")
    assert report.graph is not None
    assert report.graph.nodes[report.graph.root].op == "UnbindBackward0"


@pytest.mark.parametrize(
    "call", ["torch.autograd.grad(y, x, 3)", "torch.autograd.backward([y, y], 3)", "y.backward(3)"]
)
def test_a_cotangent_that_is_no_tensor_is_a_finding(explored, call):
    report = explored(f"x = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\n{call}")
    assert [(f.severity.value, f.line) for f in report.findings] == [("error", 3)]


def test_a_view_whose_graph_torch_does_not_tell_of_any_more_is_no_root(explored):
    report = explored(
        "x = torch.ones(2, 3, requires_grad=True)\nu, v = x.unbind(0)\n"
        "with torch.inference_mode():\n    x[0] = 1.0"
    )
    assert (report.root, report.status) == ("", 0)
