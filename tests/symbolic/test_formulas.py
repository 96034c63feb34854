"""The formulas as they are printed, and what is said where there is none."""

import pytest
import torch

from autograd_cli.symbolic.derive import LocalFactors, differentiate
from autograd_cli.symbolic.unparse import unparse

X = torch.arange(30.0).reshape(10, 3) / 10
SHAPES = {
    "X": X, "w": torch.ones(3, 1), "b": torch.zeros(1), "t": torch.ones(10, 1), "v": [1.0, 2.0, 3.0],
    "u": [4.0, 5.0, 6.0], "A": torch.eye(3) + 1, "x": 2.0, "y": 3.0, "c": 0.5,
}  # fmt: skip

GOLDEN = """
sin(x**2)                    | x | 2*x*cos(x**2)
x**3                         | x | 3*x**2
x**2 + y**3                  | x | 2*x
x**2 + y**3                  | y | 3*y**2
(x*y+1)**2                   | x | 2*y*(x*y + 1)
(x*y+1)**2                   | y | 2*x*(x*y + 1)
x*y + sin(x)                 | x | y + cos(x)
x*y + sin(x)                 | y | x
x*y + c                      | c | 1
x*2                          | x | 2
3*x - x                      | x | 2
x*x                          | x | 2*x
x*x*x                        | x | 3*x**2
x*x + sin(x*x)               | x | 2*x*(1 + cos(x*x))
x - sin(x)                   | x | 1 - cos(x)
-sin(x) + x*y                | x | y - cos(x)
x/y                          | x | 1/y
x/y                          | y | -x/y**2
1/x                          | x | -1/x**2
0.1*x**3                     | x | 0.3*x**2
x**0.5                       | x | 0.5/x**0.5
x**-2                        | x | -2/x**3
x**y                         | x | y*x**(y - 1)
x**y                         | y | xlogy(x**y, x)
2**x                         | x | math.log(2)*2**x
sqrt(x)                      | x | 1/(2*sqrt(x))
exp(x)                       | x | exp(x)
exp(-x**2/2)                 | x | -x*exp(-x**2/2)
log(x)                       | x | 1/x
x*log(x)                     | x | log(x) + 1
log(x)*x - x                 | x | log(x)
-(v*log(v)).sum()            | v | -log(v) - 1
(v*log(v)).sum()*x           | v | x*(log(v) + 1)
log(x)*y                     | x | y/x
1/x**2                       | x | -2/x**3
y/(1 + x)**3                 | x | -3*y/(1 + x)**4
y/(1 + x)**3                 | y | 1/(1 + x)**3
x/x**2                       | x | 1/x**2 - 2*x/x**3
x**(y + 1)                   | x | (y + 1)*x**y
exp(x)*sin(x)                | x | exp(x)*sin(x) + cos(x)*exp(x)
v[1]**2                      | v | 2*zeros_like(v).select_scatter(v[1], 0, 1)
2*v[1]                       | v | 2*eye(3)[1]
softmax(v, 0)[0]             | v | softmax(v, 0)*(eye(3)[0] - (softmax(v, 0)*eye(3)[0]).sum())
sum(v[1:]**2)                | v | 2*zeros_like(v).slice_scatter(v[1:], 0, 1)
v[v > 1].sum()               | v | zeros_like(v).masked_scatter(v > 1, ones(2))
tanh(x)                      | x | 1 - tanh(x)**2
x.tanh()                     | x | 1 - x.tanh()**2
torch.sigmoid(x)             | x | torch.sigmoid(x)*(1 - torch.sigmoid(x))
erf(x)                       | x | 2*exp(-x**2)/math.sqrt(pi)
abs(x)                       | x | sign(x)
floor(x)                     | x | 0
floor(v)                     | v | zeros_like(v)
relu(v)                      | v | where(v > 0, 1.0, 0.0)
relu(v)*u                    | v | where(v > 0, u, 0)
where(abs(x) < 1, 0.5*x**2, abs(x) - 0.5) | x | where(abs(x) < 1, x, sign(x))
where(v > 2, 3*v, -v).sum()  | v | where(v > 2, 3.0, -1.0)
where(v > 0, v*u, v*v).sum() | v | where(v > 0, u, 2*v)
where(x > 0, sqrt(x), x)     | x | where(x > 0, 1.0, 0.0)/(2*sqrt(x)) + where(x > 0, 0.0, 1.0)
-(u*log(sigmoid(v)) + (1-u)*log(1-sigmoid(v))).mean() | v | 1/3 * (sigmoid(v)*(1 - u) - u*(1 - sigmoid(v)))
(t*log(sigmoid(X@w))).mean() | w | 1/10 * X.T @ (t*(1 - sigmoid(X@w)))
(log(1-sigmoid(X@w))).mean() | w | -1/10 * X.T @ sigmoid(X@w)
-(u*log(softmax(v, 0))).sum() | v | u.sum()*softmax(v, 0) - u
where(abs(X@w) < 1, 0.5*(X@w)**2, abs(X@w)).mean() | w | 1/10 * X.T @ where(abs(X@w) < 1, X@w, sign(X@w))
mean((tanh(X@A + v)@w - t)**2) | A | 2/10 * X.T @ ((1 - tanh(X@A + v)**2)*((tanh(X@A + v)@w - t)@w.T))
mean((relu(X@A + v)@w - t)**2) | v | 2/10 * where(X@A + v > 0, (relu(X@A + v)@w - t)@w.T, 0).sum(0)
(tanh(v)*u + tanh(v)).sum()  | v | (1 - tanh(v)**2)*(1 + u)
F.leaky_relu(v, 0.2)         | v | where(v > 0, 1, 0.2)
x.detach()*x                 | x | x.detach()
v*2                          | v | full_like(v, 2)
v.sum()                      | v | ones_like(v)
x*v.sum()                    | v | x*ones_like(v)
mean(v**2)                   | v | 2/3 * v
mean((v - u)**2)             | u | -2/3 * (v - u)
mean(v)                      | v | full_like(v, 1/3)
mean(1/v)                    | v | -1/(3*v**2)
norm(v - u)                  | v | (v - u)/norm(v - u)
v@u                          | v | u
v@A@v                        | v | A@v + A.T@v
v@A@v                        | A | outer(v, v)
(A@v).sum()                  | v | A.sum(0)
mean((X@w+b-t)**2)           | w | 2/10 * X.T @ (X@w + b - t)
mean((X@w+b-t)**2)           | b | 2/10 * (X@w + b - t).sum(0)
mean((X@w+b-t)**2)           | X | 2/10 * (X@w + b - t) @ w.T
mean((X@w+b-t)**2)           | t | -2/10 * (X@w + b - t)
F.mse_loss(X@w, t)           | w | 2/10 * X.T @ (X@w - t)
sum((X@w-t)**2) + c*sum(w**2) | w | 2*X.T@(X@w - t) + 2*c*w
norm(X@w - t)                | w | X.T @ (X@w - t) / norm(X@w - t)
(X@w).sum()                  | w | X.T @ ones(10, 1)
(X@w + b).sum()              | b | full_like(b, 10)
tanh(X@w).sum()              | w | X.T @ (1 - tanh(X@w)**2)
(X.T@t).sum()                | X | t.expand_as(X)
softmax(v, 0)@u              | v | softmax(v, 0)*(u - (u*softmax(v, 0)).sum())
log_softmax(v, 0)@u          | v | u - u.sum()*softmax(v, 0)
logsumexp(v, 0)              | v | softmax(v, 0)
v.var()                      | v | v - mean(v)
prod(v)                      | v | where(eye(3) == 1, 1, v).prod(1)
max(v)                       | v | where(v == max(v), 1.0, 0.0)/(v == max(v)).sum()
A.T@v                        | A | v.unsqueeze(1).expand_as(A)
""".strip().splitlines()


