"""What is written in place: noted before, moved and told after."""

from collections.abc import Callable
from typing import Any, NamedTuple

from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.events import Wrote
from autograd_cli.run.recording import NO_NODES, kept_arguments, recorder, replaced, required
from autograd_cli.run.state import TENSORS, Frame, Get, State, plain
from autograd_cli.run.traced import NONE_NAMED, Traced, called, is_untracked, now

ZERO = frozenset({"zero_", "fill_", "copy_"})
"""Functions that can make a gradient 0."""

SHAPES = frozenset({"squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"})
"""Functions that give the tensor itself another shape, and leave its memory as it is."""


def before(state: State, target: Any, node: Expr, is_shape: bool = False) -> None:
    """To be called right before the tensor of the argument `target` is written by the call at `node`.

    `is_shape` says that it is of `SHAPES`.
    """
    tensor = target.value if type(target) is Traced else target
    if type(tensor) in TENSORS:
        if is_shape:
            state.mutations.about_to_reshape(tensor, state.number)
        state.mutations.about_to_write(tensor, state.number, node.span, is_untracked(target))


def after(state: State, target: Any, made: Any, expr: Expr, zero: bool = False) -> None:
    """To be called right after it: `made` is the value of the in-place call, `expr` the target's node."""
    tensor = target.value if type(target) is Traced else plain(target)
    if type(tensor) not in TENSORS:
        return
    if zero:
        state.leaves.zeroed(tensor)
    if type(made) is Traced and type(target) is Traced:
        if is_untracked(target):
            made.untracked = True
        replaced(state, made, target)
    state.events.append(Wrote(expr, tensor, state.number - 1))


_tuple = tuple.__new__  # a named tuple in half of the time


def writer(
    state: State,
    node: Expr,
    function: Function,
    call: Callable[..., Any],
    exprs: tuple[Expr, ...],
    otherwise: Callable[..., Any],
) -> Callable[..., Any]:
    """What writes into a tensor with less ado; `otherwise` does it in all but the plainest form."""
    record = recorder(state, node, function, call, exprs)
    mutations, span, zero = state.mutations, node.span, function.name in ZERO
    target, most = exprs[0] if exprs else node, state.most

    def write(args: tuple[Any, ...], kwargs: dict[str, Any] = NONE_NAMED) -> Any:
        first = args[0]
        if kwargs or type(first) is not Traced or type(first.value) not in TENSORS:
            return otherwise(args, kwargs)
        tensor, number, untracked = first.value, state.number, is_untracked(first)
        given = tuple([arg.value if type(arg) is Traced else plain(arg) for arg in args])
        mutations.about_to_write(tensor, number, span, untracked)
        try:
            value = call(*given)
        except Exception as error:
            state.failed(error, node, function, args, exprs)
            raise
        moved, memory = first.moved, first.memory
        known = memory is not None and not memory.graded and number < most
        if moved is not None and known and value is tensor and not value.requires_grad:
            # as below, with less ado
            state.number = number + 1
            held = required(given)
            made = called(number, node, value, function, call, (), NONE_NAMED, exprs, NO_NODES, held)
            made.moved, made.memory, made.name = moved, memory, first.name
            moved[0] = made
        else:
            made = record(value, kept_arguments(args), NONE_NAMED, given)
            replaced(state, made, first)
        made.untracked = untracked
        if zero:
            state.leaves.zeroed(tensor)
        state.events.append(_tuple(Wrote, (target, tensor, number)))
        return made

    return write


class _Target(NamedTuple):
    """What a call writes into: how it is found from a variable; `reads` says that it looks at a gradient."""

    name: str
    find: Callable[[Traced], Any]
    untracked: bool
    reads: bool


def _target(function: Function, exprs: tuple[Expr, ...]) -> _Target | None:
    """A variable, its `.grad` or its `.data`, where no argument may change what that is; None for others."""
    attributes = _attributes(exprs[0])
    find, untracked = _FOUND.get(attributes), attributes.endswith(".data")
    if (
        function.name in SHAPES
        or find is None
        or len(exprs) > 2
        or (attributes != "" and not all(map(_is_pure, exprs[1:])))
    ):
        return None
    reads = ".grad" in attributes and (untracked or function.name != "zero_")
    return _Target(_variable(exprs[0]), find, untracked, reads)


