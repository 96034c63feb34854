"""Expressions that go on over several lines without a bracket, and what nothing else explains."""

from itertools import pairwise

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text
from autograd_cli.lang.tokens import TokenKind


def over_lines(text: Text) -> Found | None:
    """A line end inside the expression, which Python reads over only in brackets."""
    end = next((token for token in text.tokens if token.kind is TokenKind.NEWLINE), None)
    start, stop = text.tokens[0].start, text.tokens[-1].end
    if end is None or not text.parses(f"({text.text[start:stop]})"):
        return None
    return Found(
        Span(start, stop),
        "The expression goes on after the end of its line, which Python reads over only in brackets.",
        "Write it in brackets.",
        (Edit(Span(start, start), "("), Edit(Span(stop, stop), ")")),
    )


def indentation(text: Text) -> Found | None:
    """A later line that is indented though it belongs to no block."""
    for before, token in pairwise(text.tokens):
        if (
            before.kind is TokenKind.NEWLINE
            and token.kind is not TokenKind.NEWLINE
            and text.column(token.start) > 1
        ):
            line = text.text.count("\n", 0, token.start) + 1
            return Found(
                token.span,
                f"Line {line} is indented and belongs to no block.",
                "Begin each line at its margin; an expression over several lines stands in brackets.",
            )
    return None


def anything(text: Text) -> Found:
    """What is said where no rule knows the fault."""
    tokens = text.tokens
    return Found(
        Span(tokens[0].start, tokens[-1].end),
        "Python cannot read this as an expression.",
        "Compare with `sin(x**2) + mean((X @ w - y)**2)`: operators between operands, arguments in brackets.",
    )
