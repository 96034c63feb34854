"""Calls of rows of the function table: bounded before they are made, recorded after."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from autograd_cli.lang import arithmetic
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.nodes import Expr, Name
from autograd_cli.run import legacy, limits, writing
from autograd_cli.run.devices import check_operands
from autograd_cli.run.limits import COUNTED, SMALL, refuse_if_too_large, refuse_if_too_many
from autograd_cli.run.recording import NO_NODES, SCALARS, Record, kept_arguments, recorder
from autograd_cli.run.state import TENSORS, Frame, Get, State, current, plain
from autograd_cli.run.traced import NONE_NAMED, Traced, called, now

UNSET = frozenset({"empty", "empty_like", "new_empty"})
"""Functions that give memory as it was, which would show what the process held before."""

_SIMPLE = frozenset({Kind.ELEMENTWISE, Kind.ACTIVATION, Kind.REDUCTION, Kind.LOSS, Kind.CUT})
"""Kinds whose results are no larger than their arguments, broadcast to each other."""

_NO_LARGER = frozenset(
    {
        "reshape", "view", "flatten", "ravel", "unflatten", "squeeze", "unsqueeze", "T", "mT", "H",
        "mH", "t", "adjoint", "transpose", "swapdims", "swapaxes", "permute", "movedim", "moveaxis",
        "flip", "fliplr", "flipud", "roll", "split", "chunk", "tensor_split", "hsplit", "vsplit",
        "dsplit", "unbind", "diagonal", "tril", "triu", "clone", "contiguous", "narrow", "select",
        "numel", "nelement", "size", "dim", "ndimension", "stride", "storage_offset",
        "element_size", "is_contiguous", "is_floating_point", "is_complex", "is_nonzero",
    }
)  # fmt: skip
"""Functions whose result is no larger than the tensor they are called on, whatever the numbers are."""

_AS_LARGE = frozenset({Kind.ELEMENTWISE, Kind.ACTIVATION, Kind.LOSS, Kind.SHAPE})
"""Kinds whose results may have memory for as many elements as their arguments."""

_PLAIN = SCALARS | {torch.dtype, torch.device, torch.memory_format}
"""The types of arguments that are no tensors and hold none."""

_NUMBERS = frozenset({int, float, bool, complex, type(None), slice})
"""The types of what may stand beside a tensor in a quick call of two arguments."""

Apply = Callable[..., Any]
"""Takes the arguments and the keywords of a call, makes it and gives the argument that it is."""


def applier(
    state: State, node: Expr, function: Function, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Apply:
    """What makes the call at `node`, of any form."""
    refuse, record = _refusing(state, function, call), recorder(state, node, function, call, exprs)
    if _is_plain(function):
        return _plainly(state, node, function, call, exprs, refuse, record)
    apply = _fully(state, node, function, call, exprs, refuse, record)
    quick = function.writes and function.name not in writing.SHAPES
    if quick and refuse is None and not function.draws and state.values is None:
        return writing.writer(state, node, function, call, exprs, apply)
    return apply


def later(
    state: State, node: Expr, function: Function, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Apply:
    """As `applier`, in an expression made with the first call: where there is a quicker way, most take that.

    What a program makes may be called again and again, each time through one function more.
    """
    if state.values is None:
        return applier(state, node, function, call, exprs)
    return _later(partial(applier, state, node, function, call, exprs))


def _later(make: Callable[[], Apply]) -> Apply:
    made: Apply | None = None

    def apply(args: tuple[Any, ...], kwargs: dict[str, Any] = NONE_NAMED) -> Any:
        nonlocal made
        if made is None:
            made = make()
        return made(args, kwargs)

    return apply


def _is_plain(function: Function) -> bool:
    """Whether calls without keywords need no more than to be bounded and recorded."""
    odd = function.writes or function.draws or function.name in UNSET or function.path in legacy.PATHS
    return not odd and _place_of_flag(function) == _NOWHERE


def _fully(
    state: State,
    node: Expr,
    function: Function,
    call: Callable[..., Any],
    exprs: tuple[Expr, ...],
    refuse: Callable[..., None] | None,
    record: Record,
) -> Apply:
    """A call with keywords, or of what writes, draws, or gives memory as it was."""
    drawn = _drawing(function)
    unset, row_writes, zero = function.name in UNSET, function.writes, function.name in writing.ZERO
    sized = function.path in legacy.PATHS  # `torch.Tensor(3)`: a size, not a number
    target, most_items = exprs[0] if exprs else node, state.settings.max_items
    flag, is_shape = _place_of_flag(function), function.name in writing.SHAPES

    def apply(args: tuple[Any, ...], kwargs: dict[str, Any] = NONE_NAMED) -> Any:
        given = tuple([arg.value if type(arg) is Traced else plain(arg) for arg in args])
        named = {name: plain(value) for name, value in kwargs.items()} if kwargs else kwargs
        values = (*given, *named.values()) if named else given
        random_state = drawn() if drawn is not None else None
        flagged = named.get("inplace") is True or (len(given) > flag and given[flag] is True)
        writes = args and (row_writes or flagged)
        try:
            if refuse is not None:
                refuse(values, given, named)
            if writes:
                writing.before(state, args[0], node, is_shape)
            value = call(*given, **named) if named else call(*given)
            if unset or (sized and legacy.are_sizes(given)):
                _blanked(value)
            if type(value) in _LISTS and not _is_short(value, most_items):
                arithmetic.refuse_items(f"`{function.name}` makes", value, most_items)
        except Exception as error:
            state.failed(error, node, function, (*args, *kwargs.values()), exprs)
            raise
        made = record(value, kept_arguments(args), kwargs, values, random_state)
        if writes:
            writing.after(state, args[0], made, target, zero)
        return made

    return apply


_NOWHERE = 1 << 10
"""A place that no argument has."""


def _place_of_flag(function: Function) -> int:
    """Where `inplace` stands among the arguments: `F.relu(h, True)` writes."""
    if "inplace" not in function.signature:
        return _NOWHERE
    return [argument.name for argument in function.arguments].index("inplace")


def _plainly(
    state: State,
    node: Expr,
    function: Function,
    call: Callable[..., Any],
    exprs: tuple[Expr, ...],
    refuse: Callable[..., None] | None,
    record: Record,
) -> Apply:
    """A call of what is neither written nor drawn; one with keywords is made in full."""
    otherwise = _later(partial(_fully, state, node, function, call, exprs, refuse, record))
    most_items, counted = state.settings.max_items, function.name in COUNTED
    no_larger = (function.kind in _SIMPLE or function.name in _NO_LARGER) and (
        state.one_device or function.moves
    )
    most = min(SMALL, most_items + 1) if counted else SMALL
    gives_back = function.moves and state.values is None

    def apply(args: tuple[Any, ...], kwargs: dict[str, Any] = NONE_NAMED) -> Any:
        if kwargs:
            return otherwise(args, kwargs)
        given = tuple(
            [
                arg.value if type(arg) is Traced else arg if type(arg) in SCALARS else plain(arg)
                for arg in args
            ]
        )
        small = no_larger and _of_small(given, most)
        try:
            if refuse is not None and not small:
                refuse(given, given, NONE_NAMED)
            value = call(*given)
            if type(value) in _LISTS and not (small and counted) and not _is_short(value, most_items):
                arithmetic.refuse_items(f"`{function.name}` makes", value, most_items)
        except Exception as error:
            state.failed(error, node, function, args, exprs)
            raise
        if gives_back and value is given[0] and type(args[0]) is Traced and not value.requires_grad:
            return current(args[0])  # one object, as in Python
        return record(value, kept_arguments(args), NONE_NAMED, given)

    return apply


def _of_small(given: tuple[Any, ...], most: int) -> bool:
    """Whether the first value is a tensor of less than `most` elements, and the others hold no tensor."""
    if not given or type(given[0]) not in TENSORS or not 0 < given[0].numel() < most:
        return False
    if len(given) == 2:
        return type(given[1]) in _PLAIN
    return len(given) == 1 or _PLAIN.issuperset(map(type, given[1:]))


def _drawing(function: Function) -> Callable[[], torch.Tensor] | None:
    return torch.random.get_rng_state if function.draws else None


def _refusing(state: State, function: Function, call: Callable[..., Any]) -> Callable[..., None] | None:
    """What refuses a call before it is made: operands on two devices, results too large; None for neither.

    What is written in place is there already, and takes no more than it has.
    """
    compares, counted = not function.moves and not state.one_device, function.name in COUNTED
    if function.writes and not compares:
        return None
    size = limits.bound_of(function)
    most_memory, most_items = state.settings.max_memory, state.settings.max_items

    def refuse(values: tuple[Any, ...], given: tuple[Any, ...], named: dict[str, Any]) -> None:
        if compares:
            check_operands(values)
        if size(values) >= SMALL:
            refuse_if_too_large(function, call, given, named, most_memory)
        if counted:
            refuse_if_too_many(function, given, most_items)

    return refuse


_LISTS = frozenset({list, tuple, range})
"""What several results are given as."""

_FLAT = SCALARS | TENSORS


def _is_short(value: Any, most: int) -> bool:
    """Whether a list or a tuple has few items, and none of them has items itself."""
    return len(value) <= most and type(value) is not range and _FLAT.issuperset(map(type, value))


_SEVERAL = frozenset({"split", "chunk", "tensor_split", "hsplit", "vsplit", "dsplit", "unbind", "stride"})
"""Functions that give several results, which are counted."""


def _is_quick(function: Function) -> bool:
    return function.kind in _SIMPLE and not _is_special(function)


def _is_special(function: Function) -> bool:
    return function.draws or function.writes or function.moves or function.name in UNSET | COUNTED


def takes_one(function: Function) -> bool:
    """Whether a call on one argument can be made with less ado: nothing of it needs to be bounded."""
    return _is_quick(function) or _is_one_no_larger(function) or function.name == "tolist"


def _is_one_no_larger(function: Function) -> bool:
    name = function.name
    return name in _NO_LARGER and name not in _SEVERAL and not _is_special(function)


def takes_two(function: Function) -> bool:
    """Whether a call on two arguments can: the result is no larger than both, broadcast to each other."""
    is_quick = _is_quick(function) and function.kind is not Kind.LOSS
    return (is_quick and _place_of_flag(function) == _NOWHERE) or _is_one_no_larger(function)


def of_one(
    state: State,
    node: Expr,
    function: Function,
    call: Callable[..., Any],
    exprs: tuple[Expr, ...],
    get: Get,
    otherwise: Callable[[Any], Any] | None = None,
) -> Get:
    """The closure of a call on the one argument that `get` gives; `otherwise` takes what is no tensor."""
    record, lists = recorder(state, node, function, call, exprs), function.name in COUNTED
    bounded = lists or function.kind in _AS_LARGE
    least = min(SMALL, state.settings.max_items + 1) if lists else SMALL
    plains = SCALARS | {list} if lists else SCALARS
    general = later(state, node, function, call, exprs)
    no_tensor = otherwise or (lambda arg: general((arg,)))
    is_program, most = state.values is None, state.most
    name = exprs[0].id if isinstance(exprs[0], Name) else ""

    def one(frame: Frame) -> Any:
        arg = frame[name] if name in frame else get(frame)
        if type(arg) is not Traced or type(arg.value) not in TENSORS:
            return general((arg,)) if type(arg) in TENSORS else no_tensor(arg)
        if arg.moved is not None:
            arg = now(arg)
        value = arg.value
        if bounded and not 0 < value.numel() < least:
            return general((arg,))
        try:
            result = call(value)
        except Exception as error:
            state.failed(error, node, function, (arg,), exprs)
            raise
        if result is value and is_program and not value.requires_grad:
            return arg  # one object, as in Python
        if not is_program or type(result) not in plains:
            return record(result, (arg,), NONE_NAMED, (value,))
        number = state.number
        if number >= most:
            raise state.full(node.span)
        state.number = number + 1
        return called(number, node, result, function, call, (arg,), NONE_NAMED, exprs, NO_NODES, True)

    return one


def of_two(
    state: State, node: Expr, function: Function, call: Callable[..., Any], exprs: tuple[Expr, ...]
) -> Apply:
    """The call of a function of two arguments."""
    record = recorder(state, node, function, call, exprs)
    general = later(state, node, function, call, exprs)
    numbers, one_device = _NUMBERS, state.one_device

    def both(first: Any, second: Any) -> Any:
        a = first.value if type(first) is Traced else first
        b = second.value if type(second) is Traced else second
        if type(b) is slice:
            b = plain(b)
        if type(a) in TENSORS:
            if type(b) in TENSORS:
                if not one_device or a.numel() * b.numel() >= SMALL:
                    return general((first, second))
            elif type(b) not in numbers or a.numel() >= SMALL:
                return general((first, second))
        elif type(a) not in numbers or type(b) not in TENSORS or b.numel() >= SMALL:
            return general((first, second))
        try:
            result = call(a, b)
        except Exception as error:
            state.failed(error, node, function, (first, second), exprs)
            raise
        return record(result, (first, second), NONE_NAMED, (a, b))

    return both


def _blanked(made: torch.Tensor) -> None:
    """Fill what was not set as torch's deterministic mode does: NaN, or the largest number."""
    memory = made.data  # whose version torch does not count
    if made.is_floating_point() or made.is_complex():
        memory.fill_(torch.nan)
    else:
        memory.fill_(True if made.dtype == torch.bool else torch.iinfo(made.dtype).max)
