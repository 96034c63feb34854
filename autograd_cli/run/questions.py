"""Questions with plain answers: what a tensor is like, whether something is None, what two numbers make.

Where a statement takes nothing but the answer, to give it to a name or to test it, it is asked
without a value of the run. What is not of the plainest form, or fails, is MISSING here and is
evaluated as any other expression: to ask twice changes nothing.
"""

import operator
from collections.abc import Callable
from typing import Any

from autograd_cli.lang import lookup, nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.operations import callable_for
from autograd_cli.run.state import TENSORS, Get
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
    get, ask = compiler.compile(node), _question(compiler, node)
    if ask is None:
        return get

    def answer(frame: Any) -> Any:
        found = ask(frame)
        return get(frame) if found is MISSING else found

    return answer


def _question(compiler: Compiler, node: Expr) -> Get | None:
    if not compiler.is_program:
        return None
    if isinstance(node, nodes.Call):
        return _call(compiler, node)
    if isinstance(node, nodes.Compare) and len(node.ops) == 1:
        return _compare(compiler, node)
    return _two_numbers(compiler, node) if isinstance(node, nodes.Binary) else None


def _name(compiler: Compiler, node: Expr) -> str:
    """The variable that `node` is, nothing where it is none."""
    return node.id if isinstance(node, nodes.Name) and node.id in compiler.hidden else ""


def _asked(name: str, call: Callable[..., Any], given: tuple[Any, ...] = ()) -> Get:
    """What `call` gives for the tensor that a variable holds."""

    def ask(frame: Any) -> Any:
        held = frame.get(name)
        if type(held) is Traced and type(held.value) in TENSORS:
            try:
                return call(held.value, *given) if given else call(held.value)
            except Exception:
                return MISSING  # raised again, with its place, by what evaluates it
        return MISSING

    return ask


def _call(compiler: Compiler, node: nodes.Call) -> Get | None:
    """`x.dim()`, `x.size(0)`, `torch.is_tensor(x)`."""
    if node.keywords:
        return None
    function = lookup.function(node.function, compiler.hidden)
    if function is None and isinstance(node.function, nodes.Attribute):
        function = lookup.method(node.function.name)
        name, given = _name(compiler, node.function.value), _whole_numbers(node.args)
        is_method = True
    elif function is not None and len(node.args) == 1:
        name, given, is_method = _name(compiler, node.args[0]), (), False
    else:
        return None
    if not name or given is None or function is None or function.name not in _OF_TENSORS:
        return None
    return _asked(name, callable_for(function, method=is_method), given)


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
    left, right = (_operand(compiler, each, op in _IDENTITY) for each in node.operands)
    if order is None or left is None or right is None or _is_literal(node.operands[0]):
        return None
    if _is_literal(node.operands[1]):
        return _with_literal(order, left, right({}))

    def compare(frame: Any) -> Any:
        a, b = left(frame), right(frame)
        return MISSING if a is MISSING or b is MISSING else order(a, b)

    return compare


def _with_literal(order: Callable[[Any, Any], Any], left: Get, b: Any) -> Get:
    def compare(frame: Any) -> Any:
        a = left(frame)
        return MISSING if a is MISSING else order(a, b)

    return compare


def _is_literal(node: Expr) -> bool:
    return isinstance(node, nodes.Number | nodes.Constant)


def _operand(compiler: Compiler, node: Expr, identity: bool) -> Get | None:
    """What stands on a side of a comparison; `identity` for `is`, which takes any object."""
    if isinstance(node, nodes.Number | nodes.Constant):
        value = node.value
        return lambda frame: value
    constant = compiler.constant_of(node)
    if constant:
        return lambda frame: constant[0]
    if isinstance(node, nodes.Name):
        return _asked(node.id, lambda tensor: tensor) if identity and _name(compiler, node) else None
    if isinstance(node, nodes.Attribute):
        name, wanted = _name(compiler, node.value), _LIKE | _HELD if identity else _LIKE
        return _asked(name, operator.attrgetter(node.name)) if name and node.name in wanted else None
    if isinstance(node, nodes.Call):
        return number(compiler, node) or _call(compiler, node)
    return None


def number(compiler: Compiler, node: Expr) -> Get | None:
    """`loss.item()`: the number in a variable; None for another expression."""
    called = node.function if isinstance(node, nodes.Call) and not (node.args or node.keywords) else None
    if not isinstance(called, nodes.Attribute) or called.name != "item" or not compiler.is_program:
        return None
    name, function = _name(compiler, called.value), lookup.method("item")
    return _asked(name, callable_for(function, method=True)) if name and function else None


def _two_numbers(compiler: Compiler, node: nodes.Binary) -> Get | None:
    """`total + loss.item()`, `loss.item() * 2`, where both are numbers and one of them is a float."""
    items = [number(compiler, each) for each in (node.left, node.right)]
    make, sides = _MAKES.get(node.op), (node.left, node.right)
    if make is None or not any(items):
        return None
    left, right = (item or _held_number(compiler, side) for item, side in zip(items, sides, strict=True))
    if left is None or right is None:
        return None

    def both(frame: Any) -> Any:
        a, b = left(frame), right(frame)
        if (type(a) is float and type(b) in _NUMBERS) or (type(b) is float and type(a) in _NUMBERS):
            try:
                return make(a, b)
            except ArithmeticError:
                return MISSING
        return MISSING

    return both


_NUMBERS = frozenset({int, float})


def _held_number(compiler: Compiler, node: Expr) -> Get | None:
    """A number that stands in the source, or that a variable holds."""
    if isinstance(node, nodes.Number):
        value = node.value
        return lambda frame: value
    name = _name(compiler, node)
    return (lambda frame: frame.get(name, MISSING)) if name else None
