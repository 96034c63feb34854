"""Questions with plain answers: what a tensor is like, whether something is None, what two numbers make.

Where a statement takes nothing but the answer, to give it to a name or to test it, it is asked
without a value of the run. What is not of the plainest form, or fails, is MISSING here and is
evaluated as any other expression: to ask twice changes nothing.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.lang import lookup, nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.operations import callable_for
from autograd_cli.run.state import TENSORS, Frame, Get
from autograd_cli.run.traced import Traced

MISSING = object()
"""The answer to a question that has to be evaluated as any other expression."""

_OF_TENSORS = frozenset(
    {
        "numel", "nelement", "size", "dim", "ndimension", "stride", "storage_offset", "element_size",
        "is_contiguous", "is_floating_point", "is_complex", "is_tensor", "data_ptr",
    }
)  # fmt: skip
"""Functions that tell of a tensor without reading its elements."""

_LIKE = frozenset(
    {
        "shape", "dtype", "device", "layout", "ndim", "is_leaf", "requires_grad", "itemsize", "nbytes",
        "is_cuda", "is_cpu", "is_meta",
    }
)  # fmt: skip
"""Attributes that do the same."""

_HELD = frozenset({"grad", "grad_fn"})
"""Attributes that can be asked for whether they are None."""

_IDENTITY = {"is": operator.is_, "is not": operator.is_not}
_ORDERS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip
_MAKES = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def answered(compiler: Compiler, node: Expr) -> Get:
    """As `compiler.compile`, with a plain answer where `node` is such a question."""
    get, ask = compiler.compile(node), question(compiler, node)
    if ask is None:
        return get

    def answer(frame: Frame) -> Any:
        found = ask(frame)
        return get(frame) if found is MISSING else found

    return answer


def question(compiler: Compiler, node: Expr) -> Get | None:
    """What gives the plain answer to such a question, or MISSING; None for any other expression."""
    if not compiler.is_program:
        return None
    if isinstance(node, nodes.Call):
        found = None if _item(compiler, node) else _called(compiler, node)
        return _asked(*found) if found else _of_numbers(compiler, node)
    if isinstance(node, nodes.Attribute):
        name = _name(compiler, node.value)
        return _asked(name, operator.attrgetter(node.name)) if name and node.name in _LIKE else None
    if isinstance(node, nodes.Subscript):
        return _length(compiler, node)
    if isinstance(node, nodes.Compare) and len(node.ops) == 1:
        return _compare(compiler, node)
    return _two_numbers(compiler, node) if isinstance(node, nodes.Binary) else None


def _length(compiler: Compiler, node: nodes.Subscript) -> Get | None:
    """`x.shape[0]`."""
    owner, place = node.value, _whole_numbers((node.index,))
    if place is None or not isinstance(owner, nodes.Attribute) or owner.name != "shape":
        return None
    name = _name(compiler, owner.value)
    return _asked(name, lambda tensor: tensor.shape[place[0]]) if name else None


def _name(compiler: Compiler, node: Expr) -> str:
    """The variable that `node` is, nothing where it is none."""
    return node.id if isinstance(node, nodes.Name) and node.id in compiler.hidden else ""


def _asked(name: str, call: Callable[[Any], Any]) -> Get:
    """What `call` gives for the tensor that a variable holds."""

    def ask(frame: Frame) -> Any:
        held = frame.get(name)
        if type(held) is Traced and type(held.value) in TENSORS:
            try:
                return call(held.value)
            except Exception:
                return MISSING  # raised again, with its place, by what evaluates it
        return MISSING

    return ask


def _called(compiler: Compiler, node: nodes.Call) -> tuple[str, Callable[[Any], Any]] | None:
    """A variable, and what is asked of its tensor: `x.dim()`, `x.size(0)`, `torch.is_tensor(x)`."""
    found = _item(compiler, node)
    if found is not None or node.keywords:
        return found
    function = lookup.function(node.function, compiler.hidden)
    is_method = function is None and isinstance(node.function, nodes.Attribute)
    given: tuple[Any, ...] | None = ()
    if isinstance(node.function, nodes.Attribute) and is_method:
        function, given = lookup.method(node.function.name), _whole_numbers(node.args)
        name = _name(compiler, node.function.value)
    else:
        name = _name(compiler, node.args[0]) if len(node.args) == 1 else ""
    if not name or given is None or function is None or function.name not in _OF_TENSORS:
        return None
    call = callable_for(function, method=is_method)
    if len(given) == 1:
        place = given[0]
        return name, lambda tensor: call(tensor, place)
    return None if given else (name, call)


def _whole_numbers(args: tuple[Expr, ...]) -> tuple[Any, ...] | None:
    """The numbers that stand as arguments; None where another expression does."""
    found: list[Any] = []
    for arg in args:
        sign = -1 if isinstance(arg, nodes.Unary) and arg.op == "-" else 1
        number = arg.operand if isinstance(arg, nodes.Unary) and sign < 0 else arg
        if not isinstance(number, nodes.Number) or type(number.value) is not int:
            return None
        found.append(sign * number.value)
    return tuple(found)


def _compare(compiler: Compiler, node: nodes.Compare) -> Get | None:
    """`x.dim() == 2`, `x.dtype == y.dtype`, `x.grad is None`, `loss.item() < 0.1`."""
    op = node.ops[0]
    order = _IDENTITY.get(op) or _ORDERS.get(op)
    left, right = (_side(compiler, each, op in _IDENTITY) for each in node.operands)
    if order is None or left is None or right is None or not left[0]:
        return None
    (name, call), (other, right_call) = left, right
    if not other:
        value = right_call(None)
        return _asked(name, lambda tensor: order(call(tensor), value))

    def compare(frame: Frame) -> Any:
        a, b = frame.get(name), frame.get(other)
        if type(a) is Traced and type(b) is Traced and type(a.value) in TENSORS and type(b.value) in TENSORS:
            try:
                return order(call(a.value), right_call(b.value))
            except Exception:
                return MISSING
        return MISSING

    return compare


def _side(compiler: Compiler, node: Expr, identity: bool) -> tuple[str, Callable[[Any], Any]] | None:
    """A side of a comparison: a variable, and what is asked of its tensor; no variable for a constant.

    `identity` is for `is`, which takes any object.
    """
    if isinstance(node, nodes.Number | nodes.Constant):
        value = node.value
        return "", lambda _: value
    constant = compiler.constant_of(node)
    if constant:
        return "", lambda _: constant[0]
    if isinstance(node, nodes.Name):
        return (_name(compiler, node), lambda tensor: tensor) if identity and _name(compiler, node) else None
    if isinstance(node, nodes.Attribute):
        name, wanted = _name(compiler, node.value), _LIKE | _HELD if identity else _LIKE
        return (name, operator.attrgetter(node.name)) if name and node.name in wanted else None
    return _called(compiler, node) if isinstance(node, nodes.Call) else None


def _item(compiler: Compiler, node: Expr) -> tuple[str, Callable[[Any], Any]] | None:
    called = node.function if isinstance(node, nodes.Call) and not (node.args or node.keywords) else None
    if not isinstance(called, nodes.Attribute) or called.name != "item":
        return None
    name = _name(compiler, called.value)
    return (name, torch.Tensor.item) if name else None


def number(compiler: Compiler, node: Expr) -> Get | None:
    """`loss.item()`: the number in a variable; None for another expression."""
    found = _item(compiler, node) if compiler.is_program else None
    return None if found is None else _asked(*found)


def _two_numbers(compiler: Compiler, node: nodes.Binary) -> Get | None:
    """`total + loss.item()`, `loss.item() * 2`, where both are numbers and one of them is a float."""
    items = [number(compiler, each) for each in (node.left, node.right)]
    make, sides = _MAKES.get(node.op), (node.left, node.right)
    if make is None or not any(items):
        return None
    left, right = (item or _held_number(compiler, side) for item, side in zip(items, sides, strict=True))
    if left is None or right is None:
        return None

    def both(frame: Frame) -> Any:
        a, b = left(frame), right(frame)
        if (type(a) is float and type(b) in _NUMBERS) or (type(b) is float and type(a) in _NUMBERS):
            try:
                return make(a, b)
            except ArithmeticError:
                return MISSING
        return MISSING

    return both


_NUMBERS = frozenset({int, float})


def _of_numbers(compiler: Compiler, node: nodes.Call) -> Get | None:
    """`max(loss.item(), 1.0)`, `round(loss.item(), 3)`: Python's own function of numbers."""
    name = node.function.id if isinstance(node.function, nodes.Name) else ""
    function = lookup.function(node.function, compiler.hidden) if name in _OWN else None
    if function is None or node.keywords or function.name != name or not 0 < len(node.args) < 3:
        return None
    is_own = function.path.startswith("builtins.") or lookup.is_either(node.function, compiler.outside)
    first, *others = [number(compiler, arg) or _held_number(compiler, arg) for arg in node.args]
    if not is_own or first is None or None in others or not number(compiler, node.args[0]):
        return None
    call, second = _OWN[name], others[0] if others else None

    def make(frame: Frame) -> Any:
        a = first(frame)
        b = 0 if second is None else second(frame)
        if type(a) is not float or type(b) not in _NUMBERS:
            return MISSING
        try:
            return call(a) if second is None else call(a, b)
        except Exception:
            return MISSING

    return make


_OWN: dict[str, Callable[..., Any]] = {
    "max": max, "min": min, "round": round, "abs": abs, "int": int, "float": float,
}  # fmt: skip
"""Python's functions that make a number of numbers."""


def _held_number(compiler: Compiler, node: Expr) -> Get | None:
    """A number that stands in the source, or that a variable holds."""
    if isinstance(node, nodes.Number):
        value = node.value
        return lambda frame: value
    name = _name(compiler, node)
    return (lambda frame: frame.get(name, MISSING)) if name else None
