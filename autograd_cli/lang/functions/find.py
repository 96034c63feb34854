"""Finding rows of the table by what a person types, and how a person reads a row."""

import ast
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from autograd_cli.lang.functions import FUNCTIONS, by_path, is_member
from autograd_cli.lang.functions.rows import Argument, Function, Role
from autograd_cli.lang.vocabulary import HABITS, MODULE_CLASSES

_PATTERN = frozenset("*?[")

MEANINGS: dict[Role, str] = {
    Role.TENSOR: "a tensor or a number",
    Role.TENSORS: "tensors, in a list or a tuple",
    Role.NUMBER: "a number, or several",
    Role.INDEX: "an index, or a tensor of them: whole numbers",
    Role.MASK: "a tensor of truth values",
    Role.TARGET: "the number of a class, for each row",
    Role.DIM: "a dim, or several: counted from 0, or from -1 at the end",
    Role.SIZE: "a size, or several",
    Role.COUNT: "a whole number",
    Role.FLAG: "True or False",
    Role.TEXT: "a string",
    Role.DTYPE: "a dtype, such as float64",
    Role.DEVICE: "a device, such as 'cpu'",
}
"""What an argument of each role takes, in words."""


def own_rows() -> tuple[Function, ...]:
    """The rows that are no alias of another, in the table's order."""
    others = {path for row in FUNCTIONS for path in row.aliases}
    return tuple(row for row in FUNCTIONS if row.path not in others)


def names(row: Function) -> tuple[str, ...]:
    """Every way in which a source may write the function, its path first: "torch.sin", "sin", "x.sin"."""
    every = (row, *(by_path[path] for path in row.aliases))
    return tuple(dict.fromkeys(name for each in every for name in _written(each)))


def found(pattern: str) -> tuple[Function, ...]:
    """The rows called `pattern`; else those whose name it fits, with `*`; else those that speak of it.

    A name is compared as it is written, `F.relu`, and then by its last part alone; `ln` and
    `MSELoss` stand for what the language calls them.
    """
    rows = own_rows()
    meant = HABITS.get(pattern) or MODULE_CLASSES.get(pattern) or pattern
    exact = tuple(row for row in rows if meant in names(row))
    if exact:
        return exact
    if not _PATTERN.isdisjoint(pattern):
        return tuple(row for row in rows if any(fnmatchcase(name, pattern) for name in names(row)))
    last = tuple(row for row in rows if any(name.rpartition(".")[2] == pattern for name in names(row)))
    return last or tuple(row for row in rows if _speaks_of(row, pattern.casefold()))


def signature(row: Function, *, method: bool = False) -> str:
    """The arguments as Python shows them: "(input, dim=None, keepdim=False)"; nothing for an attribute."""
    if row.attribute:
        return ""
    text = row.method_signature or row.signature if method else row.signature
    definition = ast.parse(f"def f{text}: 0").body[0]
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg):
        if argument is not None:
            argument.annotation = None
    if method:
        del (given.posonlyargs or given.args)[0]
    return f"({ast.unparse(given)})"


def calls(row: Function) -> tuple[str, ...]:
    """The row as a call, and as a method's: "sum(input, dim=None)", "x.sum(dim=None)"."""
    if is_member(row.path):
        return (row.spelling + signature(row, method=True),)
    as_method = (f"x.{row.name}{signature(row, method=True)}",) if row.method else ()
    return (row.spelling + signature(row), *as_method)


def arguments(row: Function) -> Sequence[Argument]:
    """The arguments that a person gives: without the tensor before the dot of a method."""
    return row.method_arguments[1:] if is_member(row.path) else row.arguments


def _written(row: Function) -> Iterator[str]:
    yield row.path
    yield row.spelling
    if row.method:
        yield f"x.{row.name}"


def _speaks_of(row: Function, word: str) -> bool:
    return word in row.meaning.casefold() or any(word in name.casefold() for name in names(row))
