"""torch.autograd.grad asked for gradients that there are not."""

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.creating import creates, required
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.upstream import sources
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import keyword_added
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix


def input_without(case: Ended) -> Finding | None:
    """AGX402 where torch.autograd.grad is asked for the gradient of what does not require grad."""
    if not case.says("differentiated tensors does not require grad") or len(case.operands) < 2:
        return None
    wrong = [o for o in case.tensors if not o.value.requires_grad]
    text = drawing.quoted(wrong[0].text) if wrong else "One of the inputs"
    made = list(sources(case.whole, wrong[0].expr, case.statement.span.start))[:1] if wrong else []
    return case.finding(
        "AGX402",
        f"{text} does not require grad, so there is no gradient of it.",
        name="autograd-grad-input-no-requires-grad",
        fix=tuple(
            required(case.whole, [s for s in made if isinstance(s.value, nodes.Call) and creates(s.value)])
        ),
    )


def unused(case: Ended) -> Finding | None:
    """AGX406 where torch.autograd.grad is asked for the gradient of what the output does not depend on."""
    if not case.says("not have been used in the graph") or not isinstance(case.expr, nodes.Call):
        return None
    inputs = case.operands[1] if len(case.operands) > 1 else None
    text = drawing.quoted(inputs.text) if inputs is not None else "An input"
    new = keyword_added(case.source, case.expr, "allow_unused=True")
    return case.finding(
        "AGX406",
        f"{text}: at least one of these does not go into {drawing.quoted(case.operands[0].text)}, so it has "
        "no gradient there.",
        name="autograd-grad-unused-input",
        fix=(
            Fix(
                f"line {case.line}:  {new}, and None stands for it",
                edited(case.source, {case.expr.span: new}),
            ),
        ),
    )
