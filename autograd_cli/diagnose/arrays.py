"""NumPy's arrays where a function takes tensors."""

from collections.abc import Iterator

import numpy

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.lang import nodes
from autograd_cli.lang.source import Source, in_words
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand


def given(case: Case) -> Finding | None:
    """AGX318 where a function of tensors is given an array, or several; the memory can be a tensor's."""
    source = case.run.program.source
    arrays = [found for operand in case.operands for found in _inside(operand, source)]
    if not arrays or not case.says("numpy.ndarray"):
        return None
    texts = [drawing.quoted(operand.text) for operand in arrays]
    what = "is a NumPy array" if len(arrays) == 1 else "are NumPy arrays"
    made = repair.spelled(case.run.program, "from_numpy")
    edits = {operand.expr.span: f"{made}({source[operand.expr.span]})" for operand in arrays}
    return case.finding(
        "AGX318",
        f"{in_words(texts)} {what}, and `{case.name}` takes tensors.",
        name="array-not-tensor",
        fix=(Fix("as a tensor of the same memory", repair.edited(source, edits)),),
    )


def _inside(operand: Operand, source: Source) -> Iterator[Operand]:
    """The operand where it is an array, and those written inside a list."""
    if isinstance(operand.value, numpy.ndarray):
        yield operand
    elif isinstance(operand.expr, nodes.Sequence) and isinstance(operand.value, list | tuple):
        for expr, value in zip(operand.expr.items, operand.value, strict=False):
            yield from _inside(Operand(source[expr.span], expr, value), source)
