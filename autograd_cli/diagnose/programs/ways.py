"""How values of a program came about: what cut a gradient's way, what a call kept for backward."""

from collections.abc import Container, Iterator
from typing import Any, TypeGuard

import torch

from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.statements import called
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.slices import Slice, sliced
from autograd_cli.run.starting import start
from autograd_cli.run.traced import BackwardCall, Ran, Traced, now
from autograd_cli.run.values import tensors_in

CREATES = {
    "tensor", "randn", "rand", "zeros", "ones", "full", "linspace", "arange", "empty", "eye", "randn_like",
    "zeros_like", "ones_like", "rand_like", "full_like",
}  # fmt: skip
"""Functions that make a tensor of plain numbers and take requires_grad."""

Memory = int
"""A storage, as torch tells one from another."""


def value_named(whole: Whole, expr: Expr | None) -> Traced | None:
    """The value that an expression stands for at the end: a variable's, or one that was made there."""
    if isinstance(expr, nodes.Name):
        found = whole.ran.names.get(expr.id)
        return now(found) if isinstance(found, Traced) else None
    if expr is None:
        return None
    here = [traced for traced in whole.values if traced.expr is expr or traced.expr.span == expr.span]
    return here[-1] if here else None


def memory(tensor: torch.Tensor) -> Memory:
    """The address of the storage that a tensor looks at; meta tensors have none of their own."""
    return int(tensor.untyped_storage().data_ptr())


def arguments(traced: Traced) -> list[Traced]:
    """The values that went into one, in order, those inside lists too."""
    return list(_direct([traced.args, traced.kwargs]))


def _direct(value: Any) -> Iterator[Traced]:
    if isinstance(value, Traced):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _direct(item)
    elif isinstance(value, dict):
        yield from _direct(list(value.values()))


def requires_grad(traced: Traced) -> bool:
    """Whether a value is a tensor, or holds one, that requires grad."""
    return any(tensor.requires_grad for tensor in tensors_in(traced.value))


def is_trained(value: Any) -> TypeGuard[torch.Tensor]:
    """Whether a value is a leaf that requires grad."""
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return False
    try:
        return value.is_leaf
    except RuntimeError:  # torch does not tell of a view whose base was changed where it may not be
        return False


def is_made(traced: Traced) -> bool:
    """Whether a value was computed, not created or drawn, nor a created one told to require grad."""
    if traced.kind != "call" or traced.function is None:
        return False
    first = traced.exprs[0] if traced.exprs else None
    flagged = traced.function.name == "requires_grad_" and first is not None and called(first) in CREATES
    return traced.function.kind not in (Kind.CREATION, Kind.RANDOM) and not flagged


def slice_of(ran: Ran, call: BackwardCall) -> Slice:
    """What a backward of a program goes through, down from all of its roots."""
    if len(call.roots) == 1:
        return sliced(ran, call.roots[0], None, call.names)
    leaves = [each.value for each in reachable(list(call.roots)) if is_trained(each.value)]
    return sliced(ran, start(call), leaves, call.names)


# What a call keeps


def kept_by(traced: Traced) -> dict[Memory, str]:
    """The memory that a call keeps for backward, and which node does, found by calling it again on copies."""
    if traced.call is None or not (traced.grad_fns or requires_grad(traced)):  # `detach_` came since
        return {}
    state = torch.random.get_rng_state()
    copies: dict[int, torch.Tensor] = {}
    try:
        with torch.enable_grad():
            args, kwargs = _copied(traced.args, copies), _copied(traced.kwargs, copies)
            before = {copy.grad_fn for copy in copies.values()}  # a call in place gives them others
            made = traced.call(*args, **kwargs)
    except Exception:  # torch refuses copies that it took before: nothing is known then
        return {}
    finally:
        torch.random.set_rng_state(state)
    own = {memory(copy): memory(original) for original, copy in _pairs(traced, copies)}
    for copy, original in zip(tensors_in(made), tensors_in(traced.value), strict=False):
        own.setdefault(memory(copy), memory(original))
    return {own[kept]: node for kept, node in _saved_of(made, before) if kept in own}


def _copied(value: Any, copies: dict[int, torch.Tensor]) -> Any:
    """Arguments with every tensor replaced by a copy that requires grad and is no leaf."""
    has_graph = isinstance(value, Traced) and bool(value.grad_fns)  # before a `detach_` that came since
    if isinstance(value, Traced):
        value = value.value
    if isinstance(value, list | tuple):
        return type(value)([_copied(item, copies) for item in value])
    if isinstance(value, dict):
        return {name: _copied(item, copies) for name, item in value.items()}
    if not isinstance(value, torch.Tensor):
        return value
    if id(value) not in copies:
        copy = value.detach().clone()
        needs_grad = (value.requires_grad or has_graph) and (copy.is_floating_point() or copy.is_complex())
        copies[id(value)] = copy.requires_grad_().clone() if needs_grad else copy
    return copies[id(value)]


def _pairs(traced: Traced, copies: dict[int, torch.Tensor]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    for argument in arguments(traced):
        for tensor in tensors_in(argument.value):
            if id(tensor) in copies:
                yield tensor, copies[id(tensor)]


def _saved_of(made: Any, before: Container[object]) -> Iterator[tuple[Memory, str]]:
    """The storages that the nodes between a result and those `before` the call keep, and the node's kind."""
    stack = [tensor.grad_fn for tensor in tensors_in(made)]
    seen = set()
    while stack:
        node = stack.pop()
        if node is None or node in before or node in seen:
            continue
        seen.add(node)
        stack += [following for following, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_saved_") and not name.startswith("_saved_self_sym"):
                kept = tensors_in(getattr(node, name))
                yield from ((memory(tensor), type(node).__name__) for tensor in kept)
