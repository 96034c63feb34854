"""Failures inside the functions of a program: what their callers handed over, and repairs where they call."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.upstream import argument_of
from autograd_cli.diagnose.statements import called, statements, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Finding
from autograd_cli.run.tape import Operand

_MOST_TOLD = 3


def told(case: Ended, finding: Finding) -> Finding:
    """The finding with what the calls that led to its failure handed over, the nearest first."""
    return replace(finding, cause=(*finding.cause, *_rows(case))) if case.failure.calls else finding


def _rows(case: Ended) -> Iterator[str]:
    exprs, what = [case.expr], "it"
    for call in case.failure.calls[:_MOST_TOLD]:
        names = {node.id for expr in exprs for node in nodes.walk(expr) if isinstance(node, nodes.Name)}
        given = {name: value for name, value in _handed(case, call).items() if name in names}
        if not given:
            return
        pairs = [(f"`{name}`", drawing.quoted(case.source[value.span])) for name, value in given.items()]
        renamed = ", ".join(f"{name} is {value}" for name, value in pairs if name != value)
        text = f"{case.where(call.span)} calls {what} as {drawing.quoted(case.source[call.span])}"
        yield f"{text}: {renamed}" if renamed else text
        exprs, what = list(given.values()), "that"


def as_called(case: Ended) -> Iterator[Ended]:
    """The case with what a caller wrote in the place of the parameters that it gave a value, call by call."""
    operands = case.operands
    for call in case.failure.calls:
        given = _handed(case, call)
        moved = tuple(_moved(case, operand, given) for operand in operands)
        if moved == operands:
            return
        operands = moved
        yield replace(case, failure=replace(case.failure, operands=operands))


def _moved(case: Ended, operand: Operand, given: Mapping[str, Expr]) -> Operand:
    written = given.get(operand.expr.id) if isinstance(operand.expr, nodes.Name) else None
    if written is None:
        return operand
    return replace(operand, text=case.source[written.span], expr=written)


def _handed(case: Ended, call: Expr) -> dict[str, Expr]:
    """What a call of a function of the program writes for each parameter that keeps its value there."""
    function = case.whole.functions.get(called(call))
    if function is None or not isinstance(call, nodes.Call):
        return {}
    own = {name for statement in statements(function.body) for name in targets(statement)}
    names = [parameter.name for parameter in function.parameters]
    written = {name: argument_of(call, names, name) for name in names if name not in own}
    return {name: value for name, value in written.items() if value is not None}
