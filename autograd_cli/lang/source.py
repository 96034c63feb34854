"""A source and places in it: characters, lines, display cells and carets."""

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import category, combining, east_asian_width

from autograd_cli.errors import Span
from autograd_cli.lang.same import once
from autograd_cli.lang.swift import swift

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@swift
@dataclass(frozen=True)
class Source:
    """A text to be parsed and the name to call it by in messages."""

    text: str
    name: str = ""

    @once
    def line_starts(self) -> tuple[int, ...]:
        """Offsets, in characters, at which the lines of the text begin."""
        ends = (i + 1 for i, char in enumerate(self.text) if char == "\n")
        return (0, *ends)

    def line_of(self, offset: int) -> int:
        """The number, from 1, of the line that holds character `offset`."""
        return sum(start <= offset for start in self.line_starts)

    def __getitem__(self, span: Span) -> str:
        return self.text[span.start : span.end]


def visible(text: str) -> str:
    r"""`text` with what a terminal would act on, or not show, written out (\x1b, \u202e)."""
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if category(char) not in _INVISIBLE:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def several(count: int, noun: str) -> str:
    """A count with its noun, in the plural unless it is one: "1 node", "1,200 nodes"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_words(items: Iterable[str]) -> str:
    """The items as a sentence lists them: "a", "a and b", "a, b and c"."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def named(names: Iterable[str]) -> str:
    """Names in backticks as a sentence lists them: "`x`, `y` and `z`"."""
    return in_words(f"`{name}`" for name in names)


def cells(text: str) -> int:
    """How many terminal cells `text` takes: a CJK character two, a combining mark none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


@dataclass(frozen=True)
class Quote:
    """One line of a text with a stretch of it underlined by carets."""

    line: str
    carets: str


def quote(text: str, span: Span, width: int = 72) -> Quote:
    """The line of `text` where `span` begins, cut to about `width` cells around it.

    The carets are at least one and end with the line. Control characters are written
    out, so the caret line is computed on what is shown.
    """
    start = min(span.start, len(text))
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    stop = len(text) if stop < 0 else stop
    end = max(start, min(span.end, stop))
    before, marked, after = (visible(text[a:b]) for a, b in ((begin, start), (start, end), (end, stop)))
    if cells(before) > width // 2:
        before = "…" + before[-(width // 2) :]
    room = max(width - cells(before), 8)
    if cells(marked) > room:
        marked, after = marked[:room] + "…", ""
    elif cells(after) > room - cells(marked):
        after = after[: max(room - cells(marked), 0)] + "…"
    return Quote(before + marked + after, " " * cells(before) + "^" * max(cells(marked), 1))
