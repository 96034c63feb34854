"""Repairs of whole programs, run before they are offered."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.errors import AgxError, LimitError
from autograd_cli.lang.check import understood
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Observer, Ran

Rule = Callable[[Whole], Iterable[Finding]]

_MOST_SHOWN = 40
"""What a repaired program prints is shown while it takes no more characters."""

_MOST_STEPS = 100_000
"""A second or so."""

_NUMBER = re.compile(r"tensor\((-?[\w.+-]+)(?:, grad_fn=<\w+>|, requires_grad=True)?\)")


def tried(whole: Whole, finding: Finding, rule: Rule | None = None) -> Finding:
    """The finding with its repairs run on the same bindings; one that fails stands only if none passes.

    A repair passes where the program then comes to its end and `rule` has nothing more to
    say at the same place. A note's repairs are not run.
    """
    finding = replace(finding, fix=tuple(placed(whole, fix) for fix in finding.fix))
    if finding.severity is Severity.NOTE or not finding.fix:
        return finding
    fixes = [attempted(whole, fix, rule) for fix in finding.fix]
    passed = [fix for fix in fixes if fix.passed is not False]
    return replace(finding, fix=tuple(passed or fixes[:1]))


_PLACED = re.compile(r"(?:or |before )*lines? \d")


def placed(whole: Whole, fix: Fix) -> Fix:
    """The repair with the line that it changes in its words, where these do not say it."""
    if not fix.program or _PLACED.match(fix.text):
        return fix
    old, new = whole.source.text.splitlines(), fix.program.splitlines()
    changed = [
        (n, pair[1]) for n, pair in enumerate(zip(old, new, strict=False), start=1) if len(set(pair)) > 1
    ]
    shown = changed if not fix.text and len(old) == len(new) else changed[:1]
    said = "; ".join(f"line {number}:  {code.split('  #')[0].strip()}" for number, code in shown)
    return replace(fix, text=", ".join(filter(None, (said, fix.text)))) if said else fix


def attempted(whole: Whole, fix: Fix, rule: Rule | None = None) -> Fix:
    """A repair with whether it works, found by running it; one of words alone as it is."""
    if not fix.program:
        return fix
    try:
        again = rerun(whole.ran, fix.program)
    except LimitError:  # it takes too long to be tried: nothing is said of it
        return fix
    if again is None or again.failure is not None:
        return replace(fix, ran=True, passed=False)
    count = 0 if rule is None else sum(1 for _ in rule(Whole(again)))
    before = 1 if rule is None else sum(1 for _ in rule(whole))
    return replace(fix, text=_with_prints(fix.text, again.printed), ran=True, passed=count < before)


def _with_prints(text: str, printed: Iterable[str]) -> str:
    """The words of a repair with what the program then prints: "prints 4, 12, 32"."""
    lines = "".join(printed).splitlines()
    shown = "" if any(line.startswith(" ") for line in lines) else ", ".join(map(_shown, lines))
    return f"{text}; prints {shown}" if shown and len(shown) <= _MOST_SHOWN else text


def _shown(line: str) -> str:
    """A printed line, of a tensor of one number the number: "4" for "tensor(4.)"."""
    found = _NUMBER.fullmatch(line)
    return found[1].removesuffix(".") if found else line


def rerun(
    ran: Ran, text: str, observer: Observer | None = None, around: AbstractContextManager[Any] | None = None
) -> Ran | None:
    """Another program run on the same bindings as they were; None where agx refuses it.

    `observer` sees its backwards, `around` stands open while it runs.
    LimitError where it takes more steps than are spent on a repair.
    """
    bindings = tuple(_bindings(ran))
    settings = replace(ran.settings, max_steps=min(ran.settings.max_steps, _MOST_STEPS))
    try:
        known = understood(
            Source(text, ran.program.source.name),
            [b.name for b in bindings],
            ran.settings.text,
            [use.name for use in settings.uses],
        )
        with torch_state(settings), around or nullcontext():
            return run_program(known.program, bindings, settings, observer)
    except LimitError:
        raise
    except AgxError:
        return None


def _bindings(ran: Ran) -> Iterator[BoundValue]:
    """The bindings as they were before the run: no gradient, no change in place."""
    for bound in ran.bindings:
        value = bound.value
        if isinstance(value, torch.Tensor):
            before = ran.mutations.value_at(value, -1)
            fresh = (value if before is None else before).detach().clone()
            value = fresh.requires_grad_(bound.role == "leaf")
        yield replace(bound, value=value)
