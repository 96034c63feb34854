"""What is called: a row of the table, a method by what stands before its dot, a function of the program."""

from collections.abc import Callable
from typing import Any

import numpy
import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.functions import by_path, members
from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.scope import Scope
from autograd_cli.run.arrays import of_numbers
from autograd_cli.run.calls import applier, later, of_one, of_two, takes_one, takes_two
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.functions import Defined
from autograd_cli.run.naming import row_held
from autograd_cli.run.operations import callable_for
from autograd_cli.run.questions import MISSING, number
from autograd_cli.run.recording import SCALARS, settled
from autograd_cli.run.state import TENSORS, Frame, Get, State, shallow
from autograd_cli.run.traced import NONE_NAMED, Traced
from autograd_cli.run.writing import variable_writer

Make = Callable[[tuple[Any, ...], dict[str, Any]], Any]
"""Makes a call: takes the arguments and the keywords, gives the argument that the call is."""


def call(compiler: Compiler, node: nodes.Call) -> Get:
    """The closure of a call."""
    callee = node.function
    if isinstance(callee, nodes.Name) and callee.id in compiler.hidden:
        return _by_name(compiler, node, callee)
    function = lookup.function(callee, compiler.hidden)
    if function is not None:
        return _function(compiler, node, function)
    if not isinstance(callee, nodes.Attribute):
        return _nothing(compiler, node)
    return _method(compiler, node, callee)


def _nothing(compiler: Compiler, node: nodes.Call) -> Get:
    if isinstance(node.function, nodes.Name) and compiler.is_program:
        return compiler.unknown(node.function)
    raise LanguageError(
        "AGX103", "This is no function of the language.", text=compiler.state.text, span=node.span
    )


def _parts(node: nodes.Call) -> tuple[Expr, ...]:
    return (*node.args, *(keyword.value for keyword in node.keywords))


def _taking(compiler: Compiler, node: nodes.Call, make: Callable[[Frame], Make]) -> Get:
    """The closure that asks `make` what is called, and then evaluates the arguments in their order."""
    gets = compiler.all(node.args)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]

    def take(frame: Frame) -> Any:
        target = make(frame)
        args = tuple([get(frame) for get in gets])
        kwargs = {name: get(frame) for name, get in named} if named else NONE_NAMED
        return target(args, kwargs)

    return take


# Functions of the program


def _by_name(compiler: Compiler, node: nodes.Call, callee: nodes.Name) -> Get:
    """A name that the program gives a value: its own function, or what the name means otherwise."""
    names, name, state = compiler.state.names, callee.id, compiler.state
    is_local = compiler.local is not None and name in compiler.local
    function = None if is_local else lookup.function(callee, compiler.outside)
    otherwise = None if function is None else _function(compiler, node, function)
    if isinstance(compiler.hidden, Scope) and name in compiler.hidden.callables:
        from autograd_cli.run.brought import caller  # few runs have one

        make_own = caller(state, node, name, _parts(node))
        otherwise = _taking(compiler, node, lambda frame: make_own)
    read = compiler.compile(callee)

    def make(frame: Frame) -> Make:
        target = shallow(read(frame))
        if type(target) is Defined:
            return lambda args, kwargs: target.call(state, node, args, kwargs)
        error = TypeError(f"'{type(target).__name__}' object is not callable")
        state.failed(error, node, None)
        raise error

    own = _held(compiler, node, callee.id, read, _taking(compiler, node, make))
    if otherwise is None:
        return own

    def known(frame: Frame) -> Any:
        has_value = name in names or name in state.bindings or name in state.gone
        return own(frame) if has_value else otherwise(frame)

    return known


def _held(compiler: Compiler, node: nodes.Call, name: str, read: Get, otherwise: Get) -> Get:
    """A call by a name that may hold a function of the table, which is compiled when it comes to it."""
    made: dict[Function, Get] = {}
    names = compiler.state.names

    def call(frame: Frame) -> Any:
        if type(frame[name] if name in frame else names.get(name)) is Defined:
            return otherwise(frame)
        target = shallow(read(frame))
        row = None if type(target) is Defined else row_held(target)
        if row is None:
            return otherwise(frame)
        if row not in made:
            made[row] = _function(compiler, node, row)
        return made[row](frame)

    return call


# Rows of the table


def _function(compiler: Compiler, node: nodes.Call, function: Function) -> Get:
    special = _special(compiler, node, function, _parts(node))
    if special is not None:
        return special
    if any(keyword.name == "out" for keyword in node.keywords):
        from autograd_cli.run.outs import into

        return into(compiler, node, function, _parts(node))
    call = callable_for(function)
    if lookup.is_either(node.function, compiler.outside):
        return _either(compiler, node, function)
    return _row(compiler, node, function, call, tuple(node.args), _parts(node))


