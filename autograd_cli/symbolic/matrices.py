"""Matrices on paper: transposes, products of matrices, identities, and texts about them."""

from collections.abc import Mapping
from typing import TypeGuard

from autograd_cli.lang.nodes import Attribute, Binary, Call as CallExpr, Expr, Name, Number
from autograd_cli.report.values import shape_text
from autograd_cli.symbolic.build import Prelude, call as calling, method, parsed, rewritten, tidy
from autograd_cli.symbolic.terms import Shape, Term, broadcast, factor_term
from autograd_cli.symbolic.unparse import unparse
from autograd_cli.symbolic.values import Value, scaled, split


class Product(Binary):
    """`left @ right`, known to be of two matrices or two stacks of them; a dataclass as its base is."""


class Written(Product):
    """A product that stands so in the source: what stands before it does not come into its brackets."""


class Symmetric(Binary):
    """A sum of two matrices that is known to be symmetric."""


def turned(expr: Expr, rank: int) -> Expr:
    """The transpose as it is written: `X.T`, `X.mT` for a stack of matrices, X for `X.T`.

    The transpose of `A@B` is `B.T@A.T`, and `outer` takes its vectors the other way round.
    """
    name = "T" if rank == 2 else "mT"
    if isinstance(expr, Attribute) and expr.name == name:
        return expr.value
    if is_symmetric(expr, name):
        return expr
    if isinstance(expr, CallExpr) and expr.function == Prelude("outer"):
        return CallExpr(expr.function, expr.args[::-1])
    if isinstance(expr, Product):
        return times(turned(expr.right, rank), turned(expr.left, rank))
    if isinstance(expr, Binary) and expr.op == "*" and isinstance(expr.left, Number):
        return Binary("*", expr.left, turned(expr.right, rank))
    return Attribute(expr, name)


def _ends_in(expr: Expr, name: str) -> TypeGuard[Attribute]:
    return isinstance(expr, Attribute) and expr.name == name


def is_symmetric(expr: Expr, name: str = "T") -> bool:
    """Whether a matrix is its own transpose by the way it is written: `X.T@X`, and the inverse of that."""
    if _is_eye(expr):
        return True
    if isinstance(expr, Binary) and expr.op == "@":
        return _reads_the_same_backwards(_factors(expr), name)
    if isinstance(expr, Symmetric):
        return True
    if isinstance(expr, Binary) and expr.op == "*":
        return _is_eye(expr.left) or _is_eye(expr.right)
    if isinstance(expr, Binary) and expr.op in "+-":
        return is_symmetric(expr.left, name) and is_symmetric(expr.right, name)
    return isinstance(expr, CallExpr) and _is_inverse(expr) and is_symmetric(expr.args[0], name)


def _factors(expr: Expr) -> list[Expr]:
    """A, B and C of `A@B@C`."""
    found = []
    while isinstance(expr, Binary) and expr.op == "@":
        found.append(expr.right)
        expr = expr.left
    return [expr, *found[::-1]]


def _reads_the_same_backwards(factors: list[Expr], name: str) -> bool:
    """Whether the product turned is the product itself: `X.T@X`, `X.T@S@X` with S symmetric."""
    middle = factors[len(factors) // 2] if len(factors) % 2 else None
    if middle is not None and not is_symmetric(middle, name):
        return False
    pairs = zip(factors[: len(factors) // 2], factors[::-1], strict=False)
    return all(unparse(_turned_factor(one, name)) == unparse(other) for one, other in pairs)


def _turned_factor(expr: Expr, name: str) -> Expr:
    return expr.value if _ends_in(expr, name) else Attribute(expr, name)


def mirrored(expr: Expr, rank: int) -> Expr:
    """A lower triangle and its mirror image above the diagonal, as one symmetric matrix."""
    below = turned(calling("tril", expr, -1), rank)
    return Symmetric("+", calling("tril", expr), below)


def _is_inverse(call: CallExpr) -> bool:
    return unparse(call.function) in ("linalg.inv", "inverse") and len(call.args) == 1


def _is_eye(expr: Expr) -> bool:
    """Whether an expression is `eye(n)`, whoever wrote it; of one element it would be stretched to any."""
    if not isinstance(expr, CallExpr) or len(expr.args) != 1:
        return False
    size = expr.args[0]
    many = isinstance(size, Number) and isinstance(size.value, int) and size.value > 1
    return many and unparse(expr.function) in ("eye", "torch.eye")


def is_identity(expr: Expr) -> bool:
    """Whether an expression is `eye(n)`, as a rule writes it."""
    return isinstance(expr, CallExpr) and expr.function == Prelude("eye") and len(expr.args) == 1


def are_products(value: Value) -> bool:
    """Whether all terms are products of matrices, with scalars before them."""
    rest = [[f for f in term.factors if f.shape != ()] for term in value.terms]
    return all(len(one) == 1 and one[0].power == 1 and isinstance(one[0].expr, Product) for one in rest)


def chain(left: Expr, left_shape: Shape, right: Expr, right_shape: Shape) -> Term:
    """`left @ right` as a term that says which shapes met; without an identity among them."""
    if is_identity(left):
        return factor_term(right, right_shape)
    if is_identity(right):
        return factor_term(left, left_shape)
    stack = broadcast(left_shape[:-2], right_shape[:-2])
    rows = (left_shape[-2],) if len(left_shape) > 1 else ()
    columns = (right_shape[-1],) if len(right_shape) > 1 else ()
    shape = (*stack, *rows, *columns)
    if isinstance(right, Product) and not isinstance(right, Written):
        return factor_term(times(left, right), shape)
    origin = f"{shape_text(left_shape)} @ {shape_text(right_shape)}"
    return factor_term((Product if rows and columns else Binary)("@", left, right), shape, origin)


def times(left: Expr, right: Expr) -> Expr:
    """`left @ right` of two matrices; `A@B@C` needs no brackets."""
    if is_identity(left):
        return right
    if is_identity(right):
        return left
    if isinstance(right, Product) and not isinstance(right, Written):
        return Product("@", times(left, right.left), right.right)
    return Product("@", left, right)


def formed(g: Value, text: str, shape: Shape, names: Mapping[str, Expr], rank: int = 2) -> Value:
    """A text that is linear in the cotangent `g`, with the expressions of `names` filled in.

    All in it are matrices of `rank` or stacks of them. A transpose is written `.mT` there, and
    as `turned` has it here, `mirrored(a)` stands for a triangle and its mirror image; the scalars
    of the cotangent and a sign stand before all.
    """
    outside, cotangent = split(g)
    if text.startswith("-"):
        outside = Term(-1).times(outside)
    template = parsed(text.removeprefix("-"))
    return scaled(outside, filled(template, {**names, "g": cotangent}, rank), shape)


def filled(template: Expr, names: Mapping[str, Expr], rank: int = 2) -> Expr:
    """The template with expressions for its names, and products and transposes as they are known."""

    def name(node: Expr) -> Expr | None:
        if not isinstance(node, Name):
            return None
        return names[node.id] if node.id in names else Prelude(node.id)

    def after(node: Expr) -> Expr:
        if isinstance(node, Attribute) and node.name == "mT":
            return turned(node.value, rank)
        if isinstance(node, Binary) and node.op == "@":
            return times(node.left, node.right)
        if isinstance(node, CallExpr) and node.function == Prelude("mirrored"):
            return mirrored(node.args[0], rank)
        return tidy(node)

    return rewritten(template, name, after)


def column(expr: Expr) -> Expr:
    """A vector stood upright."""
    return method(expr, "unsqueeze", -1)
