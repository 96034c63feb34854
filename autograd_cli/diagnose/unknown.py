"""An error that no rule knows: torch's own words, and what it was given."""

from dataclasses import replace

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.report import Finding


def _is_torchs(case: Case) -> bool:
    return case.function is not None and case.function.path.startswith("torch.")


def error(case: Case) -> Finding:
    """AGX307: the failing expression and its operands, with shape, dtype and device."""
    kind = type(case.failure.error).__name__
    by_python = (
        not case.name or case.says("unsupported operand", "can only concatenate") or not _is_torchs(case)
    )
    why = f"Python says: {case.words}" if by_python else f"torch raises {kind.lstrip('_')}."
    done = "evaluated" if case.run.root is None else "differentiated"
    found = case.finding(
        "AGX307",
        f"{drawing.quoted(case.text, 60)} cannot be {done}{';' if by_python else ':'} {why}",
        cause=drawing.columns([described(operand) for operand in case.operands]) if case.operands else (),
        error=kind,
    )
    return replace(found, torch="") if by_python else found
