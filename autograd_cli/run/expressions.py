"""Expressions compiled into closures that evaluate them among the variables of a frame.

Each node is compiled once. What its names mean, which row of the function table is called
and what has to be checked before it is settled then; what is left for each evaluation is to
take the arguments, call, and record. Nothing is evaluated by Python itself.
"""

from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any

import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import arithmetic, lookup, nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.scope import Scope
from autograd_cli.run import numbers
from autograd_cli.run.calls import later, of_one, of_two
from autograd_cli.run.naming import bound, functional, itself, unbound, undefined
from autograd_cli.run.operations import at_path, callable_for
from autograd_cli.run.recording import recorder, taken
from autograd_cli.run.state import TENSORS, Frame, Get, State, current, plain, shallow, whole
from autograd_cli.run.traced import NONE_NAMED, Traced, now
from autograd_cli.run.values import tensors_in


class Compiler:
    """Compiles the expressions of a module, or of a function's body.

    `hidden` are the names with values, which hide functions, constants and modules; `local`
    those of a function's own, None at the top of the module. `outside` is what names mean
    where the program gives them no value.
    """

    def __init__(self, state: State, hidden: Collection[str], local: frozenset[str] | None = None) -> None:
        self.state = state
        self.hidden = hidden
        self.local = local
        self.outside = hidden.outside if isinstance(hidden, Scope) else frozenset()

    @property
    def is_program(self) -> bool:
        """Whether statements are run; else the source is one expression, of which every value is kept."""
        return self.state.values is None

    def compile(self, node: Expr) -> Get:
        """The closure that evaluates `node`."""
        return HANDLERS[type(node)](self, node)

    def all(self, parts: Collection[Expr]) -> list[Get]:
        """The closures of several nodes."""
        return [HANDLERS[type(part)](self, part) for part in parts]

    def literal(self, node: nodes.Number | nodes.Text | nodes.Constant) -> Get:
        """A number, a string, True, None."""
        value = node.value
        return lambda frame: value

    # Names and attributes

    def name(self, node: nodes.Name) -> Get:
        """A variable, a binding, or a constant such as pi."""
        name, state = node.id, self.state
        if name not in self.hidden:
            return self.named_constant(node) or itself(self, node) or self.unknown(node)
        if self.local is not None and name in self.local:
            return self.variable(node, None, lambda: unbound(name))
        otherwise = self.named_constant(node, self.outside)
        if otherwise is None and lookup.function(node, self.outside) is not None:
            otherwise = functional(state, node)
        return self.variable(node, state.names, lambda: undefined(name), otherwise)

    def variable(
        self,
        node: nodes.Name,
        names: Frame | None,
        missing: Callable[[], Exception],
        otherwise: Get | None = None,
    ) -> Get:
        """A name looked up among the variables of the frame, or in `names`."""
        name, state = node.id, self.state
        outside = {} if names is None else names

        def read(frame: Frame) -> Any:
            try:
                value = frame[name]
            except KeyError:
                return absent(frame)
            if type(value) is Traced and value.moved is not None:
                return now(value)
            return value

        def read_outside(frame: Frame) -> Any:
            return read(outside)

        def absent(frame: Frame) -> Any:
            if name not in state.gone:
                if names is not None and name in state.bindings:
                    return bound(state, node)
                if otherwise is not None:
                    return otherwise(frame)
            error = missing()
            state.failed(error, node, None)
            raise error

        return read if names is None or self.local is None else read_outside

    def unknown(self, node: nodes.Name) -> Get:
        """A name that nothing gives a value to: Python's NameError when it is read."""

        def read(frame: Frame) -> Any:
            if not self.is_program:
                raise LanguageError("AGX102", "This name has no value.", text=self.state.text, span=node.span)
            error = undefined(node.id)
            self.state.failed(error, node, None)
            raise error

        return read

    def named_constant(self, node: Expr, hidden: Collection[str] | None = None) -> Get | None:
        """The value of pi, inf or a dtype: a step each time it is used."""
        found, state = self.constant_of(node, hidden), self.state
        if not found:
            return None
        value = found[0]
        return lambda frame: state.constant(node, value, traced=True)

    def constant_of(self, node: Expr, hidden: Collection[str] | None = None) -> tuple[Any, ...]:
        """The value of a constant's name, alone in a tuple; nothing for another expression."""
        found = lookup.constant(node, self.hidden if hidden is None else hidden)
        if found is None:
            return ()
        if not isinstance(found.value, str):
            return (found.value,)
        # A class is given as itself: torch and NumPy each make a dtype of it.
        return (at_path(found.path if self.is_program else found.value),)

    def attribute(self, node: nodes.Attribute) -> Get:
        """`x.T`, `x.shape`, `result.values`, or a constant's dotted name."""
        constant = self.named_constant(node) or itself(self, node)
        if constant is not None:
            return constant
        return self.attribute_of(node, self.compile(node.value))

    def attribute_of(self, node: nodes.Attribute, receiver: Get, looks: bool = True) -> Get:
        """The attribute of what `receiver` gives; `looks` says that a gradient is looked at by it."""
        function = lookup.attribute_function(node.name)
        if function is None:
            return self.reader(node, receiver, looks)
        return of_one(self.state, node, function, attrgetter(node.name), (node.value,), receiver)

    def overlooked(self, node: Expr) -> Get:
        """As `compile`; reading a gradient there, to clear it or to ask whether it is, is no look at it."""
        if isinstance(node, nodes.Attribute) and node.name == "grad":
            return self.attribute_of(node, self.compile(node.value), looks=False)
        return self.compile(node)

    def reader(self, node: nodes.Attribute, receiver: Get, looks: bool = True) -> Get:
        """An attribute that is no differentiable function: shape, dtype, grad, values."""
        state, exprs = self.state, (node.value,)
        get, is_grad = attrgetter(node.name), node.name == "grad" and looks
        line, record = state.line_of(node.span.start), recorder(state, node, None, get, exprs)

        def read(frame: Frame) -> Any:
            owner = receiver(frame)
            value = owner.value if type(owner) is Traced else owner
            try:
                found = get(value)
            except Exception as error:
                state.failed(error, node, None, (owner,), exprs)
                raise
            if type(found) not in TENSORS:
                return found if state.values is None else state.constant(node, found)
            if is_grad:
                state.leaves.looked(value, line, "read")
            return record(found, (owner,), NONE_NAMED, (value,))

        return read

    # Operators

    def unary(self, node: nodes.Unary) -> Get:
        """`-x`, `+x`, `~x`, `not x`; a signed literal stays a literal."""
        operand, state = self.compile(node.operand), self.state
        if node.op == "not":
            return lambda frame: state.constant(node, not self.truth(node.operand, operand(frame)))
        python = numbers.unary(state, node, node.op)
        is_literal = isinstance(node.operand, nodes.Number)
        function = lookup.operator(node.op, unary=True)
        call, exprs = callable_for(function), (node.operand,)
        general = later(state, node, function, call, exprs)

        def no_tensor(argument: Any) -> Any:
            if type(shallow(argument)) in TENSORS or _has_tensor(argument):
                return general((argument,))
            made = python(whole(argument))
            return made if is_literal else state.constant(node, made, type(argument) is Traced)

        return of_one(state, node, function, call, exprs, operand, no_tensor)

    def binary(self, node: nodes.Binary) -> Get:
        """`left op right`."""
        two = self.two(node, node.op, (node.left, node.right))
        left, right = self.compile(node.left), self.compile(node.right)
        return lambda frame: two(left(frame), right(frame))

    def two(self, node: Expr, op: str, exprs: tuple[Expr, Expr]) -> Callable[[Any, Any], Any]:
        """The operator `op` on two arguments: torch's on a tensor, Python's otherwise."""
        state, function = self.state, lookup.operator(op)
        call = callable_for(function)
        both = of_two(state, node, function, call, exprs)
        python = numbers.binary(state, node, op, call, exprs)

        def apply(left: Any, right: Any) -> Any:
            a = left.value if type(left) is Traced else left
            b = right.value if type(right) is Traced else right
            if type(a) in TENSORS or type(b) in TENSORS:
                return both(left, right)
            return python(left, right, a, b)

        return apply

    def compare(self, node: nodes.Compare) -> Get:
        """A comparison; a chain is `first and second`, as in Python."""
        asks = set(node.ops) <= {"is", "is not"}
        gets = [self.overlooked(each) for each in node.operands] if asks else self.all(node.operands)
        pairs = list(zip(node.operands, node.operands[1:], strict=False))
        twos = [self.two(node, op, pair) for op, pair in zip(node.ops, pairs, strict=True)]
        if len(twos) == 1:
            two, left, right = twos[0], gets[0], gets[1]
            if self.is_program and isinstance(node.operands[1], nodes.Number):
                return numbers.compared(two, node.ops[0], left, node.operands[1].value)
            return lambda frame: two(left(frame), right(frame))

        def chain(frame: Frame) -> Any:
            first = gets[0](frame)
            made: Any = None
            for two, get in zip(twos, gets[1:], strict=True):
                second = get(frame)
                made = two(first, second)
                if get is not gets[-1] and not self.truth(node, made):
                    return made
                first = second
            return made

        return chain

    def truth(self, node: Expr, argument: Any) -> bool:
        """Whether a value counts as true; a tensor of several elements does not say."""
        try:
            return bool(shallow(argument))
        except Exception as error:
            self.state.failed(error, node, None, (argument,), (node,))
            raise

    def boolean(self, node: nodes.Boolean) -> Get:
        """`a and b`, `a or b`: the operand that decides, as Python gives it."""
        gets, decides = self.all(node.operands), node.op == "or"

        def decide(frame: Frame) -> Any:
            for get, operand in zip(gets[:-1], node.operands, strict=False):
                made = get(frame)
                if self.truth(operand, made) is decides:
                    return made
            return gets[-1](frame)

        return decide

    def conditional(self, node: nodes.Conditional) -> Get:
        """The branch that the test chooses; the other is not evaluated."""
        test, then, otherwise = self.compile(node.test), self.compile(node.then), self.compile(node.otherwise)
        return lambda frame: then(frame) if self.truth(node.test, test(frame)) else otherwise(frame)

    # Subscripts and sequences

    def subscript(self, node: nodes.Subscript) -> Get:
        """`x[index]` on a tensor, a shape, a tuple of results or a list."""
        get_value, get_index, state = self.compile(node.value), self.compile(node.index), self.state
        function, exprs = lookup.operator("[]"), (node.value, node.index)
        call = callable_for(function)
        both = of_two(state, node, function, call, exprs)
        item = self.item(node, exprs)

        def element(frame: Frame) -> Any:
            value = get_value(frame)
            index = get_index(frame)
            if type(value) is Traced and type(value.value) in TENSORS:
                return both(value, index)
            return item(value, index)

        return element

    def item(self, node: Expr, exprs: tuple[Expr, ...]) -> Callable[[Any, Any], Any]:
        """An element of what is no tensor."""
        state, call = self.state, callable_for(lookup.operator("[]"))
        python = numbers.index(state, node, exprs)

        def of(value: Any, index: Any) -> Any:
            if type(value) in (list, tuple) and state.values is None:
                found = python(value, plain(index))
                return current(found) if type(found) is Traced else found
            if type(value) is torch.Size and type(index) is int and state.values is None:
                return python(value, index)
            held = whole(value)
            if not tensors_in(held):
                return state.constant(node, python(held, plain(index)), type(value) is Traced)
            try:
                found = call(held, plain(index))
            except Exception as error:
                state.failed(error, node, None, (value, index), exprs)
                raise
            return taken(state, node, call, (value, index), found, exprs)

        return of

    def slice(self, node: nodes.Slice) -> Get:
        """The bounds of a slice as arguments."""
        lower, upper, step = (
            None if part is None else self.compile(part) for part in (node.lower, node.upper, node.step)
        )

        def bounds(frame: Frame) -> slice:
            return slice(
                None if lower is None else lower(frame),
                None if upper is None else upper(frame),
                None if step is None else step(frame),
            )

        return bounds

    def sequence(self, node: nodes.Sequence) -> Get:
        """A list or tuple of arguments."""
        gets, state, most = self.all(node.items), self.state, self.state.settings.max_items
        as_list, settle = node.kind == "list", self.is_program

        def items(frame: Frame) -> Any:
            made = [get(frame) for get in gets]
            if not settle:
                _refuse_items(state, node, made, most)
            return made if as_list else tuple(made)

        return items

    # Strings

    def joined(self, node: nodes.Joined) -> Get:
        """An f-string."""
        from autograd_cli.run.texts import joined

        return joined(self, node)

    def formatted(self, node: nodes.Formatted) -> Get:
        """One value of an f-string."""
        from autograd_cli.run.texts import formatted

        return formatted(self, node)

    def call(self, node: nodes.Call) -> Get:
        """A function, a method of the value before the dot, or a function of the program."""
        from autograd_cli.run.callees import call

        return call(self, node)


def _has_tensor(argument: Any) -> bool:
    """Whether a tensor stands anywhere in a list or a tuple of arguments."""
    return type(argument) in (list, tuple) and bool(tensors_in(whole(argument)))


def _refuse_items(state: State, node: Expr, made: list[Any], most: int) -> None:
    try:
        arithmetic.refuse_items("The list has", plain(made), most)
    except Exception as error:
        state.failed(error, node, None)
        raise


HANDLERS: dict[type[Expr], Callable[[Compiler, Any], Get]] = {
    nodes.Number: Compiler.literal,
    nodes.Text: Compiler.literal,
    nodes.Constant: Compiler.literal,
    nodes.Name: Compiler.name,
    nodes.Attribute: Compiler.attribute,
    nodes.Call: Compiler.call,
    nodes.Unary: Compiler.unary,
    nodes.Binary: Compiler.binary,
    nodes.Compare: Compiler.compare,
    nodes.Boolean: Compiler.boolean,
    nodes.Conditional: Compiler.conditional,
    nodes.Subscript: Compiler.subscript,
    nodes.Slice: Compiler.slice,
    nodes.Sequence: Compiler.sequence,
    nodes.Joined: Compiler.joined,
    nodes.Formatted: Compiler.formatted,
}
