"""The rule of `x**y`: by the base and by the exponent, each a number or a tensor."""

from typing import Any

from autograd_cli.lang.nodes import Binary, Expr, Number
from autograd_cli.symbolic.build import call as calling, number, parsed
from autograd_cli.symbolic.operands import FLATTENED_POWER, Call, NoRuleError, Operand, operand
from autograd_cli.symbolic.terms import Factor, Term, added, factor_term, number_term
from autograd_cli.symbolic.texts import Contributions, multiplied
from autograd_cli.symbolic.values import Value


def power(call: Call, cotangent: Value, x: Any, exponent: Any) -> Contributions:
    """n*x**(n - 1) for the base; the result times log(x) for the exponent."""
    base, by = operand(x), operand(exponent)
    found: Contributions = []
    if base.active:
        found.append((base, by_base(call, cotangent, base, by)))
    if by.active:
        found.append((by, by_exponent(call, cotangent, base, by)))
    return found


def by_base(call: Call, cotangent: Value, base: Operand, by: Operand) -> Value:
    """The cotangent times the derivative by the base; 0 for exponent 0, as in torch."""
    shape = call.out.shape
    if by.value == 0:
        return Value((), shape)
    if by.value == 1:
        return cotangent.to(shape)
    if by.value is None or by.step is not None:
        env = {"x": base, "y": by, "less": _less_one(by)}
        return multiplied(cotangent, parsed("y*x**less"), env, shape)
    return cotangent.times(number_term(by.value).times(lowered(base, by.value)), shape)


def _less_one(by: Operand) -> Operand:
    """y - 1, of y = n + 1 plainly n."""
    expr: Expr = Binary("-", by.expr, number(1))
    if isinstance(by.expr, Binary) and by.expr.op == "+" and by.expr.right == Number(1):
        expr = by.expr.left
    return Operand(expr, by.shape, factor_term(expr, by.shape))


def over_power(call: Call, g: Value, x: Any, u: Operand, n: int) -> Contributions:
    """x/u**n: 1/u**n and -n*x/u**(n + 1)."""
    top, shape = operand(x), call.out.shape
    by_u = Term(-n).times(top.term).times(u.term.power(-n - 1))
    return [(top, g.times(u.term.power(-n), shape)), (u, g.times(by_u, shape))]


def times_its_log(call: Call, g: Value, x: Operand) -> Contributions:
    """x*log(x): log(x) + 1."""
    log = factor_term(calling("log", x.expr), x.shape)
    if g.terms and g.single().is_number:
        return [(x, g.times(log, g.shape).plus(g))]
    return [(x, multiplied(g, parsed("log(x) + 1"), {"x": x}, call.out.shape))]


def lowered(base: Operand, exponent: float) -> Term:
    """x**(exponent - 1), below the fraction bar where that is negative."""
    left = added(exponent, -1)
    if left == int(left) and abs(left) <= FLATTENED_POWER:
        return base.term.power(int(left))
    raised = Binary("**", base.expr, number(abs(left)))
    whole = abs(left) == 1
    return Term(factors=(Factor(base.expr if whole else raised, base.shape, 1 if left > 0 else -1),))


def by_exponent(call: Call, cotangent: Value, base: Operand, by: Operand) -> Value:
    """The cotangent times x**y*log(x); `xlogy` makes that 0 where the power is 0, as torch does."""
    env = {"x": base, "y": by, "out": call.out}
    if base.position is not None:
        return multiplied(cotangent, parsed("xlogy(out, x)"), env, call.out.shape)
    if base.value is not None and base.value <= 0:
        raise NoRuleError("a power of a number that is not positive has no derivative by its exponent")
    return multiplied(cotangent, parsed("math.log(x)*out"), env, call.out.shape)


def polygamma(call: Call, cotangent: Value, *given: Any) -> Contributions:
    """polygamma(n + 1, x), for both orders of the arguments that torch has."""
    (x,) = call.operands
    order = next(value for value in given if value is not x)
    env = {"n": operand(order), "x": x}
    if isinstance(order, int):
        env["n"] = Operand(number(order + 1), (), factor_term(number(order + 1), ()))
        return [(x, multiplied(cotangent, parsed("polygamma(n, x)"), env, call.out.shape))]
    return [(x, multiplied(cotangent, parsed("polygamma(n + 1, x)"), env, call.out.shape))]
