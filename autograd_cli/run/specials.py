"""Rows with a meaning of their own: what prints, steps, iterates over arguments, or draws with NumPy."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from autograd_cli.errors import LimitError
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.classes import is_class
from autograd_cli.lang.functions import members
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run import backwards, optimizers, words
from autograd_cli.run.calls import Apply, applier
from autograd_cli.run.events import Given, Printed
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.iterating import iterated
from autograd_cli.run.nested import is_nested
from autograd_cli.run.operations import at_path, callable_for
from autograd_cli.run.recording import recorder, settled
from autograd_cli.run.state import TENSORS, Frame, Get, State, plain, shallow, whole
from autograd_cli.run.texts import masked, written
from autograd_cli.run.traced import NONE_NAMED, Traced

MOST_PRINTED = 1 << 20
"""Characters that a program may print."""


def printing(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`print(…, sep=, end=)`."""
    state = compiler.state
    gets = compiler.all(node.args)
    named = {keyword.name: compiler.compile(keyword.value) for keyword in node.keywords}
    line = state.line_of(node.span.start)

    def say(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        options = {name: plain(get(frame)) for name, get in named.items()}
        try:
            text = _said(args, options.get("sep"), options.get("end"))
        except Exception as error:
            state.failed(error, node, function, args, exprs)
            raise
        _add(state, node, text)
        for _, leaf in state.leaves:
            if leaf.seen == line:
                leaf.how = "printed"
        return state.constant(node, None)

    return say


def _said(args: tuple[Any, ...], sep: str | None, end: str | None) -> str:
    """What Python's print writes."""
    for name, given in (("sep", sep), ("end", end)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be None or a string, not {type(given).__name__}")
    parts = [written(whole(arg)) for arg in args]
    return (" " if sep is None else sep).join(parts) + ("\n" if end is None else end)


def _add(state: State, node: Expr, text: str) -> None:
    state.printed += len(text)
    if state.printed > MOST_PRINTED:
        raise LimitError(
            "AGX606",
            f"The program prints more than {MOST_PRINTED:,} characters, which is the limit.",
            text=state.text,
            span=node.span,
            hint="Print less in its loops; no option raises this limit.",
        )
    state.ran.printed.append(text)
    state.events.append(Printed(text))


def string(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get | None:
    """`str(v)` and `repr(v)`, without addresses."""
    call = callable_for(function)

    def make(*args: Any) -> str:
        values = [whole(arg) for arg in args]
        return written(values[0]) if len(values) == 1 and is_nested(values[0]) else masked(call(*values))

    return _on_values(compiler, node, function, exprs, make)


def of_shallow(
    compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]
) -> Get | None:
    """`len(v)` and `type(v)`, which do not look into a list."""
    call = callable_for(function)
    return _on_values(compiler, node, function, exprs, lambda *args: call(*map(shallow, args)))


def over_arguments(
    compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]
) -> Get | None:
    """`list`, `tuple`, `zip`, `enumerate`, `reversed`: their items stay the values that they are."""
    call, state = callable_for(function), compiler.state
    return _on_values(compiler, node, function, exprs, lambda *args: _made(state, node, call, args))


def _made(state: State, node: nodes.Call, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The list or iterator that `call` makes of what its arguments hold."""
    if len(args) == 1 and type(args[0]) is torch.Size and call is not zip:
        return call(args[0])
    if call is enumerate:
        return enumerate(iterated(state, args[0], node), *map(plain, args[1:]))
    made = call(*[iterated(state, arg, node) for arg in args])
    arithmetic.refuse_items("The list has", made, state.settings.max_items)
    return made


def _on_values(
    compiler: Compiler,
    node: nodes.Call,
    function: Function,
    exprs: tuple[Expr, ...],
    make: Callable[..., Any],
) -> Get | None:
    """A call that makes a Python value of its arguments; not of its own for a source of one expression."""
    state = compiler.state
    if not compiler.is_program or node.keywords:
        return None
    gets = compiler.all(node.args)

    def run(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        try:
            return make(*args)
        except Exception as error:
            state.failed(error, node, function, args, exprs)
            raise

    return run


def ordering(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get | None:
    """`sorted(items, reverse=…)`: the items stay the values that they are."""
    if not compiler.is_program or len(node.args) != 1:
        return None
    state, get = compiler.state, compiler.compile(node.args[0])
    turn = compiler.compile(node.keywords[0].value) if node.keywords else None

    def run(frame: Frame) -> Any:
        argument = get(frame)
        backwards = turn is not None and bool(plain(turn(frame)))
        try:
            return sorted(iterated(state, argument, node.args[0]), key=plain, reverse=backwards)
        except Exception as error:
            state.failed(error, node, function, (argument,), exprs)
            raise

    return run


def asking(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`isinstance(x, classes)`."""
    state, (get, classes) = compiler.state, (compiler.compile(node.args[0]), _class(compiler, node.args[1]))

    def ask(frame: Frame) -> Any:
        argument = get(frame)
        try:
            return state.constant(node, isinstance(shallow(argument), classes(frame)))
        except Exception as error:
            state.failed(error, node, function, (argument,), exprs)
            raise

    return ask


def _class(compiler: Compiler, node: Expr) -> Callable[[Frame], Any]:
    """The class, or the tuple of them, that `node` names: Python's own where it stands for a dtype too."""
    path = lookup.path(node, compiler.hidden)
    if is_class(path):
        assert path is not None
        found = at_path(path)
        return lambda frame: found
    if isinstance(node, nodes.Sequence):
        parts = [_class(compiler, item) for item in node.items]
        kind = list if node.kind == "list" else tuple
        return lambda frame: kind([part(frame) for part in parts])
    get = compiler.compile(node)
    return lambda frame: plain(get(frame))


def retaining(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`y.retain_grad()`: from here on a backward leaves a gradient in `y` too."""
    return _watched(compiler, node, function, exprs, lambda state, tensor: state.leaves.add(tensor))


def requiring(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """`x.requires_grad_()`."""
    flag, state = exprs[0], compiler.state

    def note(state: State, tensor: torch.Tensor) -> None:
        given = flag, tensor, "requires_grad", None, tensor.requires_grad, state.number - 1
        state.events.append(tuple.__new__(Given, given))

    given = tuple([arg.value for arg in node.args if isinstance(arg, nodes.Constant)])
    plainest = compiler.is_program and not node.keywords and len(given) == len(node.args) < 2
    if not plainest or not isinstance(node.function, nodes.Attribute):
        return _watched(compiler, node, function, exprs, note)
    call, receiver = callable_for(function, method=True), compiler.compile(node.function.value)
    record = recorder(state, node, function, call, exprs)

    def run(frame: Frame) -> Any:
        arg = receiver(frame)
        args, tensor = (arg, *given), shallow(arg)
        _check_method(state, node, tensor, args, exprs)
        try:
            value = call(tensor, *given)
        except Exception as error:
            state.failed(error, node, function, args, exprs)
            raise
        made = record(value, args, NONE_NAMED, (tensor,))
        note(state, tensor)
        return made

    return run


def _check_method(
    state: State, node: nodes.Call, tensor: Any, args: tuple[Any, ...], exprs: tuple[Expr, ...]
) -> None:
    """Nothing, or Python's AttributeError where a method of tensors is called on anything else."""
    if type(tensor) not in TENSORS:
        name = node.function.name if isinstance(node.function, nodes.Attribute) else ""
        error = AttributeError(f"'{type(tensor).__name__}' object has no attribute '{name}'")
        state.failed(error, node, None, args, exprs)
        raise error


def _watched(
    compiler: Compiler,
    node: nodes.Call,
    function: Function,
    exprs: tuple[Expr, ...],
    note: Callable[[State, torch.Tensor], None],
) -> Get:
    """A method of a tensor, and something that is noted of the tensor after it."""
    assert isinstance(node.function, nodes.Attribute)
    state = compiler.state
    apply = applier(state, node, function, callable_for(function, method=True), exprs)
    gets = compiler.all((node.function.value, *node.args))
    named = [(keyword.name, compiler.compile(keyword.value)) for keyword in node.keywords]

    def run(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        tensor = shallow(args[0])
        _check_method(state, node, tensor, args, exprs)
        made = apply(args, {name: get(frame) for name, get in named} if named else NONE_NAMED)
        note(state, tensor)
        return made

    return run


def appending(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Apply:
    """`losses.append(v)`."""
    state, most = compiler.state, compiler.state.settings.max_items

    def append(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target, item = args
        if type(target) is Traced:
            target.value.append(plain(item))
        elif len(target) >= most:
            raise arithmetic.too_many("The list would have", len(target) + 1, most)
        else:
            target.append(settled(item))
        return state.constant(node, None)

    return append


def drawing(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """A draw by NumPy, whose state is as it was once the run is over."""
    from autograd_cli.run import modes

    state = compiler.state
    apply = applier(state, node, function, callable_for(function), exprs)
    gets = compiler.all(node.args)

    def draw(frame: Frame) -> Any:
        modes.keep_numpy(state)
        return apply(tuple([get(frame) for get in gets]))

    return draw


def _each(make: Any, *paths: str) -> Iterator[tuple[str, Any]]:
    return ((path, make) for path in paths)


SPECIAL: dict[str, Callable[..., Get | None]] = dict(
    (
        *_each(printing, "builtins.print"),
        *_each(string, "builtins.str", "builtins.repr"),
        *_each(of_shallow, "builtins.len", "builtins.type", "builtins.id"),
        *_each(ordering, "builtins.sorted"),
        *_each(asking, "builtins.isinstance"),
        *_each(
            over_arguments,
            *(f"builtins.{name}" for name in ("list", "tuple", "zip", "enumerate", "reversed")),
        ),
        *_each(backwards.of_tensor, "torch.Tensor.backward"),
        *_each(backwards.of_tensors, "torch.autograd.backward"),
        *_each(backwards.gradients, "torch.autograd.grad"),
        *_each(retaining, "torch.Tensor.retain_grad"),
        *_each(requiring, "torch.Tensor.requires_grad_"),
        *_each(optimizers.clipping, "torch.nn.utils.clip_grad_norm_"),
        *_each(drawing, *(f"numpy.random.{name}" for name in ("seed", "rand", "randn"))),
    )
)
"""By path: what makes the closure of such a call, or None where the row is called as any other."""

METHODS: dict[str, Callable[..., Apply]] = {
    "builtins.list.append": appending,
    **dict.fromkeys((f"builtins.str.{name}" for name in members("builtins.str")), words.method),
    "torch.optim.Optimizer.step": optimizers.step,
    "torch.optim.Optimizer.zero_grad": optimizers.zero_grad,
}
"""By path: what makes the call of such a method of what is no tensor."""
