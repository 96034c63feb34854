"""What a name, a dotted name, an attribute or an operator means.

`hidden` is a Scope, or the names of bindings, which hide functions, constants and modules
of the prelude.
"""

from collections.abc import Collection
from functools import cache

from autograd_cli.lang.functions import OPERATORS, OWNERS, TENSOR, by_path, is_member, members
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS, Function
from autograd_cli.lang.namespaces import (
    ATTRIBUTES,
    CONSTANTS,
    EITHER,
    FIELDS,
    MODULES,
    NOT_BARE,
    NamedConstant,
)
from autograd_cli.lang.nodes import Attribute, Expr, Name
from autograd_cli.lang.scope import PRELUDE, Scope, modules

_METHODS_OF = "torch.Tensor."


def function(expr: Expr, hidden: Collection[str]) -> Function | None:
    """The function that a Name or a dotted name stands for, None where it is no function."""
    found = path(expr, hidden)
    return None if found is None else _callable(found)


def method(name: str) -> Function | None:
    """The method of tensors called `name`."""
    return _methods().get(name)


def other_methods(name: str) -> tuple[Function, ...]:
    """The methods called `name` of what is no tensor: lists, optimizers, nodes, arrays."""
    found = (members(owner).get(name) for owner in OWNERS if owner != TENSOR)
    return tuple(row for row in found if row is not None and not row.attribute)


def attribute(name: str) -> str | None:
    """What the attribute `name` of a value is, None where the language has none."""
    row = attribute_function(name)
    if row is not None:
        return row.meaning
    return ATTRIBUTES.get(name) or ("a field of the results" if name in FIELDS else None)


def attribute_function(name: str) -> Function | None:
    """The row of an attribute through which gradients pass, `T` or `real`."""
    row = by_path.get(_METHODS_OF + name)
    return row if row is not None and row.attribute else None


def constant(expr: Expr, hidden: Collection[str]) -> NamedConstant | None:
    """The constant that a Name or a dotted name stands for: `pi`, `torch.float32`, `math.e`."""
    found = path(expr, hidden)
    return None if found is None else CONSTANTS.get(found)


def operator(op: str, *, unary: bool = False) -> Function:
    """The row of an operator: `+`, `==`, `not`, `[]`; `unary` tells `-x` from `x - y`."""
    return OPERATORS[f"unary {op}" if unary and f"unary {op}" in OPERATORS else op]


def is_either(expr: Expr, hidden: Collection[str]) -> bool:
    """Whether `expr` is one of the eight names that mean torch's on a tensor, else Python's."""
    under_prelude = not isinstance(hidden, Scope) or hidden.imported is None
    return isinstance(expr, Name) and expr.id in EITHER and under_prelude and expr.id not in hidden


def keyword(function: Function, name: str) -> str:
    """The name that the signature has for a keyword: "dim" for NumPy's `axis`, where torch takes it."""
    ours = NUMPY_KEYWORDS.get(name)
    takes_numpy = not function.path.startswith(("torch.nn.functional.", "math.", "builtins."))
    known = {argument.name for argument in (*function.arguments, *function.method_arguments)}
    return ours if ours in known and name not in known and takes_numpy else name


def module(expr: Expr, hidden: Collection[str]) -> str | None:
    """The path of a module, or of a dotted name that begins with one: "torch.os.system"."""
    found = path(expr, hidden)
    is_name = isinstance(expr, Name)
    return found if found is not None and (not is_name or found in modules()) else None


def is_function_name(word: str) -> bool:
    """Whether a bare `word` is a function under the prelude."""
    return function(Name(word), ()) is not None


@cache
def bare_names() -> frozenset[str]:
    """Every name that stands alone: functions, constants, modules."""
    paths = [path for path in (*by_path, *CONSTANTS) if path.rpartition(".")[2] not in NOT_BARE]
    found = {
        path.rpartition(".")[2]
        for path in paths
        if path.count(".") == 1 and not path.startswith(("math.", "numpy."))
    }
    return frozenset(found | set(MODULES))


@cache
def function_names() -> frozenset[str]:
    """Every bare name of a function."""
    return frozenset(name for name in bare_names() if is_function_name(name))


@cache
def constant_names() -> frozenset[str]:
    """Every bare name of a number that has a name, or of a dtype."""
    return frozenset(name for name in bare_names() if constant(Name(name), ()) is not None)


def functions() -> Collection[Function]:
    """Every row of a function, and of a method of tensors, that is called."""
    return [row for row in by_path.values() if not row.attribute and not _is_others(row)]


@cache
def method_names() -> frozenset[str]:
    """Every name of a method."""
    return frozenset(_methods())


@cache
def attribute_names() -> frozenset[str]:
    """Every name of an attribute."""
    rows = {row.name for row in by_path.values() if row.attribute}
    return frozenset({*ATTRIBUTES, *FIELDS, *rows})


@cache
def spellings(name: str) -> tuple[str, ...]:
    """How each function whose last name is `name` is called: ("torch.relu", "F.relu")."""
    found = (row for row in functions() if row.name == name)
    return tuple(dict.fromkeys(row.spelling for row in found))


def path(expr: Expr, hidden: Collection[str]) -> str | None:
    """The full path of a Name or a chain of attributes: "torch.nn.functional.relu" for `F.relu`.

    None for any other expression, for a name that is hidden or stands for nothing, and for
    attributes of what is no module.
    """
    names: list[str] = []
    while isinstance(expr, Attribute):
        names.append(expr.name)
        expr = expr.value
    if not isinstance(expr, Name) or expr.id in hidden:
        return None
    scope = hidden if isinstance(hidden, Scope) else PRELUDE
    start = scope.path(expr.id)
    if not names or start is None:
        return start
    return ".".join((start, *reversed(names))) if start in modules() else None


def _is_others(row: Function) -> bool:
    """Whether it is a method of what is no tensor: a list, an array, an optimizer."""
    return is_member(row.path) and not row.path.startswith(_METHODS_OF)


def _callable(path: str) -> Function | None:
    row = by_path.get(path)
    return None if row is None or row.attribute or is_member(path) else row


@cache
def _methods() -> dict[str, Function]:
    """The methods by name; a row of torch.Tensor's own stands before a function's."""
    rows = [row for row in by_path.values() if not row.attribute]
    found = {row.name: row for row in rows if row.method}
    return {**found, **{row.name: row for row in rows if row.path.startswith(_METHODS_OF)}}
