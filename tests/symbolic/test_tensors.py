"""Rules of sums, products and shape changes against autograd, in every rank and broadcast both ways."""

import pytest
import torch

from autograd_cli.lang.functions import FUNCTIONS
from autograd_cli.run.settings import Settings
from autograd_cli.symbolic.derive import differentiate
from autograd_cli.symbolic.rules import is_known

M, N, ROW, COLUMN = (2, 3), (3, 4), (3,), (2, 1)

CASES = [
    # broadcasting, both ways
    ("(x*y).sum()", M, ROW), ("(x*y).sum()", ROW, M), ("(x*y).sum()", M, COLUMN),
    ("(x*y).sum()", COLUMN, ROW), ("(x/y).sum()", (1,), (2, 1, 3)), ("x*y", (), M), ("(x - y)**2", (1, 1), M),
    ("x**y", (2, 1), (1, 3)), ("(x + y).sum()", (1,), (4, 1)), ("(x + y).sum()", (1, 1), (4, 3)),
    ("(x + y)*y", (1, 3), (2, 3)), ("sin(x + y)", (1,), (2, 3)), ("sin(x + y)", (2, 1, 1), (3, 1)),
    ("maximum(x, y)", (2, 1), (3,)), ("where(x > 0, x*y, y)", M, ROW), ("relu(x*y)", M, COLUMN),
    ("lerp(x, y, 0.3)", M, M),
    # reductions
    ("x.sum()", M), ("x.sum(0)", M), ("x.sum(1, keepdim=True)", M), ("x.sum((0, 2))", (2, 3, 4)),
    ("sum(x, -1)", M), ("sum(input=x, dim=1)", M), ("x.sum(axis=1, keepdims=True)", M), ("x.sum(())", M),
    ("x.sum(0)", ()), ("x.sum(0)*y", M, ROW), ("x.sum(1)*y", M, (2,)), ("x.sum((0, 2))*y", (2, 3, 4), (3,)),
    ("x.sum(1)*y", (2, 3, 4), (2, 4)), ("x.sum(1)*y", (2, 3, 4), (4,)), ("x.sum(1)*y", (2, 3, 4), (2, 1)),
    ("x.mean()", M), ("x.mean(1)*y", M, (2,)), ("mean(x, (0, 1), keepdim=True)*y", M, M),
    ("(x*y).mean(0)", M, ROW), ("x.prod()", M), ("x.prod(1)*y", M, (2,)),
    ("prod(x, 0, keepdim=True)*y", M, M),
    ("x.prod(1)*y", (2, 3, 4), (4,)), ("x.prod()", ()), ("x.prod()", (1,)),
    ("x.logsumexp(1)*y", M, (2,)), ("logsumexp(x, (0, 1))", M),
    ("logsumexp(x, (1,), keepdim=True)*y", M, COLUMN), ("softmax(x, 1)*y", M, M),
    ("(softmax(x, 0)*y).sum()", ROW, ROW), ("softmax(x, 0)", M), ("softmax(x, 0)", ()),
    ("F.softmin(x, 1)*y", M, M), ("log_softmax(x, -1)*y", M, M), ("log_softmax(x, 0)", ROW),
    ("F.softmax(x, dim=0)*x", M), ("norm(x)", M), ("x.norm()*y", M, ()), ("norm(x, dim=1)*y", M, (2,)),
    ("norm(x, 1)", M), ("norm(x, p=3)", M), ("x.norm(2.5, dim=1, keepdim=True)*y", M, COLUMN),
    ("linalg.norm(x)", M), ("linalg.vector_norm(x, 1, dim=0)", M), ("linalg.vector_norm(x, ord=3)", M),
    ("linalg.matrix_norm(x)", M), ("linalg.norm(x, dim=1)*y", M, (2,)), ("var(x)", M),
    ("x.var(1)*y", M, (2,)), ("x.var(unbiased=False)", M), ("var(x, 0, correction=0)", M),
    ("var(x, 0, correction=None)*y", M, ROW), ("std(x, correction=None)", M),
    ("x.var(False)", M), ("std(x)", M), ("std(x, 1, keepdim=True)*y", M, M), ("x.std(0)*y", M, ROW),
    ("max(x)", M), ("x.min()*y", M, ()), ("amax(x, 1)*y", M, (2,)), ("x.amin((0, 1), keepdim=True)", M),
    ("cumsum(x, 1)*y", M, M), ("x.cumsum(0)", ROW), ("trace(x)", M), ("trace(x)*y", M, ()),
    # products
    ("x@y", ROW, ROW), ("x@y", M, ROW), ("(x@y).sum()", M, ROW), ("sin(x@y)", M, ROW), ("x@y", ROW, N),
    ("sin(x@y)", ROW, N), ("x@y", M, N), ("(x@y)**2", M, N), ("sin(x@y)", (5, 2, 3), N),
    ("(x@y).sum()", (5, 2, 3), N), ("sin(x@y)", M, (5, 3, 4)), ("sin(x@y)", (5, 2, 3), (5, 3, 4)),
    ("sin(x@y)", (5, 1, 2, 3), (6, 3, 4)), ("sin(x@y)", (5, 2, 3), ROW), ("(x@y).sum()", (5, 2, 3), ROW),
    ("sin(x@y)", ROW, (5, 3, 4)), ("(x@y).sum()", ROW, (5, 3, 4)), ("(x@y)*2", (3, 1), (1, 4)),
    ("x@y", (2, 1), (1, 3)), ("(x@y).mean()", (4, 3), (3, 1)), ("dot(x, y)", ROW, ROW), ("mv(x, y)", M, ROW),
    ("mm(x, y)", M, N), ("bmm(x, y)", (5, 2, 3), (5, 3, 4)), ("x.matmul(other=y)", M, N),
    ("vdot(x, y)", ROW, ROW), ("outer(x, y)", (2,), ROW), ("sin(outer(x, y))", (2,), ROW),
    ("inner(x, y)", ROW, ROW), ("sin(inner(x, y))", M, (4, 3)), ("x@y@x", ROW, (3, 3)),
    ("x.T@y@x", (3, 1), (3, 3)), ("(x@x.T).sin()", M), ("x@x", (3, 3)), ("sin(x)@cos(y)", M, N),
    ("(x@y).T@x", M, (3, 2)), ("F.linear(x, y)", M, (4, 3)), ("sin(F.linear(x, y, b))", M, (4, 3), (4,)),
    ("sin(F.linear(x, y))", ROW, (4, 3)), ("addmm(b, x, y, beta=2, alpha=3)", M, N, (4,)),
    ("addmv(b, x, y)", M, ROW, (2,)), ("sin(baddbmm(b, x, y))", (5, 2, 3), (5, 3, 4), (5, 2, 4)),
    ("(b*x)@y", M, N, ()), ("(x@y/b)**2", M, N, ()),
    # shapes
    ("x.T@y", M, (2, 4)), ("x.t().sin()*y", M, (3, 2)), ("x.mT*y", (2, 3, 4), (4, 3)), ("x.T*y", M, (2,)),
    ("x.transpose(0, 2)*y", (2, 3, 4), (4, 3, 2)), ("transpose(x, -1, 0)*y", M, (3, 2)), ("x.t()*2", ROW),
    ("x.permute(2, 0, 1)*y", (2, 3, 4), (4, 2, 3)), ("permute(x, (1, 2, 0))*y", (2, 3, 4), (3, 4, 2)),
    ("movedim(x, 0, 2)*y", (2, 3, 4), (3, 4, 2)), ("x.reshape(3, 2)*y", M, (3, 2)), ("x.view(-1)*y", M, (6,)),
    ("x.reshape((6,))", M), ("x.reshape(3, 2)*y", M, (2,)), ("flatten(x)*y", M, (6,)),
    ("x.flatten(1)*y", (2, 3, 4), (12,)), ("x.ravel()*y", M, (6,)), ("x.reshape(())*y", (1,), ()),
    ("x.reshape(1)*y", (), (3,)), ("x.squeeze()*y", (1, 3, 1), ROW), ("x.squeeze(2)*y", (2, 3, 1), M),
    ("x.squeeze(1)*y", (2, 1, 3), (3,)), ("x.unsqueeze(0)*y", ROW, M), ("x.unsqueeze(1)*y", ROW, (3, 4)),
    ("unsqueeze(x, -1)*y", ROW, (3, 1)), ("x.unsqueeze(1)*y", (2, 3), (3,)), ("x.expand(2, 3)*y", (1, 3), M),
    ("x.expand_as(y)*y", ROW, M), ("x.broadcast_to((2, 3))*y", (2, 1), M), ("x.flip(0)*y", M, M),
    ("flip(x, (0, 1))*y", M, M), ("roll(x, 1)*y", M, M), ("x.roll(1, 0)*y", M, M),
    ("tril(x)*y", (3, 3), (3, 3)), ("triu(x, 1)*y", (3, 3), (3, 3)), ("cat((x, y), 1)**2", M, (2, 2)),
    ("cat([x, y])*2", M, M), ("stack((x, y), 1)**2", M, M), ("cat((x, x))**2", M), ("x.clone()*y", M, M),
    ("x.contiguous()*y", M, M), ("x.double()*y", M, M), ("diagonal(x)*y", (3, 3), ROW),
    ("x.diagonal(1)", (3, 3)),
    ("diagonal(x, 0, 0, 2)*y", (2, 3, 4), (3, 2)),
    # indices
    ("x[1]*y", M, ROW), ("x[0, 1]*y", M, ()), ("x[:, 1]*y", M, (2,)), ("x[..., -1]*y", (2, 3, 4), M),
    ("x[1:]*y", N, (4,)), ("x[0, 1:]*y", M, (2,)), ("x[:, None]*y", M, (2, 4, 3)), ("x[None]*y", ROW, M),
    ("x[1, :, None]*y", M, (3, 2)), ("x[::2, 1]*y", N, (2,)), ("x[1:, 1:3]*y", N, (2, 2)), ("x[x > 0]", M),
    ("x[[0, 1, 1]]*y", M, ROW), ("x[()]", ()), ("x[[0, 1], [2, 2]]", M), ("x[tensor([1, 1]), 0]*y", M, (2,)),
    ("x[..., 0, 1:]*y", (2, 3, 4), (2, 3)), ("x[...]", M), ("x.select(1, 2)*y", M, (2,)),
    ("x.narrow(1, 1, 2)*y", M, (2, 2)), ("masked_select(x, x > 0)", M), ("x[-1]**2", M),
    ("gather(x, 1, tensor([[0, 0], [2, 1]]))*y", M, (2, 2)),
    ("index_select(x, 1, tensor([2, 2]))*y", M, (2, 2)),
    # losses
    ("F.mse_loss(x, y)", M, M), ("F.mse_loss(x, y, reduction='sum')", M, M),
    ("F.mse_loss(x, y, reduction='none')", M, M), ("F.l1_loss(x, y)", M, M), ("F.smooth_l1_loss(x, y)", M, M),
    ("F.smooth_l1_loss(x, y, beta=0.5)", M, M), ("F.huber_loss(x, y, delta=0.4)", M, M),
    ("F.binary_cross_entropy(sigmoid(x), sigmoid(y))", M, M),
    ("F.binary_cross_entropy_with_logits(x, sigmoid(y))", M, M),
    ("F.soft_margin_loss(x, sign(b).detach())", M, M, M), ("F.cross_entropy(x, softmax(y, 1))", M, M),
    ("F.cross_entropy(x, y, reduction='none')*b", M, M, (2,)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case)))
