"""What a name stands for when it has no value yet: a binding, or one of Python's errors."""

from typing import Any

import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import nodes
from autograd_cli.run.state import Frame, Get, State
from autograd_cli.run.traced import Traced


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
            f"`{node.id}` is still a function here, and a function is no value in the language.",
            text=state.text,
            span=node.span,
            hint="Give the name a value above this line.",
        )

    return refuse


def undefined(name: str) -> NameError:
    """Python's error for a name that stands for nothing."""
    return NameError(f"name '{name}' is not defined")


def unbound(name: str) -> UnboundLocalError:
    """Python's error for a variable of a function that is read before it is given a value."""
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
