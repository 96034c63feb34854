"""What the rows claim, held against the torch that is installed: names, arguments, gradients."""

import ast
import operator
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError

from autograd_cli.lang.arithmetic import CALLS
from autograd_cli.lang.functions import FUNCTIONS, OPERATORS, by_path, members
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS, Function, Kind, row
from autograd_cli.lang.namespaces import NOT_BARE
from autograd_cli.run.operations import callable_for

PRELUDE = (Path(__file__).parent.parent / "prelude.txt").read_text(encoding="utf-8")

EVERY = (*FUNCTIONS, *OPERATORS.values())
WITH_EXAMPLE = [f for f in EVERY if f.example is not None]

# Casts to fewer bits: a step that these can write, so that the difference is exact.
COARSE = {f"torch.Tensor.{name}" for name in ("float", "half", "bfloat16", "cfloat", "chalf")}

# What torch says of functions that it has and would rather not.
TORCH_WARNS = (
    "ignore:.* is deprecated:UserWarning",
    "ignore:index_reduce.. is in beta:UserWarning",
    "ignore:ComplexHalf support is experimental:UserWarning",
)


def said(function: Function) -> str:
    return f"operator {function.operator}" if function.operator else function.path


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What a source sees under the prelude."""
    found: dict[str, Any] = {}
    exec(PRELUDE, found)
    return found


@pytest.fixture(autouse=True, scope="module")
def _in_float64_on_one_thread() -> Iterator[None]:
    """Tensors of a few elements gain nothing from threads, and wait for them on a busy machine."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(dtype)
    torch.set_num_threads(threads)


def bound(text: str, names: dict[str, Any]) -> torch.Tensor:
    """A binding's value: a leaf in float64, or the integers and truth values as they are."""
    value = torch.as_tensor(eval(text, dict(names)))
    is_leaf = value.is_floating_point() or value.is_complex()
    return value.clone().requires_grad_(is_leaf)


def compiled(function: Function) -> tuple[CodeType, CodeType]:
    """The statements of the example before its last one, and that one's value: None where it has none."""
    assert function.example is not None
    statements = ast.parse(function.example.source).body
    value: ast.expr = ast.Constant(None)
    if isinstance(statements[-1], ast.Expr):
        value = statements.pop().value
    start = compile(ast.Module(statements, []), function.path, "exec")
    return start, compile(ast.fix_missing_locations(ast.Expression(value)), function.path, "eval")


def prepared(
    function: Function, names: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[torch.Tensor, ...]]:
    """The example as a function of its leaves, drawing the same random numbers each time; the leaves."""
    assert function.example is not None
    values = {name: bound(text, names) for name, text in function.example.bindings.items()}
    leaves = {name: value for name, value in values.items() if value.requires_grad}
    start, last = compiled(function)

    def evaluate(*given: torch.Tensor) -> Any:
        torch.manual_seed(0)
        seen = {**names, **values, **dict(zip(leaves, given, strict=True))}
        exec(start, seen)
        return eval(last, seen)

    return evaluate, tuple(leaves.values())


@pytest.mark.filterwarnings(*TORCH_WARNS)
@pytest.mark.parametrize("function", [f for f in WITH_EXAMPLE if f.differentiable], ids=said)
def test_the_example_has_a_finite_value_and_the_right_gradient(
    function: Function, names: dict[str, Any]
) -> None:
    evaluate, leaves = prepared(function, names)
    value = evaluate(*leaves)
    assert isinstance(value, torch.Tensor)
    assert value.is_floating_point()
    assert value.requires_grad
    assert torch.isfinite(value).all()
    eps = 0.125 if function.path in COARSE else 1e-6
    assert torch.autograd.gradcheck(evaluate, leaves, eps=eps, check_undefined_grad=False)


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True to a scalar:UserWarning")
@pytest.mark.parametrize("function", [f for f in WITH_EXAMPLE if not f.differentiable], ids=said)
def test_the_example_lets_no_gradient_through(function: Function, names: dict[str, Any]) -> None:
    evaluate, leaves = prepared(function, names)
    with torch.set_grad_enabled(True):
        value = evaluate(*leaves)
    if not isinstance(value, torch.Tensor) or value.grad_fn is None:
        return
    if function.kind is Kind.RANDOM:
        for gradient in torch.autograd.grad(value.sum(), leaves):
            assert not gradient.any()
    else:
        with pytest.raises(RuntimeError, match=r"^derivative for aten::\w+ is not implemented$"):
            torch.autograd.backward(value, torch.ones_like(value))