def test_rule_agrees_with_autograd(derive, case):
    source, *shapes = case
    torch.manual_seed(1)
    values = {name: torch.randn(shape) for name, shape in zip("xyb", shapes, strict=False)}
    if "**y" in source:
        values["x"] = values["x"].abs()
    for name, found in derive(source, **values).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "source", ["F.cross_entropy(x, t, reduction='{}')", "F.nll_loss(log_softmax(x, 1), t, reduction='{}')"]
)
def test_losses_with_class_targets(derive, source, reduction):
    found = derive(source.format(reduction), x=torch.randn(4, 3), t=torch.tensor([0, 2, 1, 1]))["x"]
    assert found.agrees, (found.text, found.value, found.gradient)


def test_extremes_share_among_equals(derive):
    for source in "max(x)", "amax(x, 1)", "amin(x)", "maximum(x, x.flip(1))":
        found = derive(source, x=[[1.0, 3.0, 3.0], [1.0, 1.0, 2.0]])["x"]
        assert found.agrees, (source, found.text, found.value, found.gradient)


@pytest.mark.parametrize("source", ["prod(x)", "prod(x, 1)", "x.prod(0)", "x[0].prod()"])
def test_a_product_with_zeros(derive, source):
    for x in [[2.0, 0.0, 3.0], [1.0, 2.0, 4.0]], [[0.0, 0.0, 3.0], [0.0, 2.0, 4.0]]:
        found = derive(source, x=x)["x"]
        assert found.agrees, (found.text, found.value, found.gradient)


