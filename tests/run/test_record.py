"""The interpreter: the same values as Python, each step recorded, failures placed."""

import math

import pytest
import torch
import torch.nn.functional as F

from autograd_cli.errors import LimitError
from autograd_cli.report import Ref
from autograd_cli.run.devices import DeviceMismatch
from autograd_cli.run.settings import Settings


def texts(run: object) -> list[str]:
    return [run.program.source[step.expr.span] for step in run.steps]


def test_each_expression_leaves_a_step_in_order_of_evaluation(made: object) -> None:
    run = made("sin(x**2)*y", x="2", y="3")
    assert texts(run) == ["x", "x**2", "sin(x**2)", "y", "sin(x**2)*y"]
    assert [step.kind for step in run.steps] == ["binding", "call", "call", "binding", "call"]
    assert run.steps[1].args == (Ref(0), 2)
    assert run.root == 4


def test_a_name_read_twice_is_one_step(made: object) -> None:
    run = made("x*x", x="2")
    assert texts(run) == ["x", "x*x"]
    assert run.steps[1].args == (Ref(0), Ref(0))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x + y*2", lambda x, y: x + y * 2),
        ("-x**2", lambda x, y: -(x**2)),
        ("2**-x", lambda x, y: 2**-x),
        ("x @ y", lambda x, y: x @ y),
        ("x // 2 + x % 2", lambda x, y: x // 2 + x % 2),
        ("(x > 1) & (x < 3)", lambda x, y: (x > 1) & (x < 3)),
        ("~(x > 1)", lambda x, y: ~(x > 1)),
        ("x[1:]", lambda x, y: x[1:]),
        ("x[None, ::2]", lambda x, y: x[None, ::2]),
        ("x[x > 1]", lambda x, y: x[x > 1]),
        ("x[[0, 2]]", lambda x, y: x[[0, 2]]),
        ("x[..., -1]", lambda x, y: x[..., -1]),
        ("max(x)", lambda x, y: x.max()),
        ("max(1, 2) * x", lambda x, y: 2 * x),
        ("sum([x, y])", lambda x, y: x + y),
        ("max(x[0], y[0])", lambda x, y: x[0]),
        ("max(x, dim=0).values", lambda x, y: x.max(dim=0).values),
        ("max(x, dim=0)[1]", lambda x, y: x.max(dim=0)[1]),
        ("x.sum() if x[0] > 5 else y.prod()", lambda x, y: y.prod()),
        ("x if 1 < 2 < 3 else y", lambda x, y: x),
        ("x[0] > 5 or y[0]", lambda x, y: y[0]),
        ("x[0] > 0 and y[0]", lambda x, y: y[0]),
        ("not x[0]", lambda x, y: False),
        ("x.shape[0] * y", lambda x, y: 3 * y),
        ("len(x) + y", lambda x, y: 3 + y),
        ("pi * x", lambda x, y: math.pi * x),
        ("math.sqrt(4) * x", lambda x, y: 2.0 * x),
        ("stack([x, y]).T", lambda x, y: torch.stack([x, y]).T),
        ("F.softplus(x, beta=2)", lambda x, y: F.softplus(x, beta=2)),
        ("x.reshape(3, 1).mT", lambda x, y: x.reshape(3, 1).mT),
        ("where(x > 1, x, 0)", lambda x, y: torch.where(x > 1, x, 0)),
        ("x.to(float64)", lambda x, y: x.to(torch.float64)),
        ("zeros_like(x) + full((3,), 7)", lambda x, y: torch.zeros(3) + 7),
        ("torch.sin(x) + linalg.norm(y)", lambda x, y: torch.sin(x) + torch.linalg.norm(y)),
        ("x == y", lambda x, y: x == y),
        ("tensor([1, 2, 3])", lambda x, y: torch.tensor([1, 2, 3])),
        ("einsum('i,j->ij', x, y)", lambda x, y: torch.outer(x, y)),
    ],
)
def test_a_source_means_what_python_means(made: object, source: str, expected: object) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    y = torch.tensor([0.5, -1.0, 2.0])
    run = made(source, x="[1.,2.,3.]", y="[0.5,-1.,2.]")
    want = expected(x, y)
    assert run.failure is None
    if isinstance(want, torch.Tensor):
        assert run.output.dtype == want.dtype
        assert torch.equal(run.output, want)
    else:
        assert run.output is want


def test_only_the_chosen_branch_is_evaluated(made: object) -> None:
    run = made("x if x > 0 else x @ x", x="2")
    assert run.failure is None
    assert "x @ x" not in texts(run)


