"""An error that no rule knows: torch's own words, and what it was given."""

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.report import Finding


def _is_torchs(case: Case) -> bool:
    return case.function is not None and case.function.path.startswith("torch.")


def _short(words: str) -> str:
    """The words without torch's plea to have them improved."""
    return words.split(" (Could this")[0].rstrip()


def error(case: Case) -> Finding:
    """AGX307: the failing expression and its operands, with shape, dtype and device."""
    by_python = (
        not case.name or case.says("unsupported operand", "can only concatenate") or not _is_torchs(case)
    )
    says = "Python says" if by_python else "torch says"
    done = "evaluated" if case.run.root is None else "differentiated"
    return case.finding(
        "AGX307",
        f"{drawing.quoted(case.text, 60)} cannot be {done}; {says}: {_short(case.words)}",
        cause=drawing.columns([described(operand) for operand in case.operands]) if case.operands else (),
        error=type(case.failure.error).__name__,
    )
