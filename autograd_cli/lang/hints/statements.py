"""Blocks: how lines are indented, and the colon that a block begins with."""

import re

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text

_MARGIN = re.compile(r"^[ \t]*", re.MULTILINE)


def depth(text: Text) -> Found | None:
    """More blocks in each other than Python reads."""
    if text.fault is None or "too many levels of indentation" not in text.fault.msg:
        return None
    return _whole_line(
        text, "Blocks nest more than 100 deep here, which Python does not read.", "Write fewer blocks."
    )


def body(text: Text) -> Found | None:
    """A line that begins a block with no block after it."""
    if not isinstance(text.fault, IndentationError) or "expected an indented block" not in text.fault.msg:
        return None
    return _whole_line(
        text,
        "A line that is indented is due here, in the block that the line before it begins.",
        "Indent the lines of the block by four spaces, or write `pass` in it.",
    )


def indentation(text: Text) -> Found | None:
    """A line that is indented though it belongs to no block, or as no line before it."""
    if not isinstance(text.fault, IndentationError):
        return None
    what = {
        "TabError": "mixes tabs and spaces in its margin",
        "IndentationError": "is indented and belongs to no block",
    }[type(text.fault).__name__]
    if "unindent" in text.fault.msg:
        what = "is indented as no line of a block around it"
    return Found(
        text.tokens[0].span,
        f"Line {text.line} {what}.",
        "Begin each line at its margin; an expression over several lines stands in brackets.",
        _dedented(text) if "unexpected" in text.fault.msg else (),
    )


def _dedented(text: Text) -> tuple[Edit, ...]:
    """The edits that move a text that is indented as a whole to its margin."""
    start = text.text.rfind("\n", 0, text.all_tokens[0].start) + 1
    margin = text.text[start : text.all_tokens[0].start]
    lines = [match for match in _MARGIN.finditer(text.text, start) if text.text[match.end() :].strip()]
    if not margin or margin.strip(" \t") or not all(match[0].startswith(margin) for match in lines):
        return ()
    return tuple(Edit(Span(match.start(), match.start() + len(margin)), "") for match in lines)


def colon(text: Text) -> Found | None:
    """`for i in range(3)` without the colon."""
    if text.fault is None or text.fault.msg != "expected ':'" or not text.opens_block:
        return None
    end = text.tokens[-1].end
    return Found(
        Span(text.tokens[0].start, end),
        f"The line that `{text.tokens[0].text}` begins has no `:` at its end.",
        "Write `:` there.",
        (Edit(Span(end, end), ":"),),
    )


_FOLLOWS = {"else": "an `if`", "elif": "an `if`", "except": "a `try`", "finally": "a `try`"}


def order(text: Text) -> Found | None:
    """`else:` without `if`, and `try:` without `except`."""
    if text.fault is not None and "'except' or 'finally'" in text.fault.msg:
        return _whole_line(
            text,
            "The block of `try` has ended, and no `except` or `finally` stands here.",
            "Write `except RuntimeError as err:` and its block.",
        )
    first = text.tokens[0].text
    if first not in _FOLLOWS or text.tokens[-1].text != ":":
        return None
    return _whole_line(
        text,
        f"`{first}` follows no block of {_FOLLOWS[first]}.",
        f"Write it in the column of {_FOLLOWS[first]}, after its block.",
    )


def defaults(text: Text) -> Found | None:
    """`def f(x=2, y):`."""
    said = text.fault.msg if text.fault is not None else ""
    if not ("non-default" in said or "without a default" in said):
        return None
    return _whole_line(
        text,
        "A parameter without a default follows one that has a default.",
        "Write the parameters with defaults last: `def f(x, k=2):`.",
    )


def _whole_line(text: Text, sentence: str, hint: str) -> Found:
    return Found(Span(text.tokens[0].start, text.tokens[-1].end), sentence, hint)
