"""The arguments that the rows claim, held against those that torch takes."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from autograd_cli.lang.functions import FUNCTIONS
from autograd_cli.lang.functions.rows import Function, Kind, row
from autograd_cli.run.legacy import PATHS as LEGACY
from autograd_cli.run.operations import callable_for

PRELUDE = (Path(__file__).parent.parent / "prelude.txt").read_text(encoding="utf-8")

# Arguments that torch's Python layer adds to the operator; each is called below.
PYTHON_ONLY = {
    "torch.nonzero": {"as_tuple"},
    "torch.Tensor.to": {"tensor"},
    "torch.nn.functional.max_pool1d": {"return_indices"},
    "torch.nn.functional.max_pool2d": {"return_indices"},
    "torch.nn.functional.max_pool3d": {"return_indices"},
    "torch.nn.functional.adaptive_max_pool1d": {"return_indices"},
    "torch.nn.functional.adaptive_max_pool2d": {"return_indices"},
    "torch.nn.functional.adaptive_max_pool3d": {"return_indices"},
}

# Written in C++ or with `*args`, so that Python cannot say what they take; called below.
UNDECLARED = {
    "torch.Tensor.cuda",
    "torch.Tensor.new_tensor",
    "torch.Tensor.type",
    "torch.as_tensor",
    "torch.einsum",
    "torch.Tensor.numpy",
    "torch.Size",
    "torch.Tensor",
    "torch.lu",
    "torch.unique",
    "torch.unique_consecutive",
    "torch.broadcast_shapes",
    "torch.nn.functional.fractional_max_pool2d",
    "torch.nn.functional.fractional_max_pool3d",
    "torch.device",
    "torch.autocast",
    "torch.from_numpy",
    "torch.finfo",
    "torch.iinfo",
    *LEGACY,
}


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What a source sees under the prelude."""
    found: dict[str, Any] = {}
    exec(PRELUDE, found)
    return found


def arguments(schema: Any) -> list[tuple[str, bool]]:
    """The arguments of one form of an operator: name, whether it is given by keyword only."""
    return [("input" if a.name == "self" else a.name, a.kwarg_only) for a in schema.arguments if not a.is_out]


def forms(function: Function, call: Callable[..., Any]) -> list[list[tuple[str, bool]]]:
    """Every form in which torch takes the arguments, from Python's signature or the operators'."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except ValueError:
        parameters = ()
    if parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters):
        return [[("input" if p.name == "self" else p.name, p.kind is p.KEYWORD_ONLY) for p in parameters]]
    module = function.path.split(".")[1]
    prefixes = {"special": ("special_", ""), "linalg": ("linalg_", ""), "fft": ("fft_",)}.get(module, ("",))
    found = (torch._C._jit_get_schemas_for_operator(f"aten::{p}{function.name}") for p in prefixes)
    return [arguments(schema) for schema in next(filter(None, found), [])]


def mismatch(function: Function, *, method: bool = False) -> str:
    """What the row says of its arguments that torch does not; empty when they agree."""
    listed = function.method_arguments if method else function.arguments
    taken = forms(function, callable_for(function, method))
    if not taken:
        return "" if [a.name for a in listed] in ([], ["input"]) else "torch does not say what it takes"
    taken = [[(name.rstrip("_"), is_named) for name, is_named in form] for form in taken]
    known = {name for form in taken for name, _ in form} | PYTHON_ONLY.get(function.path, set())
    if function.kind in (Kind.CREATION, Kind.RANDOM):
        known |= {"dtype", "device", "requires_grad"}
    listed = tuple(a._replace(name=a.name.rstrip("_")) for a in listed)
    unknown = [a.name for a in listed if a.name not in known]
    placed = [
        a.name for a in listed if not a.keyword_only and a.name not in PYTHON_ONLY.get(function.path, ())
    ]
    orders = [[name for name, is_named in form if not is_named] for form in taken]
    if method:
        placed, orders = placed[1:], [[n for n in order if n != "input"] for order in orders]
    fits = any(order[: len(placed)] == placed for order in orders)
    return f"unknown {unknown}, placed {placed}, torch {orders}" if unknown or not fits else ""


OTHERS = ("torch.optim.Optimizer.", "torch.autograd.graph.Node.")
DECLARED = [
    f
    for f in FUNCTIONS
    if f.path.startswith("torch.") and not (f.attribute or f.path.startswith(OTHERS) or f.path in UNDECLARED)
]


def test_signatures_are_torchs() -> None:
    found = {f.path: mismatch(f) for f in DECLARED if not f.path.startswith("torch.Tensor.")}
    assert {path: what for path, what in found.items() if what} == {}


def test_signatures_of_methods_are_torchs() -> None:
    found = {f.path: mismatch(f, method=True) for f in DECLARED if f.method}
    assert {path: what for path, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("signature", "found"),
    [
        ("(input, dimension: dim)", "unknown ['dimension'], placed ['input', 'dimension']"),
        ("(input, keepdim: flag, dim: dim)", "unknown [], placed ['input', 'keepdim', 'dim']"),
    ],
)
def test_a_wrong_signature_is_caught(signature: str, found: str) -> None:
    wrong = row("torch.amax", "the largest", kind=Kind.REDUCTION, signature=signature)
    assert mismatch(wrong).startswith(found)


@pytest.mark.parametrize(
    "source",
    [
        "nonzero(x, as_tuple=True)[1]",
        "F.max_pool1d(x[None], 2, return_indices=True)[1]",
        "F.max_pool2d(x[None], kernel_size=2, return_indices=True)[1]",
        "F.max_pool3d(x[None, None], (1, 2, 2), return_indices=True)[1]",
        "F.adaptive_max_pool1d(x[None], output_size=1, return_indices=True)[1]",
        "F.adaptive_max_pool2d(x[None], 1, return_indices=True)[1]",
        "F.adaptive_max_pool3d(x[None, None], 1, return_indices=True)[1]",
        "x.new_tensor(data=[1.], dtype=float32, device='cpu', requires_grad=True)",
        "x.type(dtype=float32, non_blocking=False)",
        "as_tensor(data=[1.], dtype=float32, device='cpu')",
        "einsum('ij->i', x)",
        "x.reshape(3, 2)",
        "x.reshape((3, 2))",
        "x.reshape(shape=(3, 2))",
        "x.permute(1, 0)",
        "x.flip(0, 1)",
        "x.tile(2, 2)",
        "x.repeat(repeats=(2, 2))",
        "x.split(split_size=2)[0]",
        "x.to(float32)",
        "x.to('cpu', float32)",
        "x.to(tensor=x)",
        "x.to(dtype=float32, copy=True)",
        "max(x, other=x)",
        "max(x, x)",
        "max(x, 0, True).values",
        "x.std(0, False)",
        "std(x, 0, correction=0)",
        "zeros(size=(2, 3))",
        "zeros((2, 3))",
        "arange(5)",
        "arange(end=5)",
        "randint(10, (2, 3))",
        "normal(mean=0., std=1., size=(2,))",
        "where(x > 0, x, 0.)",
        "div(x, 2, rounding_mode='floor')",
        "hsplit(x, indices=(1,))[0]",
        "squeeze(x, (0, 1))",
    ],
)
def test_other_forms_that_the_signatures_allow(source: str, names: dict[str, Any]) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert isinstance(eval(source, {**names, "x": x}), torch.Tensor)
