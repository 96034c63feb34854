"""The matrix of a formula that is linear in one vector: `A@v + v@A` is that of `A + A.T`.

The formula is read step by step. What depends on the vector is kept as a sum of parts: diagonal
matrices, matrices, outer products, and rows, which give one number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_cli.lang.nodes import (
    Attribute,
    Binary,
    Constant,
    Expr,
    Number,
    Sequence as Listed,
    Slice,
    Subscript,
    Unary,
)
from autograd_cli.report import Ref, Step, refs
from autograd_cli.run.tape import Run
from autograd_cli.symbolic.build import call, in_plain_names, literal, method
from autograd_cli.symbolic.unparse import is_fraction

_ZERO, _ONE = Number(0), Number(1)


class _OtherError(Exception):
    """The formula is none whose matrix can be read off."""


@dataclass(frozen=True)
class _Part:
    """A summand: `kind` is "diag", "matrix", "outer" (of `left` and `right`) or "row" (`right`).

    Of a diagonal `right` is a number for all places where `is_number`.
    """

    kind: str
    right: Expr
    left: Expr = _ONE
    is_number: bool = False
    is_negative: bool = False


Form = tuple[_Part, ...]


@dataclass(frozen=True)
class _Free:
    """What does not depend on the vector: its text and its number of dimensions."""

    expr: Expr
    ndim: int


def matrix_of(made: Run, name: str, shape: tuple[int, ...]) -> Expr | None:
    """The matrix (m, n) of a formula of shape (m,) that is linear in the vector `name` (n,), if it shows."""
    vector = next((step for step in made.steps if step.kind == "binding" and step.name == name), None)
    if vector is None or vector.value.ndim != 1 or len(shape) != 1 or made.root is None:
        return None
    try:
        reader = _Reader(made.tape, vector.index)
        form = reader.form(made.root)
        names = [binding.name for binding in made.bindings]
        return in_plain_names(_written(form, vector.value.numel()), names)
    except _OtherError:
        return None


class _Reader:
    """Reads forms off a tape, each step's once."""

    def __init__(self, tape: Sequence[Step], vector: int) -> None:
        self.tape = tape
        self.known: dict[int, Form] = {vector: (_Part("diag", _ONE, is_number=True),)}

    def form(self, root: int) -> Form:
        """The form of a step that depends on the vector."""
        for step in self.tape[: root + 1]:
            if step.index in self.known or not any(
                ref.index in self.known for ref in refs((step.args, step.kwargs))
            ):
                continue
            rule = _RULES.get(step.key)
            if rule is None or step.kwargs:
                raise _OtherError
            self.known[step.index] = rule(self, *step.args)
        if root not in self.known:
            raise _OtherError
        return self.known[root]

    def either(self, given: Any) -> Form | _Free:
        """An argument: a form, or what does not depend on the vector."""
        if isinstance(given, Ref):
            if given.index in self.known:
                return self.known[given.index]
            step = self.tape[given.index]
            return _Free(_turned(step.expr), len(step.shape or ()))
        if isinstance(given, int | float):
            return _Free(literal(given), 0)
        raise _OtherError

    def negated(self, operand: Any) -> Form:
        """`-form`."""
        return _negated(_form(self.either(operand)))

    def added(self, left: Any, right: Any) -> Form:
        """`form + form`."""
        return _form(self.either(left)) + _form(self.either(right))

    def subtracted(self, left: Any, right: Any) -> Form:
        """`form - form`."""
        return _form(self.either(left)) + _negated(_form(self.either(right)))

    def multiplied(self, left: Any, right: Any) -> Form:
        """`free * form` or `form * free`."""
        one, other = self.either(left), self.either(right)
        free, form = (one, other) if isinstance(one, _Free) else (other, one)
        if not isinstance(free, _Free) or free.ndim > 1:
            raise _OtherError
        return tuple(_scaled(part, free, "*") for part in _form(form))

    def divided(self, left: Any, right: Any) -> Form:
        """`form / free`."""
        form, free = _form(self.either(left)), self.either(right)
        if not isinstance(free, _Free) or free.ndim > 1:
            raise _OtherError
        return tuple(_scaled(part, free, "/") for part in form)

    def matrix_product(self, left: Any, right: Any) -> Form:
        """`free @ form` or `form @ free`."""
        one, other = self.either(left), self.either(right)
        if isinstance(one, _Free):
            free, form = one, _form(other)
        elif isinstance(other, _Free):
            free = other if other.ndim == 1 else _Free(_transposed(other.expr), other.ndim)
            form = one
        else:
            raise _OtherError
        if free.ndim == 1:
            return tuple(_dotted(free.expr, part) for part in form)
        if free.ndim != 2:
            raise _OtherError
        return tuple(_mapped(free.expr, part) for part in form)

    def chosen(self, condition: Any, one: Any, other: Any) -> Form:
        """`where(condition, 0, form)` or `where(condition, form, 0)`."""
        mask, first, second = map(self.either, (condition, one, other))
        free, form = (first, second) if isinstance(first, _Free) else (second, first)
        if not (isinstance(mask, _Free) and mask.ndim < 2 and isinstance(free, _Free) and free.expr == _ZERO):
            raise _OtherError
        kept = (0, 1) if free is first else (1, 0)
        factor = _Free(call("where", mask.expr, *kept), mask.ndim)
        return tuple(_scaled(part, factor, "*") for part in _form(form))

    def summed(self, operand: Any, *dims: Any) -> Form:
        """`form.sum()`."""
        if dims:
            raise _OtherError
        return tuple(_total(part) for part in _form(self.either(operand)))