def _special(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get | None:
    from autograd_cli.run.specials import SPECIAL

    found = SPECIAL.get(function.path)
    return None if found is None else found(compiler, node, function, exprs)


def _row(
    compiler: Compiler,
    node: nodes.Call,
    function: Function,
    call: Callable[..., Any],
    parts: tuple[Expr, ...],
    exprs: tuple[Expr, ...],
) -> Get:
    """A call of one row on the arguments `parts` and the keywords of the call."""
    state, named = compiler.state, _placed(compiler, node, function)
    if not named and len(parts) == 1 and takes_one(function):
        return of_one(state, node, function, call, exprs, compiler.compile(parts[0]))
    if not named and len(parts) == 2 and takes_two(function):
        two = of_two(state, node, function, call, exprs)
        first, second = compiler.all(parts)
        return lambda frame: two(first(frame), second(frame))
    if not parts and not named and compiler.is_program and function.kind is Kind.PYTHON:
        return _of_nothing(state, node, function, call)
    apply, gets = applier(state, node, function, call, exprs), compiler.all(parts)

    def general(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        return apply(args, {name: get(frame) for name, get in named} if named else NONE_NAMED)

    return general


def _of_nothing(state: State, node: nodes.Call, function: Function, call: Callable[..., Any]) -> Get:
    """`torch.is_grad_enabled()`: what torch itself is asked."""

    def ask(frame: Frame) -> Any:
        try:
            return call()
        except Exception as error:
            state.failed(error, node, function)
            raise

    return ask


def _placed(compiler: Compiler, node: nodes.Call, function: Function) -> list[tuple[str, Get]]:
    """The keywords of a call, with the run's device added where a tensor is created."""
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]
    given = {name for name, _ in named}
    creates = function.kind in (Kind.CREATION, Kind.RANDOM) and compiler.state.device != "cpu"
    if creates and "device" not in given and any(a.role is Role.DEVICE for a in function.arguments):
        device = torch.device(compiler.state.device)
        named.append(("device", lambda frame: device))
    return named


def _either(compiler: Compiler, node: nodes.Call, function: Function) -> Get:
    """One of the eight bare names that are Python's own unless a tensor comes first."""
    own = by_path[f"builtins.{function.name}"]
    theirs = by_path.get(f"torch.{function.name}", function)
    state, exprs = compiler.state, _parts(node)
    call = arithmetic.python_function(own.name) if not compiler.is_program else python_own(own.name)
    python = later(state, node, own, call, exprs)
    torchs = later(state, node, theirs, callable_for(theirs), exprs)
    gets = compiler.all(node.args)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]

    def choose(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        kwargs = {name: get(frame) for name, get in named} if named else NONE_NAMED
        first = args[0] if args else kwargs.get("input")
        if type(shallow(first)) not in TENSORS:
            return python(args, kwargs)
        return torchs(args, kwargs)

    return choose


def python_own(name: str) -> Callable[..., Any]:
    """Python's own function of that name; powers are bounded, lists are not summed into one."""
    return arithmetic.python_function(name) if name == "pow" else callable_for(by_path[f"builtins.{name}"])


# Methods

_OWNERS: tuple[tuple[type, str], ...] = (
    (list, "builtins.list"),
    (str, "builtins.str"),
    (numpy.ndarray, "numpy.ndarray"),
    (torch.optim.Optimizer, "torch.optim.Optimizer"),
    (torch.autograd.graph.Node, "torch.autograd.graph.Node"),
)


def owner_of(kind: type) -> str:
    """The path under which the rows of a type's methods stand; "" for what has none."""
    return next((path for each, path in _OWNERS if issubclass(kind, each)), "")


def _method(compiler: Compiler, node: nodes.Call, callee: nodes.Attribute) -> Get:
    """A method of the value before the dot."""
    function = lookup.method(callee.name)
    exprs = (callee.value, *_parts(node))
    others = _other_methods(compiler, node, callee, exprs)
    if function is None:
        return _other(compiler, node, callee, others)
    special = _special(compiler, node, function, exprs)
    if special is not None:
        return special
    call = callable_for(function, method=True)
    state = compiler.state
    receiver = compiler.overlooked(callee.value) if callee.name == "zero_" else compiler.compile(callee.value)
    gets, named = compiler.all(node.args), _placed(compiler, node, function)
    quick = not named and (takes_one(function) if not gets else len(gets) == 1 and takes_two(function))
    apply = (later if quick else applier)(state, node, function, call, exprs)
    last = None if compiler.is_program else apply
    if quick and not gets:
        return of_one(
            state, node, function, call, exprs, receiver, lambda arg: others(arg, last)((arg,), NONE_NAMED)
        )
    if quick:
        return _method_of_one(receiver, gets[0], of_two(state, node, function, call, exprs), others, last)

    def method(frame: Frame) -> Any:
        target = receiver(frame)
        if type(target.value if type(target) is Traced else target) in TENSORS:
            made = apply
        else:
            made = others(target, last)
        args = (target, *[get(frame) for get in gets])
        return made(args, {name: get(frame) for name, get in named} if named else NONE_NAMED)

    if function.writes and compiler.is_program and state.one_device and not named:
        general = receiver, apply, method
        return variable_writer(state, node, function, call, exprs, gets, general) or method
    return method


def _method_of_one(
    receiver: Get,
    get: Get,
    two: Callable[[Any, Any], Any],
    others: Callable[[Any, Any], Make],
    last: Make | None,
) -> Get:
    """A method with one argument, where the call can be made with less ado."""

    def method(frame: Frame) -> Any:
        target = receiver(frame)
        if type(target.value if type(target) is Traced else target) in TENSORS:
            return two(target, get(frame))
        return others(target, last)((target, get(frame)), NONE_NAMED)

    return method


def _other(
    compiler: Compiler, node: nodes.Call, callee: nodes.Attribute, others: Callable[[Any, Any], Make]
) -> Get:
    """A method that tensors do not have."""
    receiver = compiler.compile(callee.value)
    gets = compiler.all(node.args)
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]
    if callee.name == "append" and len(gets) == 1 and not named and compiler.is_program:
        return _append(compiler, callee.value, receiver, gets[0], others, number(compiler, node.args[0]))

    def method(frame: Frame) -> Any:
        target = receiver(frame)
        made = others(target, None)
        args = (target, *[get(frame) for get in gets])
        return made(args, {name: get(frame) for name, get in named} if named else NONE_NAMED)

    return method


