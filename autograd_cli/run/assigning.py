"""Targets of assignments: names, elements, attributes, several at once; and what `+=` does to them."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy
import torch

from autograd_cli.lang import nodes
from autograd_cli.lang.functions import OPERATORS
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.calls import applier
from autograd_cli.run.events import Given
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.iterating import iterated, unpacked
from autograd_cli.run.leaves import Leaves
from autograd_cli.run.recording import settled
from autograd_cli.run.state import TENSORS, Frame, State, plain, shallow

Store = Callable[[Frame, Any], None]
"""Gives a target among these variables an argument."""


def store(compiler: Compiler, target: Expr, value: Expr) -> Store:
    """What gives `target` a value, which the node `value` made."""
    if isinstance(target, nodes.Name):
        return _name(target)
    if isinstance(target, nodes.Sequence):
        return _several(compiler, target, value)
    if isinstance(target, nodes.Subscript):
        return _element(compiler, target, value)
    assert isinstance(target, nodes.Attribute)
    return _attribute(compiler, target)


def _name(target: nodes.Name) -> Store:
    name = target.id

    def bind(frame: Frame, argument: Any) -> None:
        frame[name] = settled(argument, name)

    return bind


def _several(compiler: Compiler, target: nodes.Sequence, value: Expr) -> Store:
    state, count = compiler.state, len(target.items)
    stores = [store(compiler, item, value) for item in target.items]

    def unpack(frame: Frame, argument: Any) -> None:
        try:
            items = unpacked(state, argument, count, value)
        except Exception as error:
            state.failed(error, value, None, (argument,), (value,))
            raise
        for give, item in zip(stores, items, strict=True):
            give(frame, item)

    return unpack


def _element(compiler: Compiler, target: nodes.Subscript, value: Expr) -> Store:
    owner, index = compiler.compile(target.value), compiler.compile(target.index)
    put = putter(compiler.state, target, value)

    def give(frame: Frame, argument: Any) -> None:
        put(owner(frame), index(frame), argument)

    return give


def set_item(tensor: Any, index: Any, value: Any) -> Any:
    """The tensor, with `value` written where `index` says."""
    tensor[index] = value
    return tensor


def putter(state: State, target: nodes.Subscript, value: Expr) -> Callable[[Any, Any, Any], None]:
    """What writes an element: of a tensor in place, of a list the argument itself."""
    exprs = (target.value, target.index, value)
    apply = applier(state, target, OPERATORS["[]="], set_item, exprs)

    def put(owner: Any, index: Any, argument: Any) -> None:
        held = shallow(owner)
        if type(held) in TENSORS:
            apply((owner, index, argument))
            return
        try:
            if isinstance(held, numpy.ndarray):
                keep_array(state, held, target)
                held[plain(index)] = plain(argument)
            elif type(index) is slice and type(held) is list:
                held[plain(index)] = [settled(item) for item in iterated(state, argument, value)]
            else:
                held[plain(index)] = settled(argument) if type(owner) is list else plain(argument)
        except Exception as error:
            state.failed(error, target, None, (owner, index, argument), exprs)
            raise

    return put


def keep_array(state: State, array: Any, node: Expr) -> None:
    """Keep the memory that an array looks at, which may be a tensor's, before it is written."""
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    try:
        tensor = array.base if isinstance(array.base, torch.Tensor) else torch.from_numpy(array)
    except (TypeError, ValueError):
        return
    state.mutations.about_to_write(tensor, state.number, node.span, untracked=True)


def _attribute(compiler: Compiler, target: nodes.Attribute) -> Store:
    owner, give = compiler.compile(target.value), attribute_giver(compiler.state, target)

    def assign(frame: Frame, argument: Any) -> None:
        give(owner(frame), argument)

    return assign


def attribute_giver(state: State, target: nodes.Attribute) -> Callable[[Any, Any], None]:
    """What gives `x.grad`, `x.data` or `x.requires_grad` a value."""
    name, line, leaves = target.name, state.line_of(target.span.start), state.leaves
    get, is_data = attrgetter(name), target.name == "data"

    def give(owner: Any, argument: Any) -> None:
        tensor: Any = shallow(owner)
        value: Any = None if argument is None else plain(argument)
        try:
            if type(tensor) not in TENSORS:
                raise AttributeError(f"'{type(tensor).__name__}' object has no attribute '{name}'")
            same = is_data and type(value) in TENSORS and _one_memory(tensor, value)
            before = None if same else get(tensor)
            if is_data and not same and type(value) in TENSORS:
                state.mutations.about_to_rebase(tensor, state.number, target.span)
            setattr(tensor, name, value)
        except Exception as error:
            state.failed(error, target, None, (owner, argument), (target.value,))
            raise
        if same:
            return
        if is_data:
            value = get(tensor)
        else:
            _note(leaves, tensor, name, line)
        state.events.append(_tuple(Given, (target.value, tensor, name, before, value, state.number)))

    return give


_tuple = tuple.__new__  # a named tuple in half of the time


def _one_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.is_meta or other.is_meta:
        return False
    return one.untyped_storage()._cdata == other.untyped_storage()._cdata and one.shape == other.shape


def _note(leaves: Leaves, tensor: torch.Tensor, name: str, line: int) -> None:
    """Watch what requires grad from now on, and note a gradient that was taken away or given."""
    if name == "requires_grad":
        if tensor.requires_grad:
            leaves.add(tensor)
    elif name == "grad":
        leaf = leaves.of(tensor)
        if leaf is not None:
            leaf.clear()
            if tensor.grad is not None:
                leaves.left(leaf, line)
