"""Augmented assignment: what `+=` and its like make of a target, and how they give it back."""

import operator
from collections.abc import Callable
from typing import Any

import numpy

from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.functions import OPERATORS
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.assigning import attribute_giver, keep_array, putter
from autograd_cli.run.calls import applier, of_two
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.iterating import iterated
from autograd_cli.run.operations import callable_for
from autograd_cli.run.questions import number
from autograd_cli.run.recording import settled
from autograd_cli.run.state import TENSORS, Frame, State, plain, shallow
from autograd_cli.run.traced import Traced


def augmented(compiler: Compiler, node: Expr, op: str, exprs: tuple[Expr, Expr]) -> Callable[[Any, Any], Any]:
    """What `left op= right` makes: the tensor itself, changed in place; the list itself; another number."""
    state = compiler.state
    two = compiler.two(node, op, exprs)
    row = OPERATORS.get(f"{op}=")
    if row is None:
        return two
    apply = applier(state, node, row, callable_for(row), exprs)

    def both(left: Any, right: Any) -> Any:
        value = left.value if type(left) is Traced else left
        if type(value) in TENSORS:
            return apply((left, right))
        if type(left) is list and op in ("+", "*"):
            return _list(state, node, op, left, right)
        if isinstance(value, numpy.ndarray):
            keep_array(state, value, node)
            return apply((left, right))
        try:
            return two(left, right)
        except TypeError as error:
            _reword(error, op)
            raise

    return both


def _reword(error: TypeError, op: str) -> None:
    """Let a TypeError name the operator as it stands in the source, as Python's does."""
    said = str(error).replace("** or pow()", "**")
    error.args = (said.replace(f"type(s) for {op}:", f"type(s) for {op}=:"),)


def _list(state: State, node: Expr, op: str, left: list[Any], right: Any) -> list[Any]:
    """A list extended or repeated in place."""
    try:
        if op == "*":
            arithmetic.check_cost("*", left, plain(right), state.settings.max_items)
            left *= plain(right)
        else:
            added = [settled(item) for item in iterated(state, right, node)]
            arithmetic.check_cost("+", left, added, state.settings.max_items)
            left += added
    except Exception as error:
        state.failed(error, node, None, (left, right))
        raise
    return left


def element_of(compiler: Compiler, node: nodes.Subscript) -> Callable[[Any, Any], Any]:
    """`value[index]` of two arguments."""
    exprs = (node.value, node.index)
    function = lookup.operator("[]")
    both = of_two(compiler.state, node, function, callable_for(function), exprs)
    item = compiler.item(node, exprs)

    def element(value: Any, index: Any) -> Any:
        return both(value, index) if type(shallow(value)) in TENSORS else item(value, index)

    return element


_OF_FLOATS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
"""What never fails on two floats."""


def _name_changer(
    compiler: Compiler, target: nodes.Name, value: Expr, both: Callable[[Any, Any], Any], op: str
) -> Callable[[Frame, Callable[[Frame], Any]], None]:
    read, name = compiler.compile(target), target.id
    of_floats, item = _OF_FLOATS.get(op), number(compiler, value)

    def change_name(frame: Frame, get: Callable[[Frame], Any]) -> None:
        left = frame.get(name)
        if type(left) is not float:
            left = read(frame)
        elif item is not None and of_floats is not None:  # `total += loss.item()`
            added = item(frame)
            if type(added) is float:
                frame[name] = of_floats(left, added)
                return
        right = get(frame)
        if type(left) is float and of_floats is not None:  # `total += (x * y).sum().item()`
            added = right.value if type(right) is Traced and right.kind == "call" else right
            if type(added) is float:
                frame[name] = of_floats(left, added)
                return
        frame[name] = settled(both(left, right), name)

    return change_name


def changer(
    compiler: Compiler, target: nodes.Expr, value: nodes.Expr, both: Callable[[Any, Any], Any], op: str
) -> Callable[[Frame, Callable[[Frame], Any]], None]:
    """What an augmented assignment does: read the target, then the value, combine, give it back."""
    if isinstance(target, nodes.Name):
        return _name_changer(compiler, target, value, both, op)
    if isinstance(target, nodes.Attribute):
        owner, give = compiler.compile(target.value), attribute_giver(compiler.state, target)
        slot: list[Any] = []
        of = compiler.attribute_of(target, lambda frame: slot[-1], looks=False)

        def change_attribute(frame: Frame, get: Callable[[Frame], Any]) -> None:
            held = owner(frame)
            slot.append(held)
            try:
                left = of(frame)
            finally:
                slot.pop()
            give(held, both(left, get(frame)))

        return change_attribute
    assert isinstance(target, nodes.Subscript)
    whole, index = compiler.compile(target.value), compiler.compile(target.index)
    element, put = element_of(compiler, target), putter(compiler.state, target, value)

    def change_element(frame: Frame, get: Callable[[Frame], Any]) -> None:
        held, where = whole(frame), index(frame)
        left = element(held, where)
        made = both(left, get(frame))
        put(held, where, made)

    return change_element
