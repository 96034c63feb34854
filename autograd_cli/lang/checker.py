"""The look at every expression of a source: what is called, read and given is in the language.

It notes how each free name is used, from which a binding's role follows.
"""

from collections.abc import Callable, Mapping
from typing import Any

from autograd_cli.errors import AgxError, Span
from autograd_cli.lang import lookup, misuse, nodes, unknown
from autograd_cli.lang.called import (
    Parameters as Parameters,
    Parts,
    by_held,
    check_format,
    fitting,
    given_on,
    is_foreign,
    is_unimported,
    methods,
    of_own,
)
from autograd_cli.lang.calls import placed
from autograd_cli.lang.classes import is_class, without_classes
from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.lang.held import CARRIES, FIELDS_OF_RECORDS, Names, addressed, is_field, row_of
from autograd_cli.lang.nodes import Attribute, Binary, Call, Expr, Name
from autograd_cli.lang.receivers import FORMATTED, check_receiver, is_uncalled, of_group
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import CONSTANT_HABITS

# In these an int stays an int, also through the arithmetic that makes one: `x[i + 1]`.
_WHOLE = frozenset({Role.INDEX, Role.MASK, Role.TARGET, Role.DIM, Role.SIZE, Role.COUNT})
_WHOLE_OPERATORS = frozenset({"+", "-", "*", "//", "%", "**", "<<", ">>", "&", "|", "^"})


class Checker:
    """Walks expressions of one scope without recursion and notes how names are used.

    `functions` gives, for each function that the program makes, the roles of its parameters
    in their order; `roles` are filled for names that are no functions or constants. `certain`
    are the names that surely have a value of the program's where the walk is, `possible` those
    that may: before that a name of the language means what it means there. `names` says what
    names can hold that is no data.
    """

    def __init__(self, place: Place, functions: Mapping[str, Parameters], names: Names) -> None:
        self.place = place
        self.functions = functions
        self.names = names
        self.certain: set[str] = set(place.bound.bound)
        self.possible: set[str] = set(place.bound.bound)
        self.roles: dict[str, set[Role]] = {}

    def root(self, body: Expr, role: Role | None = Role.TENSOR) -> None:
        """Check `body`, which is used in `role`, and everything under it."""
        waiting: list[tuple[Expr, Role | None]] = [(body, role)]
        while waiting:
            node, role = waiting.pop()
            waiting += reversed(list(HANDLERS[type(node)](self, node, role)))

    def value(self, body: Expr) -> None:
        """Check `body`, which a name is given: functions may stand there as they are."""
        waiting = [body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, nodes.Sequence):
                waiting += reversed(node.items)
            elif isinstance(node, nodes.Conditional):
                waiting += (node.otherwise, node.then)
                self.root(node.test)
            else:
                self._leaf(node)

    def _leaf(self, node: Expr) -> None:
        kind = type(node)
        if kind is Call:
            inner = addressed(node, self.place.bound)
            self.root(inner or node, Role.TENSOR if inner is None else None)
        else:
            is_name = kind is Name or kind is Attribute
            self.root(node, None if is_name and self.is_function(node) else Role.TENSOR)

    def is_function(self, node: Expr) -> bool:
        """Whether a function, or a class, stands there as a value: `torch.sin`, a `def`'s name, `float`."""
        bound = self.place.bound
        if not isinstance(node, Name | Attribute) or not bound.is_program:
            return False
        if isinstance(node, Name) and node.id in bound:
            return node.id in bound.defined
        return row_of(node, bound) is not None or is_class(lookup.path(node, bound))


def _literal(checker: Checker, node: Expr, role: Role | None) -> Parts:
    return ()


