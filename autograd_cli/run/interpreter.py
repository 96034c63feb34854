"""The interpreter that records: a program's expressions, evaluated one by one.

Nothing is evaluated by Python itself. Every call is a row of the function table; every
expression that makes something leaves a live step on the tape, in order of evaluation,
so that a replay is a loop over the tape.

Nothing here recurses: each kind of node has a plan, a generator that asks for the
arguments that its parts are and gives its own in the end. So a chain of thousands of
calls costs no stack.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from operator import attrgetter
from types import GeneratorType
from typing import Any

import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Ref
from autograd_cli.run.operations import callable_for
from autograd_cli.run.recorder import Recorder
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, LiveStep
from autograd_cli.run.values import tensors_in

Plan = Generator[Expr, Any, Any]
"""Asks for the arguments that parts of an expression are, and returns that of the whole."""


class Interpreter:
    """Evaluates expression nodes and records a live step for each."""

    def __init__(self, text: str, bindings: Sequence[BoundValue], settings: Settings) -> None:
        self.text = text
        self.settings = settings
        self.recorder = Recorder(text, settings)
        self.bindings = {b.name: b for b in bindings}
        self.bound: dict[str, Ref] = {}

    @property
    def steps(self) -> list[LiveStep]:
        """The tape so far."""
        return self.recorder.steps

    def root(self, node: Expr) -> int:
        """The index of the step that holds the value of `node`."""
        argument = self.evaluate(node)
        if isinstance(argument, Ref):
            return argument.index
        value = self.recorder.value(argument)
        if isinstance(argument, list | tuple) and tensors_in(value):
            return self.recorder.taken(node, type(argument), (argument,), value).index
        return self.recorder.constant(node, value).index

    def one_tensor(self, node: Expr, index: int) -> int:
        """The step of the tensor to look at: of several results the first that requires grad."""
        value = self.steps[index].value
        if isinstance(value, torch.Tensor) or not isinstance(value, tuple | list):
            return index
        wanted = [place for place, item in enumerate(value) if isinstance(item, torch.Tensor)]
        graded = [place for place in wanted if value[place].requires_grad]
        if not wanted:
            return index
        return self.recorder.item(node, Ref(index), (graded or wanted)[0]).index

    def evaluate(self, root: Expr) -> Any:
        """The value of `root` as an argument of a call: a Ref to a step, or a literal's Python value."""
        plans: list[Plan] = []
        answer = self._begin(root, plans)
        while plans:
            try:
                part = plans[-1].send(answer)
            except StopIteration as finished:
                plans.pop()
                answer = finished.value
            else:
                answer = self._begin(part, plans)
        return answer

    def _begin(self, node: Expr, plans: list[Plan]) -> Any:
        """The argument that a leaf of the tree is; for another its plan is put on top, and None."""
        begun = _HANDLERS[type(node)](self, node)
        if not isinstance(begun, GeneratorType):
            return begun
        plans.append(begun)
        return None

    # Names and attributes

    def name(self, node: nodes.Name) -> Ref:
        """A binding, on its first use a step of its own, or a constant such as pi."""
        known = self.bound.get(node.id)
        if known is not None:
            return known
        binding = self.bindings.get(node.id)
        if binding is None:
            return self.named_constant(node)
        step = LiveStep(len(self.steps), node, "binding", binding.value, name=node.id)
        return self.bound.setdefault(node.id, self.recorder.add(step))

    def named_constant(self, node: Expr) -> Ref:
        """The value of pi, inf or a dtype as a constant step."""
        found = lookup.constant(node, self.bindings)
        if found is None:
            raise LanguageError("AGX102", "This name has no value.", text=self.text, span=node.span)
        is_path = isinstance(found.value, str)
        value = getattr(torch, str(found.value).removeprefix("torch.")) if is_path else found.value
        return self.recorder.constant(node, value)

    def attribute(self, node: nodes.Attribute) -> Plan:
        """`x.T`, `x.shape`, `result.values`, or a constant's dotted name."""
        if lookup.constant(node, self.bindings) is not None:
            return self.named_constant(node)
        receiver = yield node.value
        function = lookup.attribute_function(node.name)
        if function is None:
            return self.recorder.read(node, node.name, receiver, node.value)
        return self.recorder.apply(node, function, attrgetter(node.name), (receiver,), {}, (node.value,))

    # Operators

    def unary(self, node: nodes.Unary) -> Plan:
        """`-x`, `+x`, `~x`, `not x`; a signed literal stays a literal."""
        operand, recorder = (yield node.operand), self.recorder
        if node.op == "not":
            return recorder.constant(node, not recorder.truth(node.operand, operand))
        if not recorder.has_tensor(operand):
            value = recorder.python(node, arithmetic.apply_unary, node.op, recorder.value(operand))
            return value if isinstance(node.operand, nodes.Number) else recorder.constant(node, value)
        function = lookup.operator(node.op, unary=True)
        return recorder.apply(node, function, callable_for(function), (operand,), {}, (node.operand,))

    def binary(self, node: nodes.Binary) -> Plan:
        """`left op right`."""
        left = yield node.left
        right = yield node.right
        return self.two(node, node.op, (node.left, node.right), (left, right))

    def two(self, node: Expr, op: str, exprs: tuple[Expr, Expr], args: tuple[Any, Any]) -> Ref:
        """The operator `op` on two arguments: torch's on a tensor, Python's otherwise."""
        recorder = self.recorder
        if not recorder.has_tensor(args):
            given = (op, *recorder.value(args), self.settings.max_items)
            return recorder.constant(node, recorder.python(node, arithmetic.apply_binary, *given))
        function = lookup.operator(op)
        return recorder.apply(node, function, callable_for(function), args, {}, exprs)

    def compare(self, node: nodes.Compare) -> Plan:
        """A comparison; a chain is `first and second`, as in Python."""
        left_expr, left = node.operands[0], (yield node.operands[0])
        made: Any = None
        for op, right_expr in zip(node.ops, node.operands[1:], strict=True):
            right = yield right_expr
            made = self.two(node, op, (left_expr, right_expr), (left, right))
            if right_expr is not node.operands[-1] and not self.recorder.truth(node, made):
                return made
            left_expr, left = right_expr, right
        return made

    def boolean(self, node: nodes.Boolean) -> Plan:
        """`a and b`, `a or b`: the operand that decides, as Python gives it."""
        for operand in node.operands[:-1]:
            made = yield operand
            if self.recorder.truth(operand, made) is (node.op == "or"):
                return made
        return (yield node.operands[-1])

    def conditional(self, node: nodes.Conditional) -> Plan:
        """The branch that the test chooses; the other is not evaluated."""
        test = yield node.test
        chosen = self.recorder.truth(node.test, test)
        return (yield node.then if chosen else node.otherwise)

    # Subscripts and sequences

    def subscript(self, node: nodes.Subscript) -> Plan:
        """`x[index]` on a tensor, a shape, a tuple of results or a list."""
        value = yield node.value
        index = yield node.index
        recorder, exprs = self.recorder, (node.value, node.index)
        if recorder.is_tensor(value):
            function = lookup.operator("[]")
            return recorder.apply(node, function, callable_for(function), (value, index), {}, exprs)
        whole = recorder.value(value)
        if tensors_in(whole):
            return recorder.item(node, value, index, exprs)
        found = recorder.python(node, arithmetic.apply_index, whole, recorder.value(index))
        return recorder.constant(node, found)

    def slice(self, node: nodes.Slice) -> Plan:
        """The bounds of a slice as arguments."""
        lower = None if node.lower is None else (yield node.lower)
        upper = None if node.upper is None else (yield node.upper)
        step = None if node.step is None else (yield node.step)
        return slice(lower, upper, step)

    def sequence(self, node: nodes.Sequence) -> Plan:
        """A list or tuple of arguments."""
        items = yield from _parts(node.items)
        given = ("The list has", self.recorder.value(items), self.settings.max_items)
        self.recorder.python(node, arithmetic.refuse_items, *given)
        return items if node.kind == "list" else tuple(items)

    # Calls

    def call(self, node: nodes.Call) -> Plan:
        """A function, or a method of the value before the dot."""
        function = lookup.function(node.function, self.bindings)
        parts = list(node.args)
        method = function is None
        if method:
            assert isinstance(node.function, nodes.Attribute)
            parts.insert(0, node.function.value)
            function = lookup.method(node.function.name)
        if function is None:
            raise LanguageError(
                "AGX103", "This is no function of the language.", text=self.text, span=node.span
            )
        exprs = (*parts, *(keyword.value for keyword in node.keywords))
        made = yield from _parts(exprs)
        given, values = made[: len(parts)], made[len(parts) :]
        named = {keyword.name: value for keyword, value in zip(node.keywords, values, strict=True)}
        function, call = self.chosen(node, function, method, given[0] if given else named.get("input"))
        return self.recorder.apply(node, function, call, tuple(given), self.placed(function, named), exprs)

    def chosen(
        self, node: nodes.Call, function: Function, method: bool, receiver: Any
    ) -> tuple[Function, Callable[..., Any]]:
        """The row and what to call: eight bare names are Python's own unless a tensor comes first."""
        if lookup.is_either(node.function, self.bindings) and not self.recorder.is_tensor(receiver):
            own = by_path[f"builtins.{function.name}"]
            return own, arithmetic.python_function(own.name)
        return function, callable_for(function, method=method)

    def placed(self, function: Function, named: dict[str, Any]) -> dict[str, Any]:
        """Keywords of a call with the run's device added where a tensor is created."""
        creates = function.kind in (Kind.CREATION, Kind.RANDOM) and self.settings.device != "cpu"
        if not creates or "device" in named or all(a.role is not Role.DEVICE for a in function.arguments):
            return named
        return {**named, "device": torch.device(self.settings.device)}


def _parts(parts: Iterable[Expr]) -> Generator[Expr, Any, list[Any]]:
    """The arguments that the parts are, in their order."""
    made: list[Any] = []
    for part in parts:
        argument = yield part
        made.append(argument)
    return made


def _literal(interpreter: Interpreter, node: nodes.Number | nodes.Text | nodes.Constant) -> Any:
    return node.value


_HANDLERS: dict[type[Expr], Callable[[Interpreter, Any], Any]] = {
    nodes.Number: _literal,
    nodes.Text: _literal,
    nodes.Constant: _literal,
    nodes.Name: Interpreter.name,
    nodes.Attribute: Interpreter.attribute,
    nodes.Call: Interpreter.call,
    nodes.Unary: Interpreter.unary,
    nodes.Binary: Interpreter.binary,
    nodes.Compare: Interpreter.compare,
    nodes.Boolean: Interpreter.boolean,
    nodes.Conditional: Interpreter.conditional,
    nodes.Subscript: Interpreter.subscript,
    nodes.Slice: Interpreter.slice,
    nodes.Sequence: Interpreter.sequence,
}
