"""What a statement did, told as plain data: what names stand for now, what changed, what was printed."""

from collections.abc import Iterator, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch

from autograd_cli.lang import nodes
from autograd_cli.report import Change, Made
from autograd_cli.run.calls import UNSET
from autograd_cli.run.events import Event, Given, Printed, Reached, Wrote
from autograd_cli.run.functions import Defined
from autograd_cli.run.state import TENSORS, Frame, State, whole
from autograd_cli.run.texts import begun
from autograd_cli.run.traced import Did, Site, Traced
from autograd_cli.run.values import device_name, dtype_name, plain as as_data

NOTHING: tuple[Event, ...] = ()
"""The events of an execution that had none; there is one such tuple, so that `is` finds it."""

MOST_TEXT = 1000
"""Characters of what Python prints for a value that is no tensor."""


def told(state: State, site: Site, given: tuple[Any, ...], frame: Frame) -> None:
    """Keep what the statement of `site` just did: as facts the first time, to be told later after that.

    `given` are the values of the site's names.
    """
    events = state.events
    if site.count == 1:
        site.first = did(state, site, 1, given, events, state.number, frame)
    else:
        if site.late is None:
            state.late.append(site)
        if events and frame is not state.names:
            events = [_named(event, state, frame) for event in events]
        site.late, site.given, site.at = events or NOTHING, given, state.number
    if events:
        state.events = []


def tell_late(state: State) -> None:
    """Make the facts of the last execution of each site that had more than one."""
    for site in state.late:
        site.last = did(state, site, site.count, site.given, site.late, site.at, state.names)
        site.late = site.given = None
    state.late = []


def flush(state: State) -> None:
    """Keep what a statement did before it failed."""
    if state.site is not None and state.events:
        told(state, state.site, (), state.names)
    state.events = []


def did(
    state: State,
    site: Site,
    number: int,
    given: tuple[Any, ...],
    events: Sequence[Event],
    at: int,
    frame: Frame,
) -> Did:
    """The facts of one execution, `at` being the number of the next value after it."""
    pairs = zip(site.names, given, strict=False)
    made = tuple(made_of(state, name, argument, at - 1) for name, argument in pairs)
    changed = tuple(change for event in events for change in _changes(state, event, frame))
    printed = tuple(event.text.removesuffix("\n") for event in events if isinstance(event, Printed))
    return Did(number, made, changed, printed)


def made_of(state: State, name: str, argument: Any, at: int) -> Made:
    """What a name stands for."""
    value = argument.value if type(argument) is Traced else argument
    if type(value) not in TENSORS:
        return _of_no_tensor(name, argument, value)
    grad_fn = argument.grad_fns[0] if type(argument) is Traced and argument.grad_fns else None
    function = argument.function if type(argument) is Traced else None
    is_unset = function is not None and function.name in UNSET
    return Made(
        name=name,
        shape=tuple(value.shape),
        dtype=dtype_name(value.dtype),
        device=device_name(value.device),
        requires_grad=value.requires_grad,
        is_leaf=grad_fn is None,
        grad_fn=None if grad_fn is None else type(grad_fn).__name__,
        value=None if is_unset else as_data(_at(state, value, at)),
    )


def _of_no_tensor(name: str, argument: Any, value: Any) -> Made:
    """What a name stands for that is a function, a class or another value of Python's."""
    if type(value) is Defined or isinstance(value, type | BuiltinFunctionType | FunctionType):
        return Made(name, None, "function", text=value.__name__)
    return Made(name, None, type(value).__name__, text=begun(whole(argument), MOST_TEXT))


def _at(state: State, value: Any, number: int) -> Any:
    """A tensor as it was at that moment, where that is known; anything else as it is."""
    return state.mutations.value_at(value, number) if isinstance(value, torch.Tensor) else value


def _data(state: State, value: Any, number: int) -> Any:
    return as_data(_at(state, value, number))


def _changes(state: State, event: Event, frame: Frame) -> Iterator[Change]:
    if isinstance(event, Wrote):
        name = _written_name(state, event, frame)
        before, after = (_data(state, event.tensor, at) for at in (event.number - 1, event.number))
        yield Change(name, "in-place", before, after, None, _sharing(state, event.tensor, name, frame))
    elif isinstance(event, Given):
        name = _place(state, event.expr) or _name_of(state, event.tensor, frame)
        before = _data(state, event.before, event.number - 1)
        yield Change(f"{name}.{event.attribute}", "set", before, _data(state, event.after, event.number))
    elif isinstance(event, Reached):
        for tensor, was, now in event.gradients:
            name = f"{_name_of(state, tensor, frame) or 'leaf'}.grad"
            yield _added(name, _at(state, was, event.number - 1), _at(state, now, event.number))


def _added(name: str, before: Any, after: Any) -> Change:
    known = isinstance(before, torch.Tensor) and isinstance(after, torch.Tensor)
    added = after - before if known else after
    return Change(name, "backward", as_data(before), as_data(after), as_data(added))


# Names


def _named(event: Event, state: State, frame: Frame) -> Event:
    """The event with the name that its tensor has in a function's frame, which is about to end."""
    if isinstance(event, Wrote | Given) and event.expr is None:
        name = _name_of(state, event.tensor, frame)
        return event._replace(expr=nodes.Name(name)) if name else event
    return event


def _written_name(state: State, event: Wrote, frame: Frame) -> str:
    return _place(state, event.expr) or _name_of(state, event.tensor, frame)


def _place(state: State, expr: nodes.Expr | None) -> str:
    """What a target is called: `z` for `z[0]`, `x.grad` as it stands; nothing for what has no name."""
    while isinstance(expr, nodes.Subscript) or (isinstance(expr, nodes.Attribute) and expr.name == "data"):
        expr = expr.value
    if isinstance(expr, nodes.Name):
        return expr.id
    inner = expr.value if isinstance(expr, nodes.Attribute) else None
    while isinstance(inner, nodes.Attribute | nodes.Subscript):
        inner = inner.value
    return state.text[expr.span.start : expr.span.end] if expr and isinstance(inner, nodes.Name) else ""


def _name_of(state: State, tensor: torch.Tensor, frame: Frame) -> str:
    """The variable, or the item of a list, that holds `tensor` or has it as its gradient."""
    for name, value in _variables(state, frame):
        if type(value) is list or type(value) is tuple:
            for place, item in enumerate(value[:100]):
                if type(item) is Traced and item.value is tensor:
                    return f"{name}[{place}]"
        elif type(value) is Traced and type(value.value) in TENSORS:
            if value.value is tensor:
                return name
            if not value.grad_fns and value.value.grad is tensor:
                return f"{name}.grad"
    return ""


def _variables(state: State, frame: Frame) -> Iterator[tuple[str, Any]]:
    yield from frame.items()
    if frame is not state.names:
        yield from state.names.items()


def _sharing(state: State, tensor: torch.Tensor, written: str, frame: Frame) -> tuple[str, ...]:
    """The other names of the memory of `tensor`."""
    if tensor.is_meta:
        return ()
    storage = tensor.untyped_storage()._cdata
    found = []
    for name, value in _variables(state, frame):
        if type(value) is Traced and type(value.value) in TENSORS and name != written:
            other = value.value
            if not other.is_meta and other.untyped_storage()._cdata == storage:
                found.append(name)
    return tuple(dict.fromkeys(found))
