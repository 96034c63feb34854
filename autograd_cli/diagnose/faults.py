"""Rules that fail themselves: each leaves a note of that, and the rest of the report stands."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from autograd_cli import catalogue
from autograd_cli.errors import AgxError
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Severity

Given = TypeVar("Given")
Answer = TypeVar("Answer")

RAISED = False
"""Whether the fault of a rule is raised instead, so that none goes unseen: the tests have it so."""


class Faults:
    """Asks the rules of one report, and has a note, AGX609, of each that failed."""

    def __init__(self) -> None:
        self._notes: dict[str, Finding] = {}

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What failed, each once."""
        return tuple(self._notes.values())

    def every(self, code: str, rule: Callable[[Given], Iterable[Finding]], given: Given) -> Iterator[Finding]:
        """All that a rule finds; nothing where it fails."""
        nothing: list[Finding] = []
        yield from self.asked(code, lambda: list(rule(given)), nothing)

    def one(self, code: str, rule: Callable[[Given], Finding | None], given: Given) -> Finding | None:
        """What a rule finds, None where it fails."""
        return self.asked(code, lambda: rule(given), None)

    def changed(self, finding: Finding, change: Callable[[Finding], Finding]) -> Finding:
        """A finding with more to it, as its repairs when they were run; as it is where that fails."""
        return self.asked(finding.code, lambda: change(finding), finding)

    def asked(self, code: str, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
        """The answer of what belongs to the rule of `code`; `otherwise` where it fails."""
        try:
            return ask()
        except AgxError:  # a refusal is meant
            raise
        except Exception as error:
            if RAISED:
                raise
            self._note(code, error)
            return otherwise

    def _note(self, code: str, error: Exception) -> None:
        told = catalogue.fault(error, f" in its rule for {code}", "; the rest of the report stands")
        found = replace(catalogue.finding(told, Source("")), severity=Severity.NOTE)
        kind = type(error).__name__
        self._notes.setdefault(told.sentence, replace(found, evidence={"rule": code, "error": kind}))
