"""The next thing to do about a gradient, with the option to type where one helps."""

import re

from autograd_cli.gradients.grounds.edges import bound
from autograd_cli.report import Gradient, Verdict, Witness
from autograd_cli.report.checks import Grounds
from autograd_cli.run.tape import Run

_AGX = "agx gradcheck …"
_TORCHS = re.compile(r"Backward\d+$")
"""How torch names a node of its own; that of a Function has no number behind."""


def next_thing(gradient: Gradient, grounds: Grounds, run: Run) -> str:
    """What to do now; empty where nothing is left to do."""
    if gradient.verdict is None:
        return _of_none(gradient, run)
    if gradient.verdict is Verdict.WRONG:
        return _of_wrong(gradient, grounds)
    if gradient.verdict is Verdict.PRECISION:
        return _of_precision(grounds, run)
    if gradient.verdict is Verdict.OK and grounds.uncut is not None:
        return f"{_AGX} --through-detach   if the cut is not meant"
    if gradient.verdict is Verdict.DOMAIN_EDGE:
        return bound(run, gradient.name)
    if gradient.verdict is Verdict.NO_GRAPH and getattr(run.output, "requires_grad", False):
        return ""  # there is one, and its backward raised
    return _NEXT.get(gradient.verdict, "")


def _of_none(gradient: Gradient, run: Run) -> str:
    """What would make a verdict possible."""
    if run.device == "meta":
        return f"{_AGX} --device cpu   has values to check the gradient by"
    return f"{_AGX} --witness autograd,symbolic,numeric" if gradient.autograd is None else ""


def _of_wrong(gradient: Gradient, grounds: Grounds) -> str:
    if gradient.odd is Witness.SYMBOLIC:
        return f"{_AGX} --witness autograd,numeric   checks torch's gradient without agx's formula"
    if grounds.cuts:
        return "take the cut away, or leave --through-detach out if it is meant"
    is_forward = gradient.odd is None and grounds.forward is not None and grounds.forward.agrees is False
    if grounds.guilty and is_forward:
        return f"mend the jvp of {grounds.guilty[0].text}"
    if grounds.guilty and (grounds.guilty[0].operand or not grounds.guilty[0].sentence):
        text, node = grounds.guilty[0].text, grounds.guilty[0].node
        if _TORCHS.search(node):
            return f"write {text} in another form, or keep the input away from here: the rule is torch's own"
        return f"mend the backward of {text}"
    if grounds.guilty:
        return "look for a hook on it, or for what is written into its memory"
    return f"{_AGX} --torch   asks torch's own check as well"


def _of_precision(grounds: Grounds, run: Run) -> str:
    if grounds.loss is not None:
        other = f", or {_AGX} --dtype float64" if run.dtype != "float64" else ""
        return f"write {grounds.loss.text} in a form that loses less{other}"
    return f"{_AGX} --dtype float64" if run.dtype != "float64" else ""


_NEXT = {
    Verdict.KINK: "nothing, if a subgradient will do; else move the input off the kink",
    Verdict.JUMP: f"{_AGX} --allow JUMP   if the jump is meant",
    Verdict.NO_GRAPH: "agx trace …   shows where the graph ends",
    Verdict.NONDETERMINISTIC: "torch.manual_seed(0) before what is drawn, or --allow NONDETERMINISTIC",
}
