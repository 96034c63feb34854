"""The function table: every function, method and tensor attribute a source may use.

Takes: nothing; rows are data, one file a kind of function.
Gives: FUNCTIONS in the order of the files, `by_path`, the `members` of tensors, lists, arrays,
optimizers and nodes by name, and OPERATORS by symbol.
May import errors and `lang.namespaces`. Must not import torch: `run.operations` finds the callables.
"""

from collections.abc import Iterable
from functools import cache

from autograd_cli.lang.functions import (
    activations,
    arrays,
    casts,
    copies,
    creation,
    elementwise,
    factors,
    indexing,
    layers,
    linalg,
    losses,
    machine,
    pairs,
    polynomials,
    products,
    programs,
    python,
    reductions,
    shapes,
    signals,
    strings,
    writes,
)
from autograd_cli.lang.functions.operators import OPERATORS as OPERATORS
from autograd_cli.lang.functions.rows import Function, with_aliases


def indexed(rows: Iterable[Function]) -> dict[str, Function]:
    """The rows, and those of their aliases, by path; ValueError where a path stands twice."""
    table: dict[str, Function] = {}
    for each in rows:
        for function in with_aliases(each):
            if function.path in table:
                raise ValueError(f"{function.path} stands twice in the function table")
            table[function.path] = function
    return table


_TABLES = (
    elementwise,
    pairs,
    casts,
    reductions,
    shapes,
    indexing,
    products,
    linalg,
    activations,
    losses,
    layers,
    creation,
    polynomials,
    copies,
    factors,
    signals,
    python,
    programs,
    machine,
    strings,
    arrays,
    writes,
)

by_path = indexed(function for table in _TABLES for function in table.ROWS)
by_path.update(indexed(writes.twins(by_path)))
FUNCTIONS = tuple(by_path.values())

TENSOR = "torch.Tensor"
OWNERS = (
    TENSOR,
    "builtins.list",
    "builtins.str",
    "numpy.ndarray",
    "torch.optim.Optimizer",
    "torch.autograd.graph.Node",
)
"""What has methods and attributes of its own: their rows stand under its path."""

_MEMBERS = tuple(f"{owner}." for owner in OWNERS)


def is_member(path: str) -> bool:
    """Whether a path is that of a method or an attribute: "torch.Tensor.view", "builtins.list.append"."""
    return path.startswith(_MEMBERS)


@cache
def members(owner: str) -> dict[str, Function]:
    """The methods and attributes of an owner by name; of a name that has two rows the owner's own."""
    found = {row.name: row for row in FUNCTIONS if row.method} if owner == TENSOR else {}
    return found | {row.name: row for row in FUNCTIONS if row.path.startswith(f"{owner}.")}