_RULES: dict[str, Callable[..., Form]] = {
    "neg": _Reader.negated,
    "add": _Reader.added,
    "sub": _Reader.subtracted,
    "mul": _Reader.multiplied,
    "div": _Reader.divided,
    **dict.fromkeys(("matmul", "mv", "dot", "mm"), _Reader.matrix_product),
    "sum": _Reader.summed,
    "where": _Reader.chosen,
}


def _form(given: Form | _Free) -> Form:
    if isinstance(given, _Free):
        raise _OtherError
    return given


def _negated(form: Form) -> Form:
    return tuple(
        _Part(part.kind, part.right, part.left, part.is_number, not part.is_negative) for part in form
    )


def _scaled(part: _Part, free: _Free, op: str) -> _Part:
    """A part times, or over, a number or a vector."""
    by, is_vector, sign = free.expr, free.ndim == 1, part.is_negative
    if part.kind == "diag":
        return _Part(
            "diag", _by(part.right, by, op), is_number=part.is_number and not is_vector, is_negative=sign
        )
    if part.kind == "matrix":
        return _Part("matrix", _by(part.right, _column(by) if is_vector else by, op), is_negative=sign)
    if part.kind == "outer":
        return _Part("outer", part.right, _by(part.left, by, op), is_negative=sign)
    if is_vector:
        return _Part("outer", part.right, _by(_ONE, by, op), is_negative=sign)
    return _Part("row", _by(part.right, by, op), is_negative=sign)


def _mapped(matrix: Expr, part: _Part) -> _Part:
    """A matrix applied to what a part gives."""
    if part.kind == "matrix":
        return _Part("matrix", _product(matrix, part.right), is_negative=part.is_negative)
    if part.kind == "diag":
        return _Part("matrix", _by(matrix, part.right, "*"), is_negative=part.is_negative)
    if part.kind == "outer":
        return _Part("outer", part.right, Binary("@", matrix, part.left), is_negative=part.is_negative)
    raise _OtherError


def _dotted(vector: Expr, part: _Part) -> _Part:
    """The dot product of a vector with what a part gives."""
    if part.kind == "diag":
        return _Part("row", _by(vector, part.right, "*"), is_negative=part.is_negative)
    if part.kind == "matrix":
        return _Part("row", Binary("@", vector, part.right), is_negative=part.is_negative)
    if part.kind == "outer":
        row = _by(Binary("@", vector, part.left), part.right, "*")
        return _Part("row", row, is_negative=part.is_negative)
    raise _OtherError


def _total(part: _Part) -> _Part:
    """The sum of what a part gives."""
    if part.kind == "diag" and not part.is_number:
        return _Part("row", part.right, is_negative=part.is_negative)
    if part.kind == "matrix":
        return _Part("row", method(part.right, "sum", 0), is_negative=part.is_negative)
    if part.kind == "outer":
        row = _by(method(part.left, "sum"), part.right, "*")
        return _Part("row", row, is_negative=part.is_negative)
    raise _OtherError


def _by(left: Expr, right: Expr, op: str) -> Expr:
    """`left op right` without a factor 1."""
    if right == _ONE:
        return left
    if left == _ONE and op == "*":
        return right
    return Binary(op, left, right) if op == "/" or not isinstance(right, Number) else Binary(op, right, left)


def _column(vector: Expr) -> Expr:
    """`vector[:, None]`."""
    return Subscript(vector, Listed("tuple", (Slice(None, None, None), Constant(None))))


def _product(left: Expr, right: Expr) -> Expr:
    """`left @ right`, a number before `right` written before both."""
    if isinstance(right, Binary) and right.op == "*" and _is_number(right.left):
        return Binary("@", Binary("*", right.left, left), right.right)
    return Binary("@", left, right)


def _is_number(expr: Expr) -> bool:
    return isinstance(expr, Number) or is_fraction(expr)


def _turned(expr: Expr) -> Expr:
    """`(2/10*X.T).T` as `2/10*X`."""
    if isinstance(expr, Attribute) and expr.name == "T" and isinstance(expr.value, Binary):
        return _transposed(expr.value)
    return expr


def _transposed(matrix: Expr) -> Expr:
    if isinstance(matrix, Binary) and matrix.op == "*" and _is_number(matrix.left):
        return Binary("*", matrix.left, _transposed(matrix.right))
    if isinstance(matrix, Attribute) and matrix.name == "T":
        return matrix.value
    return Attribute(matrix, "T")


def _written(form: Form, size: int) -> Expr:
    """The sum of the parts as a matrix with `size` columns, transposes last."""
    if any(part.kind == "row" for part in form) or not form:
        raise _OtherError
    parts = sorted(form, key=lambda part: (part.is_negative, isinstance(part.right, Attribute)))
    diagonal = [part for part in parts if part.kind == "diag" and not part.is_number]
    rest = [part for part in parts if part not in diagonal]
    made = [(_matrix(part, size), part.is_negative) for part in rest]
    if diagonal:
        made.insert(0, (call("diag", _total_of([(p.right, p.is_negative) for p in diagonal])), False))
    return _total_of(sorted(made, key=lambda one: one[1]))


def _total_of(summands: Sequence[tuple[Expr, bool]]) -> Expr:
    """The sum of expressions, each with whether it is subtracted."""
    first, is_negative = summands[0]
    total: Expr = Unary("-", first) if is_negative else first
    for expr, is_subtracted in summands[1:]:
        total = Binary("-" if is_subtracted else "+", total, expr)
    return total


def _matrix(part: _Part, size: int) -> Expr:
    if part.kind == "diag":
        return _by(part.right, call("eye", size), "*") if part.is_number else call("diag", part.right)
    if part.kind == "outer":
        return call("outer", part.left, part.right)
    return part.right