def _name(checker: Checker, node: Name, role: Role | None) -> Parts:
    place = checker.place
    if role is None and checker.is_function(node):
        return ()
    if node.id in checker.names.addresses:
        raise misuse.address(place, node)
    if node.id not in checker.possible:
        _check_class(place, node, role)
    if node.id not in place.bound:
        if lookup.constant(node, ()) is not None:
            return ()
        if lookup.function(node, ()) is not None:
            raise misuse.function_as_value(place, node)
        path = lookup.module(node, ())
        if path is not None:
            raise unknown.module(place, node, path)
        _check_free(place, node)
    if node.id in place.bound.defined | place.bound.callables or _is_still_function(checker, node):
        raise misuse.function_as_value(place, node)
    checker.roles.setdefault(node.id, set()).update(() if role is None else (role,))
    return ()


def _is_still_function(checker: Checker, node: Name) -> bool:
    """Whether a name that the program assigns further down is a function of the language here."""
    earlier = node.id not in checker.possible
    return earlier and lookup.function(node, checker.place.bound.without(node.id)) is not None


_OF_TYPES = frozenset({Role.DTYPE, Role.DEVICE})  # `x.to` takes either first


def _check_class(place: Place, node: Expr, role: Role | None) -> None:
    """Refuse a class, `float` or `np.float32`, where it does not stand for a dtype."""
    first = node.id if isinstance(node, Name) else ""
    found = lookup.constant(node, place.bound.without(first))
    is_class = found is not None and found.path.startswith(("builtins.", "numpy."))
    if found is not None and is_class and isinstance(found.value, str) and role not in _OF_TYPES:
        raise misuse.class_as_value(place, node, found)


def _check_free(place: Place, node: Name) -> None:
    """Refuse an unbound name of an expression that could not be bound as it is meant.

    A program ends at such a name when it is run, as in Python.
    """
    if place.bound.is_program:
        return
    if node.id in CONSTANT_HABITS or not node.id.isascii():
        error = unknown.name(place, node)
        if error is not None:
            raise error
    if node.id.startswith("_"):
        raise unknown.underscored(place, node)


def _attribute(checker: Checker, node: Attribute, role: Role | None) -> Parts:
    place = checker.place
    if role is None and checker.is_function(node):
        return ()
    _check_class(place, node, role)
    if lookup.constant(node, place.bound) is not None:
        return ()
    if lookup.function(node, place.bound) is not None:
        raise misuse.function_as_value(place, node)
    path = lookup.module(node, place.bound)
    if path is not None:
        raise unknown.module(place, node, path)
    if node.name == "__name__":
        return ((_named(place, node.value), None),)
    if node.name in FIELDS_OF_RECORDS and is_field(node, checker.names.records, place.bound):
        return ((node.value, None),)
    check_receiver(place, node)
    is_known = lookup.attribute(node.name) is not None or (place.bound.uses_arrays and node.name == "size")
    if is_known and not is_uncalled(node):
        return ((node.value, Role.TENSOR),)
    if lookup.method(node.name) is not None or lookup.other_methods(node.name):
        raise place.error(
            "AGX109",
            f"`.{node.name}` is a method, and without brackets it is not called.",
            Span(node.span.end - len(node.name), node.span.end),
            f"Write `.{node.name}()`.",
            place.mended(Span(node.span.end, node.span.end), "()"),
        )
    raise unknown.attribute(place, node, None)


def _named(place: Place, expr: Expr) -> Expr:
    """What is to be checked before `.__name__`: of `type(x)`, which is no value alone, x."""
    function = lookup.function(expr.function, place.bound) if isinstance(expr, Call) else None
    is_type = function is not None and function.path == "builtins.type"
    return expr.args[0] if is_type and isinstance(expr, Call) and len(expr.args) == 1 else expr


