"""What comes along when a line is copied from a notebook, a session or a web page."""

import re

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text

_PROMPT = re.compile(r"^[ \t]*(>>>[ \t]?|In ?\[\d*\]: ?|Out ?\[\d*\]: ?)", re.MULTILINE)
_CONTINUED = re.compile(r"^[ \t]*(\.\.\.:?[ \t])", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")


def prompt(text: Text) -> Found | None:
    """The prompt of Python or of a notebook before a line."""
    matches = list(_PROMPT.finditer(text.text))
    if not matches:
        return None
    matches += _CONTINUED.finditer(text.text)
    edits = tuple(Edit(Span(*match.span(1)), "") for match in matches)
    span = Span(matches[0].start(1), matches[0].start(1) + len(matches[0][1].rstrip()))
    return Found(
        span,
        f"`{text.text[span.start : span.end]}` is a prompt, copied along with the line.",
        "Leave it out.",
        edits,
    )


def fence(text: Text) -> Found | None:
    """The marks around code in Markdown."""
    matches = list(_FENCE.finditer(text.text))
    if not matches:
        return None
    edits = tuple(Edit(Span(*match.span()), "") for match in matches)
    first = matches[0][0].rstrip()
    start = matches[0].start() + len(first) - len(first.lstrip())
    return Found(
        Span(start, matches[0].start() + len(first)),
        f"{first.strip()} marks code in Markdown and is no part of the code.",
        "Leave it out.",
        edits,
    )


def colour_code(text: Text) -> Found | None:
    """The codes by which a terminal is told to change colours, outside of strings."""
    others = {token.start for token in text.tokens if token.text == "\x1b"}
    matches = [match for match in _COLOUR.finditer(text.text) if match.start() in others]
    if not matches:
        return None
    span = Span(*matches[0].span())
    return Found(
        span,
        f"A terminal's control code stands at column {text.column(span.start)}.",
        "Leave it out.",
        tuple(Edit(Span(*match.span()), "") for match in matches),
    )