def test_of_several_results_the_first_that_requires_grad_is_looked_at(made: object) -> None:
    run = made("max(x, 0)", x="[[1.,5.],[2.,0.]]")
    assert run.output.tolist() == [2.0, 5.0]
    assert run.output.requires_grad


def test_a_seed_makes_draws_repeatable_and_leaves_the_process_alone(made: object) -> None:
    before = torch.get_rng_state()
    first, second = made("x*rand(3)", x="1"), made("x*rand(3)", x="1")
    assert torch.equal(first.output, second.output)
    assert torch.equal(torch.get_rng_state(), before)
    other = made("x*rand(3)", x="1", settings=Settings(seed=1))
    assert not torch.equal(first.output, other.output)


def test_the_dtype_is_the_default_of_creation_and_is_restored(made: object) -> None:
    run = made("x + zeros(2)", x="1", settings=Settings(dtype="float64"), dtype="float64")
    assert run.output.dtype == torch.float64
    assert torch.get_default_dtype() == torch.float32


@pytest.mark.parametrize(
    ("source", "held"),
    [
        ("x.detach()", True),
        ("x > 1", True),
        ("argmax(x)", True),
        ("rand(3)", True),
        ("len(x)*x", False),
        ("round(x)", False),
        ("x*2", False),
    ],
)
def test_what_gradients_do_not_pass_is_held(made: object, source: str, held: bool) -> None:
    run = made(source, x="[1.,2.,3.]")
    assert run.steps[run.root].held is held


def test_a_failure_names_the_smallest_expression_and_its_operands(made: object) -> None:
    run = made("sin(x) + cos(X @ w)", x="1", X="randn(2,3)", w="randn(2,3)")
    assert run.root is None
    assert run.program.source[run.failure.expr.span] == "X @ w"
    assert [(o.text, tuple(o.value.shape)) for o in run.failure.operands] == [("X", (2, 3)), ("w", (2, 3))]
    assert "cannot be multiplied" in str(run.failure.error)
    assert texts(run) == ["x", "sin(x)", "X", "w"]


@pytest.mark.parametrize(
    "source",
    ["x @ y", "F.linear(x, y)", "x[y.long()]", "bmm(x[None], y[None])", "x + y", "where(y > 0, x, x)"],
)
def test_operands_on_two_devices_are_found_before_the_call(made: object, source: str) -> None:
    run = made(source, x="randn(2,2)", y="randn(2,2,device='meta')")
    assert isinstance(run.failure.error, DeviceMismatch)


def test_a_tensor_of_several_elements_has_no_truth(made: object) -> None:
    run = made("1 < x < 3", x="[1.,2.]")
    assert "ambiguous" in str(run.failure.error)


@pytest.mark.parametrize(
    "source",
    [
        "zeros(10**12)",
        "randn(3*10**8)",
        "eye(17000)",
        "arange(0, 1, 2e-9)",
        "x.tile((10**12,))",
        "x.expand(10**9) + 1",
        "x.expand(10**9).clone()",
        "kron(ones(140,140), ones(140,140))",
        "einsum('i,j->ij', ones(20000), ones(20000))",
        "outer(x.expand(20000), ones(20000))",
        "F.pad(x, (3*10**8, 0))",
    ],
)
def test_memory_is_refused_before_it_is_taken(made: object, source: str) -> None:
    with pytest.raises(LimitError, match=r"would make a tensor of shape .*; the limit is 1 GiB"):
        made(source, x="[1.]")


def test_the_memory_limit_can_be_raised_and_lowered(made: object) -> None:
    assert made("zeros(2000000)", settings=Settings(max_memory=1 << 30)).output.numel() == 2_000_000
    with pytest.raises(LimitError, match=r"7.63 MiB; the limit is 1 MiB"):
        made("zeros(2000000)", settings=Settings(max_memory=1 << 20))


def test_a_view_of_many_elements_takes_no_memory(made: object) -> None:
    assert made("x.expand(10**9)", x="[1.]").output.shape == (10**9,)


def test_warnings_of_torch_are_kept_and_not_shown(made: object) -> None:
    run = made("F.mse_loss(x, y)", x="randn(3,1)", y="randn(3)")
    assert any("Using a target size" in warning for warning in run.warnings)


def test_a_sum_of_thousands_of_terms_needs_no_stack(made: object) -> None:
    run = made("+".join(["x"] * 4000), x="1")
    assert run.output.item() == 4000


