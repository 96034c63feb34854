"""An error that no rule knows: torch's own words, and what it was given."""

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.report import Finding


def error(case: Case) -> Finding:
    """AGX307: the failing expression and its operands, with shape, dtype and device."""
    says = "torch says" if type(case.failure.error).__module__ == "torch" or case.tensors else "Python says"
    return case.finding(
        "AGX307",
        f"{drawing.quoted(case.text, 60)} cannot be evaluated; {says}: {case.words}",
        cause=drawing.columns([described(operand) for operand in case.operands]) if case.operands else (),
        error=type(case.failure.error).__name__,
    )
