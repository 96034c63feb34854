"""The values that calls make: each a Traced with what was called on what."""

from collections import deque
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.leaves import Leaves
from autograd_cli.run.state import TENSORS, State, copied
from autograd_cli.run.tape import grad_fn_of, grad_fns_of
from autograd_cli.run.traced import NONE_NAMED, Traced, called, is_untracked, shared_memory, wrote
from autograd_cli.run.values import tensors_in

_ALIASES = frozenset({"torch.detach", "torch.Tensor.data"})
"""Functions whose result has the memory of their argument, whatever that is."""

Record = Callable[..., Any]
"""Takes the result of a call, its arguments, its keywords and the plain values of both."""


def recorder(
    state: State, node: Expr, function: Function | None, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Record:
    """What makes a Traced of each result of the calls at `node`."""
    random = function is not None and function.kind is Kind.RANDOM
    writes = function is not None and function.writes
    is_alias = function is not None and function.path in _ALIASES
    other = _recorder_of_others(state, node, function, call, exprs)
    most, values, leaves = state.most, state.values, state.leaves
    tensor_type, make = torch.Tensor, called

    def record(
        value: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        given: tuple[Any, ...],
        drawn: torch.Tensor | None = None,
    ) -> Any:
        kind = type(value)
        if kind is tensor_type:
            if value.requires_grad:
                fns, held = _made_by(value, leaves), random
            elif len(given) == 1 and type(given[0]) is tensor_type:
                fns, held = NO_NODES, random or given[0].requires_grad
            else:
                fns, held = NO_NODES, random or required(given)
        elif kind in SCALARS and given and type(given[0]) in TENSORS:
            fns, held = NO_NODES, True
        else:
            return other(value, args, kwargs, given, drawn)
        number = state.number
        if number >= most:
            raise state.full(node.span)
        state.number = number + 1
        made = make(number, node, value, function, call, args, kwargs, exprs, fns, held, drawn)
        if is_alias and type(args[0]) is Traced:
            made.memory = args[0].memory
        elif given and value is given[0] and not writes:
            _same(made, args[0] if args else None)
        if values is not None:
            values.append(made)
        return made

    return record


def _made_by(value: torch.Tensor, leaves: Leaves) -> tuple[Any, ...]:
    """The grad_fn of a tensor that requires grad; a leaf is watched from now on."""
    try:
        found = value.grad_fn
    except RuntimeError:  # see `grad_fn_of`
        found = None
    if found is None:
        leaves.add(value)
        return ()
    return (found,)


def _recorder_of_others(
    state: State, node: Expr, function: Function | None, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Record:
    """What makes the argument of a result that is no tensor: several of them, a number, nothing."""
    random = function is not None and function.kind is Kind.RANDOM
    leaves = state.leaves

    def other(
        value: Any, args: tuple[Any, ...], kwargs: dict[str, Any], given: tuple[Any, ...], drawn: Any
    ) -> Any:
        tensors = [] if _are_scalars(value) else tensors_in(value)
        if not tensors and not _has_tensor(given):
            return state.constant(node, value, _of_constants(args))
        held, fns = not tensors, NO_NODES
        if tensors:
            fns = tuple([fn for t in tensors if t.requires_grad for fn in _made_by(t, leaves)])
            held = random or (not any(t.requires_grad for t in tensors) and required(given))
        number = state.next(node)
        made = called(number, node, value, function, call, args, kwargs, exprs, fns, held, drawn)
        if state.values is not None:
            state.values.append(made)
        return made

    return other


def _are_scalars(value: Any) -> bool:
    """Whether a value is a number or a list of numbers, which `tolist` makes."""
    return type(value) in SCALARS or (type(value) is list and SCALARS.issuperset(map(type, value)))


NO_NODES: tuple[torch.autograd.graph.Node, ...] = ()
SCALARS = frozenset({float, int, bool, str, complex, type(None)})


def _has_tensor(given: tuple[Any, ...]) -> bool:
    """Whether a tensor is among the plain values."""
    for value in given:
        kind = type(value)
        if kind in TENSORS or ((kind is list or kind is tuple) and tensors_in(value)):
            return True
    return False


def _of_constants(args: tuple[Any, ...]) -> bool:
    """Whether a value of the run is among numbers: `2 * pi` keeps its form in formulas."""
    return any(type(arg) is Traced and arg.kind == "constant" for arg in args)


def required(given: tuple[Any, ...]) -> bool:
    """Whether a tensor among the plain values requires grad."""
    for value in given:
        kind = type(value)
        if kind in TENSORS:
            if value.requires_grad:
                return True
        elif (kind is list or kind is tuple) and any(t.requires_grad for t in tensors_in(value)):
            return True
    return False


def _same(made: Traced, first: Any) -> None:
    """Let a call's result and its first argument, which are one object, go together from now on."""
    if type(first) is Traced:
        if first.moved is None:
            first.moved = [None]
        made.moved, made.memory = first.moved, first.memory
        if made.value.requires_grad and not made.grad_fns:
            made.name = first.name


def taken(
    state: State,
    node: Expr,
    call: Callable[..., Any],
    args: tuple[Any, ...],
    value: Any,
    exprs: tuple[Expr, ...] = (),
    held: bool = False,
) -> Traced:
    """A value taken out of another, by no function of the table."""
    if type(value) is torch.Tensor:
        maker = grad_fn_of(value) if value.requires_grad else None
        fns = NO_NODES if maker is None else (maker,)
    else:
        fns = grad_fns_of(value)
    made = called(state.next(node), node, value, None, call, args, NONE_NAMED, exprs, fns, held)
    return made if state.values is None else state.kept(made)


def settled(argument: Any, name: str = "") -> Any:
    """What a name or a list keeps of `argument`: a value that no gradient passes lets its arguments go.

    So a loop that holds numbers of each round does not hold the graphs that they came from.
    """
    if type(argument) is not Traced:
        return argument
    if argument.kind == "constant":
        return argument.value if type(argument.value) not in TENSORS else argument
    if name and not argument.name:
        argument.name = name
    if argument.args and not argument.grad_fns:
        first = argument.args[0]
        # Also of constants: a value with a graph may be written into one later, through the view.
        if type(first) is Traced and argument.memory is None and type(argument.value) in TENSORS:
            _link(argument, first, argument.function)
        if _released is not None and name:
            _released.append(Released(argument.args, argument.kwargs))
            argument.args = _released[-1]
        else:
            argument.args = ()
        argument.kwargs = NONE_NAMED
    return argument


RELEASED = 32
"""Values of variables, the last that were made, of which it is kept what they were made of."""


class Released(tuple[()]):
    """The arguments of a value that no gradient passes: none, and in `args` and `kwargs` those it had."""

    def __new__(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "Released":
        """No arguments that remember what they were."""
        made = super().__new__(cls)
        made.args, made.kwargs = args, kwargs
        return made

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def forget(self) -> None:
        """Let them go after all."""
        self.args, self.kwargs = (), NONE_NAMED


class _Last(deque[Released]):
    """The last ones that were added; those before them forget."""

    def append(self, one: Released) -> None:
        """Add one."""
        super().append(one)
        if len(self) > RELEASED:
            self.popleft().forget()


_released: _Last | None = None


class releasing:  # noqa: N801 - entered as a function that makes a context manager is
    """With `is_kept`, the last variables that let go inside of what they were made of remember it."""

    def __init__(self, is_kept: bool) -> None:
        self.is_kept = is_kept

    def __enter__(self) -> None:
        global _released
        self.before, _released = _released, _Last() if self.is_kept else None

    def __exit__(self, *_: object) -> None:
        global _released
        _released = self.before


_CUT, _SHAPE, _INDEXING = Kind.CUT, Kind.SHAPE, Kind.INDEXING  # the hash of an Enum takes longest here


def _link(made: Traced, first: Traced, function: Function | None) -> None:
    """Let a view without a graph, `x.detach()`, and what it is a view of know of each other's writes."""
    if function is not None:
        kind = function.kind
        if kind is not _CUT and kind is not _SHAPE and kind is not _INDEXING:
            return
    if type(first.value) is tuple and first.args and type(first.args[0]) is Traced:  # `chunk`, `unbind`
        first = first.args[0]
    whole, value = first.value, made.value
    if type(whole) not in TENSORS or value.is_meta or whole.is_meta:
        return
    if value is whole or whole.untyped_storage()._cdata == value.untyped_storage()._cdata:
        made.memory, made.untracked = shared_memory(first), is_untracked(first)


def replaced(state: State, made: Traced, target: Traced) -> None:
    """Let what held the tensor that `made` wrote into hold `made` from now on."""
    moved = target.moved
    if moved is None:
        moved = target.moved = [None]
    made.moved = moved
    moved[0] = made
    made.name = target.name
    memory = target.memory
    if memory is not None and not memory.graded and not made.grad_fns:
        made.memory = memory
        needed = False
    else:
        needed = wrote(made, target)
    if not needed and state.values is None:
        made.args = ()
        made.kwargs = NONE_NAMED


def kept_arguments(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as a value keeps them."""
    for arg in args:
        if type(arg) is list or type(arg) is tuple:
            return tuple([copied(arg) for arg in args])
    return args