@pytest.mark.parametrize("line", GOLDEN)
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    found = derive(source, **SHAPES)[name]
    assert found.text == text
    assert found.agrees, (found.value, found.gradient)


FIGURES = [
    ("x**2 + y**3", {"x": 2.0, "y": 3.0}, {"x": 4, "y": 27}),
    ("sin(x**2)", {"x": 2.0}, {"x": -2.614574}),
    ("x*y + sin(x)", {"x": 2.0, "y": 3.0}, {"x": 2.583853, "y": 2}),
    ("(a*b+1)**2", {"a": 1.0, "b": 2.0}, {"a": 12, "b": 6}),
    ("w*x+b", {"x": 2.0, "w": 3.0, "b": 1.0}, {"x": 3, "w": 2, "b": 1}),
]


@pytest.mark.parametrize(("source", "values", "slopes"), FIGURES)
def test_figures_of_the_tutorials(derive, source, values, slopes):
    found = derive(source, **values)
    assert {name: round(found[name].value.item(), 6) for name in slopes} == slopes


def test_shapes_and_notes_of_linear_regression(derive):
    found = derive("mean((X@w+b-t)**2)", **{name: SHAPES[name] for name in "Xwbt"})
    assert {name: found[name].derivative.shapes for name in found} == {
        "X": "(10,3) = (10,1) @ (1,3)",
        "w": "(3,1) = (3,10) @ (10,1)",
        "b": "(1,) = (10,1) summed",
        "t": "",
    }
    assert found["w"].derivative.notes == ("10 is the number of elements that mean() averages",)


