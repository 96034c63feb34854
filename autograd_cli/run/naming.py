"""What a name stands for when it has no value yet: a binding, or one of Python's errors."""

from typing import TYPE_CHECKING, Any

import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import nodes
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.held import row_of
from autograd_cli.lang.scope import Scope
from autograd_cli.run.operations import at_path
from autograd_cli.run.state import Frame, Get, State
from autograd_cli.run.traced import Traced

if TYPE_CHECKING:
    from autograd_cli.run.expressions import Compiler


def bound(state: State, node: nodes.Name) -> Any:
    """A binding, on its first use a step of its own."""
    binding = state.bindings[node.id]
    number = state.next(node)
    made = state.kept(Traced(number, node, "binding", binding.value, name=node.id))
    if isinstance(binding.value, torch.Tensor) and binding.value.requires_grad:
        state.leaves.add(binding.value)
    return state.names.setdefault(node.id, made)


def functional(state: State, node: nodes.Name) -> Get:
    """A name that is still a function where a value is due: refused when it comes to that."""

    def refuse(frame: Frame) -> Any:
        raise LanguageError(
            "AGX109",
            f"`{node.id}` is still a function here, and a function is no value to compute with.",
            text=state.text,
            span=node.span,
            hint="Give the name a value above this line.",
        )

    return refuse


def itself(compiler: "Compiler", node: nodes.Expr) -> Get | None:
    """A function of the language as a value: what Python has there, known by its row when it is called."""
    row = row_of(node, compiler.hidden) if isinstance(compiler.hidden, Scope) else None
    if row is None:
        return None
    value = at_path(row.path)
    ROWS[value] = row
    return lambda frame: value


ROWS: dict[Any, Function] = {}
"""The rows of the functions that stand as values in the programs compiled so far."""


def row_held(value: Any) -> Function | None:
    """The row of a function or a class that a name holds; None for what is neither, and for a value."""
    if not callable(value) or isinstance(value, torch.Tensor):
        return None
    return ROWS.get(value) or (by_path.get(f"builtins.{value.__name__}") if value in _CLASSES else None)


_CLASSES = frozenset({bool, complex, float, int})
"""Python's classes that stand for a dtype where one is asked for, and so are constants."""


def undefined(name: str) -> NameError:
    """Python's error for a name that stands for nothing."""
    return NameError(f"name '{name}' is not defined")


def unbound(name: str) -> UnboundLocalError:
    """Python's error for a variable of a function that is read before it is given a value."""
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
