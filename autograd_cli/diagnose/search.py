"""Repairs looked for by trying: what a rule has none of that works, small changes may have."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from time import process_time

from autograd_cli.report import Finding, Fix

MOST_SECONDS = 0.5
"""The processor time that a search may take."""

_MOST_FOUND = 2
_BY_KIND = ("AGX307", "AGX344", "AGX345", "AGX346")
"""Codes whose own repairs are guesses too."""


def searched(finding: Finding, candidates: Iterable[Fix], attempt: Callable[[Fix], Fix]) -> Finding:
    """The finding with the first changes that work, where its rule writes no program.

    One that a rule writes and that fails has met the next mistake.
    """
    written = any(fix.program for fix in finding.fix)
    if any(fix.passed for fix in finding.fix) or (written and finding.code not in _BY_KIND):
        return finding
    found = tuple(_working(candidates, attempt))
    return replace(finding, fix=(*found, *finding.fix) if not written else found or finding.fix)


def _working(candidates: Iterable[Fix], attempt: Callable[[Fix], Fix]) -> Iterator[Fix]:
    until, found = process_time() + MOST_SECONDS, 0
    for candidate in candidates:
        if process_time() > until or found == _MOST_FOUND:
            return
        tried = attempt(candidate)
        if tried.passed:
            found += 1
            yield tried