def _call(checker: Checker, node: Call, role: Role | None) -> Parts:
    place, callee = checker.place, node.function
    if not isinstance(callee, Name | Attribute):
        if isinstance(callee, Call):
            misuse.check_module_call(place, callee)
            _call(checker, callee, role)
        raise _not_callable(checker, node, callee)
    function = lookup.function(callee, place.bound)
    if function is not None:
        return _function(checker, node, function)
    if isinstance(callee, Name):
        return _own_function(checker, node, callee)
    if is_foreign(callee, place) or is_unimported(callee, place):
        raise unknown.function(place, node)
    if lookup.constant(callee, place.bound) is not None:
        raise misuse.called_constant(place, node)
    check_receiver(place, callee, is_called=True)
    if callee.name == "data_ptr":
        raise misuse.address(place, node)
    check_format(place, callee)
    rows = methods(place, callee.value, callee.name)
    if rows:
        return ((callee.value, Role.TENSOR), *fitting(place, node, rows))
    if lookup.attribute(callee.name) is not None:
        raise misuse.called_attribute(place, node, callee)
    raise unknown.attribute(place, callee, node)


def _not_callable(checker: Checker, node: Call, callee: Expr) -> AgxError:
    inner = callee.value if isinstance(callee, nodes.Subscript) else None
    if isinstance(inner, Name) and inner.id in checker.names.functions:
        return misuse.called_item(checker.place, node)
    return misuse.not_callable(checker.place, node)


def _function(checker: Checker, node: Call, function: Function) -> Parts:
    """The arguments of a function of the table."""
    place = checker.place
    if function.kind is Kind.MODE and function.path != "torch.set_grad_enabled":
        raise misuse.mode_as_value(place, node)
    if function.path == "builtins.type" and not place.bound.is_program:
        raise misuse.type_as_value(place, node)
    name = node.function.id if isinstance(node.function, Name) else ""
    loose = lookup.is_either(node.function, place.bound.without(name))
    found = placed(place.text, node, function, is_method=False, is_loose=loose)
    if function.path == "builtins.isinstance":
        return [(part, None) for part in (node.args[0], *without_classes(place.bound, node.args[1]))]
    if function.path in _TYPED and node.args and isinstance(node.args[0], nodes.Number):
        raise misuse.sizes_of_typed(place, node)
    if function.path == "builtins.id":
        raise misuse.address(place, node)
    if function.path in _SHOWN:
        return [(part, None if role is Role.TENSOR else role) for part, role in found]
    if function.path in CARRIES:
        return given_on(checker, found)
    return found


_TYPED = frozenset(
    f"torch.{kind}Tensor" for kind in ("Float", "Double", "Half", "Long", "Int", "Short", "Byte", "Bool")
)
"""Constructors of old for one dtype: of sizes they give memory that nothing was written to."""

# In these a value is looked at as it is: they say nothing about what it is for.
_SHOWN = frozenset(f"builtins.{name}" for name in ("print", "str", "repr", "type"))


def _own_function(checker: Checker, node: Call, callee: Name) -> Parts:
    """The arguments of a function that the program makes, or that was brought to it."""
    place = checker.place
    if callee.id not in place.bound.defined and callee.id not in place.bound.callables:
        if callee.id in checker.names.functions:
            return by_held(checker, node, sorted(checker.names.functions[callee.id]))
        earlier = None
        if callee.id not in checker.certain:
            earlier = lookup.function(callee, place.bound.without(callee.id))
        if earlier is None:
            raise misuse.called_name(place, node, callee)
        return _function(checker, node, earlier)
    return of_own(checker, node, checker.functions.get(callee.id, {}))


def _unary(checker: Checker, node: nodes.Unary, role: Role | None) -> Parts:
    _check_text(checker.place, node.op, node.operand)
    if node.op == "~" and role not in _WHOLE:
        role = Role.MASK
    return ((node.operand, role if role in _WHOLE and node.op != "not" else Role.TENSOR),)


def _binary(checker: Checker, node: Binary, role: Role | None) -> Parts:
    _check_text(checker.place, node.op, node.left, node.right)
    if node.op in ("^", "**"):
        misuse.check_power(checker.place, node)
    if node.op in ("&", "|") and role not in _WHOLE:
        role = Role.MASK
    passed = role if role in _WHOLE and node.op in _WHOLE_OPERATORS else Role.TENSOR
    return ((node.left, passed), (node.right, passed))


def _is_text(node: Expr) -> bool:
    return isinstance(node, nodes.Text | nodes.Joined)