def test_a_wrong_gradient_is_caught(names: dict[str, Any]) -> None:
    at_a_kink = row("torch.relu", "x where positive", "relu(x)", kind=Kind.ELEMENTWISE, x="[0.]")
    evaluate, leaves = prepared(at_a_kink, names)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        torch.autograd.gradcheck(evaluate, leaves)


def test_torch_has_what_the_rows_claim() -> None:
    x = torch.ones(2, 2, dtype=torch.complex128)
    for function in FUNCTIONS:
        if function.attribute and function.path.startswith("torch.Tensor."):
            assert isinstance(callable_for(function)(x), torch.Tensor), function.path
        else:
            assert callable(callable_for(function)), function.path
        if function.method:
            assert callable_for(function, method=True) is getattr(torch.Tensor, function.name)


def test_bare_names_come_with_the_prelude() -> None:
    """`from torch import *` brings what stands in `torch.__all__`, nothing else."""
    bare = {f.name for f in FUNCTIONS if f.path == f"torch.{f.name}"}
    assert NOT_BARE.isdisjoint(torch.__all__)
    by_name = {"set_grad_enabled"}
    assert bare - NOT_BARE - by_name <= set(torch.__all__)


def test_a_method_that_torch_has_is_not_left_out() -> None:
    own = {"device", *(f.name for f in FUNCTIONS if f.path.startswith("torch.Tensor."))}
    left_out = {
        f.name
        for f in FUNCTIONS
        if f.path == f"torch.{f.name}" and hasattr(torch.Tensor, f.name) and not f.method
    }
    assert left_out <= own


# What changes the memory or its size, runs code, or is for sparse tensors.
REFUSED_IN_PLACE = {
    "apply_", "as_strided_", "map2_", "map_", "resize_", "resize_as_", "resize_as_sparse_", "set_",
    "share_memory_", "sparse_resize_", "sparse_resize_and_clear_",
}  # fmt: skip