@pytest.mark.parametrize(
    ("link", "op"),
    [
        (".sin()", "SinBackward0"),
        (".T", "PermuteBackward0"),
        ("[:]", "SliceBackward0"),
        (".mul(1)", "MulBackward0"),
    ],
)
def test_a_chain_of_thousands_of_links_needs_no_stack(made: object, link: str, op: str) -> None:
    run = made("x" + link * 3000, x="[[1.,2.]]")
    assert run.failure is None
    assert len(run.steps) == 3001
    assert type(run.output.grad_fn).__name__ == op


def test_the_value_before_the_dot_is_evaluated_first_as_in_python(made: object) -> None:
    run = made("rand(2).sub(randn(2))")
    torch.manual_seed(0)
    assert torch.equal(run.output, torch.rand(2).sub(torch.randn(2)))


def test_what_draws_keeps_the_state_it_drew_from(made: object) -> None:
    run = made("F.dropout(x*rand(8))*2", x="ones(8)")
    drawn = [step for step in run.steps if step.random_state is not None]
    assert [step.function.name for step in drawn] == ["dropout"]
    torch.random.set_rng_state(drawn[0].random_state)
    before = run.steps[drawn[0].args[0].index].value
    assert torch.equal(F.dropout(before), drawn[0].value)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("tensor([1., 2., 3.])", "The list has 3 items; the limit is 2."),
        ("tensor([[1.], [2.]])", "The list has 4 items; the limit is 2."),
        ("tensor((1., 2., 3.))", "The list has 3 items; the limit is 2."),
        ("tensor([0.]*3)", "`*` makes a list of 3 items; the limit is 2."),
        ("x.tolist()", "`tolist` would make a list of 4 items; the limit is 2."),
        ("list(x)", "`list` would make a list of 4 items; the limit is 2."),
        ("tuple(x)", "`tuple` would make a list of 4 items; the limit is 2."),
        ("unbind(x)", "`unbind` makes 4 items; the limit is 2."),
        ("range(5)", "`range` makes 5 items; the limit is 2."),
    ],
)
def test_a_list_of_too_many_items_is_refused(made: object, source: str, sentence: str) -> None:
    with pytest.raises(LimitError, match="the limit is 2") as caught:
        made(source, x="arange(4.)", settings=Settings(max_items=2))
    assert (caught.value.code, caught.value.sentence) == ("AGX606", sentence)
    assert "--max-items" in caught.value.hint


def test_a_run_of_too_many_steps_is_refused_at_the_one_that_is_too_much(made: object) -> None:
    assert len(made("sin(sin(x))", x="1", settings=Settings(max_steps=3)).steps) == 3
    with pytest.raises(
        LimitError, match=r"The source takes more than 2 steps, which is the limit\."
    ) as caught:
        made("sin(sin(x))", x="1", settings=Settings(max_steps=2))
    assert (caught.value.code, caught.value.span) == ("AGX606", (0, 11))
    assert "--max-steps" in caught.value.hint


@pytest.mark.parametrize("source", ["x.to(y)", "x.type_as(y)"])
def test_what_moves_a_tensor_takes_one_elsewhere(made: object, source: str) -> None:
    run = made(source, x="randn(2)", y="randn(3,device='meta')")
    assert run.failure is None
    assert run.output.device.type == "meta"


def test_a_run_keeps_its_settings(made: object) -> None:
    settings = Settings(seed=3, dtype="float64", max_items=7)
    run = made("x", x="1", settings=settings)
    assert run.settings is settings
    assert (run.device, run.dtype, run.seed) == ("cpu", "float64", 3)


def test_of_values_side_by_side_the_first_that_requires_grad_is_looked_at(made: object) -> None:
    run = made("3, x*2, y", x="2.", y="3.")
    assert run.failure is None
    assert (run.output.item(), run.output.requires_grad) == (4.0, True)


@pytest.mark.parametrize("source", ["empty(3)", "empty_like(x)", "x.new_empty(3)", "torch.Tensor(3)"])
def test_memory_that_was_not_set_is_not_shown(made: object, source: str) -> None:
    assert torch.isnan(made(source, x="[1.,2.]").output).all()
    assert made("empty(2, dtype=int64)").output.tolist() == [2**63 - 1] * 2


def test_memory_that_runs_out_in_a_call_is_a_limit(made: object) -> None:
    with pytest.raises(LimitError, match=r"`bincount` needs more memory than there is"):
        made("bincount(tensor([10**13]))")


def test_a_number_makes_no_result_of_an_operator_larger(made: object, monkeypatch: object) -> None:
    from autograd_cli.run import limits

    monkeypatch.setattr(limits, "_predicted", lambda *_: pytest.fail("nothing to predict"))
    assert made("x*1e9 + inf*0", x="2.").failure is None