def test_no_note_where_the_number_is_not_in_the_formula(derive):
    found = derive("mean(X + b)", X=X, b=[0.0])["b"]
    assert (found.text, found.derivative.notes) == ("ones_like(b)", ())


def test_a_binding_that_does_not_reach_the_output(derive):
    assert derive("x + 0*y.detach()", x=2.0, y=3.0)["y"].text == "0"
    assert derive("x + y.detach()", x=2.0, y=[3.0])["y"].text == "zeros_like(y)"


def test_zero_times_a_value_stays_written(derive):
    assert derive("0*x*y", x=2.0, y=3.0)["x"].text == "0*y"


def test_what_is_not_differentiated_stands_as_it_is(derive):
    assert derive("x*(x > 1)*x.detach()", x=[1.0, 2.0])["x"].text == "x.detach()*(x > 1)"


def test_a_random_draw_stands_in_the_formula(tape):
    steps, root = tape("x*rand(3)*2", {"x": [1.0, 2.0, 3.0]})
    assert unparse(differentiate(steps, root, [0])[0].formula) == "2*rand(3)"


def test_two_draws_with_one_text_have_no_formula(tape):
    steps, root = tape("x*rand(3)*rand(3)", {"x": [1.0, 2.0, 3.0]})
    assert differentiate(steps, root, [0])[0].reason == "two random draws with the same text"
    steps, root = tape("x + rand(3) + rand(3)", {"x": [1.0, 2.0, 3.0]})
    assert unparse(differentiate(steps, root, [0])[0].formula) == "ones_like(x)"


COND = "cond is made of factors of a matrix, and has no short formula: write it by svd, qr or solve"
REASONS = [
    ("nextafter(x, x)", [1.0, 2.0], "nextafter has no derivative rule yet"),
    ("linalg.cond(x)", torch.diag(torch.tensor([1.0, 2.0])), COND),
    ("F.dropout(x)", [1.0, 2.0], "dropout draws at random what it drops"),
    ("F.pad(x, (1, 1), 'reflect')", [[1.0, 2.0]], "pad with mode 'reflect' has no derivative rule"),
    ("frexp(x)[0]", [1.0, 2.0], "frexp with several results has no derivative rule yet"),
    ("0**x", 2.0, "a power of a number that is not positive has no derivative by its exponent"),
    ("prod(x)", torch.ones(2000), "prod of so many elements has no formula of reasonable cost"),
    ("F.mse_loss(x, x, weight=x)", [1.0], "mse_loss with these arguments has no derivative rule yet"),
    ("x.sum(int(x))", [0.0], "the value of an argument is not known where formulas are made"),
    ("F.rrelu(x, training=True)", 2.0, "rrelu draws its slopes at random while training"),
]