def _append(
    compiler: Compiler,
    owner: Expr,
    receiver: Get,
    get: Get,
    others: Callable[[Any, Any], Make],
    ask: Get | None,
) -> Get:
    """`losses.append(v)` with less ado, where the list is one of the program's own.

    `ask` gives the number of `losses.append(loss.item())`.
    """
    most, name = compiler.state.settings.max_items, owner.id if isinstance(owner, nodes.Name) else ""

    def append(frame: Frame) -> Any:
        target = frame[name] if name in frame else receiver(frame)
        if type(target) is not list or len(target) >= most:
            return others(target, None)((target, get(frame)), NONE_NAMED)
        if ask is not None:
            found = ask(frame)
            if found is not MISSING:
                target.append(found)
                return None
        item = get(frame)
        if type(item) is Traced and type(item.value) in SCALARS and item.kind == "call":
            item.args = ()  # as `settled` does, which is called for the others
        else:
            item = settled(item)
        target.append(item)
        return None

    return append


def _other_methods(
    compiler: Compiler, node: nodes.Call, callee: nodes.Attribute, exprs: tuple[Expr, ...]
) -> Callable[[Any, Any], Make]:
    """The method of what is no tensor, by the kind of the receiver; `otherwise` where it has none."""
    state, name = compiler.state, callee.name
    made: dict[type, Make | None] = {}

    def find(target: Any, otherwise: Make | None) -> Make:
        value = target.value if type(target) is Traced else target
        kind = type(value)
        if kind not in made:
            owner = owner_of(kind)
            function = members(owner).get(name) if owner else None
            made[kind] = None if function is None else _bound_method(compiler, node, function, exprs)
        found = made[kind] or otherwise
        if found is not None:
            return found
        error = _no_method(compiler, node, value, name)
        state.failed(error, node, None, (target,), exprs)
        raise error

    return find


def _bound_method(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Make:
    from autograd_cli.run.specials import METHODS

    found = METHODS.get(function.path)
    if found is not None:
        return found(compiler, node, function, exprs)
    name = function.name
    call: Callable[..., Any] = lambda own, *a, **k: getattr(own, name)(*a, **k)  # noqa: E731
    if function.path.startswith("numpy."):
        call = of_numbers(function, call)
    return applier(compiler.state, node, function, call, exprs)


def _no_method(compiler: Compiler, node: nodes.Call, value: Any, name: str) -> Exception:
    if hasattr(value, name):
        return LanguageError(
            "AGX103",
            f"`.{name}` of a {type(value).__name__} is not in the language.",
            text=compiler.state.text,
            span=node.span,
        )
    return AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'")
