"""Numbers outside of what a loss takes."""

import torch

from autograd_cli.diagnose import repair
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand

_WORDS = (
    "should be between 0 and 1",
    "input_val >= zero && input_val <= one",
    "p_in >= 0 && p_in <= 1",
    "probability tensor contains",
)


def probability(case: Case) -> Finding | None:
    """AGX324 where a loss takes probabilities and is given numbers below 0 or above 1."""
    if not case.says(*_WORDS) or not case.tensors:
        return None
    most = float("inf") if case.name == "multinomial" else 1.0
    found = next(((o, n) for o in case.tensors[:2] if (n := _outside(o.value, most)) is not None), None)
    if found is None:
        return None
    operand, number = found
    return case.finding(
        "AGX324",
        f"{sized(operand)} holds {number:.4g}; `{case.name}` takes {_TAKEN[most]}.",
        fix=_mended(case, operand),
        outside=number,
    )


_TAKEN = {1.0: "probabilities, from 0 to 1", float("inf"): "weights, finite and not below 0"}


def _outside(tensor: torch.Tensor, most: float) -> float | None:
    """The first number that is no probability, None where all are."""
    values = tensor.detach()
    wrong = values[~((values >= 0) & (values <= most) & values.isfinite())]
    return float(wrong.flatten()[0]) if wrong.numel() else None


def _mended(case: Case, operand: Operand) -> tuple[Fix, ...]:
    """A sigmoid before the loss, or the loss with one in it; of a target that is none nothing is known."""
    source, expr = case.run.program.source, case.failure.expr
    if operand.expr != case.operands[0].expr or not isinstance(expr, nodes.Call):
        return ()
    text = f"{repair.spelled(case.run.program, 'sigmoid')}({source[operand.expr.span]})"
    before = Fix(
        "a sigmoid makes probabilities of any numbers", repair.edited(source, {operand.expr.span: text})
    )
    is_loss = case.kind is Kind.LOSS
    renamed = repair.renamed(source, expr, "binary_cross_entropy_with_logits") if is_loss else None
    return (
        (before, Fix("the loss with the sigmoid in it, which loses fewer digits", renamed))
        if renamed
        else (before,)
    )
