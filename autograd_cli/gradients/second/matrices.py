"""The matrix of a formula that is linear in one vector: `A@v + v@A` is that of `A + A.T`.

The formula is read step by step. What depends on the vector is kept as a sum of parts: diagonal
matrices, matrices, outer products, and rows, which give one number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
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
from autograd_cli.symbolic.terms import ONE, Term, factor_term, is_finite, number_term
from autograd_cli.symbolic.values import Value

_ONE = Number(1)


class _OtherError(Exception):
    """The formula is none whose matrix can be read off."""


@dataclass(frozen=True)
class _Part:
    """A summand: `kind` is "diag", "matrix", "outer" (of `left` and `right`) or "row" (`right`).

    Of a diagonal `right` is a number for all places where `is_number`. The fraction `scale` stands before it.
    """

    kind: str
    right: Expr
    left: Expr = _ONE
    is_number: bool = False
    scale: Term = ONE


Form = tuple[_Part, ...]


@dataclass(frozen=True)
class _Free:
    """What does not depend on the vector: its text, its number of dimensions, the fraction before it."""

    expr: Expr
    ndim: int
    scale: Term = ONE


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
            return _free(step.expr, len(step.shape or ()))
        if isinstance(given, int | float):
            return _free(literal(given), 0)
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
            free = other if other.ndim == 1 else replace(other, expr=_transposed(other.expr))
            form = one
        else:
            raise _OtherError
        if free.ndim == 1:
            return tuple(_dotted(free, part) for part in form)
        if free.ndim != 2:
            raise _OtherError
        return tuple(_mapped(free, part) for part in form)

    def chosen(self, condition: Any, one: Any, other: Any) -> Form:
        """`where(condition, 0, form)` or `where(condition, form, 0)`."""
        mask, first, second = map(self.either, (condition, one, other))
        free, form = (first, second) if isinstance(first, _Free) else (second, first)
        if not (
            isinstance(mask, _Free) and mask.ndim < 2 and isinstance(free, _Free) and free.scale.top == 0
        ):
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


def _free(expr: Expr, ndim: int) -> _Free:
    """What does not depend on the vector, with the numbers in its products taken before it."""
    scale, rest = _parted(expr)
    return _Free(rest, ndim, scale)


def _parted(expr: Expr) -> tuple[Term, Expr]:
    """The fraction in a product, and the rest: of `-X.T @ (y*(2/5))` -2/5 and `X.T @ y`."""
    if isinstance(expr, Number) and not isinstance(expr.value, complex) and is_finite(expr.value):
        return number_term(expr.value), _ONE
    if isinstance(expr, Unary) and expr.op == "-":
        scale, rest = _parted(expr.operand)
        return scale.times(Term(-1)), rest
    if isinstance(expr, Attribute) and expr.name == "T":
        scale, rest = _parted(expr.value)
        return scale, _transposed(rest)
    if not isinstance(expr, Binary) or expr.op not in ("*", "/", "@"):
        return ONE, expr
    (scale, left), (by, right) = _parted(expr.left), _parted(expr.right)
    if expr.op == "/":
        return (ONE, expr) if by.top == 0 else (scale.times(by.power(-1)), _by(left, right, "/"))
    rest = Binary("@", left, right) if expr.op == "@" else _by(left, right, "*")
    return scale.times(by), rest


def _negated(form: Form) -> Form:
    return tuple(replace(part, scale=part.scale.times(Term(-1))) for part in form)


def _scaled(part: _Part, free: _Free, op: str) -> _Part:
    """A part times, or over, a number or a vector."""
    if op == "/" and free.scale.top == 0:
        raise _OtherError
    by, is_vector = free.expr, free.ndim == 1
    scale = part.scale.times(free.scale if op == "*" else free.scale.power(-1))
    if part.kind == "diag":
        is_number = part.is_number and not is_vector
        return _Part("diag", _by(part.right, by, op), is_number=is_number, scale=scale)
    if part.kind == "matrix":
        factor = _column(by) if is_vector and by != _ONE else by
        return _Part("matrix", _by(part.right, factor, op), scale=scale)
    if part.kind == "outer":
        return _Part("outer", part.right, _by(part.left, by, op), scale=scale)
    if is_vector:
        return _Part("outer", part.right, _by(_ONE, by, op), scale=scale)
    return _Part("row", _by(part.right, by, op), scale=scale)


def _mapped(free: _Free, part: _Part) -> _Part:
    """A matrix applied to what a part gives."""
    matrix, scale = free.expr, part.scale.times(free.scale)
    if part.kind == "matrix":
        return _Part("matrix", Binary("@", matrix, _term(ONE, part.right).written()), scale=scale)
    if part.kind == "diag":
        return _Part("matrix", _by(matrix, part.right, "*"), scale=scale)
    if part.kind == "outer":
        return _Part("outer", part.right, Binary("@", matrix, part.left), scale=scale)
    raise _OtherError


def _dotted(free: _Free, part: _Part) -> _Part:
    """The dot product of a vector with what a part gives."""
    vector, scale = free.expr, part.scale.times(free.scale)
    if part.kind == "diag":
        return _Part("row", _by(vector, part.right, "*"), scale=scale)
    if part.kind == "matrix":
        return _Part("row", Binary("@", vector, part.right), scale=scale)
    if part.kind == "outer":
        row = _by(Binary("@", vector, part.left), part.right, "*")
        return _Part("row", row, scale=scale)
    raise _OtherError


def _total(part: _Part) -> _Part:
    """The sum of what a part gives."""
    if part.kind == "diag" and not part.is_number:
        return _Part("row", part.right, scale=part.scale)
    if part.kind == "matrix":
        return _Part("row", method(part.right, "sum", 0), scale=part.scale)
    if part.kind == "outer":
        row = _by(method(part.left, "sum"), part.right, "*")
        return _Part("row", row, scale=part.scale)
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


def _transposed(matrix: Expr) -> Expr:
    if isinstance(matrix, Attribute) and matrix.name == "T":
        return matrix.value
    return Attribute(matrix, "T")


def _written(form: Form, size: int) -> Expr:
    """The sum of the parts as a matrix with `size` columns, transposes last."""
    if any(part.kind == "row" for part in form) or not form:
        raise _OtherError
    parts = sorted(form, key=lambda part: (part.scale.top < 0, isinstance(part.right, Attribute)))
    diagonal = [part for part in parts if part.kind == "diag" and not part.is_number]
    made = [_matrix(part, size) for part in parts if part not in diagonal]
    if diagonal:
        total = _sum([_term(part.scale, part.right) for part in diagonal])
        made.insert(0, factor_term(call("diag", total), _SQUARE))
    return _sum(made)


_SQUARE = (0, 0)
"""Stands for the shape of a matrix, whose sizes are not asked for."""


def _term(scale: Term, expr: Expr) -> Term:
    """A product with its fraction, factor by factor."""
    if isinstance(expr, Binary) and expr.op in ("*", "/"):
        right = _term(ONE, expr.right)
        return _term(scale, expr.left).times(right if expr.op == "*" else right.power(-1))
    if isinstance(expr, Binary) and expr.op == "**" and isinstance(power := _number(expr.right), int):
        return scale.times(factor_term(expr.left, _SQUARE).power(power))
    return scale if expr == _ONE else scale.times(factor_term(expr, _SQUARE))


def _number(expr: Expr) -> int | float | complex | None:
    return expr.value if isinstance(expr, Number) and expr.value else None


def _sum(terms: Sequence[Term]) -> Expr:
    """The sum of terms, like ones joined."""
    values = (Value((term,), _SQUARE) for term in terms)
    return reduce(Value.plus, values).written()


def _matrix(part: _Part, size: int) -> Term:
    if part.kind == "diag":
        number = part.scale if part.right == _ONE else _term(part.scale, part.right)
        return number.times(factor_term(call("eye", size), _SQUARE))
    return _term(part.scale, call("outer", part.left, part.right) if part.kind == "outer" else part.right)
