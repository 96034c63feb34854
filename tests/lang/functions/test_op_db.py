"""The table against torch's own database of operators: what is in it, and why the rest is not."""

from collections.abc import Iterable
from typing import Any

import pytest

from autograd_cli.lang.functions import by_path, members

pytest.importorskip("expecttest", reason="torch's database of operators needs it")

# Not for plain data, or not public: what the count leaves out.
PRIVATE = ("_", "masked.", "sparse.", "ops.aten.", "torch.ops.aten.", "torch._")

# What the table has under another name: the entries of random draws are for the methods in place.
OTHERWISE = {
    "cauchy": "torch.Tensor.cauchy_",
    "exponential": "torch.Tensor.exponential_",
    "geometric": "torch.Tensor.geometric_",
    "log_normal": "torch.Tensor.log_normal_",
    "uniform": "torch.Tensor.uniform_",
    "zero_": "torch.zero_",
}

LEFT_OUT = {
    "as_strided_scatter": "torch gives a wrong gradient: that of what is overwritten, and 0 for the rest",
    "nn.functional.ctc_loss": "reads beyond its memory where a target is out of range",
    "native_batch_norm": "reads beyond its memory where a weight is too short, and dies without any",
    "grid_sampler_2d": "reads beyond its memory under a mode that it does not know; F.grid_sample checks it",
    "grid_sampler_3d": "reads beyond its memory under a mode that it does not know; F.grid_sample checks it",
    "max_pool2d_with_indices_backward": "is no public name: an operator below max_pool2d",
    "native_dropout_backward": "is no public name: an operator below dropout",
    "slice": "is no public name: x[a:b] is what calls it",
    "to_sparse": "gives a sparse tensor",
    "resize_": "changes the size of the memory",
    "resize_as_": "changes the size of the memory",
    "empty_strided": "gives memory as it is; `empty` is there",
    "new_empty_strided": "gives memory as it is; `new_empty` is there",
    "empty_permuted": "gives memory as it is; `empty` is there",
    "jiterator_unary": "runs code given as text, on CUDA",
    "jiterator_binary": "runs code given as text, on CUDA",
    "jiterator_4inputs_with_extra_args": "runs code given as text, on CUDA",
    "jiterator_binary_return_by_ref": "runs code given as text, on CUDA",
    "jiterator_2inputs_2outputs": "runs code given as text, on CUDA",
}


@pytest.fixture(scope="module")
def database() -> list[Any]:
    """The entries that qualify: importing them takes seconds."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [entry for entry in op_db if not entry.name.startswith(PRIVATE)]


@pytest.fixture(scope="module")
def entries(database: list[Any]) -> dict[str, bool]:
    """The names of the entries, and whether they support autograd."""
    found: dict[str, bool] = {}
    for entry in database:
        found[entry.name] = found.get(entry.name, False) or entry.supports_autograd
    return found


def is_listed(name: str) -> bool:
    """Whether the table has the entry, as a function or as a method."""
    places = (f"torch.{name}", f"torch.Tensor.{name}", OTHERWISE.get(name, ""))
    return any(place in by_path for place in places)


def share(names: Iterable[str]) -> float:
    """How much of the names the table has."""
    listed = [is_listed(name) for name in names]
    return sum(listed) / len(listed)


def test_at_least_97_of_100_entries_that_support_autograd_are_in_the_table(entries: dict[str, bool]) -> None:
    names = [name for name, differentiable in entries.items() if differentiable]
    assert len(names) > 400
    assert share(names) >= 0.97


def test_at_least_96_of_100_of_all_entries_are_in_the_table(entries: dict[str, bool]) -> None:
    assert len(entries) > 550
    assert share(entries) >= 0.96


def test_what_is_left_out_has_its_reason(entries: dict[str, bool]) -> None:
    assert {name for name in entries if not is_listed(name)} == set(LEFT_OUT)


def test_the_aliases_that_torch_gives_are_in_the_table(database: list[Any]) -> None:
    pairs = {(entry.name, alias.name.removeprefix("torch.")) for entry in database for alias in entry.aliases}
    assert {alias for name, alias in pairs if is_listed(name) and not is_listed(alias)} == set()


def test_what_torch_has_as_a_method_is_one_here(database: list[Any]) -> None:
    methods = members("torch.Tensor")
    named = {entry.name for entry in database if entry.method_variant and is_listed(entry.name)}
    assert {name for name in named if name.rpartition(".")[2] not in methods} == set()
