"""The text of a formula read by Python's own grammar and evaluated call by call.

Most formulas are operators, functions and methods on bindings and numbers. For these the
steps are those that the interpreter would make, at a small part of what it takes to set one
up; of anything else the interpreter has to make them. What the steps are is remembered by
the text: a batch has the same formulas at other values.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch

from autograd_cli.gradients.replay import DIMENSIONS
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.same import remembered
from autograd_cli.report import Ref
from autograd_cli.run import legacy
from autograd_cli.run.limits import COUNTED, SMALL, bound_of
from autograd_cli.run.modes import Grad
from autograd_cli.run.operations import callable_for
from autograd_cli.run.tape import BoundValue, LiveStep

_LONGEST = 2_000
"""Characters of a formula beyond which its nodes may nest too deep to follow."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip

_UNSET = ("empty", "new_empty")
"""How functions are called that give memory as it was."""


class _OtherError(Exception):
    """There is something in the formula that the interpreter has to read."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A step before it has a value: that of the binding `name`, `value`, or what `call` gives."""

    kind: str
    name: str = ""
    value: Any = None
    function: Function | None = None
    call: Callable[..., Any] | None = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    bound: Callable[[Iterable[Any]], float] | None = None


class Computed:
    """A formula that was computed: its plan, the values of its names, and its own."""

    def __init__(self, plan: Sequence[_Planned], names: Mapping[str, Any], value: Any) -> None:
        self.plan = plan
        self.names = names
        self.value = value

    def steps(self) -> list[LiveStep]:
        """The steps as the interpreter makes them: it records gradients."""
        with Grad(True):
            values = _values(self.plan, self.names)
        return [self._step(place, planned, values) for place, planned in enumerate(self.plan)]

    def _step(self, place: int, planned: _Planned, values: Sequence[Any]) -> LiveStep:
        value, function = values[place], planned.function
        if planned.kind == "binding":
            return LiveStep(place, _WRITTEN, "binding", value, name=planned.name)
        if function is None:
            return LiveStep(place, _WRITTEN, "constant", value)
        given = (values[arg.index] if type(arg) is Ref else arg for arg in planned.args)
        held = not value.requires_grad and any(getattr(one, "requires_grad", False) for one in given)
        args, kwargs = planned.args, planned.kwargs
        return LiveStep(place, _WRITTEN, "call", value, function, planned.call, args, kwargs, (), held)


def computed(text: str, bindings: Sequence[BoundValue]) -> Computed | None:
    """A formula at the values of its names; None where the interpreter has to run it.

    All values are in double precision on the CPU, so that a replay would give the same.
    """
    if len(text) > _LONGEST:
        return None
    names = {binding.name: binding.value for binding in bindings}
    plan = _plan(text, tuple([(name, isinstance(value, torch.Tensor)) for name, value in names.items()]))
    if not plan:
        return None
    try:
        with Grad(False):
            return Computed(plan, names, _values(plan, names)[-1])
    except Exception:  # the interpreter says what is wrong
        return None


@remembered
def _plan(text: str, bound: tuple[tuple[str, bool], ...]) -> tuple[_Planned, ...]:
    """The steps of a formula, none where the interpreter has to make them.

    `bound` are the names with a value, each with whether it is a tensor: nothing else of the
    values is looked at.
    """
    reader = _Reader(dict(bound))
    try:
        root = reader.read(ast.parse(text, mode="eval").body)
    except Exception:  # the interpreter says what is wrong
        return ()
    is_last = isinstance(root, Ref) and root.index == len(reader.steps) - 1
    return tuple(reader.steps) if is_last else ()


def _values(plan: Sequence[_Planned], names: Mapping[str, Any]) -> list[Any]:
    """The value of each step."""
    values: list[Any] = []
    for planned in plan:
        values.append(_value(planned, values, names))
    return values


def _value(planned: _Planned, values: Sequence[Any], names: Mapping[str, Any]) -> Any:
    """The value of a step after those before it."""
    call = planned.call
    if planned.kind == "binding":
        value = names[planned.name]
        if isinstance(value, torch.Tensor) and not _is_double(value):
            raise _OtherError
        return value
    if call is None:
        return planned.value
    given = [values[arg.index] if type(arg) is Ref else arg for arg in planned.args]
    if planned.bound is None:
        return call(*given)
    if planned.bound(given) >= SMALL:
        raise _OtherError
    value = call(*given, **planned.kwargs) if planned.kwargs else call(*given)
    if type(value) is not torch.Tensor or not _is_double(value):
        raise _OtherError
    return value


_LOWER = frozenset({torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex32})


def _is_double(value: torch.Tensor) -> bool:
    """Whether a replay takes a tensor as it is."""
    return value.dtype not in _LOWER and value.is_cpu and value.ndim <= DIMENSIONS


