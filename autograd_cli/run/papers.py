"""The values of a slice as formulas name them: in terms of its leaves and constants alone.

A program gives names to what it computes on the way, and calls functions under names of
its own. A formula stands alone, so both are replaced by what they stand for.
"""

from collections.abc import Sequence
from typing import Any

from autograd_cli.lang import lookup
from autograd_cli.lang.nodes import (
    Attribute,
    Call,
    Constant,
    Expr,
    Name,
    Sequence as Listed,
    Slice,
    Subscript,
    children,
)
from autograd_cli.report import Ref, below
from autograd_cli.run.tape import LiveStep
from autograd_cli.symbolic.build import literal, rewritten

LARGEST = 4000
"""Nodes of an expression written out; a value that takes more is not written."""

_PLAIN = (bool, int, float, complex, str, type(None))


class Papers:
    """The expression of each step, every variable in it replaced by what it stands for.

    `exprs` are, for each step, the nodes of its arguments in the order of `args` and then `kwargs`.
    """

    def __init__(self, steps: Sequence[LiveStep], exprs: Sequence[Sequence[Expr]]) -> None:
        self.steps = steps
        self.exprs = exprs
        self.written: list[Expr] = []
        self.sizes: list[int] = []
        for step in steps:
            self._add(step)

    @property
    def is_whole(self) -> bool:
        """Whether every value could be written out."""
        return all(size <= LARGEST for size in self.sizes)

    def _add(self, step: LiveStep) -> None:
        size = _size(step.expr) + sum(self.sizes[index] for index in below(step))
        self.sizes.append(min(size, LARGEST + 1))
        self.written.append(self._whole(step) if size <= LARGEST else step.expr)

    def _whole(self, step: LiveStep) -> Expr:
        if step.kind == "binding":
            return Name(step.name, span=step.expr.span)
        if step.kind == "constant":
            return literal(step.value) if is_plain(step.value) else step.expr
        if _is_unpacked(step):
            return self._item(step)
        given = (*step.args, *step.kwargs.values())
        nodes = self.exprs[step.index]
        parts = {id(node): self._part(node, arg) for node, arg in zip(nodes, given, strict=False)}
        parts.update(_callee(step, nodes))
        return rewritten(step.expr, lambda node: parts.get(id(node)))

    def _item(self, step: LiveStep) -> Expr:
        """One of several results, by its place; what a tensor was taken apart into is picked from it."""
        of, place = self.steps[step.args[0].index], step.args[1]
        apart = of.function is not None and of.function.key == "unbind" and of.args[1:] in ((), (0,))
        index = of.args[0].index if apart and not of.kwargs and isinstance(of.args[0], Ref) else of.index
        return Subscript(self.written[index], literal(place), span=step.expr.span)

    def _part(self, node: Expr, argument: Any) -> Expr:
        """What stands for one argument: an expression, or a literal."""
        if isinstance(argument, Ref):
            return self.written[argument.index]
        if isinstance(argument, slice) and isinstance(node, Slice):
            bounds = zip(
                (node.lower, node.upper, node.step),
                (argument.start, argument.stop, argument.step),
                strict=True,
            )
            return Slice(*(n if n is None else self._part(n, a) for n, a in bounds), span=node.span)
        if isinstance(argument, list | tuple):
            items = node.items if isinstance(node, Listed) else (node,) * len(argument)
            parts = tuple(self._part(n, a) for n, a in zip(items, argument, strict=False))
            return Listed("list" if isinstance(argument, list) else "tuple", parts, span=node.span)
        return literal(argument) if is_plain(argument) else node


def _is_unpacked(step: LiveStep) -> bool:
    """Whether a step takes one of several results where `a, b = …` stands, and no index."""
    args = step.args
    item = step.function is None and len(args) == 2 and isinstance(args[0], Ref) and isinstance(args[1], int)
    return item and not isinstance(step.expr, Subscript)


def is_plain(value: Any) -> bool:
    """Whether a Python value can be written as a literal."""
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(map(is_plain, value))
    return isinstance(value, _PLAIN)


def _callee(step: LiveStep, nodes: Sequence[Expr]) -> dict[int, Expr]:
    """The name under which every source can call the function, where the program has another."""
    call = step.expr
    if not isinstance(call, Call) or step.function is None:
        return {}
    callee = call.function
    if isinstance(callee, Attribute) and nodes and callee.value is nodes[0]:
        return {}
    known = lookup.function(callee, ())
    if known is not None and known.name == step.function.name:
        return {}
    return {id(callee): _dotted(step.function.path)}


def _dotted(path: str) -> Expr:
    first, *rest = path.split(".")
    made: Expr = Name(first)
    for name in rest:
        made = Attribute(made, name)
    return made


def _size(node: Expr) -> int:
    """How many nodes an expression holds."""
    count, stack = 0, [node]
    while stack:
        top = stack.pop()
        count += 1
        if not isinstance(top, Constant):
            stack.extend(children(top))
    return count