def test_every_method_in_place_has_a_row() -> None:
    in_place = {name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")}
    rows = {name for name, row in members("torch.Tensor").items() if row.writes}
    assert rows == in_place - REFUSED_IN_PLACE - {"requires_grad_"}


@pytest.mark.parametrize(
    "function",
    [f for f in FUNCTIONS if "requires_grad" in [a.name for a in f.arguments] and f.kind is not Kind.CUT],
    ids=said,
)
def test_creation_takes_dtype_device_and_requires_grad(function: Function, names: dict[str, Any]) -> None:
    assert function.example is not None
    values = {name: bound(text, names) for name, text in function.example.bindings.items()}
    source = function.example.source.removesuffix(")") + ", dtype=float32, device='cpu', requires_grad=True)"
    made = eval(source, {**names, **values})
    assert (made.dtype, made.device.type, made.requires_grad) == (torch.float32, "cpu", True)


@pytest.mark.parametrize("alias", [(f, a) for f in FUNCTIONS for a in f.aliases], ids=lambda pair: pair[1])
def test_an_alias_gives_what_the_function_gives(alias: tuple[Function, str], names: dict[str, Any]) -> None:
    function, path = alias
    evaluate, leaves = prepared(function, names)
    evaluate_alias, _ = prepared(by_path[path], names)
    torch.testing.assert_close(evaluate_alias(*leaves), evaluate(*leaves), rtol=0, atol=0)


@pytest.mark.parametrize("theirs", NUMPY_KEYWORDS)
def test_torch_takes_numpys_keywords(theirs: str) -> None:
    ours = NUMPY_KEYWORDS[theirs]
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    given = {"input": x, "dim": 0, "keepdim": True, "other": x}
    call = torch.mul if ours == "other" else torch.sum
    kept = {"input", "other"} if ours == "other" else {"input", "dim", "keepdim"}
    plain = {name: given[name] for name in kept}
    numpy = {theirs if name == ours else name: value for name, value in plain.items()}
    assert torch.equal(call(**numpy), call(**plain))


@pytest.mark.parametrize("function", [f for f in OPERATORS.values() if not f.writes], ids=said)
def test_an_operators_callable_does_what_its_source_says(function: Function, names: dict[str, Any]) -> None:
    evaluate, leaves = prepared(function, names)
    assert function.example is not None
    values = [bound(text, names) for text in function.example.bindings.values()]
    if function.operator == "[]":
        values.append(torch.tensor(1))
    value = callable_for(function)(*values)
    assert torch.equal(torch.as_tensor(value), torch.as_tensor(evaluate(*leaves)))


@pytest.mark.parametrize("function", [f for f in OPERATORS.values() if f.writes], ids=said)
def test_the_operator_of_an_assignment_changes_the_tensor(function: Function, names: dict[str, Any]) -> None:
    evaluate, leaves = prepared(function, names)
    assert function.example is not None
    x, y = (bound(text, names) for text in function.example.bindings.values())
    z = x.detach().clone()
    callable_for(function)(*((z, 1, y[0].detach()) if function.operator == "[]=" else (z, y.detach())))
    assert torch.equal(z, evaluate(*leaves))


def test_operators_work_on_numbers_too() -> None:
    assert callable_for(OPERATORS["**"])(2, 3) == 8
    assert callable_for(OPERATORS["+="])(2, 3) == 5
    assert set(CALLS) == {symbol for symbol, each in OPERATORS.items() if not each.writes}


def test_a_function_and_its_method_are_told_apart() -> None:
    function = by_path["torch.reshape"]
    x = torch.arange(6)
    assert callable_for(function) is torch.reshape
    assert callable_for(function, method=True)(x, 2, 3).shape == (2, 3)


def test_a_function_that_is_no_method_is_not_looked_up_on_tensors() -> None:
    with pytest.raises(AssertionError, match=r"^torch\.stack is not a method of tensors$"):
        callable_for(by_path["torch.stack"], method=True)


def test_a_row_that_torch_does_not_have_is_found_out() -> None:
    wrong = row("torch.sinn", "a sine misspelled", kind=Kind.ELEMENTWISE)
    with pytest.raises(AttributeError, match="module 'torch' has no attribute 'sinn'"):
        callable_for(wrong)


def test_attributes_are_read() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert isinstance(callable_for(by_path["torch.Tensor.T"]), operator.attrgetter)
    assert callable_for(by_path["torch.Tensor.T"])(x).shape == (3, 2)


QUIET = ("rrelu", "rrelu_", "scaled_dot_product_attention", "multi_head_attention_forward")


@pytest.mark.filterwarnings(*TORCH_WARNS)
def test_what_draws_says_so_and_nothing_else_does(names: dict[str, Any]) -> None:
    quiet = {f"torch.nn.functional.{name}" for name in QUIET}
    said_to_draw = {f.path for f in EVERY if f.draws}
    found = {f.path for f in WITH_EXAMPLE if f.differentiable and moves_the_generator(f, names)}
    assert quiet <= said_to_draw, "these draw when they are asked to"
    assert found == said_to_draw - quiet


def moves_the_generator(function: Function, names: dict[str, Any]) -> bool:
    """Whether a call of the example, its bindings made before, draws a random number."""
    evaluate, leaves = prepared(function, names)
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    evaluate(*leaves)
    return not torch.equal(before, torch.random.get_rng_state())


def test_optimizers_step_as_torchs_own_do_and_load_no_compiler():
    code = """
import sys, torch
from autograd_cli.lang.functions import by_path
from autograd_cli.run.operations import callable_for

def fitted(kind):
    torch.manual_seed(0)
    x, w = torch.randn(20, 3), torch.randn(3, requires_grad=True)
    optimizer = kind([w], lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (x @ w).square().mean().backward()
        optimizer.step()
    return repr(optimizer), type(optimizer).__name__, w.tolist(), w.requires_grad

ours = [fitted(callable_for(by_path[f"torch.optim.{name}"])) for name in ("SGD", "Adam")]
assert "torch._dynamo" not in sys.modules
assert ours == [fitted(torch.optim.SGD), fitted(torch.optim.Adam)]
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