def test_a_cotangent_is_taken_in(derive):
    found = derive("x**2", "tensor([1.0, 2.0, 3.0])", x=[1.0, 2.0, 3.0])["x"]
    assert found.agrees
    assert found.text == "2*x*tensor([1.0, 2.0, 3.0])"


def test_a_relu_masks_an_infinite_cotangent_as_torch_does(derive):
    found = derive("relu(x)/y", x=[-1.0, 2.0], y=[0.0, 0.0])["x"]
    assert found.text == "where(x > 0, 1/y, 0)"
    assert found.agrees
    assert found.value.tolist() == [0.0, float("inf")]


@pytest.mark.parametrize("source", ["x.sum()", "mean((X@x)**2)", "softmax(x, 0)@x", "norm(x)"])
def test_a_formula_can_be_differentiated_again(derive, source):
    """The rules apply to their own formulas: the second derivative agrees with autograd's."""
    values = {"X": torch.randn(4, 3), "x": torch.randn(3)}
    first = derive(source, **values)["x"]
    if not first.derivative.formula or "like" in first.text:
        assert first.text == "ones_like(x)"
        return
    again = derive(f"({first.text}).sum()", **values)["x"]
    assert again.agrees, (first.text, again.text, again.derivative.reason)


WITH_RULE = [f for f in FUNCTIONS if is_known(f.key)]
EXAMPLES = {f.path: f.example for f in WITH_RULE if f.differentiable and f.example}
ROUGH = {"torch.nn.functional.hardsigmoid"}  # see test_elementwise
COMPLEX = "complex numbers have no derivative rules yet"


