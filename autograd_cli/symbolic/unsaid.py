"""Calls that leave a number to the dtype, written with it: a formula is evaluated in another."""

from collections.abc import Sequence
from dataclasses import replace

from autograd_cli.lang.functions.limits import FROM_DTYPE
from autograd_cli.lang.nodes import Attribute, Call, Constant, Expr, Keyword, Name
from autograd_cli.report import Step
from autograd_cli.symbolic.build import literal, rewritten
from autograd_cli.symbolic.unparse import unparse


def said(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps with such calls written out wherever they stand; the very same where there are none."""
    if not any(step.key in FROM_DTYPE or _is_limit(step) for step in steps):
        return steps
    made: list[Step] = []
    swaps: dict[int, Expr] = {}
    for step in steps:
        expr = rewritten(step.expr, lambda node: swaps.get(id(node)))
        if step.key in FROM_DTYPE and isinstance(expr, Call):
            expr = _written(expr, step)
        elif _is_limit(step):
            expr = literal(step.value)
        if expr is not step.expr:
            swaps[id(step.expr)] = expr
            step = replace(step, expr=expr)
        made.append(step)
    return made


def _is_limit(step: Step) -> bool:
    """Whether a step is a limit of a dtype that its text does not name: `torch.finfo(x.dtype).eps`."""
    expr = step.expr
    if step.kind != "constant" or type(step.value) is not float or not isinstance(expr, Attribute):
        return False
    asked = expr.value
    if not isinstance(asked, Call) or unparse(asked.function).rpartition(".")[2] != "finfo":
        return False
    given = [*asked.args, *(one.value for one in asked.keywords)]
    return not given or not (isinstance(given[0], Name) or _names_dtype(given[0]))


def _names_dtype(expr: Expr) -> bool:
    return isinstance(expr, Attribute) and expr.name != "dtype"


def _written(expr: Call, step: Step) -> Call:
    """A call with the numbers that its step has and it has not."""
    names = FROM_DTYPE[step.key]
    receivers = len(step.args) - len(expr.args)
    args = tuple(
        literal(given) if node == Constant(None) and isinstance(given, float) else node
        for node, given in zip(expr.args, step.args[receivers:], strict=True)
    )
    kept = tuple(one for one in expr.keywords if one.name not in names or one.value != Constant(None))
    known = {one.name for one in kept}
    more = tuple(
        Keyword(name, literal(value)) for name, value in step.kwargs if name in names and name not in known
    )
    return replace(expr, args=args, keywords=(*kept, *more)) if more or args != expr.args else expr
