"""Local factors written as text in the language, and how a cotangent is multiplied by one.

The row "atan2(x, y)": ("y/(x**2 + y**2)", "-x/(x**2 + y**2)") gives d/dx and d/dy of
atan2. In a text, the parameters stand for the operands, `out` for the result as the
source wrote it, every other name for the prelude's. A parameter with a default may be
left out of a call; None says that there is no derivative by that parameter.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from autograd_cli.lang.nodes import Binary, Call as CallExpr, Expr, Name, Number, Unary, walk
from autograd_cli.symbolic.build import call, parsed, substituted
from autograd_cli.symbolic.operands import FLATTENED_POWER, Call, NoRuleError, Operand, operand, plain
from autograd_cli.symbolic.terms import Shape, Term, broadcast, factor_term, number_term
from autograd_cli.symbolic.values import Value

Texts = tuple[str | None, ...]
Contributions = list[tuple[Operand, Value]]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Row:
    """The local factors of one function, by parameter, in order."""

    parameters: tuple[str, ...]
    defaults: Mapping[str, Any]
    texts: Texts | Callable[..., Texts]

    def bound(self, call: Call) -> dict[str, Any]:
        """The arguments of a call by the row's parameters."""
        if not call.kwargs and len(call.args) == len(self.parameters):
            return dict(zip(self.parameters, call.args, strict=True))
        given = dict(zip(self.parameters, call.args, strict=False)) | call.kwargs
        unknown = set(given) - set(self.parameters) - {"inplace", "out"}
        missing = set(self.parameters) - set(given) - set(self.defaults)
        if unknown or missing or len(call.args) > len(self.parameters):
            raise NoRuleError(f"{call.name} has no derivative rule for these arguments yet")
        return {name: given.get(name, self.defaults.get(name)) for name in self.parameters}

    def texts_for(self, bound: Mapping[str, Any]) -> Texts:
        """The texts, which may depend on flags and other plain arguments."""
        if not callable(self.texts):
            return self.texts
        return self.texts(**{n: v if _is_tensor(v) else plain(v) for n, v in bound.items()})


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Operand) and value.position is not None


def together(*tables: Mapping[str, Kept]) -> dict[str, Kept]:
    """The rows of all tables; ValueError where two have a row of one key, of which one would be dead."""
    made: dict[str, Kept] = {}
    for table in tables:
        if twice := made.keys() & table.keys():
            raise ValueError(f"two rules of {', '.join(sorted(twice))}")
        made.update(table)
    return made


def rows(*tables: Mapping[str, str | Texts | Callable[..., Texts]]) -> dict[str, Row]:
    """The rows of tables by rule key: "atan2(x, y)" becomes "atan2"."""
    return together(*(_row(head, texts) for table in tables for head, texts in table.items()))


def _row(head: str, texts: str | Texts | Callable[..., Texts]) -> dict[str, Row]:
    key, _, parameters = head.partition("(")
    names, defaults = _parameters("(" + parameters)
    return {key: Row(names, defaults, (texts,) if isinstance(texts, str) else texts)}


def _parameters(text: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Names and defaults of a signature such as "(x, alpha=1.0)"."""
    definition = ast.parse(f"def f{text}: 0").body[0]
    assert isinstance(definition, ast.FunctionDef)
    names = tuple(a.arg for a in definition.args.args)
    values = [ast.literal_eval(default) for default in definition.args.defaults]
    return names, dict(zip(names[len(names) - len(values) :], values, strict=True))


def contributions(row: Row, made: Call, cotangent: Value) -> Contributions:
    """What a call passes to each of its active operands: the cotangent times the factor."""
    bound = row.bound(made)
    env = {name: operand(value) for name, value in bound.items()} | {"out": made.out}
    found: Contributions = []
    texts = row.texts_for(bound)
    for name, text in zip(row.parameters, texts, strict=False):
        target = env[name]
        if not target.active:
            continue
        if text is None:
            raise NoRuleError(f"{made.name} has no derivative rule by its argument {name}")
        found.append((target, multiplied(cotangent, parsed(text), env, made.out.shape)))
    beyond = [env[name] for name in row.parameters[len(texts) :]]
    if any(other.active for other in beyond):
        raise NoRuleError(f"{made.name} has no derivative rule by that argument yet")
    return found


def multiplied(cotangent: Value, template: Expr, env: Mapping[str, Operand], shape: Shape) -> Value:
    """The cotangent times the factor that `template` stands for.

    A factor `where(c, f, 0)` takes the cotangent inside, as torch does: where the
    condition fails the gradient is 0, even if the cotangent is infinite.
    """
    if cotangent.is_zero or template == Number(0):
        return Value((), shape)
    if isinstance(template, CallExpr) and template.function == Name("where"):
        condition, then, otherwise = template.args
        if otherwise == Number(0) or then == Number(0):
            branch = then if otherwise == Number(0) else otherwise
            inside = multiplied(cotangent, branch, env, shape)
            return masked(opaque(condition, env), inside, keep=branch is then)
    return cotangent.times(term(template, env), shape)


def masked(condition: Term, inside: Value, keep: bool) -> Value:
    """`where(condition, inside, 0)`, or with `keep` False `where(condition, 0, inside)`."""
    if inside.is_zero:
        return inside
    whole = inside.single()
    chosen: Expr = Number(1.0) if whole.is_number else whole.body.written()
    zero = Number(0.0 if whole.is_number else 0)
    branches = (chosen, zero) if keep else (zero, chosen)
    expr = call("where", condition.factors[0].expr, *branches)
    shape = broadcast(condition.shape, whole.shape)
    return Value((whole.coefficient.times(factor_term(expr, shape)),), inside.shape)


def term(template: Expr, env: Mapping[str, Operand]) -> Term:
    """The factor that a text stands for: products, quotients and whole powers taken apart."""
    if isinstance(template, Number) and not isinstance(template.value, complex):
        return number_term(template.value)
    if isinstance(template, Name) and template.id in env:
        return env[template.id].term
    if isinstance(template, Unary) and template.op == "-":
        return Term(-1).times(term(template.operand, env))
    if isinstance(template, Binary) and template.op in _COMBINED:
        made = _COMBINED[template.op](template, env)
        if made is not None:
            return made
    return opaque(template, env)


def _power(template: Binary, env: Mapping[str, Operand]) -> Term | None:
    exponent = template.right
    if isinstance(exponent, Number) and type(exponent.value) is int and exponent.value <= FLATTENED_POWER:
        return term(template.left, env).power(exponent.value)
    return None


_COMBINED: dict[str, Callable[[Binary, Mapping[str, Operand]], Term | None]] = {
    "*": lambda node, env: term(node.left, env).times(term(node.right, env)),
    "/": lambda node, env: term(node.left, env).times(term(node.right, env).power(-1)),
    "**": _power,
}


def opaque(template: Expr, env: Mapping[str, Operand]) -> Term:
    """The text with the operands filled in, as one factor."""
    used = _names(template)
    expr = substituted(template, {name: env[name].expr for name in used if name in env})
    return factor_term(expr, broadcast(*(env[name].shape for name in used if name in env)))


@cache
def _names(template: Expr) -> frozenset[str]:
    return frozenset(node.id for node in walk(template) if isinstance(node, Name))