def _draws(path, found):
    """Whether there is no formula because of a random draw, as while training."""
    return "dropout" in path and found.derivative.reason.endswith("draws at random what it drops")


@pytest.mark.filterwarnings("ignore:.* is deprecated")
@pytest.mark.parametrize("path", sorted(set(EXAMPLES) - ROUGH))
def test_examples_of_the_function_table(made, derived, path):
    run = made(
        EXAMPLES[path].source, settings=Settings(dtype="float64"), dtype="float64", **EXAMPLES[path].bindings
    )
    assert run.failure is None
    for name, found in derived(run).items():
        assert found.agrees or found.derivative.reason == COMPLEX or _draws(path, found), (
            name,
            found.text,
            found.derivative.reason,
            found.value,
            found.gradient,
        )


def test_a_call_of_more_than_a_thousand_operands_has_a_formula(tape):
    steps, root = tape(f"stack([{','.join(['x'] * 1500)}]).sum()", {"x": 2.0})
    assert differentiate(steps, root, [0])[0].formula is not None


BRANCHES = ["v*u", "2*v", "-v*v", "v.sin()", "3.0", "u", "v/3", "tanh(v)*v", "exp(v)", "v**2/u"]


@pytest.mark.parametrize("first", BRANCHES)
@pytest.mark.parametrize("second", BRANCHES)
def test_branches_put_together_keep_their_value(derive, first, second):
    for found in derive(
        f"where(v > 0, {first}, {second} + v*0).sum()/7", v=[-1.0, 2.0], u=[3.0, 4.0]
    ).values():
        assert found.agrees, (found.text, found.value, found.gradient)


def test_a_branch_that_was_not_taken_spoils_the_formula_as_it_spoils_autograd(derive):
    found = derive("where(x > 0, sqrt(x), x).sum()", x=[0.0, 4.0])["x"]
    assert found.agrees
    assert found.value.isnan().tolist() == [True, False]


@pytest.mark.parametrize(
    "source",
    [
        "rand_like(x)*x + rand_like(x)*x",
        "F.dropout(x).sum() + F.dropout(x).sum()",
        "x.detach()*x + x*x.detach()",
    ],
)
def test_what_draws_or_cuts_is_not_made_one(derive, source):
    found = derive(source, x=[1.0, 2.0])["x"]
    assert found.agrees or found.derivative.formula is None


def test_equal_steps_under_other_modes_are_apart(derive):
    found = derive("with torch.no_grad():\n    c = x*x\nx*x*c", x=3.0)["x"]
    assert found.agrees
    assert found.value == 54
