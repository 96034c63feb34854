"""Sources run in float64, their formulas, and the formulas' values under Python itself."""

import builtins
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Step
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.symbolic.derive import Derivative, differentiate
from autograd_cli.symbolic.unparse import unparse

FLOAT64 = Settings(dtype="float64")


def _either(name: str) -> Callable[..., Any]:
    own, theirs = getattr(builtins, name), getattr(torch, name)
    return lambda *a, **k: (theirs if isinstance(a[0], torch.Tensor) else own)(*a, **k)


PRELUDE = {name: getattr(torch, name) for name in dir(torch) if not name.startswith("_")} | {
    "torch": torch,
    "math": math,
    "F": torch.nn.functional,
    "special": torch.special,
    "linalg": torch.linalg,
    **{name: _either(name) for name in ["abs", "all", "any", "max", "min", "pow", "round", "sum"]},
    **{name: getattr(builtins, name) for name in ["bool", "complex", "float", "int", "range"]},
}


@dataclass(frozen=True)
class Derived:
    """One binding: its formula, the formula's value, and autograd's gradient."""

    derivative: Derivative
    text: str
    value: torch.Tensor | None
    gradient: torch.Tensor

    @property
    def agrees(self) -> bool:
        """Whether the formula has the binding's shape and autograd's values, NaN included."""
        if self.value is None or self.value.shape != self.gradient.shape:
            return False
        return torch.allclose(self.value, self.gradient, rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.fixture(autouse=True)
def float64() -> Iterator[None]:
    """Numbers that torch makes are float64, as where agx evaluates formulas."""
    with torch_state(FLOAT64):
        yield


def leaf(value: Any) -> torch.Tensor:
    """A float64 leaf of `value`: numbers, nested lists or a tensor."""
    return torch.as_tensor(value, dtype=torch.float64).detach().clone().requires_grad_()


def bound(values: dict[str, Any]) -> list[BoundValue]:
    """Floating values as leaves; what is an int or a tensor that is not floating stays."""
    made = []
    for name, value in values.items():
        constant = isinstance(value, int) or (
            isinstance(value, torch.Tensor) and not value.is_floating_point()
        )
        kept = value if constant else leaf(value)
        made.append(BoundValue(name, "", kept, "constant" if constant else "leaf"))
    return made


def tape(source: str, values: dict[str, Any]) -> tuple[list[Step], int]:
    """The plain steps of a source and its root."""
    made = run(parse(Source(source)), bound(values), FLOAT64)
    if made.failure:
        raise made.failure.error
    assert made.root is not None
    return list(made.tape), made.root


def derive(source: str, cotangent: str = "", **values: Any) -> dict[str, Derived]:
    """The formulas of a source by each floating binding, against autograd; by name."""
    return derived(run(parse(Source(source)), bound(values), FLOAT64), cotangent)


def derived(made: Run, cotangent: str = "") -> dict[str, Derived]:
    """The formulas of a run by each binding that requires grad, against autograd; by name."""
    if made.failure:
        raise made.failure.error
    assert made.root is not None
    leaves = {s.index: s for s in made.steps if s.kind == "binding" and _requires_grad(s.value)}
    names = PRELUDE | {s.name: s.value for s in made.steps if s.kind == "binding"}
    expr = parse(Source(cotangent)).body if cotangent else None
    derivatives = differentiate(made.tape, made.root, list(leaves), expr)
    out = made.steps[made.root].value
    start = eval(cotangent, {**names}) if cotangent else torch.ones_like(out)
    found = torch.autograd.grad(out, [s.value for s in leaves.values()], start, allow_unused=True)
    return {
        step.name: _derived(derivatives[index], names, gradient, step.value)
        for (index, step), gradient in zip(leaves.items(), found, strict=True)
    }


def _requires_grad(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _derived(
    derivative: Derivative, names: dict[str, Any], gradient: torch.Tensor | None, leaf: torch.Tensor
) -> Derived:
    gradient = torch.zeros_like(leaf) if gradient is None else gradient
    if derivative.formula is None:
        return Derived(derivative, "", None, gradient)
    text = unparse(derivative.formula)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of functions that torch takes as deprecated
        value = torch.as_tensor(eval(text, {**names}), dtype=torch.float64)
    return Derived(derivative, text, value, gradient)


@pytest.fixture(name="derive")
def derive_fixture() -> Callable[..., dict[str, Derived]]:
    """See `derive`."""
    return derive


@pytest.fixture(name="derived")
def derived_fixture() -> Callable[..., dict[str, Derived]]:
    """See `derived`."""
    return derived


@pytest.fixture(name="tape")
def tape_fixture() -> Callable[..., tuple[list[Step], int]]:
    """See `tape`."""
    return tape


@pytest.fixture
def expr() -> Callable[[str], Expr]:
    """The expression of a text."""
    return lambda text: parse(Source(text)).body
