"""Values under a root laid out as a tape, and as a formula names them."""

import pytest

from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Ref
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.slices import Slice, sliced, whole
from autograd_cli.run.traced import Ran, now
from autograd_cli.symbolic.unparse import unparse


def ran(source: str) -> Ran:
    with torch_state(Settings()):
        return run_program(parse(Source(source)), (), Settings())


def under(source: str, name: str) -> Slice:
    made = ran(source)
    return sliced(made, now(made.names[name]))


X = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def test_values_that_the_root_does_not_need_are_left_out():
    made = under(X + "a = x * 2\nb = x * 3\nc = a + 1", "c")
    assert [(s.kind, s.name or s.variable) for s in made.steps] == [
        ("binding", "x"), ("call", "a"), ("call", "c"),
    ]  # fmt: skip
    assert made.steps[2].args == (Ref(1), 1)
    assert [(b.name, b.role) for b in made.bindings] == [("x", "leaf")]


def test_the_root_may_be_a_leaf():
    made = under(X, "x")
    assert (made.root, made.steps[0].kind) == (0, "binding")


def test_what_is_read_by_name_and_has_no_graph_is_constant():
    made = under(X + "c = torch.ones(2) * 3\ny = x * c * torch.ones(2)", "y")
    assert [(b.name, b.role) for b in made.bindings] == [("x", "leaf"), ("c", "constant")]
    assert made.bindings[1].value.tolist() == [3.0, 3.0]


def test_numbers_become_literals():
    made = under(X + "k = 2 * 3\ny = x * k", "y")
    assert made.steps[1].args == (Ref(0), 6)
    assert unparse(made.tape[1].expr) == "x*6"


@pytest.mark.parametrize(
    ("body", "formula"),
    [
        ("u = x ** 2\ny = torch.sin(u) + u", "torch.sin(x**2) + x**2"),
        ("import torch.nn.functional as G\ny = G.relu(x)", "torch.nn.functional.relu(x)"),
        ("def f(a, k=2):\n    b = a * k\n    return b.exp()\ny = f(x + 1)", "((x + 1)*2).exp()"),
        ("h = x\nfor i in range(2):\n    h = h * x\ny = h.sum()", "(x*x*x).sum()"),
        ("a, b = x[0], x[1]\ny = a * b", "x[0]*x[1]"),
        ("parts = [x * 2, x]\ny = torch.cat(parts)", "torch.cat([x*2, x])"),
    ],
)
def test_formulas_name_leaves_and_constants_alone(body, formula):
    source = X + body if not body.startswith("import") else f"import torch\n{X}{body}"
    made = under(source, "y")
    assert unparse(made.tape[made.root].expr) == formula
    assert made.unwritten() == ""


def test_local_factors_name_the_nearest_variable():
    made = under(X + "u = x ** 2\ny = u * u", "y")
    assert [unparse(step.expr) for step in made.near] == ["x", "u", "y"]


def test_values_stand_as_they_were():
    made = under(X + "y = x * 1\nz = y * 2\ny.mul_(5)\nout = z + y", "out")
    values = {(s.variable, s.value.tolist()[0]) for s in made.steps if s.variable}
    assert values == {("x", 1.0), ("y", 1.0), ("z", 2.0), ("y", 5.0), ("out", 7.0)}
    assert made.unwritten() == "`y` is changed in place"


@pytest.mark.parametrize(
    ("body", "formula"),
    [
        ("h = x * 2\ny = (h.float() * x).sum()", "((x*2).float()*x).sum()"),
        ("c = torch.ones(2)\ny = (x * c.contiguous()).sum()", "(x*torch.ones(2)).sum()"),
        ("c = torch.ones(2)\nd = c.to(torch.float32)\ny = (x * d).sum()", "(x*d).sum()"),
    ],
)
def test_what_gives_its_argument_back_changes_nothing(body, formula):
    made = under(X + body, "y")
    assert unparse(made.tape[made.root].expr) == formula
    assert made.unwritten() == ""


def test_what_is_changed_by_a_flag_is_changed():
    made = under("import torch\nimport torch.nn.functional as F\n" + X + "y = x * 2\nF.relu(y, True)", "y")
    assert made.unwritten() == "`y` is changed in place"


def test_a_constant_that_was_changed_has_two_names():
    made = under(X + "c = torch.ones(2)\na = x * c\nc.add_(1)\nb = a * c", "b")
    assert [(b.name, b.value.tolist()) for b in made.bindings] == [
        ("x", [1.0, 2.0]), ("c", [1.0, 1.0]), ("c_2", [2.0, 2.0]),
    ]  # fmt: skip
    assert made.unwritten() == "`c` stands for two values"


def test_a_leaf_without_a_name_is_called_leaf():
    made = under("y = torch.ones(2, requires_grad=True) * 2", "y")
    (leaf,) = made.bindings
    assert leaf.name == "leaf"


def test_leaves_of_a_list_are_called_by_their_place():
    source = "ws = [torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)]\ny = ws[0] * ws[1]"
    assert [b.name for b in under(source, "y").bindings] == ["ws_0", "ws_1"]


def test_values_that_double_are_not_written_out():
    made = under(X + "y = x * 1\nfor i in range(30):\n    y = y * y", "y")
    assert made.unwritten() == "written out it would not be read"


def test_an_expression_keeps_every_value():
    with torch_state(Settings()):
        made = run_program(parse(Source("(2 * pi, sin(ones(2)))[1]")), (), Settings())
    run = whole(made)
    kinds = [step.kind for step in run.steps]
    assert kinds.count("constant") >= 2
    assert run.output.tolist() == pytest.approx([0.841471, 0.841471])
