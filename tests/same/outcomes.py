"""What a program came to, as plain data that can be compared: in Python, and in agx."""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy
import torch

MOST_NODES = 60
"""So many nodes of a graph are compared."""
ADDRESS = re.compile(r"( object)? at 0x[0-9a-f]+")
"""What follows the name of a class where Python shows an object; agx shows the name alone."""


@dataclass(frozen=True)
class Outcome:
    """The facts of each name, what was printed, and the error that ended it: its kind and lines."""

    names: dict[str, Any]
    printed: str
    error: str = ""
    lines: tuple[int, int] = (0, 0)


def outcome(
    values: Mapping[str, Any], printed: str, error: str = "", lines: tuple[int, int] = (0, 0)
) -> Outcome:
    """The facts of the values of `values`, in the order of their names, with what they share."""
    told = ((name, facts(value)) for name, value in sorted(values.items()))
    names = {name: fact for name, fact in told if fact != "other"}
    names["(shared)"] = shared(values)
    return Outcome(names, ADDRESS.sub("", printed), error, lines)


def facts(value: Any) -> Any:
    """All that is compared of a value; what is no data is "other"."""
    if isinstance(value, torch.Tensor):
        return of_tensor(value)
    if isinstance(value, float | complex):
        return type(value).__name__, bits(value)
    if isinstance(value, bool | int | str | None):
        return type(value).__name__, value
    if isinstance(value, list | tuple):
        return type(value).__name__, [facts(item) for item in value]
    if isinstance(value, numpy.ndarray | numpy.generic):
        return type(value).__name__, str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, torch.dtype | torch.device | range):
        return type(value).__name__, str(value)
    return "other"


def of_tensor(tensor: torch.Tensor) -> Any:
    """A tensor, its gradient and the graph above it; of a view that torch has disowned, what it says."""
    try:
        tensor.grad_fn  # noqa: B018 a view whose base was written into may raise here
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return {
        "type": type(tensor).__name__,
        "dtype": str(tensor.dtype),
        "shape": tuple(tensor.shape),
        "stride": tensor.stride(),
        "device": str(tensor.device),
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "is_inference": tensor.is_inference(),
        "value": bits(tensor),
        "graph": list(graph(tensor)),
        "grad": facts(tensor.grad if tensor.is_leaf or tensor.retains_grad else None),
    }


def bits(value: Any) -> Any:
    """A value as its bits, so that nan is itself and -0.0 is not 0.0; a tensor's as numbers to read too."""
    if isinstance(value, torch.Tensor):
        if value.is_meta:
            return None
        plain = torch.empty(value.shape, dtype=value.dtype).copy_(value.detach())
        return str(plain.tolist()), plain.reshape(-1).view(torch.uint8).numpy().tobytes()
    return repr(value), struct.pack("<dd", value.real, value.imag)


def graph(tensor: torch.Tensor) -> Iterator[str]:
    """The names of the nodes above a tensor and which is whose operand, in order; not too many."""
    stack = [(0, tensor.grad_fn)]
    left = MOST_NODES
    while stack and left:
        level, node = stack.pop()
        left -= 1
        yield f"{level} {type(node).__name__}"
        if node is not None:
            stack.extend((level + 1, next_node) for next_node, _ in reversed(node.next_functions))


def shared(values: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Which names are one tensor, and which are tensors of one memory, as numbers of first appearance."""
    objects: dict[int, int] = {}
    memories: dict[int, int] = {}
    found = []
    for name, value in sorted(values.items()):
        for number, tensor in enumerate(tensors(value)):
            of_object = objects.setdefault(id(tensor), len(objects))
            of_memory = memories.setdefault(tensor.untyped_storage()._cdata, len(memories))
            found.append((f"{name}.{number}", of_object, of_memory))
    return found


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)


def differences(python: Outcome, agx: Outcome) -> list[str]:
    """What is not the same, in words; empty where all is."""
    found = []
    if python.error != agx.error or not inside(python.lines, agx.lines):
        found.append(f"ends with {ended(python)} in Python, with {ended(agx)} in agx")
    if python.printed != agx.printed:
        found.append(f"prints {python.printed!r} in Python, {agx.printed!r} in agx")
    for name in sorted(python.names.keys() | agx.names.keys()):
        one, other = python.names.get(name, "nothing"), agx.names.get(name, "nothing")
        if one != other:
            found.append(f"`{name}` is {first(one, other)}")
    return found


def inside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a place in lines lies in another."""
    return other[0] <= one[0] <= one[1] <= other[1]


def ended(one: Outcome) -> str:
    """How a run ended."""
    return f"{one.error} at lines {one.lines[0]} to {one.lines[1]}" if one.error else "its last line"


def first(one: Any, other: Any) -> str:
    """What differs between two facts."""
    if isinstance(one, dict) and isinstance(other, dict):
        differing = [key for key in one if one[key] != other[key]]
        return "; ".join(f"{key} {one[key]!r} in Python, {other[key]!r} in agx" for key in differing)
    return f"{one!r} in Python, {other!r} in agx"