class _Reader:
    """Plans the steps of a formula, one after the other."""

    def __init__(self, bound: Mapping[str, bool]) -> None:
        self.bound = bound
        self.steps: list[_Planned] = []
        self.places: dict[str, Ref] = {}

    def read(self, node: ast.expr) -> Any:
        """What a node comes to: the Ref of its step, or a number."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise _OtherError
        return reader(self, node)

    def number(self, node: ast.Constant) -> float:
        """A number as it is written."""
        if type(node.value) not in (int, float):
            raise _OtherError
        value: float = node.value  # type: ignore[assignment]
        return value

    def name(self, node: ast.Name) -> Ref:
        """A binding, on its first use a step of its own, or a constant, each time one."""
        name = node.id
        if name in self.places:
            return self.places[name]
        if name in self.bound:
            place = self.places[name] = self.put(_Planned("binding", name))
            return place
        constant = lookup.constant(nodes.Name(name), ())
        if constant is None or type(constant.value) is not float:
            raise _OtherError
        return self.put(_Planned("constant", value=constant.value))

    def unary(self, node: ast.UnaryOp) -> Any:
        """A number or a tensor with a minus sign."""
        operand = self.read(node.operand)
        if not isinstance(node.op, ast.USub):
            raise _OtherError
        if not isinstance(operand, Ref):
            return arithmetic.apply_unary("-", operand)
        if not self.is_tensor(operand):
            raise _OtherError
        function = lookup.operator("-", unary=True)
        return self.call(function, callable_for(function), (operand,))

    def binary(self, node: ast.BinOp) -> Ref:
        """`left op right`: torch's on a tensor, Python's otherwise."""
        left, right = self.read(node.left), self.read(node.right)
        op = _OPERATORS[type(node.op)]
        made = self.operated(op, left, right)
        if made is not None:
            return made
        computed = partial(arithmetic.apply_binary, op)
        return self.put(_Planned("constant", call=computed, args=(left, right)))

    def compare(self, node: ast.Compare) -> Ref:
        """`left > right` with a tensor among them."""
        (op,), (second,) = node.ops, node.comparators
        made = self.operated(_COMPARISONS[type(op)], self.read(node.left), self.read(second))
        if made is None:
            raise _OtherError
        return made

    def operated(self, op: str, left: Any, right: Any) -> Ref | None:
        """The step of torch's operator; None where there is no tensor."""
        if not (self.is_tensor(left) or self.is_tensor(right)):
            return None
        function = lookup.operator(op)
        return self.call(function, callable_for(function), (left, right))

    def attribute(self, node: ast.Attribute) -> Ref:
        """`x.T`."""
        owner, function = self.read(node.value), lookup.attribute_function(node.attr)
        if function is None or not self.is_tensor(owner):
            raise _OtherError
        return self.call(function, callable_for(function), (owner,))

    def called(self, node: ast.Call) -> Ref:
        """A function or a method of a tensor, given tensors and numbers."""
        callee, first = node.func, list[Any]()
        if isinstance(callee, ast.Name) and callee.id not in self.bound:
            function, is_method = _function(callee.id), False
        elif isinstance(callee, ast.Attribute) and self.is_tensor(receiver := self.read(callee.value)):
            function, is_method = _method(callee.attr), True
            first.append(receiver)
        else:
            raise _OtherError
        args = (*first, *map(self.read, node.args))
        kwargs = {str(keyword.arg): self.flag(keyword.value) for keyword in node.keywords}
        return self.call(function, callable_for(function, is_method), args, kwargs)

    def flag(self, node: ast.expr) -> Any:
        """A keyword's value."""
        if not isinstance(node, ast.Constant) or isinstance(node.value, str):
            raise _OtherError
        return node.value

    def is_tensor(self, argument: Any) -> bool:
        """Whether an argument is a tensor, as every call gives one."""
        if type(argument) is not Ref:
            return False
        step = self.steps[argument.index]
        return step.kind == "call" or (step.kind == "binding" and self.bound[step.name])

    def call(
        self,
        function: Function,
        call: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
    ) -> Ref:
        """The place of a new call."""
        return self.put(_Planned("call", "", None, function, call, args, kwargs or {}, bound_of(function)))

    def put(self, planned: _Planned) -> Ref:
        """The place of a new step."""
        self.steps.append(planned)
        return Ref(len(self.steps) - 1)


_WRITTEN = nodes.Constant(None)
"""The expression of every step: nothing is said of its place."""


_READERS: dict[type[ast.expr], Callable[[_Reader, Any], Any]] = {
    ast.Constant: _Reader.number,
    ast.Name: _Reader.name,
    ast.UnaryOp: _Reader.unary,
    ast.BinOp: _Reader.binary,
    ast.Compare: _Reader.compare,
    ast.Attribute: _Reader.attribute,
    ast.Call: _Reader.called,
}


@cache
def _function(name: str) -> Function:
    """The function of that name under the prelude, if it has no meaning of its own."""
    written = nodes.Name(name)
    found = None if lookup.is_either(written, ()) else lookup.function(written, ())
    return _plain(found)


@cache
def _method(name: str) -> Function:
    """The method of tensors of that name, if it has no meaning of its own."""
    return _plain(lookup.method(name))


def _plain(function: Function | None) -> Function:
    if function is None or not function.path.startswith("torch.") or function.kind is Kind.RANDOM:
        raise _OtherError
    odd = function.draws or function.writes or function.moves or function.name.startswith(_UNSET)
    if odd or function.name in COUNTED or function.path in legacy.PATHS:
        raise _OtherError
    return function
