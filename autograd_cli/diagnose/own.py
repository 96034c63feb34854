"""What a person's own function raised, forward or backward: at their file and line, in its own words."""

import inspect
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.errors import first_line
from autograd_cli.report import Finding, Fix
from autograd_cli.run.settings import OtherValueError, Use

_OF_ENGINE = re.compile(r"[Ff]unction (\w+)Backward returned")
_OF_NONE = "You must implement either the backward or vjp"
_OF_LEAF = "a leaf Variable that requires grad"


def raised(case: Case) -> Finding | None:
    """AGX325: an error that came through their files, or that torch raised of what their backward gave."""
    uses = case.run.settings.uses
    if not uses:
        return None
    from autograd_cli.run.targets import place_of, shown

    error, name = case.failure.error, _name(case)
    found = next((place for use in uses if (place := place_of(error, _folder(use)))), None)
    owner = _blamed(case) if found is None else None
    if owner is not None:
        found, name = _told_of(owner, case), name or owner.__name__
    is_called_otherwise = found is None and name and isinstance(error, TypeError)
    found = _defined(case) if is_called_otherwise else found
    if found is None and not name:
        return None
    if name and case.says(_OF_LEAF):
        return _leaf(case, name, found)
    where = f" at {shown(found[0])}:{found[1]}" if found else ""
    said = f"{name or 'a function of your own'} raises {type(error).__name__}{where}: {first_line(error)}"
    made = case.finding(
        "AGX325",
        first_line(error) if isinstance(error, OtherValueError) else said,
        cause=[*_line(found), *_operands(case, bool(_name(case)))],
        fix=_fixes(case, owner, bool(is_called_otherwise)),
        error=type(error).__name__,
        file=shown(found[0]) if found else "",
        line=found[1] if found else 0,
    )
    return replace(made, torch="")


def _name(case: Case) -> str:
    """What the source calls the callable of theirs that failed; empty where something else did."""
    from autograd_cli.run.targets import KEY

    return case.function.name if case.function is not None and case.function.key.startswith(KEY) else ""


def _blamed(case: Case) -> type[torch.autograd.Function] | None:
    """The Function of theirs that an error of torch's is about, or whose call did not come to its lines."""
    named = _OF_ENGINE.search(case.words)
    for owner in _owners(case):
        is_backless = _OF_NONE in case.words and owner.backward is torch.autograd.Function.backward
        if is_backless or (named is not None and owner.__name__ == named[1]):
            return owner
    return next(iter(_owners(case)), None) if _name(case) and named is None else None


def _owners(case: Case) -> Iterator[type[torch.autograd.Function]]:
    """The Functions of theirs: of what failed itself, of all calls so far, and those that --use names."""
    from autograd_cli.run.brought import Called
    from autograd_cli.run.targets import targets

    known = targets(case.run.settings.uses)
    own = known.get(_name(case))
    if own is not None:
        yield from () if own.owner is None else (own.owner,)
        return
    calls = [step.call for step in case.run.steps if isinstance(step.call, Called)]
    applied = [one.owner for call in calls for one in call.applied]
    yield from dict.fromkeys((*(t.owner for t in known.values() if t.owner is not None), *applied))


def _told_of(owner: type[torch.autograd.Function], case: Case) -> tuple[Path, int] | None:
    """Where in a Function's class an error that came through no line of theirs is told."""
    from autograd_cli.gradients.clinic import written

    if _OF_ENGINE.search(case.words):
        place = written.returned(owner, 1)
    else:
        place = written.class_place(owner) if _OF_NONE in case.words else written.place(owner.forward)
    file, _, line = place.rpartition(":")
    return (Path(os.path.abspath(file)), int(line)) if file else None


def _leaf(case: Case, name: str, found: tuple[Path, int] | None) -> Finding:
    """AGX412: a forward of theirs that writes into its argument, and is given a leaf."""
    from autograd_cli.run.targets import shown

    given = next((each for each in case.operands if _is_leaf(each.value)), None)
    text = given.text if given else "its argument"
    where = f" ({shown(found[0])}:{found[1]})" if found else ""
    return case.finding(
        "AGX412",
        f"`{name}` changes `{text}` in place{where}, which is a leaf that requires grad: its old value would "
        "be lost to the graph.",
        cause=_line(found),
        fix=[Fix(f"hand it a tensor that is no leaf: `{name}({text}.clone())`")],
        file=shown(found[0]) if found else "",
        line=found[1] if found else 0,
    )


def _is_leaf(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad


def _folder(use: Use) -> Path:
    path = Path(os.path.abspath(Path(use.file).expanduser()))
    return path if path.is_dir() else path.parent


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


def _defined(case: Case) -> tuple[Path, int] | None:
    """Where a function or a module of theirs is defined, whose call did not come to its lines."""
    from autograd_cli.run.targets import targets

    target = targets(case.run.settings.uses)[_name(case)]
    return (target.path, target.line) if target.line else None


def _fixes(
    case: Case, owner: type[torch.autograd.Function] | None, is_called_otherwise: bool
) -> tuple[Fix, ...]:
    """How it is called; --const for an int that was made floating, where an int is what was missed."""
    if owner is not None and _OF_NONE in case.words:
        return (Fix(f"write `@staticmethod def backward(ctx, *grad_outputs)` in {owner.__name__}"),)
    is_argument = isinstance(case.failure.error, TypeError) and "argument" in case.words
    if is_argument and (owner is not None or is_called_otherwise) and (form := _signature(case, owner)):
        return (Fix(f"call it as it is written: {form}"),)
    made = [bound.name for bound in case.run.bindings if bound.converted and bound.used]
    misses = isinstance(case.failure.error, TypeError) and re.search(r"integer|\bint\b|index", case.words)
    if not made or not misses:
        return ()
    return (Fix(f"`{made[0]}` was made floating; `--const {made[0]}` keeps the int"),)


def _signature(case: Case, owner: type[torch.autograd.Function] | None) -> str:
    """What a callable takes, of a Function forward without ctx; empty where it is not known."""
    from autograd_cli.run.targets import targets

    if owner is None:
        call = targets(case.run.settings.uses)[_name(case)].call
        with suppress(ValueError):  # of a function that is not Python's
            return f"{_name(case)}{inspect.signature(call)}"
        return ""
    parameters = inspect.signature(owner.forward).parameters.values()
    skips = owner.setup_context is torch.autograd.Function.setup_context
    return f"{_name(case)}({', '.join(map(str, list(parameters)[skips:]))})"