def _check_text(place: Place, op: str, *operands: Expr) -> None:
    """Refuse arithmetic of strings but `+` between two and `*` by a number."""
    texts = [operand for operand in operands if _is_text(operand)]
    if not texts:
        return
    others = [operand for operand in operands if not _is_text(operand)]
    numbers = [o for o in others if isinstance(o, nodes.Number | nodes.Constant)]
    joins = op == "+" and len(operands) == 2 and not numbers
    repeats = op == "*" and len(others) == 1 and all(isinstance(n.value, int) for n in numbers)
    if not joins and not repeats and op != "not":
        raise place.error(
            "AGX107",
            f"`{op}` is applied to a string, which has `+` with another string and `*` by a number.",
            texts[0].span,
            FORMATTED if op in ("%", "+") else "A name or a number is written without quotes.",
        )


def _compare(checker: Checker, node: nodes.Compare, role: Role | None) -> Parts:
    operands = node.operands
    if _EQUAL.issuperset(node.ops):
        held = checker.names.addresses
        if held:
            operands = tuple(part for part in operands if not (isinstance(part, Name) and part.id in held))
        operands = tuple([addressed(part, checker.place.bound) or part for part in operands])
    found = [(part, Role.TENSOR) for part in operands]
    if _ASKS.issuperset(node.ops) and any(_tells(part, checker.place) for part in operands):
        return given_on(checker, found)
    return found


_EQUAL = frozenset({"==", "!="})
_ASKS = _EQUAL | {"is", "is not", "in", "not in"}


def _tells(node: Expr, place: Place) -> bool:
    """Whether an expression can be a class or a function: `type(x)`, `f`."""
    is_type = isinstance(node, Call) and isinstance(node.function, Name) and node.function.id == "type"
    return is_type or (isinstance(node, Name) and node.id in place.bound)


def _boolean(checker: Checker, node: nodes.Boolean, role: Role | None) -> Parts:
    return [(operand, role) for operand in node.operands]


def _conditional(checker: Checker, node: nodes.Conditional, role: Role | None) -> Parts:
    return ((node.then, role), (node.test, Role.TENSOR), (node.otherwise, role))


def _subscript(checker: Checker, node: nodes.Subscript, role: Role | None) -> Parts:
    group = of_group(node)
    if group is not None:
        return ((group.value, Role.TENSOR),)
    if isinstance(node.index, nodes.Text):
        raise checker.place.error(
            "AGX107",
            "A string is no index: tensors and lists have none of their elements under a name.",
            node.index.span,
            "Write an int, a slice, a mask or a tensor of ints.",
        )
    return ((node.value, role if role in _WHOLE else Role.TENSOR), (node.index, Role.INDEX))


def _slice(checker: Checker, node: nodes.Slice, role: Role | None) -> Parts:
    return [(part, Role.INDEX) for part in (node.lower, node.upper, node.step) if part is not None]


def _sequence(checker: Checker, node: nodes.Sequence, role: Role | None) -> Parts:
    return [(item, Role.TENSOR if role is Role.TENSORS else role) for item in node.items]


def _joined(checker: Checker, node: nodes.Joined, role: Role | None) -> Parts:
    return [(part, None) for part in node.parts]


def _formatted(checker: Checker, node: nodes.Formatted, role: Role | None) -> Parts:
    return [(part, None) for part in (node.value, node.form) if part is not None]


HANDLERS: dict[type[Expr], Callable[[Checker, Any, Role | None], Parts]] = {
    nodes.Number: _literal,
    nodes.Text: _literal,
    nodes.Constant: _literal,
    nodes.Name: _name,
    nodes.Attribute: _attribute,
    nodes.Call: _call,
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Compare: _compare,
    nodes.Boolean: _boolean,
    nodes.Conditional: _conditional,
    nodes.Subscript: _subscript,
    nodes.Slice: _slice,
    nodes.Sequence: _sequence,
    nodes.Joined: _joined,
    nodes.Formatted: _formatted,
}
