"""Which values a root of a program needs: what it was made of, and the in-place calls on that."""

from collections.abc import Collection, Iterator
from typing import Any

import torch

from autograd_cli.lang.nodes import Expr, Name, Sequence as Listed, Slice as SliceNode
from autograd_cli.run.recording import Released
from autograd_cli.run.traced import Traced, memory_of, shared_with


def parts(argument: Any, node: Expr | None) -> Iterator[tuple[Traced, Expr | None]]:
    """The values in an argument, each with its own node where it has one."""
    if isinstance(argument, Traced):
        yield argument, node
    elif isinstance(argument, list | tuple):
        nodes: Any = node.items if isinstance(node, Listed) else ()
        for place, item in enumerate(argument):
            yield from parts(item, nodes[place] if place < len(nodes) else None)
    elif isinstance(argument, slice):
        bounds = (node.lower, node.upper, node.step) if isinstance(node, SliceNode) else (None,) * 3
        for item, bound in zip((argument.start, argument.stop, argument.step), bounds, strict=True):
            yield from parts(item, bound)


def made_of(traced: Traced) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a call was made on, also where the value has let go of that and remembers it."""
    args = traced.args
    return (args.args, args.kwargs) if isinstance(args, Released) else (args, traced.kwargs)


def operands(traced: Traced, deep: bool) -> Iterator[tuple[Traced, Expr | None]]:
    """The values that a call was made on, each with its node."""
    args, kwargs = made_of(traced) if deep else (traced.args, traced.kwargs)
    given = (*args, *kwargs.values())
    for place, argument in enumerate(given):
        yield from parts(argument, traced.exprs[place] if place < len(traced.exprs) else None)


def is_in_place(traced: Traced) -> bool:
    """Whether a call changed its first argument and gave that back; `h.float()` may do that unchanged."""
    first = traced.args[0] if traced.args else None
    gives_back = isinstance(first, Traced) and first.value is traced.value
    return gives_back and isinstance(traced.value, torch.Tensor) and _writes(traced)


def _writes(traced: Traced) -> bool:
    """Whether a call is one that writes: by its name, or by a flag, which may stand among the arguments."""
    is_flagged = traced.kwargs.get("inplace") is True or any(arg is True for arg in traced.args[1:])
    return traced.function is not None and (traced.function.writes or is_flagged)


class Needed:
    """The calls that a root was computed by, and what the replay must know of them.

    `calls` are by identity; `renewed` holds the values whose memory a call among them writes
    later, `effects` the numbers of the in-place calls that are in the slice. `aliases` holds,
    by the identity of an alias that let go of what it was made of, a value of the same memory;
    `first` the number of the first of these calls on the memory of a value. `looked` holds, by
    the identity of such a list, the number up to which it was gone through. With `deep` what the graph
    was cut from is taken in as well.
    """

    def __init__(self, leaves: Collection[torch.Tensor] | None, deep: bool = False) -> None:
        self.leaves = None if leaves is None else {id(leaf) for leaf in leaves}
        self.deep = deep
        self.calls: dict[int, Traced] = {}
        self.renewed: dict[int, Traced] = {}
        self.effects: set[int] = set()
        self.aliases: dict[int, Traced] = {}
        self.first: dict[int, int] = {}
        self.looked: dict[int, int] = {}
        self.owners: dict[int, Traced] = {}

    def add(self, root: Traced) -> None:
        """Take in `root` and all that it was made of."""
        stack = [root]
        while stack:
            traced = stack.pop()
            if id(traced) in self.calls or self.is_leaf(traced) or traced.kind == "binding":
                continue
            self.calls[id(traced)] = traced
            if is_in_place(traced):
                self.renew(traced.args[0])
            for operand, node in operands(traced, self.deep):
                if not self.is_atom(operand, node):
                    stack.append(operand)
                stack.extend(self._writes(operand, traced))

    def is_leaf(self, traced: Traced) -> bool:
        """Whether gradients are asked for at this value."""
        value = traced.value
        if self.leaves is not None:
            return id(value) in self.leaves
        return isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf

    def is_atom(self, traced: Traced, node: Expr | None) -> bool:
        """Whether a value stands in the slice without what it was made of."""
        if self.is_leaf(traced) or traced.kind != "call":
            return True
        if traced.grad_fns or id(traced) in self.renewed:
            return id(traced) in self.renewed and not traced.args
        is_let_go = not traced.args and not traced.kwargs  # what a list holds is not what its text is by now
        is_named = isinstance(node, Name) or (node is None and (bool(traced.name) or is_let_go))
        return is_named and not (self.deep and made_of(traced)[0])

    def _writes(self, operand: Traced, reader: Traced) -> list[Traced]:
        """The in-place calls that changed the memory of `operand` before it was read."""
        memory = memory_of(operand)
        if not memory or self.is_leaf(operand) or self.looked.get(id(memory), -1) >= reader.number:
            return []
        since = self.looked.get(id(memory), -1)
        writes = [w for w in memory if since <= w.number < reader.number and w.args]
        if not any(w.grad_fns for w in writes) and not operand.grad_fns and since < 0:
            return []  # what is constant is read as it was at that moment
        owner = self.owner(operand)
        if self.is_leaf(owner):
            return []
        self.looked[id(memory)] = reader.number
        return [one for write in writes for one in self._taken(write, owner)]

    def _taken(self, write: Traced, owner: Traced) -> list[Traced]:
        """An in-place call on the memory of `owner`, with the alias that it was made through."""
        first = self.owner(write.args[0])
        if self.is_leaf(first) or write.number < owner.number:
            return []
        self.effects.add(write.number)
        self.first[id(owner)] = min(write.number, self.first.get(id(owner), write.number))
        for one in (write, owner):
            self.renew(one)
        if first is owner:
            return [write]
        self.aliases[id(first)] = owner
        return [write, first]

    def renew(self, traced: Traced) -> None:
        """Note that a value, and what it is a view of, is made anew for every replay."""
        link: Traced | None = traced
        while link is not None and id(link) not in self.renewed:
            self.renewed[id(link)] = link
            link = shared_with(link)

    def owner(self, traced: Traced) -> Traced:
        """The value that the memory of `traced` was made for."""
        passed: list[Traced] = []
        link: Traced | None = traced
        while link is not None and id(link) not in self.owners:
            passed.append(link)
            link = shared_with(link)
        owner = passed[-1] if link is None else self.owners[id(link)]
        self.owners.update((id(one), owner) for one in passed)
        return owner