@pytest.mark.parametrize(("source", "value", "reason"), REASONS)
def test_reasons(tape, source, value, reason):
    steps, root = tape(source, {"x": value, "n": 0})
    found = differentiate(steps, root, [0])[0]
    assert (found.formula, found.reason) == (None, reason)


def test_a_binding_that_is_a_dimension_has_its_value_in_the_formula(tape):
    steps, root = tape("(x**2).sum(n)", {"x": [[1.0, 2.0]], "n": 1})
    assert unparse(differentiate(steps, root, [0])[0].formula) == "2*x"


def test_a_missing_rule_on_one_way_leaves_the_other_bindings_alone(tape):
    steps, root = tape("linalg.cond(x)*y + y", {"x": torch.diag(torch.tensor([1.0, 2.0])), "y": 2.0})
    found = {s.name: differentiate(steps, root, [s.index])[s.index] for s in steps if s.kind == "binding"}
    assert found["x"].reason == COND
    assert unparse(found["y"].formula) == "linalg.cond(x) + 1"


@pytest.mark.parametrize(("count", "reason"), [(200, ""), (201, "longer than 200 operations")])
def test_length(tape, count, reason):
    steps, root = tape("x" + "+x" * count, {"x": 1.0})
    assert differentiate(steps, root, [0])[0].reason == reason


def test_nested_200_deep(tape):
    steps, root = tape("sin(" * 190 + "x" + ")" * 190, {"x": 1.0})
    assert unparse(differentiate(steps, root, [0])[0].formula).count("cos(") == 190


def test_complex_numbers(tape):
    steps, root = tape("(x*(1 + 2j)).real", {"x": 1.0})
    assert differentiate(steps, root, [0])[0].reason == "complex numbers have no derivative rules yet"


def test_names_hidden_by_bindings_are_written_with_their_module(derive):
    found = derive("sin(cos)", cos=0.5)["cos"]
    assert found.text == "torch.cos(cos)"
    assert found.agrees
    found = derive("erf(pi)*special.i0(x)", pi=0.5, x=1.0)
    assert found["pi"].text == "2*exp(-pi**2)*special.i0(x)/math.sqrt(math.pi)"
    assert found["pi"].agrees


def test_names_hidden_by_bindings_that_are_not_used(tape):
    steps, root = tape("i0(x)", {"x": 0.5})
    formula = differentiate(steps, root, [0], hidden=["special"])[0].formula
    assert unparse(formula) == "torch.special.i1(x)"


LOCAL = [
    ("sin(x**2)", [{0: "2*x"}, {0: "cos(x**2)"}]),
    ("x*y + sin(x)", [{0: "y", 1: "x"}, {0: "cos(x)"}, {0: "1", 1: "1"}]),
    ("x*x", [{0: "x", 1: "x"}]),
    ("(x*y+1)**2", [{0: "y", 1: "x"}, {0: "1"}, {0: "2*(x*y + 1)"}]),
    ("x.detach()*x", [{}, {1: "x.detach()"}]),
    ("(v*v).sum()", [{0: "v", 1: "v"}, {}]),
    ("v@v", [{}]),
    ("stack((x, y)).sum()", [{}, {}]),
]


@pytest.mark.parametrize(("source", "factors"), LOCAL)
def test_local_factors(tape, source, factors):
    steps, _ = tape(source, {"x": 2.0, "y": 3.0, "v": [1.0, 2.0]})
    found = [LocalFactors(steps).of(s.index) for s in steps if s.kind == "call"]
    assert found == factors
