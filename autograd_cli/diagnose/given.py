"""What a failing call was given, argument by argument, as the table of functions names them."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograd_cli.diagnose.facts import Case
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS, Argument, Role
from autograd_cli.run.tape import Operand

WANTED = {
    Role.TENSOR: "a tensor",
    Role.TENSORS: "several tensors",
    Role.NUMBER: "a number",
    Role.INDEX: "a whole number",
    Role.MASK: "a tensor of truth values",
    Role.TARGET: "a tensor of classes",
    Role.DIM: "a whole number, which dimension",
    Role.SIZE: "whole numbers, the sizes",
    Role.COUNT: "a whole number",
    Role.FLAG: "True or False",
    Role.TEXT: "a word in quotes",
    Role.DTYPE: "a dtype",
    Role.DEVICE: "a device",
}
"""What an argument of each role is, in words."""


@dataclass(frozen=True)
class Given:
    """An operand with the argument that it is for; None where the table does not say."""

    argument: Argument | None
    operand: Operand

    @property
    def name(self) -> str:
        """What torch calls the argument; empty where that is not known."""
        return "" if self.argument is None else self.argument.name


def given(case: Case) -> tuple[Given, ...]:
    """The operands of a failing call, each with its argument."""
    function, expr = case.function, case.failure.expr
    if function is None:
        return tuple(Given(None, operand) for operand in case.operands)
    is_method = isinstance(expr, nodes.Call) and len(case.operands) > len(expr.args) + len(expr.keywords)
    known = function.method_arguments if is_method else function.arguments
    named = {argument.name: argument for argument in known}
    keywords = {id(k.value): k.name for k in expr.keywords} if isinstance(expr, nodes.Call) else {}
    return tuple(_paired(case.operands, known, named, keywords))


def _paired(
    operands: tuple[Operand, ...],
    known: tuple[Argument, ...],
    named: dict[str, Argument],
    keywords: dict[int, str],
) -> Iterator[Given]:
    places = [argument for argument in known if not argument.keyword_only]
    for at, operand in enumerate(operands):
        if id(operand.expr) in keywords:
            name = keywords[id(operand.expr)]
            yield Given(named.get(name) or named.get(NUMPY_KEYWORDS.get(name, "")), operand)
        elif at < len(places):
            yield Given(places[at], operand)
        else:
            yield Given(places[-1] if places and places[-1].variadic else None, operand)
