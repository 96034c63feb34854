"""The interpreter that records: a program's expressions, evaluated one by one.

Nothing is evaluated by Python itself. Every call is a row of the function table; every
expression that makes something leaves a live step on the tape, in order of evaluation,
so that a replay is a loop over the tape.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch

from autograd_cli.errors import AgxError, LanguageError
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Ref
from autograd_cli.run.devices import check_operands
from autograd_cli.run.limits import refuse_if_too_large
from autograd_cli.run.operations import callable_for
from autograd_cli.run.tape import BoundValue, Failure, LiveStep, Operand, cuts, filled, grad_fns_of, refs
from autograd_cli.run.values import tensors_in


@dataclass(frozen=True)
class Settings:
    """How a program is run. `dtype` is the default dtype of creation functions.

    `max_memory` is in bytes, `max_items` the longest list. `overrides` maps the text
    of a sub-expression to the value it has instead of being evaluated.
    """

    device: str = "cpu"
    dtype: str = "float32"
    seed: int = 0
    max_memory: int = 1 << 30
    max_items: int = 1_000_000
    overrides: Mapping[str, torch.Tensor] | None = None


class StoppedError(Exception):
    """An expression could not be evaluated; carries the failure to the top."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


class Interpreter:
    """Evaluates expression nodes and records a live step for each.

    `evaluate` gives an argument: a Ref to a step, or a literal's Python value.
    """

    def __init__(self, text: str, bindings: Sequence[BoundValue], settings: Settings) -> None:
        self.text = text
        self.settings = settings
        self.steps: list[LiveStep] = []
        self.values: list[Any] = []
        self.bindings = {b.name: b for b in bindings}
        self.bound: dict[str, Ref] = {}
        self.handlers: dict[type[Expr], Callable[[Any], Any]] = {
            nodes.Number: lambda node: node.value,
            nodes.Text: lambda node: node.value,
            nodes.Constant: lambda node: node.value,
            nodes.Name: self.name,
            nodes.Attribute: self.attribute,
            nodes.Call: self.call,
            nodes.Unary: self.unary,
            nodes.Binary: self.binary,
            nodes.Compare: self.compare,
            nodes.Boolean: self.boolean,
            nodes.Conditional: self.conditional,
            nodes.Subscript: self.subscript,
            nodes.Slice: self.slice,
            nodes.Sequence: self.sequence,
        }

    def root(self, node: Expr) -> int:
        """The index of the step that holds the value of `node`."""
        argument = self.evaluate(node)
        if not isinstance(argument, Ref):
            argument = self.constant(node, filled(argument, self.values))
        return argument.index

    def one_tensor(self, node: Expr, index: int) -> int:
        """The step of the tensor to look at: of several results the first that requires grad."""
        value = self.values[index]
        if isinstance(value, torch.Tensor) or not isinstance(value, tuple | list):
            return index
        wanted = [place for place, item in enumerate(value) if isinstance(item, torch.Tensor)]
        graded = [place for place in wanted if value[place].requires_grad]
        return self.item(node, Ref(index), (graded or wanted)[0]).index if wanted else index

    def evaluate(self, node: Expr) -> Any:
        """The value of `node` as an argument of a call."""
        overrides = self.settings.overrides
        if overrides and type(node) is nodes.Call:
            found = overrides.get(self.text[node.span.start : node.span.end])
            if found is not None:
                return self.constant(node, found)
        return self.handlers[type(node)](node)

    # Names and attributes

    def name(self, node: nodes.Name) -> Any:
        """A binding, on its first use a step of its own, or a constant such as pi."""
        known = self.bound.get(node.id)
        if known is not None:
            return known
        binding = self.bindings.get(node.id)
        if binding is None:
            return self.named_constant(node)
        made = self.add(LiveStep(len(self.steps), node, "binding", binding.value, name=node.id))
        self.bound[node.id] = made
        return made

    def named_constant(self, node: Expr) -> Ref:
        """The value of pi, inf or a dtype as a constant step."""
        found = lookup.constant(node, self.bindings)
        if found is None:
            raise LanguageError("AGX102", "This name has no value.", text=self.text, span=node.span)
        value = (
            getattr(torch, found.value.removeprefix("torch."))
            if isinstance(found.value, str)
            else found.value
        )
        return self.constant(node, value)

    def attribute(self, node: nodes.Attribute) -> Any:
        """`x.T`, `x.shape`, `result.values`, or a constant's dotted name."""
        if lookup.constant(node, self.bindings) is not None:
            return self.named_constant(node)
        receiver = self.evaluate(node.value)
        function = lookup.attribute_function(node.name)
        if function is None:
            return self.plain_attribute(node, receiver)
        return self.apply(node, function, attrgetter(node.name), (receiver,), {}, (node.value,))

    def plain_attribute(self, node: nodes.Attribute, receiver: Any) -> Ref:
        """An attribute that is no differentiable function: shape, dtype, grad, values."""
        value = filled(receiver, self.values)
        try:
            found = getattr(value, node.name)
        except Exception as error:
            raise self.stopped(node, None, (receiver,), (node.value,), error) from None
        if not isinstance(found, torch.Tensor):
            return self.constant(node, found)
        return self.add(
            LiveStep(
                len(self.steps),
                node,
                "call",
                found,
                call=attrgetter(node.name),
                args=(receiver,),
                grad_fns=grad_fns_of(found),
                held=cuts((value,), found),
            )
        )

    # Operators

    def unary(self, node: nodes.Unary) -> Any:
        """`-x`, `+x`, `~x`, `not x`; a signed literal stays a literal."""
        operand = self.evaluate(node.operand)
        if node.op == "not":
            return self.constant(node, not self.truth(node.operand, operand))
        if not self.has_tensor(operand):
            value = self.python(node, arithmetic.apply_unary, node.op, filled(operand, self.values))
            return value if isinstance(node.operand, nodes.Number) else self.constant(node, value)
        function = lookup.operator(node.op, unary=True)
        return self.apply(node, function, callable_for(function), (operand,), {}, (node.operand,))

    def binary(self, node: nodes.Binary) -> Any:
        """`left op right`; a long chain of operators is unrolled, so depth costs no stack."""
        chain = [node]
        while isinstance(chain[-1].left, nodes.Binary):
            chain.append(chain[-1].left)
        left = self.evaluate(chain[-1].left)
        for link in reversed(chain):
            left = self.two(link, link.op, link.left, left, link.right, self.evaluate(link.right))
        return left

    def two(self, node: Expr, op: str, left_expr: Expr, left: Any, right_expr: Expr, right: Any) -> Any:
        """The operator `op` on two arguments: torch's on a tensor, Python's otherwise."""
        if not self.has_tensor((left, right)):
            values = filled((left, right), self.values)
            return self.constant(node, self.python(node, arithmetic.apply_binary, op, *values))
        function = lookup.operator(op)
        return self.apply(node, function, callable_for(function), (left, right), {}, (left_expr, right_expr))

    def compare(self, node: nodes.Compare) -> Any:
        """A comparison; a chain is `first and second`, as in Python."""
        left_expr, left = node.operands[0], self.evaluate(node.operands[0])
        made: Any = None
        for op, right_expr in zip(node.ops, node.operands[1:], strict=True):
            right = self.evaluate(right_expr)
            made = self.two(node, op, left_expr, left, right_expr, right)
            if len(node.ops) > 1 and right_expr is not node.operands[-1] and not self.truth(node, made):
                return made
            left_expr, left = right_expr, right
        return made

    def boolean(self, node: nodes.Boolean) -> Any:
        """`a and b`, `a or b`: the operand that decides, as Python gives it."""
        for operand in node.operands[:-1]:
            made = self.evaluate(operand)
            if self.truth(operand, made) is (node.op == "or"):
                return made
        return self.evaluate(node.operands[-1])

    def conditional(self, node: nodes.Conditional) -> Any:
        """The branch that the test chooses; the other is not evaluated."""
        chosen = self.truth(node.test, self.evaluate(node.test))
        return self.evaluate(node.then if chosen else node.otherwise)

    def truth(self, node: Expr, argument: Any) -> bool:
        """Whether a value counts as true; a tensor of several elements does not say."""
        try:
            return bool(filled(argument, self.values))
        except Exception as error:
            raise self.stopped(node, None, (argument,), (node,), error) from None

    # Subscripts and sequences

    def subscript(self, node: nodes.Subscript) -> Any:
        """`x[index]` on a tensor, a shape, a tuple of results or a list."""
        value, index = self.evaluate(node.value), self.evaluate(node.index)
        function = lookup.operator("[]")
        if isinstance(value, Ref) and isinstance(self.values[value.index], torch.Tensor):
            return self.apply(
                node, function, callable_for(function), (value, index), {}, (node.value, node.index)
            )
        if tensors_in(filled(value, self.values)):
            return self.item(node, value, index, (node.value, node.index))
        return self.constant(
            node, self.python(node, arithmetic.apply_index, *filled((value, index), self.values))
        )

    def item(self, node: Expr, value: Any, index: Any, exprs: tuple[Expr, ...] = ()) -> Ref:
        """One of several results: `max(x, 0)[0]`, `[x, y][1]`."""
        call = callable_for(lookup.operator("[]"))
        try:
            found = call(*filled((value, index), self.values))
        except Exception as error:
            raise self.stopped(node, None, (value, index), exprs, error) from None
        return self.add(
            LiveStep(
                len(self.steps),
                node,
                "call",
                found,
                call=call,
                args=(value, index),
                grad_fns=grad_fns_of(found),
            )
        )

    def slice(self, node: nodes.Slice) -> slice:
        """The bounds of a slice as arguments."""
        return slice(
            *(None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step))
        )

    def sequence(self, node: nodes.Sequence) -> Any:
        """A list or tuple of arguments."""
        items = [self.evaluate(item) for item in node.items]
        return items if node.kind == "list" else tuple(items)

    # Calls

    def call(self, node: nodes.Call) -> Any:
        """A function, or a method of the value before the dot."""
        function = lookup.function(node.function, self.bindings)
        given, exprs = [self.evaluate(a) for a in node.args], list(node.args)
        method = function is None
        if method:
            assert isinstance(node.function, nodes.Attribute)
            given.insert(0, self.evaluate(node.function.value))
            exprs.insert(0, node.function.value)
            function = lookup.method(node.function.name)
        named = {k.name: self.evaluate(k.value) for k in node.keywords}
        exprs += [k.value for k in node.keywords]
        if function is None:
            raise LanguageError(
                "AGX103", "This is no function of the language.", text=self.text, span=node.span
            )
        function, call = self.chosen(node, function, method, given[0] if given else named.get("input"))
        return self.apply(node, function, call, tuple(given), self.placed(function, named), tuple(exprs))

    def chosen(
        self, node: nodes.Call, function: Function, method: bool, receiver: Any
    ) -> tuple[Function, Callable[..., Any]]:
        """The row and what to call: eight bare names are Python's own unless a tensor comes first."""
        if lookup.is_either(node.function, self.bindings) and not self.is_tensor(receiver):
            own = by_path[f"builtins.{function.name}"]
            return own, arithmetic.python_function(own.name)
        return function, callable_for(function, method=method)

    def placed(self, function: Function, named: dict[str, Any]) -> dict[str, Any]:
        """Keywords of a call with the run's device added where a tensor is created."""
        creates = function.kind in (Kind.CREATION, Kind.RANDOM) and self.settings.device != "cpu"
        if not creates or "device" in named or all(a.role is not Role.DEVICE for a in function.arguments):
            return named
        return {**named, "device": torch.device(self.settings.device)}

    def apply(
        self,
        node: Expr,
        function: Function,
        call: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        exprs: tuple[Expr, ...],
    ) -> Ref:
        """The step of one call, or the failure with its operands."""
        positional, named = filled(args, self.values), filled(kwargs, self.values)
        try:
            check_operands((*positional, *named.values()))
            refuse_if_too_large(function, call, positional, named, self.settings.max_memory)
            value = call(*positional, **named)
        except AgxError as error:
            raise _placed_error(error, self.text, node) from None
        except Exception as error:
            raise self.stopped(node, function, (*args, *kwargs.values()), exprs, error) from None
        if not tensors_in((positional, tuple(named.values()))) and not tensors_in(value):
            return self.constant(node, value)
        return self.add(
            LiveStep(
                len(self.steps),
                node,
                "call",
                value,
                function=function,
                call=call,
                args=args,
                kwargs=kwargs,
                grad_fns=grad_fns_of(value),
                held=function.kind is Kind.RANDOM or cuts((positional, tuple(named.values())), value),
            )
        )

    # The tape

    def add(self, step: LiveStep) -> Ref:
        """A Ref to `step`, put at the end of the tape."""
        self.steps.append(step)
        self.values.append(step.value)
        return Ref(step.index)

    def constant(self, node: Expr, value: Any) -> Ref:
        """A step for a value that no tensor went into."""
        return self.add(LiveStep(len(self.steps), node, "constant", value))

    def python(self, node: Expr, function: Callable[..., Any], *values: Any) -> Any:
        """Python's own arithmetic, bounded; a refusal gets the place of `node`."""
        try:
            return function(*values)
        except AgxError as error:
            raise _placed_error(error, self.text, node) from None

    def has_tensor(self, argument: Any) -> bool:
        """Whether a tensor stands anywhere in an argument."""
        return any(isinstance(self.values[ref.index], torch.Tensor) for ref in refs(argument))

    def is_tensor(self, argument: Any) -> bool:
        """Whether an argument is one tensor."""
        return isinstance(argument, Ref) and isinstance(self.values[argument.index], torch.Tensor)

    def stopped(
        self,
        node: Expr,
        function: Function | None,
        args: tuple[Any, ...],
        exprs: tuple[Expr, ...],
        error: Exception,
    ) -> StoppedError:
        """The failure of `node` with its operands, ready to be raised."""
        operands = tuple(
            Operand(self.text[expr.span.start : expr.span.end], expr, filled(arg, self.values))
            for arg, expr in zip(args, exprs, strict=False)
        )
        return StoppedError(Failure(node, function, operands, error))


def _placed_error(error: AgxError, text: str, node: Expr) -> AgxError:
    if error.span is None:
        error.text, error.span = text, node.span
    return error
