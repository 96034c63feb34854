"""`torch.add(a, b, out=y)`: what is made is written into a tensor that is there.

The value is made first, as without `out`, so that it is known what is written; then torch writes it,
and says what it says of a tensor that requires grad or has another dtype.
"""

from typing import Any

import numpy
import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import lookup, nodes
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.report.values import shape_text
from autograd_cli.run import writing
from autograd_cli.run.assigning import keep_array
from autograd_cli.run.calls import applier
from autograd_cli.run.devices import check_operands
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.operations import callable_for
from autograd_cli.run.recording import recorder
from autograd_cli.run.state import TENSORS, Frame, Get, State, plain, shallow
from autograd_cli.run.traced import NONE_NAMED, Traced


def into(compiler: Compiler, node: nodes.Call, function: Function, exprs: tuple[Expr, ...]) -> Get:
    """The closure of a call with `out=`."""
    state, call = compiler.state, callable_for(function)
    gets = compiler.all(node.args)
    named = {keyword.name: compiler.compile(keyword.value) for keyword in node.keywords}
    place, get_out = next(k.value for k in node.keywords if k.name == "out"), named.pop("out")
    make, write = applier(state, node, function, call, exprs), _writer(state, node, function, place)

    def run(frame: Frame) -> Any:
        args = tuple([get(frame) for get in gets])
        kwargs = {name: get(frame) for name, get in named.items()}
        target = get_out(frame)
        held = shallow(target)
        if isinstance(held, numpy.ndarray) and function.path.startswith("numpy."):
            return _into_array(state, node, call, args, kwargs, target)
        if held is None:
            return make(args, kwargs)
        with torch.no_grad():
            made = make(args, kwargs)
        return write(args, kwargs, target, made)

    return run


def _writer(state: State, node: nodes.Call, function: Function, place: Expr) -> Any:
    """What lets torch write into the target, and keeps that as a copy of what was made."""
    call, exprs = callable_for(function), (place, node)
    copy = lookup.method("copy_")
    record = recorder(state, node, copy, torch.Tensor.copy_, exprs)

    def write(args: tuple[Any, ...], kwargs: dict[str, Any], target: Any, made: Any) -> Any:
        tensor, value = shallow(target), shallow(made)
        given, named = tuple(map(plain, args)), {name: plain(each) for name, each in kwargs.items()}
        try:
            _check(function, tensor, value)
            check_operands((*given, tensor))
            writing.before(state, target, node)
            call(*given, **named, out=tensor)
        except Exception as error:
            state.failed(error, node, function, (target, *args), (place, *node.args))
            raise
        kept = record(tensor, (target, made), NONE_NAMED, (tensor, value))
        writing.after(state, target, kept, place)
        return kept

    return write


def _check(function: Function, tensor: Any, value: Any) -> None:
    """Refuse to write several results, into several tensors, or into one of another shape."""
    if type(tensor) not in TENSORS or type(value) not in TENSORS:
        raise LanguageError(
            "AGX107",
            f"`{function.name}` writes into one tensor, and `out` is a {type(tensor).__name__} here.",
            hint="Give the results names of their own: `values, indices = …`.",
        )
    if tensor.numel() and tensor.shape != value.shape:
        raise LanguageError(
            "AGX107",
            f"`out` has shape {shape_text(tensor.shape)}, and what is written has {shape_text(value.shape)}.",
            hint="Make it of the shape of the result: `out = torch.empty_like(result)`, or leave `out` out.",
        )


def _into_array(
    state: State, node: nodes.Call, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], target: Any
) -> Any:
    """NumPy's functions write into an array, whose memory may be a tensor's."""
    array, named = shallow(target), {name: plain(value) for name, value in kwargs.items()}
    try:
        keep_array(state, array, node)
        call(*map(plain, args), **named, out=array)
    except Exception as error:
        state.failed(error, node, None, args, node.args)
        raise
    return target if type(target) is Traced else array