def variable_writer(
    state: State,
    node: Expr,
    function: Function,
    call: Callable[..., Any],
    exprs: tuple[Expr, ...],
    gets: list[Get],
    general: tuple[Get, Callable[..., Any], Get],
) -> Get | None:
    """What writes into a variable, its `.grad` or its `.data` with less ado, where no graph is on that.

    None for another target. `general` is what reads the target, what makes the call on arguments, and both.
    """
    target, (receiver, apply, otherwise) = _target(function, exprs), general
    if target is None:
        return None
    name, find, untracked, reads = target
    about_to_write, most, span = state.mutations.about_to_write, state.most, node.span
    done, looked = _finisher(state, node, function, call, exprs), state.leaves.looked
    line, get = state.line_of(span.start), gets[0] if gets else None

    def write(frame: Frame) -> Any:
        owner: Any = frame.get(name)
        tensor = None
        if type(owner) is Traced:
            owner = owner if owner.moved is None else now(owner)
            tensor = find(owner)
        if tensor is None:
            return otherwise(frame)
        if reads:
            looked(owner.value, line, "read")
        arg = None if get is None else get(frame)
        given, number = (tensor, plain(arg)), state.number
        if number >= most or (arg is not None and required(given)):
            return apply((receiver(frame), arg) if get is not None else (receiver(frame),))
        about_to_write(tensor, number, span, untracked)
        try:
            value = call(tensor) if get is None else call(tensor, given[1])
        except Exception as error:
            state.failed(error, node, function, (receiver(frame), arg), exprs)
            raise
        return done(owner, tensor, value, number)

    return write


def _finisher(
    state: State, node: Expr, function: Function, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Callable[[Traced, Any, Any, int], Traced]:
    """What keeps the result of such a write, given the variable, the tensor and the number of the step."""
    attributes, target = _attributes(exprs[0]), exprs[0]
    zero, zeroed = function.name in ZERO, state.leaves.zeroed
    untracked, is_itself, shares = attributes.endswith(".data"), attributes == "", ".grad" not in attributes

    def done(owner: Traced, tensor: Any, value: Any, number: int) -> Traced:
        state.number = number + 1
        made = called(number, node, value, function, call, (), NONE_NAMED, exprs, NO_NODES, False)
        if shares:
            made.memory, moved = owner.memory, owner.moved
            if is_itself and moved is not None:
                made.moved, made.name = moved, owner.name
                moved[0] = made
        made.untracked = untracked
        if zero:
            zeroed(tensor)
        state.events.append(_tuple(Wrote, (target, tensor, number)))
        return made

    return done


def _attributes(target: Expr) -> str:
    """What stands after the variable of `x.grad.data`, the dots included; "?" without a variable."""
    found = ""
    while isinstance(target, nodes.Attribute):
        found, target = f".{target.name}{found}", target.value
    return found if isinstance(target, nodes.Name) else "?"


def _variable(target: Expr) -> str:
    while isinstance(target, nodes.Attribute):
        target = target.value
    return target.id if isinstance(target, nodes.Name) else ""


def _is_pure(node: Expr) -> bool:
    """Whether an argument can be evaluated twice, and cannot change what the target is."""
    if isinstance(node, nodes.Binary):
        return _is_pure(node.left) and _is_pure(node.right)
    if isinstance(node, nodes.Unary | nodes.Attribute):
        return _is_pure(node.operand if isinstance(node, nodes.Unary) else node.value)
    return isinstance(node, nodes.Name | nodes.Number)


def _itself(owner: Traced) -> Any:
    """A tensor that was written before, and that no graph is known of; None for others."""
    memory, function, value = owner.memory, owner.function, owner.value
    if memory is None or memory.graded or owner.moved is None or owner.untracked:
        return None
    is_known = type(value) in TENSORS and function is not None and function.writes
    return value if is_known and not value.requires_grad else None


def _gradient(owner: Traced) -> Any:
    """The gradient of a tensor, None for one that has a graph itself."""
    found = owner.value.grad if type(owner.value) in TENSORS else None
    return None if found is None or found.requires_grad else found


def _data(owner: Traced) -> Any:
    """The memory of a tensor that was written before, and that no graph is known of; None for others."""
    memory, value = owner.memory, owner.value
    is_known = memory is not None and not memory.graded and not owner.grad_fns
    return value.data if is_known and type(value) in TENSORS else None


def _data_of_gradient(owner: Traced) -> Any:
    found = _gradient(owner)
    return None if found is None else found.data


_FOUND = {"": _itself, ".grad": _gradient, ".data": _data, ".grad.data": _data_of_gradient}
"""By what stands after a variable: the tensor that is written."""
