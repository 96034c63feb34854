"""What a rule about syntax works on, and what it gives when it knows the fault."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from unicodedata import name as unicode_name

from autograd_cli.errors import Span
from autograd_cli.lang.tokens import Token, TokenKind, significant
from autograd_cli.lang.vocabulary import words

# Longer texts get a hint and no mended text: nobody reads a page to find what changed in it.
LONG = 4_000


_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADS = frozenset(words("for while if elif else with def class try except finally async match"))


@dataclass(frozen=True)
class Edit:
    """The characters of `span` are to be replaced by `new`."""

    span: Span
    new: str


@dataclass(frozen=True)
class Found:
    """A fault that a rule knows: its place, a sentence, what to write, and how to mend it."""

    span: Span
    sentence: str
    hint: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Text:
    """A faulty text; `parses` tells whether Python reads another text.

    `fault` is what Python said of it, `line` the number of the line where it stopped.
    """

    text: str
    parses: Callable[[str], bool]
    fault: SyntaxError | None = None
    line: int = 0

    @property
    def is_long(self) -> bool:
        """Whether the text is too long to be shown mended as a whole."""
        return len(self.text) > LONG

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens that mean something, of the line where Python stopped and those that go on with it."""
        lines = _logical_lines(self.all_tokens)
        if not self.line or len(lines) < 2:
            return self.all_tokens
        at = [self.line_of(line[0].start) for line in lines]
        return lines[max((i for i, first in enumerate(at) if first <= self.line), default=0)]

    @cached_property
    def all_tokens(self) -> list[Token]:
        """The tokens of the whole text that mean something."""
        return significant(self.text)

    @property
    def opens_block(self) -> bool:
        """Whether the line begins a block, as `for …:` does."""
        return bool(self.tokens) and self.tokens[0].text in _HEADS

    def line_of(self, offset: int) -> int:
        """The number, from 1, of the line of a character, as Python counts lines."""
        return len(_LINE_END.findall(self.text, 0, offset)) + 1

    def column(self, offset: int) -> int:
        """The place of a character in its line, counted from 1."""
        return offset - self.text.rfind("\n", 0, offset)


def _logical_lines(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each line, with those that go on with it in brackets."""
    lines: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind is TokenKind.NEWLINE:
            lines.append([])
        else:
            lines[-1].append(token)
    return [line for line in lines if line]


Rule = Callable[[Text], Found | None]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """`text` with each edit made; they do not overlap."""
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.new + text[edit.span.end :]
    return text


def spaced(text: str, span: Span, python: str) -> str:
    """The operator, with spaces around it where it is a word that would touch another."""
    if python not in ("and", "or", "in", "not in"):
        return python
    left = "" if text[: span.start].endswith(" ") else " "
    right = "" if text[span.end :].startswith(" ") else " "
    return f"{left}{python}{right}"


def code_point(char: str) -> str:
    """How a character is called that may not show: "U+00B2 SUPERSCRIPT TWO"."""
    return f"U+{ord(char):04X} {unicode_name(char, 'CONTROL CHARACTER')}"


def match_of(tokens: list[Token], at: int) -> int | None:
    """The index of the bracket that closes the one at index `at`, None where none does."""
    depth = 0
    for index in range(at, len(tokens)):
        kind = tokens[index].kind
        depth += (kind is TokenKind.OPEN) - (kind is TokenKind.CLOSE)
        if depth == 0:
            return index
    return None


def operand_end(tokens: list[Token], at: int) -> int | None:
    """The index after the operand at `at` with its calls, indices and attributes.

    None where a bracket is not closed.
    """
    index: int | None = at
    if tokens[at].kind is TokenKind.OPEN:
        index = match_of(tokens, at)
    while index is not None:
        index += 1
        if index >= len(tokens):
            break
        if tokens[index].kind is TokenKind.OPEN:
            index = match_of(tokens, index)
        elif tokens[index].text == "." and index + 1 < len(tokens):
            index += 1
        else:
            break
    return index
