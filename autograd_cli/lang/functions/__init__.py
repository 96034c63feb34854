"""The function table: every function, method and tensor attribute a source may use.

Takes: nothing; rows are data, one file a kind of function.
Gives: FUNCTIONS in the order of the files, `by_path`, and OPERATORS by symbol.
May import errors and `lang.namespaces`. Must not import torch: `run.operations` finds the callables.
"""

from collections.abc import Iterable

from autograd_cli.lang.functions import (
    activations,
    casts,
    creation,
    elementwise,
    indexing,
    layers,
    linalg,
    losses,
    pairs,
    products,
    python,
    reductions,
    shapes,
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
    python,
)

by_path = indexed(function for table in _TABLES for function in table.ROWS)
FUNCTIONS = tuple(by_path.values())
