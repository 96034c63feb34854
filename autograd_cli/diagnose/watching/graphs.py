"""What the nodes under a root keep, read without asking them to compute."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import Node

from autograd_cli.diagnose.watching.leaves import node_of
from autograd_cli.diagnose.watching.mode import Made, storage_of
from autograd_cli.diagnose.watching.signals import leave

MOST_NODES = 10_000
"""Nodes of a graph that are looked at: many more wrappers in one chain end the process when freed."""

_MOST_DEPTH = 40
"""Nodes of one call that are looked at."""

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
CHANGED = "modified by an inplace operation"
_RAW = "_raw_saved_"
_kept_names: dict[type, tuple[str, ...]] = {}


@dataclass(frozen=True)
class Kept:
    """A tensor that a node keeps under a name such as `self` or `result`; `saved` is how torch holds it."""

    node: Node
    name: str
    tensor: torch.Tensor
    saved: Any

    @property
    def is_result(self) -> bool:
        """Whether it is what the node's own call made."""
        return self.name.startswith(("result", "output"))


@dataclass(frozen=True)
class Changed:
    """A kept tensor whose version is another than when it was kept."""

    version: int
    expected: int


def walk(roots: Iterable[Any]) -> Iterator[Node]:
    """The nodes under tensors or edges, each once, without recursion."""
    seen: set[Node] = set()
    stack = [node for root in roots if (node := _node_of(root)) is not None]
    while stack and len(seen) < MOST_NODES:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        stack += [below for below, _ in node.next_functions if below is not None and below not in seen]


def _node_of(root: Any) -> Node | None:
    if isinstance(root, torch.Tensor):
        return node_of(root)
    node: Node | None = getattr(root, "node", None)
    return node


def nodes_of(made: Made) -> list[Any]:
    """The nodes of a call, from its results down."""
    if made.last - made.first == 1 and type(made.result) is torch.Tensor:
        node: Any = made.result.grad_fn
        return [node] if node is not None and node._sequence_nr() == made.first else []
    results = made.result if isinstance(made.result, tuple | list) else (made.result,)
    stack = [each.grad_fn for each in results if type(each) is torch.Tensor and each.grad_fn is not None]
    found: list[Any] = []
    while stack and len(found) < _MOST_DEPTH:
        node = stack.pop()
        if made.first <= node._sequence_nr() < made.last and node not in found:
            found.append(node)
            stack += [below for below, _ in node.next_functions if below is not None]
    return found


def kept_by(node: Node) -> Iterator[Kept]:
    """What a node keeps; nothing of what was freed, or what hooks of others hold."""
    for name in _names(type(node)):
        raw = getattr(node, name, None)
        for saved in raw if isinstance(raw, tuple | list) else (raw,):
            tensor = getattr(saved, "data", None)
            if isinstance(tensor, torch.Tensor):
                yield Kept(node, name.removeprefix(_RAW), tensor, saved)


def _names(kind: type) -> tuple[str, ...]:
    found = _kept_names.get(kind)
    if found is None:
        found = _kept_names[kind] = tuple(name for name in dir(kind) if name.startswith(_RAW))
    return found


def storages(node: Node) -> Iterator[tuple[Kept, int]]:
    """What a node keeps, each with what tells its memory from others."""
    for kept in kept_by(node):
        storage = storage_of(kept.tensor)
        if storage is not None:
            yield kept, storage


def change(kept: Kept) -> Changed | None:
    """How the version of a kept tensor is wrong by what torch says of it; None where torch is content."""
    asks: tuple[Callable[[], Any], ...] = (
        (kept.saved.unpack, lambda: getattr(kept.node, "saved_tensors", None))
        if kept.name == "tensors"  # of a person's own Function, which keeps several under one name
        else (lambda: getattr(kept.node, "_saved_" + kept.name),)
    )
    for ask in asks:
        try:
            ask()
        except Exception as error:
            leave(error)
            found = _told(kept, str(error))
            if found is not None:
                return found
    return None


def _told(kept: Kept, words: str) -> Changed | None:
    found = _VERSIONS.search(words)
    if found is None or CHANGED not in words:
        return None
    version, expected = map(int, found.groups())
    return Changed(version, expected) if kept.tensor._version == version else None
