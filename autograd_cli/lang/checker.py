"""The look at every expression of a source: what is called, read and given is in the language.

It notes how each free name is used, from which a binding's role follows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from autograd_cli.errors import AgxError, Span
from autograd_cli.lang import lookup, misuse, nodes, unknown
from autograd_cli.lang.calls import placed
from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.lang.namespaces import FIELDS
from autograd_cli.lang.nodes import Attribute, Binary, Call, Expr, Name
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import CONSTANT_HABITS, FOREIGN, UNSAFE

Parts = Iterable[tuple[Expr, Role | None]]
"""The parts of an expression, each with the role in which it is used; None where it is only shown."""

Parameters = Mapping[str, frozenset[Role]]
"""The parameters of a function, in their order, each with the roles in which it is used."""

# In these an int stays an int, also through the arithmetic that makes one: `x[i + 1]`.
_WHOLE = frozenset({Role.INDEX, Role.MASK, Role.TARGET, Role.DIM, Role.SIZE, Role.COUNT})
_WHOLE_OPERATORS = frozenset({"+", "-", "*", "//", "%", "**", "<<", ">>", "&", "|", "^"})


class Checker:
    """Walks expressions of one scope without recursion and notes how names are used.

    `functions` gives, for each function that the program makes, the roles of its parameters
    in their order; `roles` are filled for names that are no functions or constants. `certain`
    are the names that surely have a value of the program's where the walk is, `possible` those
    that may: before that a name of the language means what it means there.
    """

    def __init__(self, place: Place, functions: Mapping[str, Parameters]) -> None:
        self.place = place
        self.functions = functions
        self.certain: set[str] = set(place.bound.bound)
        self.possible: set[str] = set(place.bound.bound)
        self.roles: dict[str, set[Role]] = {}

    def root(self, body: Expr, role: Role | None = Role.TENSOR) -> None:
        """Check `body`, which is used in `role`, and everything under it."""
        waiting: list[tuple[Expr, Role | None]] = [(body, role)]
        while waiting:
            node, role = waiting.pop()
            waiting += reversed(list(HANDLERS[type(node)](self, node, role)))


def _literal(checker: Checker, node: Expr, role: Role | None) -> Parts:
    return ()


def _name(checker: Checker, node: Name, role: Role | None) -> Parts:
    place = checker.place
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
    if node.id in place.bound.defined or _is_still_function(checker, node):
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
    _check_class(place, node, role)
    if lookup.constant(node, place.bound) is not None:
        return ()
    if lookup.function(node, place.bound) is not None:
        raise misuse.function_as_value(place, node)
    path = lookup.module(node, place.bound)
    if path is not None:
        raise unknown.module(place, node, path)
    if node.name == "__name__" and isinstance(node.value, Call):
        return [(arg, None) for arg in node.value.args]
    _check_receiver(place, node)
    is_known = lookup.attribute(node.name) is not None or (place.bound.uses_arrays and node.name == "size")
    if is_known and not _is_uncalled(node):
        return ((node.value, Role.TENSOR),)
    if lookup.method(node.name) is not None:
        raise place.error(
            "AGX109",
            f"`.{node.name}` is a method, and without brackets it is not called.",
            Span(node.span.end - len(node.name), node.span.end),
            f"Write `.{node.name}()`.",
            place.mended(Span(node.span.end, node.span.end), "()"),
        )
    raise unknown.attribute(place, node, None)


_AROUND = "Write a function around it, `sin(2.)`, or make a tensor of it, `tensor(2.)`."
_FORMATTED = 'Texts are put together by f-strings: `f"loss {loss.item():.4f}"`.'

_KINDS: dict[type[Expr], tuple[str, str]] = {
    nodes.Number: ("A number", _AROUND),
    nodes.Text: ("A string", _FORMATTED),
    nodes.Joined: ("A string", _FORMATTED),
    nodes.Sequence: ("A list", "Give it a name, and append to that: `kept = []`, `kept.append(x)`."),
    nodes.Constant: ("A constant", _AROUND),
}


def _is_uncalled(node: Attribute) -> bool:
    """Whether a name that is a method, and a field of some results, is a method here."""
    both = node.name in FIELDS and lookup.method(node.name) is not None
    return both and not isinstance(node.value, Call)


def _check_receiver(place: Place, node: Attribute) -> None:
    """Refuse attributes of what is written out: numbers, strings, lists; and of other libraries."""
    kind, hint = _KINDS.get(type(node.value), ("", ""))
    if kind:
        raise place.error(
            "AGX105",
            f"{kind} has no attributes or methods in the language, and `.{node.name}` is asked of it.",
            node.span,
            hint,
        )
    first = node.value
    made = first.function if isinstance(first, Call) else None
    if isinstance(made, Name) and made.id in UNSAFE - place.bound.bound:
        raise misuse.called_name(place, cast(Call, first), made)
    while isinstance(first, Attribute):
        first = first.value
    if isinstance(first, Name) and first.id in FOREIGN and first.id not in place.bound:
        raise place.error(
            "AGX102",
            f"`{place.of(node)}` belongs to another library; the language has torch and math.",
            node.span,
            "Write the name alone: `pi`, `inf`, `float32`.",
        )


def _call(checker: Checker, node: Call, role: Role | None) -> Parts:
    place, callee = checker.place, node.function
    if not isinstance(callee, Name | Attribute):
        if isinstance(callee, Call):
            misuse.check_module_call(place, callee)
            _call(checker, callee, role)
        raise misuse.not_callable(place, node)
    function = lookup.function(callee, place.bound)
    if function is not None:
        return _function(checker, node, function)
    if isinstance(callee, Name):
        return _own_function(checker, node, callee)
    if _is_foreign(callee, place) or _is_unimported(callee, place):
        raise unknown.function(place, node)
    if lookup.constant(callee, place.bound) is not None:
        raise misuse.called_constant(place, node)
    _check_receiver(place, callee)
    if callee.name == "data_ptr":
        raise misuse.address(place, node)
    methods = _methods(place, callee.name)
    if methods:
        return ((callee.value, Role.TENSOR), *_fitting(place, node, methods))
    if lookup.attribute(callee.name) is not None:
        raise misuse.called_attribute(place, node, callee)
    raise unknown.attribute(place, callee, node)


def _function(checker: Checker, node: Call, function: Function) -> Parts:
    """The arguments of a function of the table."""
    place = checker.place
    if function.kind is Kind.MODE and function.path != "torch.set_grad_enabled":
        raise misuse.mode_as_value(place, node)
    if function.path == "builtins.type":
        raise misuse.type_as_value(place, node)
    name = node.function.id if isinstance(node.function, Name) else ""
    loose = lookup.is_either(node.function, place.bound.without(name))
    found = placed(place.text, node, function, is_method=False, is_loose=loose)
    if function.path in _SHOWN:
        return [(part, None if role is Role.TENSOR else role) for part, role in found]
    return found


# In these a value is looked at as it is: they say nothing about what it is for.
_SHOWN = frozenset({"builtins.print", "builtins.str"})


def _own_function(checker: Checker, node: Call, callee: Name) -> Parts:
    """The arguments of a function that the program makes, or that was brought to it."""
    place = checker.place
    if callee.id not in place.bound.defined and callee.id not in place.bound.callables:
        earlier = None
        if callee.id not in checker.certain:
            earlier = lookup.function(callee, place.bound.without(callee.id))
        if earlier is None:
            raise misuse.called_name(place, node, callee)
        return _function(checker, node, earlier)
    parameters = checker.functions.get(callee.id, {})
    roles = list(parameters.values())
    found: list[tuple[Expr, Role | None]] = []
    for position, arg in enumerate(node.args):
        found += _in_roles(arg, roles[position] if position < len(roles) else frozenset())
    for keyword in node.keywords:
        found += _in_roles(keyword.value, parameters.get(keyword.name, frozenset()))
    return found


def _in_roles(arg: Expr, roles: frozenset[Role]) -> list[tuple[Expr, Role | None]]:
    """The argument in each role in which the function uses it; no node but a name is looked at twice."""
    if isinstance(arg, Name) and roles:
        return [(arg, role) for role in roles]
    return [(arg, next(iter(roles)) if len(roles) == 1 else Role.TENSOR)]


def _methods(place: Place, name: str) -> tuple[Function, ...]:
    """The rows that a method called `name` may be of: tensors first."""
    own = lookup.method(name)
    others = tuple(
        row
        for row in lookup.other_methods(name)
        if place.bound.uses_arrays or not row.path.startswith("numpy.")
    )
    return (own, *others) if own is not None else others


def _fitting(place: Place, node: Call, methods: Sequence[Function]) -> Parts:
    """The arguments of the first of the methods that takes them so."""
    refused: AgxError | None = None
    for method in methods:
        try:
            return placed(place.text, node, method, is_method=True, is_loose=False)
        except AgxError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _is_foreign(callee: Attribute, place: Place) -> bool:
    """Whether a dotted name begins with a module: the prelude's or another library's."""
    first: Expr = callee
    while isinstance(first, Attribute):
        first = first.value
    if not isinstance(first, Name) or first.id in place.bound:
        return False
    is_constant = lookup.constant(callee, place.bound) is not None
    return first.id in FOREIGN or (lookup.module(callee, place.bound) is not None and not is_constant)


def _is_unimported(callee: Attribute, place: Place) -> bool:
    """Whether a dotted name begins with a module of the prelude that the source's imports lack."""
    first: Expr = callee
    while isinstance(first, Attribute):
        first = first.value
    is_free = isinstance(first, Name) and first.id not in place.bound and place.bound.path(first.id) is None
    return is_free and lookup.function(callee, ()) is not None


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
            _FORMATTED if op in ("%", "+") else "A name or a number is written without quotes.",
        )


def _compare(checker: Checker, node: nodes.Compare, role: Role | None) -> Parts:
    equal = all(op in ("==", "!=") for op in node.ops)
    return [(_address_of(part) if equal else part, Role.TENSOR) for part in node.operands]


def _address_of(node: Expr) -> Expr:
    """The tensor of `x.data_ptr()`, which the language has for comparing with another alone."""
    match node:
        case Call(Attribute(value, "data_ptr"), (), ()):
            return value
    return node


def _boolean(checker: Checker, node: nodes.Boolean, role: Role | None) -> Parts:
    return [(operand, role) for operand in node.operands]


def _conditional(checker: Checker, node: nodes.Conditional, role: Role | None) -> Parts:
    return ((node.then, role), (node.test, Role.TENSOR), (node.otherwise, role))


def _subscript(checker: Checker, node: nodes.Subscript, role: Role | None) -> Parts:
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
