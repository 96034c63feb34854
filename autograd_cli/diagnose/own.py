"""What a person's own function raised, forward or backward: at their file and line, in its own words."""

import os
import re
from dataclasses import replace
from pathlib import Path

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.errors import first_line
from autograd_cli.report import Finding, Fix
from autograd_cli.run.settings import OtherValueError, Use

_OF_ENGINE = re.compile(r"[Ff]unction (\w+)Backward returned")


def raised(case: Case) -> Finding | None:
    """AGX325: an error that came through their files, or that torch raised of what their backward gave."""
    uses = case.run.settings.uses
    if not uses:
        return None
    from autograd_cli.run.targets import KEY, place_of, shown, targets

    error, row = case.failure.error, case.function
    is_theirs = row is not None and row.key.startswith(KEY)
    found = next((place for use in uses if (place := place_of(error, _folder(use)))), None)
    owner = _OF_ENGINE.search(str(error))
    if found is None and owner is not None:
        known = (target.owner for target in targets(uses).values())
        cls = next((each for each in known if each is not None and each.__name__ == owner[1]), None)
        found = _backward(cls) if cls else None
    if found is None and not is_theirs and owner is None:
        return None
    where = f" at {shown(found[0])}:{found[1]}" if found else ""
    name = row.name if is_theirs and row else owner[1] if owner else "a function of your own"
    said = f"{name} raises {type(error).__name__}{where}: {first_line(error)}"
    made = case.finding(
        "AGX325",
        first_line(error) if isinstance(error, OtherValueError) else said,
        cause=[*_line(found), *_operands(case, is_theirs)],
        fix=_fixes(case),
        error=type(error).__name__,
        file=shown(found[0]) if found else "",
        line=found[1] if found else 0,
    )
    return replace(made, torch="")


def _folder(use: Use) -> Path:
    path = Path(os.path.abspath(Path(use.file).expanduser()))
    return path if path.is_dir() else path.parent


def _backward(cls: type) -> tuple[Path, int] | None:
    """Where the backward of an autograd.Function returns what torch refuses."""
    from autograd_cli.gradients.clinic.written import returned

    file, _, line = returned(cls, 1).rpartition(":")
    return (Path(os.path.abspath(file)), int(line)) if file else None


def _line(found: tuple[Path, int] | None) -> list[str]:
    """The line of their file, with its number."""
    if found is None:
        return []
    try:
        lines = found[0].read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        return []
    return [f"{found[1]} │ {lines[found[1] - 1].strip()}"] if 0 < found[1] <= len(lines) else []


def _operands(case: Case, is_theirs: bool) -> list[str]:
    return list(drawing.columns([described(operand) for operand in case.operands])) if is_theirs else []


def _fixes(case: Case) -> tuple[Fix, ...]:
    """--const for an int that was made floating, where an int is what was missed."""
    made = [bound.name for bound in case.run.bindings if bound.converted and bound.used]
    misses = isinstance(case.failure.error, TypeError) and re.search(r"integer|\bint\b|index", case.words)
    if not made or not misses:
        return ()
    return (Fix(f"`{made[0]}` was made floating; `--const {made[0]}` keeps the int"),)
