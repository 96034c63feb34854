"""A program's run as the rules look at it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_cli.diagnose.drawing import label
from autograd_cli.diagnose.facts import make
from autograd_cli.diagnose.statements import around, statements
from autograd_cli.errors import Span
from autograd_cli.lang.nodes import Define, For, Program, Statement
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding
from autograd_cli.run.traced import Ran, Site, Traced, now


@dataclass(frozen=True)
class Whole:
    """A program that was run, to its end or not, with what several rules ask of it."""

    ran: Ran

    @property
    def program(self) -> Program:
        """The program."""
        return self.ran.program

    @property
    def source(self) -> Source:
        """The text that spans count in."""
        return self.ran.program.source

    def finding(self, code: str, sentence: str, **parts: Any) -> Finding:
        """A finding about the source; `parts` as `make` takes them."""
        return make(code, sentence, self.source, **parts)

    def line(self, span: Span) -> int:
        """The number of the line where `span` begins."""
        return self.source.line_of(span.start)

    def where(self, span: Span) -> str:
        """A place in words: "line 3", or the statement where the source has one line only."""
        if len(self.source.line_starts) > 1:
            return f"line {self.line(span)}"
        return f"`{label(self.source[self.statement(span).span], 40)}`"

    def statement(self, span: Span) -> Statement:
        """The innermost statement that holds `span`."""
        return around(self.program, span)[-1]

    def loops(self, span: Span) -> tuple[For, ...]:
        """The loops that `span` stands in, the outermost first."""
        return tuple(s for s in around(self.program, span) if isinstance(s, For))

    @cached_property
    def sites(self) -> dict[Span, Site]:
        """What each statement did, by its place."""
        return {site.statement.span: site for site in self.ran.sites}

    @cached_property
    def all_statements(self) -> tuple[Statement, ...]:
        """Every statement, in the order of the text."""
        return tuple(statements(self.program.statements))

    @cached_property
    def functions(self) -> dict[str, Define]:
        """The functions that the program defines, by their names."""
        return {s.name: s for s in self.all_statements if isinstance(s, Define)}

    @cached_property
    def values(self) -> tuple[Traced, ...]:
        """The values that names still lead to, in the order in which they were made."""
        found = reachable(_present([*self.ran.names.values(), self.ran.last, self.ran.value]))
        return tuple(sorted(found, key=lambda traced: traced.number))


def _present(held: Any) -> Any:
    """What names and lists hold, by what their tensors are called now."""
    if isinstance(held, Traced):
        return now(held)
    return [_present(item) for item in held] if isinstance(held, list | tuple) else held


def reachable(roots: Any) -> Iterator[Traced]:
    """Every value that arguments lead to from `roots`, once each, without recursion."""
    seen: set[int] = set()
    stack = [roots]
    while stack:
        top = stack.pop()
        if isinstance(top, list | tuple):
            stack.extend(top)
        elif isinstance(top, dict):
            stack.extend(top.values())
        elif isinstance(top, slice):
            stack += [top.start, top.stop, top.step]
        elif isinstance(top, Traced) and id(top) not in seen:
            seen.add(id(top))
            yield top
            stack += [top.args, top.kwargs]
